import { typeOf } from "../../plan/check.ts";
import { type CallExpr, columnsRead, type Expr, mapCalls } from "../../plan/expr.ts";
import { functions } from "../../plan/functions.ts";
import { col, join, made, raw, type Sql, sql } from "../sql.ts";
import type { Duck } from "./duck.ts";

/** Rows in groups, and what is asked of each group. */
export interface Asked {
  readonly rows: Sql;
  /** The columns in which a group's rows are alike. */
  readonly by: readonly string[];
  readonly exprs: readonly Expr[];
}

/** A table with a row for each group, and the expressions over it. */
export interface Answer {
  readonly table: Sql;
  readonly exprs: readonly Expr[];
}

/**
 * Sums, means and deviations of doubles that are the same to the last digit in whatever order threads come to them.
 *
 * Numbers are added up as whole numbers, in units of 2^-62 of the column's greatest, which is exact in any order. A
 * group whose numbers are so small beside it that bits of them would be lost is gone through once more, in a unit of
 * its own. Null where nothing of the kind is asked.
 */
export async function exactly(duck: Duck, { rows, by, exprs }: Asked, signal?: AbortSignal): Promise<Answer | null> {
  const calls = [...new Map(exprs.flatMap(aggregatesIn).map((each) => [JSON.stringify(each), each])).values()];
  const rounded = calls.filter(isRounded);
  if (rounded.length === 0) return null;
  const prefix = freePrefix([...by, ...exprs.flatMap(columnsRead)]);
  const values = [...new Set(rounded.map(({ args: [x] }) => JSON.stringify(x)))];
  const placeOf = ({ args: [x] }: CallExpr) => values.indexOf(JSON.stringify(x));
  const cells = values.map((text, k) => sql`CAST(${made(JSON.parse(text))} AS DOUBLE) AS ${col(`${prefix}v${k}`)}`);
  const numbers = sql`SELECT *, ${join(cells)} FROM (${rows})`;
  const ranges = await rangesOf(
    duck,
    numbers,
    values.map((_, k) => col(`${prefix}v${k}`)),
    signal,
  );
  const lists: Record<"g" | "h", Sql[]> = { g: [], h: [] };
  const part =
    (list: "g" | "h") =>
    (piece: Sql): Sql => {
      const name = col(`${prefix}${list}${lists[list].length}`);
      lists[list].push(sql`${piece} AS ${name}`);
      return sql`${raw(list)}.${name}`;
    };
  const doubts: Sql[] = [];
  const answers = calls.map((each, k) => {
    const name = col(`${prefix}a${k}`);
    if (!isRounded(each)) return sql`${part("g")(made(each))} AS ${name}`;
    const write = each.call === "sum" || each.call === "mean" ? added : spread;
    const range = ranges[placeOf(each)];
    const { value, doubt } = write(col(`${prefix}v${placeOf(each)}`), range, each.call, part("g"), part("h"));
    doubts.push(doubt);
    return sql`${value} AS ${name}`;
  });
  const keys = by.map(col);
  const alike = (left: string) =>
    keys.length === 0
      ? raw("TRUE")
      : join(
          keys.map((key) => sql`${raw(left)}.${key} IS NOT DISTINCT FROM g.${key}`),
          " AND ",
        );
  const groups = (list: readonly Sql[]) => (list.length > 0 ? sql` GROUP BY ${join(list)}` : raw(""));
  const own = keys.map((key) => sql`t.${key}`);
  const table = sql`WITH numbers AS NOT MATERIALIZED (${numbers}),
grouped AS MATERIALIZED (SELECT ${join([...keys, ...lists.g])} FROM numbers${groups(keys)}),
doubtful AS MATERIALIZED (SELECT * FROM grouped AS g WHERE ${join(doubts, " OR ")}),
once_more AS (SELECT ${join([...own, ...lists.h])} FROM numbers AS t JOIN doubtful AS g ON ${alike("t")}${groups(own)})
SELECT ${join([...keys.map((key) => sql`g.${key}`), ...answers])}
FROM grouped AS g LEFT JOIN once_more AS h ON ${alike("h")}`;
  const names = new Map(calls.map((each, k) => [JSON.stringify(each), `${prefix}a${k}`]));
  return { table, exprs: exprs.map((expr) => replaced(expr, names)) };
}

function replaced(expr: Expr, names: ReadonlyMap<string, string>): Expr {
  if (!("call" in expr)) return expr;
  const name = isAggregate(expr) ? names.get(JSON.stringify(expr)) : undefined;
  if (name !== undefined) return { column: name, type: typeOf(expr) };
  return { ...expr, args: expr.args.map((each) => replaced(each, names)) };
}

function aggregatesIn(expr: Expr): CallExpr[] {
  const found: CallExpr[] = [];
  mapCalls(expr, (call) => {
    if (isAggregate(call)) found.push(call);
    return call;
  });
  return found;
}

function isAggregate(call: CallExpr): boolean {
  return functions[call.call].kind === "aggregate" && !call.over;
}

/** Would its last digits depend on the order in which rows come? */
function isRounded({ call, args }: CallExpr): boolean {
  if (call === "sum") return typeOf(args[0]) === "number";
  return call === "mean" || call === "std" || call === "variance";
}

/** What no column's name begins with. */
function freePrefix(names: readonly string[]): string {
  let prefix = "__";
  while (names.some((name) => name.toLowerCase().startsWith(prefix))) prefix += "_";
  return prefix;
}

/** Between which numbers a column's finite ones lie, and whether there are others. */
interface Range {
  readonly least: number;
  readonly greatest: number;
  readonly hasInfinite: boolean;
}

async function rangesOf(duck: Duck, numbers: Sql, names: readonly Sql[], signal?: AbortSignal): Promise<Range[]> {
  const asked = names.flatMap((v) => [sql`min(${v})`, sql`max(${v})`]);
  const [ends] = await duck.rows(sql`SELECT ${join(asked)} FROM (${numbers})`, signal);
  const isOdd = ends.some((each) => each !== null && !Number.isFinite(each));
  const finite = names.flatMap((v) => [
    sql`min(CASE WHEN isfinite(${v}) THEN ${v} END)`,
    sql`max(CASE WHEN isfinite(${v}) THEN ${v} END)`,
  ]);
  const [inner] = isOdd ? await duck.rows(sql`SELECT ${join(finite)} FROM (${numbers})`, signal) : [ends];
  return names.map((_, k) => ({
    least: Number(inner[2 * k] ?? 0),
    greatest: Number(inner[2 * k + 1] ?? 0),
    hasInfinite: [ends[2 * k], ends[2 * k + 1]].some((each) => each !== null && !Number.isFinite(each)),
  }));
}

type Part = (piece: Sql) => Sql;

/** The aggregate of a group, and when bits of it may be lost in the unit of all. */
interface Written {
  readonly value: Sql;
  readonly doubt: Sql;
}

/** A power of two as SQL; beyond these, doubles have no room for its use. */
function power(exponent: number): Sql {
  return sql`${2 ** Math.max(-1000, Math.min(1000, exponent))}::DOUBLE`;
}

/** The power of two above a number. */
function above(x: number): number {
  return Math.floor(Math.log2(x)) + 1;
}

/** The same in SQL, of a number above 0. */
function unitOf(x: Sql, bits: number): Sql {
  return sql`pow(2e0, greatest(-1000, least(1000, ${raw(String(bits))} - ceil(log2(nullif(${x}, 0))))))`;
}

/** What runs over is missing: the squares of numbers beyond 1e300. */
const whole = (x: Sql) => sql`TRY_CAST(${x} AS BIGINT)`;

function finiteOf(v: Sql, { hasInfinite }: Range): Sql {
  return hasInfinite ? sql`CASE WHEN isfinite(${v}) THEN ${v} END` : v;
}

function added(v: Sql, range: Range, call: string, first: Part, again: Part): Written {
  const most = Math.max(Math.abs(range.least), Math.abs(range.greatest));
  const unit = power(most === 0 ? 0 : 61 - above(most));
  const sum = first(sql`sum(${whole(sql`${finiteOf(v, range)} * ${unit}`)})`);
  const greatest = first(sql`max(abs(${finiteOf(v, range)}))`);
  const doubt = sql`(${greatest} > 0 AND ${greatest} < ${most / 512}::DOUBLE)`;
  const own = unitOf(greatest, 61);
  const better = again(sql`sum(${whole(sql`${finiteOf(v, range)} * ${own}`)})`);
  const total = sql`CASE WHEN ${doubt} THEN ${better}::DOUBLE / ${own} ELSE ${sum}::DOUBLE / ${unit} END`;
  const infinite = range.hasInfinite ? first(sql`sum(CASE WHEN NOT isfinite(${v}) THEN ${v} END)`) : null;
  const all = infinite ? sql`nullif(coalesce(${infinite}, ${total}), 'nan'::DOUBLE)` : total;
  return { value: call === "sum" ? all : sql`(${all}) / ${first(sql`count(${v})`)}`, doubt };
}

function spread(v: Sql, range: Range, call: string, first: Part, again: Part): Written {
  const x = finiteOf(v, range);
  const width = range.greatest - range.least;
  const isWide = !Number.isFinite(width);
  const middle = range.least / 2 + range.greatest / 2;
  const scale = power(width === 0 || isWide ? 0 : -above(width));
  const n = first(sql`count(${x})`);
  const [least, greatest] = [first(sql`min(${x})`), first(sql`max(${x})`)];
  const bits = power(61);
  const far = sql`((${x} - ${middle}::DOUBLE) * ${scale})`;
  const one = isWide ? raw("0") : sql`(${first(sql`sum(${whole(sql`${far} * ${bits}`)})`)}::DOUBLE / ${bits} / ${n})`;
  const two = isWide ? raw("0") : sql`(${first(sql`sum(${whole(sql`${far} * ${far} * ${bits}`)})`)}::DOUBLE / ${bits})`;
  const share = sql`((${two} - ${n} * ${one} * ${one}) / (${n} - 1))`;
  const isClear = sql`(${share} >= ${power(-24)} AND ${share} >= ${one} * ${one} * ${power(-12)})`;
  const doubt = sql`(${n} > 1 AND ${greatest} > ${least} AND NOT ${isClear})`;
  // The numbers of a group that is gone through once more are measured from its least one.
  const own = unitOf(sql`(${greatest} - ${least})`, 0);
  const near = sql`((${x} - ${least}) * ${own})`;
  const mean = sql`(${again(sql`sum(${whole(sql`${near} * ${bits}`)})`)}::DOUBLE / ${bits} / ${n})`;
  const squares = sql`(${again(sql`sum(${whole(sql`${near} * ${near} * ${bits}`)})`)}::DOUBLE / ${bits})`;
  const better = sql`((${squares} - ${n} * ${mean} * ${mean}) / (${n} - 1))`;
  const root = (square: Sql, by: Sql) =>
    call === "std" ? sql`sqrt(greatest(${square}, 0)) / ${by}` : sql`greatest(${square}, 0) / ${by} / ${by}`;
  const infinite = range.hasInfinite ? sql`${first(sql`count(${v})`)} > ${n}` : raw("FALSE");
  return {
    value: sql`CASE WHEN ${n} < 2 OR ${infinite} THEN NULL WHEN ${greatest} = ${least} THEN 0e0 WHEN ${doubt} THEN ${root(better, own)} ELSE ${root(share, scale)} END`,
    doubt,
  };
}
