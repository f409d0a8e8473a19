import { typeOf } from "../../plan/check.ts";
import { type CallExpr, column, type Expr } from "../../plan/expr.ts";
import { col, join, raw, type Sql, sql } from "../sql.ts";
import { writeExpression, writerKnowing } from "./expressions.ts";
import { aggregatesIn, type Bounds, isKnown, isSpread, isSummed, writeKnownSum } from "./known-sums.ts";
import { double } from "./words.ts";

/** Where a query's tables are put. */
interface Tables {
  /** Is the query for people, who read sums as they would write them? */
  readonly isShown: boolean;
  table(name: string, select: Sql): Sql;
}

/** Rows in groups, and what is asked of each group. */
export interface Asked {
  /** What a group's rows are alike in; all rows are one group in none. */
  readonly by: readonly Expr[];
  readonly exprs: readonly Expr[];
  /** Which rows count (default: all). */
  readonly where?: Expr | undefined;
  /** What is known of the numbers that are added up; where that is not enough of each, a reading of the rows finds it. */
  readonly bounds?: Bounds | undefined;
}

/** A table with a row for each group: keys that are columns under their names, and the expressions' cells. */
export interface Answer {
  readonly name: Sql;
  readonly cells: readonly Sql[];
}

/**
 * The groups of a table's rows, whose sums, means and deviations of doubles are the same to the last digit however Spark
 * parts them.
 *
 * Numbers are added up as whole ones, in units of a power of two below the column's greatest, and what that leaves of
 * each in a finer unit: both sums are exact in any order, and together they hold more bits than a double. Deviations are
 * such sums of squares around the group's mean.
 */
export function selectGroups(tables: Tables, rows: Sql, { by, exprs, where, bounds: told }: Asked): Answer {
  const keys = by.map((expr, k) => ("column" in expr ? col(expr.column) : col(`__g${k}`)));
  const made = by.flatMap((expr, k) => ("column" in expr ? [] : [sql`${writeExpression(expr)} AS ${keys[k]}`]));
  const asked = exprs.map((expr) => keyed(expr, by));
  const calls = new Map(asked.flatMap(aggregatesIn).map((each) => [JSON.stringify(each), each]));
  const bounds = told && asked.every((expr) => isKnown(expr, told)) ? told : null;
  const rounded = tables.isShown ? [] : [...calls.values()].filter(bounds ? isSummed : isRounded);
  const values = [...new Set(rounded.map(({ args: [x] }) => JSON.stringify(x)))];
  const numbers = values.map(
    (text, k) => sql`CAST(${writeExpression(JSON.parse(text))} AS DOUBLE) AS ${raw(`__v${k}`)}`,
  );
  let read = rows;
  if (made.length + numbers.length > 0 || where) {
    const part = where ? sql`\n  WHERE ${writeExpression(where)}` : raw("");
    read = tables.table("asked", sql`SELECT ${join([raw("*"), ...made, ...numbers])}\n  FROM ${rows}${part}`);
  }
  const placeOf = ({ args: [x] }: CallExpr) => values.indexOf(JSON.stringify(x));
  if (values.length > 0 && !bounds) read = withUnits(tables, read, values.length);
  const spread = bounds ? [] : [...new Set(rounded.filter(isSpread).map(placeOf))];
  if (spread.length > 0) read = withSquares(tables, read, keys, spread);
  const writeSum = (each: CallExpr) =>
    bounds ? writeKnownSum(each, raw(`__v${placeOf(each)}`), bounds) : writeRounded(each, placeOf(each));
  const known = new Map(rounded.map((each) => [JSON.stringify(each), writeSum(each)] as const));
  const written = asked.map(writerKnowing((expr) => known.get(JSON.stringify(expr)) ?? null));
  const cells = written.map((_, k) => raw(`__o${k}`));
  const outputs = written.map((each, k) => sql`${each} AS ${cells[k]}`);
  const name = tables.table("grouped", sql`SELECT ${join([...keys, ...outputs])}\n  FROM ${read}${groupBy(keys)}`);
  return { name, cells };
}

function groupBy(keys: readonly Sql[]): Sql {
  return keys.length > 0 ? sql`\n  GROUP BY ${join(keys)}` : raw("");
}

/** An expression in which what the groups are alike in is a column. */
function keyed(expr: Expr, by: readonly Expr[]): Expr {
  const k = by.findIndex((key) => !("column" in key) && JSON.stringify(key) === JSON.stringify(expr));
  if (k >= 0) return column(`__g${k}`, typeOf(by[k]));
  return "args" in expr ? { ...expr, args: expr.args.map((each) => keyed(each, by)) } : expr;
}

/** Would its last digits depend on the order in which rows come? */
function isRounded({ call, args }: CallExpr): boolean {
  if (call === "sum") return typeOf(args[0]) === "number";
  return call === "mean" || isSpread({ call });
}

const infinity = double(Number.POSITIVE_INFINITY);

/** A number, missing where it is infinite. */
function finite(x: Sql): Sql {
  return sql`CASE WHEN abs(${x}) < ${infinity} THEN ${x} END`;
}

/** A power of two in which numbers up to `most` in size, `n` of them, add up to a whole number of 62 bits at most. */
function unitFor(most: Sql, n: Sql): Sql {
  const bits = sql`60 - ceil(log2(${n} + 1)) - ceil(log2(nullif(${most}, 0D)))`;
  return sql`pow(2D, greatest(-1000, least(1000, coalesce(${bits}, 0))))`;
}

/** The rows with the unit in which each of their numbers is added up, and the finer one for what that leaves. */
function withUnits(tables: Tables, rows: Sql, values: number): Sql {
  const units = Array.from({ length: values }, (_, k) => {
    return sql`${unitFor(sql`max(abs(${finite(raw(`__v${k}`))}))`, raw("count(*)"))} AS ${raw(`__s${k}`)}`;
  });
  const fine = sql`${unitFor(raw("1D"), raw("count(*)"))} AS __fine`;
  const name = tables.table("units", sql`SELECT ${join([...units, fine])}\n  FROM ${rows}`);
  return tables.table(
    "measured",
    sql`SELECT /*+ BROADCAST(u) */ t.*, u.*\n  FROM ${rows} AS t CROSS JOIN ${name} AS u`,
  );
}

/** The sum of the finite ones of a column's numbers in some unit, which is a column too. */
function exactSum(name: string, unit: string): Sql {
  const scaled = sql`(${finite(raw(name))} * ${raw(unit)})`;
  const whole = sql`sum(CAST(rint(${scaled}) AS BIGINT))`;
  const rest = sql`sum(CAST(rint((${scaled} - rint(${scaled})) * __fine) AS BIGINT))`;
  return sql`((CAST(${whole} AS DOUBLE) + CAST(${rest} AS DOUBLE) / max(__fine)) / max(${raw(unit)}))`;
}

/** The rows with the squared distance of each of some numbers from their group's mean, and its unit. */
function withSquares(tables: Tables, rows: Sql, keys: readonly Sql[], places: readonly number[]): Sql {
  const groupKeys = keys.map((key, k) => sql`${key} AS ${raw(`__k${k}`)}`);
  const means = places.flatMap((k) => {
    const x = finite(raw(`__v${k}`));
    return [
      sql`${exactSum(`__v${k}`, `__s${k}`)} / count(${x}) AS ${raw(`__m${k}`)}`,
      sql`max(${x}) - min(${x}) AS ${raw(`__w${k}`)}`,
      sql`count(${x}) AS ${raw(`__n${k}`)}`,
    ];
  });
  const name = tables.table("means", sql`SELECT ${join([...groupKeys, ...means])}\n  FROM ${rows}${groupBy(keys)}`);
  const alike = keys.map((key, k) => sql`t.${key} <=> m.${raw(`__k${k}`)}`);
  const squares = places.flatMap((k) => {
    const far = sql`(${raw(`t.__v${k}`)} - ${raw(`m.__m${k}`)})`;
    const width = raw(`m.__w${k}`);
    return [
      sql`${far} * ${far} AS ${raw(`__q${k}`)}`,
      sql`${unitFor(sql`${width} * ${width}`, raw(`m.__n${k}`))} AS ${raw(`__u${k}`)}`,
    ];
  });
  const pairs = keys.length > 0 ? sql`JOIN ${name} AS m ON ${join(alike, " AND ")}` : sql`CROSS JOIN ${name} AS m`;
  return tables.table("squares", sql`SELECT t.*, ${join(squares)}\n  FROM ${rows} AS t ${pairs}`);
}

function writeRounded({ call }: Pick<CallExpr, "call">, k: number): Sql {
  const x = raw(`__v${k}`);
  if (isSpread({ call })) {
    const share = sql`${exactSum(`__q${k}`, `__u${k}`)} / (count(${x}) - 1)`;
    const found = call === "std" ? sql`sqrt(${share})` : share;
    // What is too great to be squared has no deviation.
    return sql`CASE WHEN count(${x}) > 1 AND max(abs(${x})) < 1e150D THEN ${found} END`;
  }
  const infinite = sql`sum(CASE WHEN abs(${x}) = ${infinity} THEN ${x} END)`;
  const sum = sql`nullif(coalesce(${infinite}, ${exactSum(`__v${k}`, `__s${k}`)}), DOUBLE('NaN'))`;
  return call === "sum" ? sum : sql`try_divide(${sum}, count(${x}))`;
}
