import type { FunctionName } from "../../../plan/functions.ts";
import { literal, raw, type Sql, sql } from "../../sql.ts";
import type { Argument } from "../../sql-calls.ts";
import { readDate } from "../forms.ts";
import { blanks } from "./casts.ts";
import { type DuckWriter, isListed } from "./writing.ts";

const datePart =
  (part: string): DuckWriter =>
  ([x]) =>
    sql`date_part(${raw(literal(part))}, ${x.sql})`;

function asDate({ sql: x, type }: Argument): Sql {
  if (type === "datetime") return x;
  if (type !== "string") return raw("CAST(NULL AS TIMESTAMP)");
  const text = sql`trim(${x}, ${blanks})`;
  // DuckDB reads "epoch", "infinity" and years before Christ as well.
  const isDate = sql`(${text} LIKE '____-%' OR ${text} LIKE '____/%') AND ${text} BETWEEN '0001' AND ':'`;
  return sql`CASE WHEN ${isDate} THEN TRY_CAST(${text} AS TIMESTAMP) END`;
}

/** Dates and their parts. */
export const dates = {
  year: datePart("year"),
  quarter: datePart("quarter"),
  month: datePart("month"),
  day: datePart("day"),
  hour: datePart("hour"),
  minute: datePart("minute"),
  second: datePart("second"),
  weekday: ([x]) => sql`(date_part('isodow', ${x.sql}) - 1)`,
  date: ([x]) => asDate(x),
  dateTrunc: ([x, unit]) => sql`CAST(date_trunc(${unit.sql}, ${x.sql}) AS TIMESTAMP)`,
  // date_diff counts borders that are crossed, not whole units.
  dateDiff: ([from, to, unit]) =>
    sql`date_sub(${unit.sql}, CAST(${from.sql} AS TIMESTAMP), CAST(${to.sql} AS TIMESTAMP))`,
  readDate: ([x, first]) =>
    readDate(x.sql, isListed(first, "day") ? "day" : isListed(first, "month") ? "month" : "year"),
} satisfies Partial<Record<FunctionName, DuckWriter>>;
