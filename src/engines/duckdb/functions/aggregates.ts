import type { FunctionName } from "../../../plan/functions.ts";
import { join, raw, type Sql, sql } from "../../sql.ts";
import { type Around, numberOf } from "../../sql-calls.ts";
import { grouped } from "../../sql-windows.ts";
import { type DuckWriter, double, real, row } from "./writing.ts";

/** The number, missing where the sum of many squares like its own runs over: DuckDB raises at deviations of such. */
export function squarable(x: Sql, size = sql`abs(${x})`): Sql {
  return sql`CASE WHEN ${size} < 1e150 THEN ${x} END`;
}

/** An aggregate of numbers as a double, missing where it has no real value. */
const ofDoubles =
  (write: (...args: readonly Sql[]) => Sql): DuckWriter =>
  (args, around) =>
    real(grouped(write(...args.map((arg) => sql`CAST(${arg.sql} AS DOUBLE)`)), around));

/** How far numbers lie apart, alone or in pairs; missing where one of them is too great to be squared, or infinite. */
const deviation =
  (name: string): DuckWriter =>
  (args, around) => {
    const [x, ...more] = args.map((arg) => sql`CAST(${arg.sql} AS DOUBLE)`);
    const size = join(
      [x, ...more].map((each) => sql`abs(${each})`),
      " + ",
    );
    const greatest = grouped(sql`max(${size})`, around);
    const made = grouped(sql`${raw(name)}(${join([squarable(x, size), ...more])})`, around);
    return sql`CASE WHEN ${greatest} < 1e150 THEN ${real(made)} END`;
  };

const aggregate =
  (write: (x: Sql, around: Around) => Sql): DuckWriter =>
  ([x], around) =>
    grouped(write(x?.sql, around), around);

/** Sums of whole numbers are wider than these; those of doubles are missing where they have no real value. */
const summed: DuckWriter = ([x], around) => {
  const made = grouped(sql`sum(${x.sql})`, around);
  return around.type === "integer" ? sql`TRY_CAST(${made} AS BIGINT)` : real(made);
};

/** Aggregates of rows. */
export const aggregates = {
  count: ([x], around) => grouped(x ? sql`count(${x.sql})` : raw("count(*)"), around),
  // -0 and 0 are one value.
  countDistinct: ([x], around) =>
    grouped(sql`count(DISTINCT ${x.type === "number" ? sql`(${x.sql} + 0e0)` : x.sql})`, around),
  sum: summed,
  mean: ofDoubles((x) => sql`avg(${x})`),
  median: ofDoubles((x) => sql`quantile_cont(${x}, 0.5)`),
  quantile: ([x, q], around) =>
    real(grouped(sql`quantile_cont(CAST(${x.sql} AS DOUBLE), ${double(numberOf(q))})`, around)),
  min: aggregate((x) => sql`min(${x})`),
  max: aggregate((x) => sql`max(${x})`),
  std: deviation("stddev_samp"),
  variance: deviation("var_samp"),
  first: aggregate((x) => sql`arg_min(${x}, ${row})`),
  last: aggregate((x) => sql`arg_max(${x}, ${row})`),
  mode: aggregate((x) => sql`mode(${x} ORDER BY ${x})`),
  any: aggregate((x) => sql`bool_or(${x})`),
  all: aggregate((x) => sql`bool_and(${x})`),
  corr: deviation("corr"),
  sortedSum: ([x]) => real(sql`CAST(sum(${x.sql} ORDER BY ${x.sql}) AS DOUBLE)`),
} satisfies Partial<Record<FunctionName, DuckWriter>>;
