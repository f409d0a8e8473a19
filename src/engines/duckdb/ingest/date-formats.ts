import { join, raw, type Sql, sql } from "../../../core/sql.ts";

const times = ["", " %H:%M", " %H:%M:%S", " %H:%M:%S.%f", " %I:%M %p", " %I:%M:%S %p"];

const yearFirst = ["%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%Y%m%d"];

/** Two-digit years come first: %Y would take "26" for the year 26. */
const named = [
  "%d.%m.%y",
  "%d.%m.%Y",
  "%d %b %Y",
  "%d %B %Y",
  "%d-%b-%y",
  "%d-%b-%Y",
  "%b %d, %Y",
  "%B %d, %Y",
  "%b %d %Y",
  "%B %d %Y",
  "%a, %d %b %Y",
  "%A, %d %B %Y",
];
const monthFirst = ["%m/%d/%y", "%m/%d/%Y", "%m-%d-%y", "%m-%d-%Y"];
const dayFirstDates = ["%d/%m/%y", "%d/%m/%Y", "%d-%m-%y", "%d-%m-%Y"];

/** A month alone is its first day, as in pandas. */
const months = ["%Y-%m", "%Y/%m"];
const namedMonths = ["%b %Y", "%B %Y"];

function byFormats(written: Sql, dates: readonly string[], withoutTime: readonly string[]): Sql {
  const all = [...dates.flatMap((date) => times.map((time) => `${date}${time}`)), ...withoutTime];
  const formats = join(all.map((format) => raw(`'${format}'`)));
  return sql`try_strptime(${written}, [${formats}])`;
}

/** The date in a text, NULL where there is none that can be read. Only a year of four digits may stand first. */
export function readDate(cell: Sql, dayFirst: boolean): Sql {
  const written = sql`trim(CAST(${cell} AS VARCHAR))`;
  // DuckDB wants an offset right behind the time.
  const joined = sql`regexp_replace(${written}, ' ([+-][0-9:]+|Z)$', '\\1')`;
  const offset = sql`make_timestamp(epoch_us(TRY_CAST(${joined} AS TIMESTAMPTZ)))`;
  return sql`CASE WHEN regexp_matches(${written}, '^[0-9]{4}.*:.*([+-][0-9]{2}(:?[0-9]{2})?|Z)$') THEN ${offset} WHEN regexp_matches(${written}, '^[0-9]{4}') THEN coalesce(TRY_CAST(${written} AS TIMESTAMP), ${byFormats(written, yearFirst, months)}) ELSE ${byFormats(written, [...named, ...(dayFirst ? dayFirstDates : monthFirst)], namedMonths)} END`;
}
