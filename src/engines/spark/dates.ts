import { literal, raw, type Sql, sql } from "../sql.ts";
import { type Argument, monthsBetween, monthsOf, secondsOf, textOf, type Writer } from "../sql-calls.ts";
import { blank } from "./casts.ts";
import { wide } from "./words.ts";

export const datePart =
  (name: string): Writer =>
  ([x]) =>
    wide(sql`${raw(name)}(${x.sql})`);

/** Spark answers an instant; the session's zone is UTC. */
export const dateTruncated: Writer = ([x, unit]) =>
  sql`CAST(date_trunc(${raw(literal(textOf(unit)))}, ${x.sql}) AS TIMESTAMP_NTZ)`;

/** Whole units between two dates. */
export const dateDifference: Writer = ([from, to, unit]) => {
  const name = textOf(unit);
  if (secondsOf[name]) return sql`timestampdiff(${raw(name.toUpperCase())}, ${from.sql}, ${to.sql})`;
  const later = (date: Sql, months: Sql) => sql`${date} + make_ym_interval(0, CAST(${months} AS INT))`;
  const whole = monthsBetween([from.sql, to.sql], later);
  // Of whole numbers DIV cuts off behind the point.
  return wide(sql`((${whole}) DIV ${raw(String(monthsOf[name]))})`);
};

/** Dates as people write them: day, time and what may tell a zone, which is passed over. */
const dateForm =
  "\\A(?=[0-9]{4}(?:-[0-9]{1,2}-|/[0-9]{1,2}/)[0-9])([0-9-/]{8,10})(?:[T ] *([0-9]{1,2}:[0-9]{1,2}(?::[0-5]?[0-9](?:\\.[0-9]*)?)?) *(?:Z|UTC|[+-][0-9]{2}(?::?[0-9]{2})?)?)?\\z";

/** Text as a date; Spark alone would take years, "epoch" and times of today too. */
export function asDate({ sql: x, type }: Argument): Sql {
  if (type === "datetime") return x;
  if (type !== "string") return raw("CAST(NULL AS TIMESTAMP_NTZ)");
  const text = blank(x);
  const part = (group: number) => sql`regexp_extract(${text}, ${dateForm}, ${raw(String(group))})`;
  const day = sql`replace(${part(1)}, '/', '-')`;
  const time = sql`CASE WHEN ${part(2)} = '' THEN '' ELSE ${"T"} || rtrim('.', ${part(2)}) END`;
  return sql`CASE WHEN ${text} >= '0001' THEN try_cast(${day} || ${time} AS TIMESTAMP_NTZ) END`;
}
