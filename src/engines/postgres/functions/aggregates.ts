import type { FunctionName } from "../../../plan/functions.ts";
import { join, raw, type Sql, sql } from "../../sql.ts";
import { type Argument, numberOf, overClause, type Writer } from "../../sql-calls.ts";
import { grouped } from "../../sql-windows.ts";
import { asDouble, fitting, ordered, real, row } from "./writing.ts";

const aggregate =
  (name: string): Writer =>
  ([x], around) =>
    grouped(sql`${raw(name)}(${ordered(x)})`, around);

const ofDoubles =
  (name: string): Writer =>
  (args, around) =>
    real(grouped(sql`${raw(name)}(${join(args.map(asDouble))})`, around));

const ofOrdered =
  (write: (args: readonly Argument[]) => Sql): Writer =>
  (args) =>
    real(sql`${write(args)} WITHIN GROUP (ORDER BY ${asDouble(args[0])})`);

/** The first or last cell that is there, by the rows' numbers. */
const atEnd =
  (direction: "ASC" | "DESC"): Writer =>
  ([x], { call }) => {
    const cells = sql`FILTER (WHERE ${x.sql} IS NOT NULL)`;
    if (!call.over) return sql`(array_agg(${x.sql} ORDER BY ${row} ${raw(direction)}) ${cells})[1]`;
    const all = "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING";
    return sql`(array_agg(${x.sql}) ${cells} ${overClause(call.over.by, [sql`${row} ${raw(direction)}`], all)})[1]`;
  };

/** Aggregates of rows. */
export const aggregates = {
  count: ([x], around) => grouped(x ? sql`count(${x.sql})` : raw("count(*)"), around),
  countDistinct: ([x]) => sql`count(DISTINCT ${x.sql})`,
  sum: ([x], around) => {
    const made = grouped(sql`sum(${x.sql})`, around);
    return around.type === "integer" ? fitting(made) : real(made);
  },
  mean: ofDoubles("avg"),
  median: ofOrdered(() => raw("percentile_cont(0.5)")),
  quantile: ofOrdered(([, q]) => raw(`percentile_cont(${numberOf(q)})`)),
  min: ([x], around) =>
    x.type === "boolean" ? grouped(sql`bool_and(${x.sql})`, around) : aggregate("min")([x], around),
  max: ([x], around) =>
    x.type === "boolean" ? grouped(sql`bool_or(${x.sql})`, around) : aggregate("max")([x], around),
  std: ofDoubles("stddev_samp"),
  variance: ofDoubles("var_samp"),
  first: atEnd("ASC"),
  last: atEnd("DESC"),
  // It takes the first of the most frequent values in their order.
  mode: ([x]) => sql`mode() WITHIN GROUP (ORDER BY ${ordered(x)})`,
  any: aggregate("bool_or"),
  all: aggregate("bool_and"),
  corr: ofDoubles("corr"),
  sortedSum: ([x]) => real(sql`sum(${asDouble(x)} ORDER BY ${asDouble(x)})`),
} satisfies Partial<Record<FunctionName, Writer>>;
