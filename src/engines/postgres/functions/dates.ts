import type { FunctionName } from "../../../plan/functions.ts";
import { literal, raw, type Sql, sql } from "../../sql.ts";
import { type Argument, monthsBetween, monthsOf, secondsOf, textOf, type Writer } from "../../sql-calls.ts";
import { blank } from "./writing.ts";

/** A date as text: fractions of a second without zeros behind them. */
export function dateText(x: Sql): Sql {
  return sql`rtrim(rtrim(to_char(${x}, 'YYYY-MM-DD HH24:MI:SS.US'), '0'), '.')`;
}

/** Dates as people write them; Postgres alone would take "tomorrow" and "Jan 5" too. */
const dateForm =
  "^[0-9]{4}(-[0-9]{1,2}-|/[0-9]{1,2}/)[0-9]{1,2}([T ] *[0-9]{1,2}:[0-9]{1,2}(:[0-5]?[0-9](\\.[0-9]*)?)? *(Z|UTC|[+-][0-9]{2}(:?[0-9]{2})?)?)?$";

function asDate({ sql: x, type }: Argument): Sql {
  if (type === "datetime") return x;
  if (type !== "string") return raw("NULL::timestamp");
  // Postgres would round at the seventh digit behind the point.
  const text = sql`regexp_replace(${blank(x)}, ${"(\\.[0-9]{6})[0-9]+"}, ${"\\1"})`;
  return sql`CASE WHEN ${text} ~ ${dateForm} AND pg_input_is_valid(${text}, 'timestamp') THEN ${text}::timestamp END`;
}

/** A part of a date; seconds have a fraction, which is cut off. */
const datePart =
  (part: string): Writer =>
  ([x]) =>
    sql`floor(extract(${raw(part)} FROM ${x.sql}))::bigint`;

/** Whole units between two dates. A month from its last day on is whole at the last day of a shorter one. */
function dateDifference([from, to, unit]: readonly Argument[]): Sql {
  const [a, b] = [from.sql, to.sql];
  const seconds = secondsOf[textOf(unit)];
  if (seconds) return sql`trunc(extract(epoch FROM (${b} - ${a})) / ${raw(String(seconds))})::bigint`;
  const whole = monthsBetween([a, b], (date, months) => sql`${date} + make_interval(months => ${months}::integer)`);
  return sql`trunc((${whole}) / ${raw(String(monthsOf[textOf(unit)]))})::bigint`;
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
  weekday: ([x]) => sql`(extract(isodow FROM ${x.sql})::bigint - 1)`,
  date: ([x]) => asDate(x),
  dateTrunc: ([x, unit]) => sql`date_trunc(${raw(literal(textOf(unit)))}, ${x.sql})`,
  dateDiff: dateDifference,
} satisfies Partial<Record<FunctionName, Writer>>;
