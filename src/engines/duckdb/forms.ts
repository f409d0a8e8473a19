import { type Decimal, dateFormats, firstNumber, gaps } from "../../plan/forms.ts";
import { join, literal, raw, type Sql, sql } from "../sql.ts";

function byFormats(written: Sql, formats: readonly string[]): Sql {
  return sql`try_strptime(${written}, [${join(formats.map((format) => raw(literal(format))))}])`;
}

/** The date in a text, missing where there is none that can be read. Only a year of four digits may stand first. */
export function readDate(cell: Sql, first: "year" | "month" | "day"): Sql {
  const { yearFirst, others } = dateFormats(first === "day");
  const written = sql`trim(CAST(${cell} AS VARCHAR))`;
  // DuckDB wants an offset right behind the time.
  const joined = sql`regexp_replace(${written}, ' ([+-][0-9:]+|Z)$', '\\1')`;
  const offset = sql`make_timestamp(epoch_us(TRY_CAST(${joined} AS TIMESTAMPTZ)))`;
  const cases = sql`WHEN regexp_matches(${written}, '^[0-9]{4}.*:.*([+-][0-9]{2}(:?[0-9]{2})?|Z)$') THEN ${offset} WHEN regexp_matches(${written}, '^[0-9]{4}') THEN coalesce(TRY_CAST(${written} AS TIMESTAMP), ${byFormats(written, yearFirst)})`;
  return first === "year" ? sql`CASE ${cases} END` : sql`CASE ${cases} ELSE ${byFormats(written, others)} END`;
}

/**
 * The first number in a text, missing where there is none.
 *
 * With its sign (a minus of typography too, and brackets around the whole cell, as in accounts), thousands and exponent.
 */
export function readNumber(cell: Sql, decimal: Decimal): Sql {
  const text = sql`CAST(${cell} AS VARCHAR)`;
  const found = sql`regexp_extract(${text}, ${firstNumber}, 2)`;
  const [mark, thousand] = decimal === "point" ? [".", ","] : [",", "."];
  const grouped = `\\d{1,3}(?:[${thousand}${gaps}]\\d{3})+(?:[${mark}]\\d+)?`;
  const plain = sql`regexp_extract(${found}, ${`^(?:\\d+(?:[${mark}]\\d+)?|\\.\\d+)`})`;
  const whole = sql`CASE WHEN regexp_full_match(${found}, ${grouped}) THEN regexp_replace(${found}, ${`[${thousand}${gaps}]`}, '', 'g') ELSE ${plain} END`;
  const pointed = decimal === "point" ? whole : sql`replace(${whole}, ',', '.')`;
  const read = sql`TRY_CAST(nullif(${pointed}, '') || regexp_extract(${text}, ${firstNumber}, 3) AS DOUBLE)`;
  const isNegative = sql`regexp_extract(${text}, ${firstNumber}, 1) <> '' OR regexp_full_match(${text}, ${"\\s*\\([^()\\p{L}]*\\)\\s*"})`;
  return sql`CASE WHEN ${isNegative} THEN -${read} ELSE ${read} END`;
}

/** What stands in a text besides its first number, such as "kmpl"; missing where the text begins otherwise. */
export function unitOf(cell: Sql): Sql {
  const text = sql`CAST(${cell} AS VARCHAR)`;
  const begins = sql`regexp_matches(${text}, ${"^[\\s$€£¥₹(+−–-]*\\.?\\d"})`;
  return sql`CASE WHEN ${begins} THEN lower(trim(regexp_replace(${text}, ${firstNumber}, ''))) END`;
}
