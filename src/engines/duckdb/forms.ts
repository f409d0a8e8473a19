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
  const [mark, thousand] = decimal === "point" ? [".", ","] : [",", "."];
  const grouped = `\\d{1,3}(?:[${thousand}${gaps}]\\d{3})+(?:[${mark}]\\d+)?`;
  const plain = sql`regexp_extract(n.digits, ${`^(?:\\d+(?:[${mark}]\\d+)?|\\.\\d+)`})`;
  const whole = sql`CASE WHEN regexp_full_match(n.digits, ${grouped}) THEN regexp_replace(n.digits, ${`[${thousand}${gaps}]`}, '', 'g') ELSE ${plain} END`;
  const pointed = decimal === "point" ? whole : sql`replace(${whole}, ',', '.')`;
  const read = sql`TRY_CAST(${pointed} || n.exponent AS DOUBLE)`;
  const isNegative = sql`n.sign <> '' OR regexp_full_match(${text}, ${"\\s*\\([^()\\p{L}]*\\)\\s*"})`;
  const number = sql`CASE WHEN ${isNegative} THEN -${read} ELSE ${read} END`;
  // By a lambda's name a match is looked for once; written again in each branch of a CASE it is looked for in each.
  // The pattern must stand in the text: DuckDB 1.5 names groups of no other.
  const match = sql`regexp_extract(${text}, ${raw(literal(firstNumber))}, ['sign', 'digits', 'exponent'])`;
  return sql`list_extract(list_transform([${match}], lambda n: ${number}), 1)`;
}

/** What stands in a text besides its first number, such as "kmpl"; missing where the text begins otherwise. */
export function unitOf(cell: Sql): Sql {
  const text = sql`CAST(${cell} AS VARCHAR)`;
  const begins = sql`regexp_matches(${text}, ${"^[\\s$€£¥₹(+−–-]*\\.?\\d"})`;
  return sql`CASE WHEN ${begins} THEN lower(trim(regexp_replace(${text}, ${firstNumber}, ''))) END`;
}
