import { rowColumn } from "../../plan/expr.ts";
import { col, join, raw, type Sql, sql } from "../sql.ts";
import { type Argument, type Around, numberOf, overClause, running, type Writer } from "../sql-calls.ts";
import { grouped, windowOver } from "../sql-windows.ts";
import { asDouble, double, real } from "./words.ts";

const row = col(rowColumn);

/** Texts compare by code point, as everything compares in Spark. */
export const ordered = ({ sql: x }: Pick<Argument, "sql">): Sql => x;

/** A whole number in a type in which sums of many do not run over; others as they are. */
export function summand({ sql: x, type }: Argument): Sql {
  return type === "integer" ? sql`CAST(${x} AS DECIMAL(19, 0))` : x;
}

export function fitting(sum: Sql): Sql {
  return sql`try_cast(${sum} AS BIGINT)`;
}

/**
 * An aggregate of doubles, over the groups of its window where it has one.
 *
 * Beside rows it goes along them in their order, so that its last digits do not depend on how Spark parts the table.
 */
function inOrder(made: Sql, { call }: Around): Sql {
  const all = "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING";
  return call.over ? sql`${made} ${overClause(call.over.by, [row], all)}` : made;
}

export const aggregate =
  (name: string): Writer =>
  ([x], around) =>
    grouped(sql`${raw(name)}(${x.sql})`, around);

export const summed: Writer = ([x], around) => {
  const made = inOrder(sql`sum(${summand(x)})`, around);
  return around.type === "integer" ? fitting(made) : real(made);
};

export const mean: Writer = ([x], around) => real(inOrder(sql`avg(${asDouble(x)})`, around));

/** Every value once, -0 and 0 as one. */
export const countedDistinct: Writer = ([x], around) => {
  const value = plainZero(x);
  // Beside rows Spark has no DISTINCT.
  const made = around.call.over
    ? sql`size(${grouped(sql`collect_set(${value})`, around)})`
    : sql`count(DISTINCT ${value})`;
  return sql`CAST(${made} AS BIGINT)`;
};

function plainZero({ sql: x, type }: Argument): Sql {
  return type === "number" ? sql`(${x} + 0D)` : x;
}

export const mode: Writer = ([x], around) => grouped(sql`mode(${plainZero(x)}, TRUE)`, around);

export const quantile =
  (share: (args: readonly Argument[]) => number): Writer =>
  (args, around) =>
    real(grouped(sql`percentile(${asDouble(args[0])}, ${double(share(args))})`, around));

export const quantileAt = quantile(([, q]) => numberOf(q));

/** The number, missing where the sum of many squares like its own runs over. */
function squarable(x: Sql, size = sql`abs(${x})`): Sql {
  return sql`CASE WHEN ${size} < 1e150D THEN ${x} END`;
}

/** How far numbers lie apart, alone or in pairs; missing where one of them is too great to be squared, or infinite. */
export const deviation =
  (name: string): Writer =>
  (args, around) => {
    const [x, ...more] = args.map(asDouble);
    const size = join(
      [x, ...more].map((each) => sql`abs(${each})`),
      " + ",
    );
    const greatest = grouped(sql`max(${size})`, around);
    const made = inOrder(sql`${raw(name)}(${join([squarable(x, size), ...more])})`, around);
    return sql`CASE WHEN ${greatest} < 1e150D THEN ${real(made)} END`;
  };

/** The deviation of the last rows, where none of them is too great to be squared. */
export const rollingDeviation = (rolled: Writer): Writer => {
  return ([x, n], around) => rolled([{ ...x, sql: squarable(asDouble(x)), type: "number" }, n], around);
};

/** The first or last cell that is there, by the rows' numbers. */
export const atEnd =
  (name: "min_by" | "max_by"): Writer =>
  ([x], around) =>
    grouped(sql`${raw(name)}(${x.sql}, CASE WHEN ${x.sql} IS NOT NULL THEN ${row} END)`, around);

/** The sum from the least to the greatest. */
export const sortedSum: Writer = ([x]) => {
  const cells = sql`array_sort(collect_list(${asDouble(x)}))`;
  return sql`CASE WHEN count(${x.sql}) > 0 THEN ${real(sql`aggregate(${cells}, 0D, (total, each) -> total + each)`)} END`;
};

/** The nearest cell before, or this one. */
function before(value: Sql, around: Around): Sql {
  return sql`last_value(${value}, TRUE) ${windowOver(around, ordered, running)}`;
}

/** The nearest cell behind, or this one: looked for backwards, since Spark goes through all rows behind for each one. */
function behind(value: Sql, around: Around): Sql {
  const { order = [], by = [] } = around.call.over ?? {};
  const keys = order.map(
    ({ column, descending }) => sql`${col(column)} ${raw(descending ? "ASC" : "DESC")} NULLS FIRST`,
  );
  return sql`last_value(${value}, TRUE) ${overClause(by, [...keys, sql`${row} DESC`], running)}`;
}

export const previous: Writer = ([x], around) => before(x.sql, around);
export const next: Writer = ([x], around) => behind(x.sql, around);

/** Cells between two others lie on the straight line between them, by the rows' numbers. */
export const interpolated: Writer = ([x], around) => {
  const number = asDouble(x);
  const at = sql`CASE WHEN ${x.sql} IS NOT NULL THEN CAST(${row} AS DOUBLE) END`;
  const [a, b] = [before(number, around), behind(number, around)];
  const [from, to] = [before(at, around), behind(at, around)];
  const share = sql`try_divide(CAST(${row} AS DOUBLE) - ${from}, ${to} - ${from})`;
  return real(sql`coalesce(${number}, ${a} + (${b} - ${a}) * ${share}, ${a})`);
};
