import type { BlockContext } from "../../core/block.ts";
import { DataError } from "../../core/errors.ts";
import type { Frame } from "../../core/frame.ts";
import { count, listed, quoted } from "../../core/names.ts";
import { selectFrom } from "../../core/relation.ts";
import { col, type Sql, sql } from "../../core/sql.ts";

/** How a column's texts write the places of a number: 1,234.5 with a point, 1.234,5 with a comma. */
export type Decimal = "point" | "comma";

/** What may stand between thousands besides a comma or a point: an apostrophe, or a space that does not break. */
const spaces = "'’\u00a0\u202f";
/** The sign, the digits with all that stands between them, and the exponent of the first number in a text. */
const firstNumber = `(?:(?:^|[^\\p{L}\\p{N}_])([-−–]\\s*[$€£¥₹]?\\s*))?(\\d[\\d.,${spaces}]*\\d|\\.?\\d+)([eE][-+]?\\d{1,3}\\b)?`;

/** Digits that can only be read with this sign before the decimals: 2,5 and 0,125 with a comma, and 1.234,5. */
function evidence(decimal: Decimal): string {
  const [mark, thousand] = decimal === "point" ? ["\\.", ","] : [",", "\\."];
  const decimals = `\\d+${mark}\\d{1,2}|\\d+${mark}\\d{4,}|\\d{4,}${mark}\\d+|0${mark}\\d+`;
  return `${decimals}|\\d{1,3}(?:[${thousand}${spaces}]\\d{3})+${mark}\\d+|\\d{1,3}(?:${thousand}\\d{3}){2,}`;
}

/** Digits in groups of three. */
const thousands = `\\d{1,3}(?:[,${spaces}]\\d{3})+(?:\\.\\d+)?`;

function digits(name: string): Sql {
  return sql`regexp_extract(CAST(${col(name)} AS VARCHAR), ${firstNumber}, 2)`;
}

/**
 * The first number in each text of a column, missing where there is none.
 *
 * With its sign (a minus of typography too, and brackets around the whole cell, as in accounts), thousands and exponent.
 */
export function numberIn(name: string, decimal: Decimal): Sql {
  const cell = sql`CAST(${col(name)} AS VARCHAR)`;
  const found = digits(name);
  const [mark, thousand] = decimal === "point" ? [".", ","] : [",", "."];
  const grouped = `\\d{1,3}(?:[${thousand}${spaces}]\\d{3})+(?:[${mark}]\\d+)?`;
  const plain = sql`regexp_extract(${found}, ${`^(?:\\d+(?:[${mark}]\\d+)?|\\.\\d+)`})`;
  const whole = sql`CASE WHEN regexp_full_match(${found}, ${grouped}) THEN regexp_replace(${found}, ${`[${thousand}${spaces}]`}, '', 'g') ELSE ${plain} END`;
  const pointed = decimal === "point" ? whole : sql`replace(${whole}, ',', '.')`;
  const read = sql`TRY_CAST(nullif(${pointed}, '') || regexp_extract(${cell}, ${firstNumber}, 3) AS DOUBLE)`;
  const isNegative = sql`regexp_extract(${cell}, ${firstNumber}, 1) <> '' OR regexp_full_match(${cell}, ${"\\s*\\([^()\\p{L}]*\\)\\s*"})`;
  return sql`CASE WHEN ${isNegative} THEN -${read} ELSE ${read} END`;
}

/**
 * How a column writes its numbers, told by all of its cells; a column that writes them both ways is refused.
 *
 * Where nothing tells, a point is one, and 1,234 is a thousand. That commas were read, and how, is said.
 */
export async function decimalOf(frame: Frame, name: string, context: BlockContext, who: string): Promise<Decimal> {
  const inner = sql`SELECT ${digits(name)} AS n, CAST(${col(name)} AS VARCHAR) AS cell FROM (${selectFrom(frame.relation, { columns: [name] })})`;
  const [[points, point, commas, comma, grouped, first]] = await context.tables.query(
    sql`SELECT
  count(*) FILTER (regexp_full_match(n, ${evidence("point")})), first(cell) FILTER (regexp_full_match(n, ${evidence("point")})),
  count(*) FILTER (regexp_full_match(n, ${evidence("comma")})), first(cell) FILTER (regexp_full_match(n, ${evidence("comma")})),
  count(*) FILTER (regexp_full_match(n, ${thousands})), first(cell) FILTER (regexp_full_match(n, ${thousands}))
FROM (${inner})`,
  );
  if (Number(points) > 0 && Number(commas) > 0) {
    throw new DataError(
      `${who}: column ${quoted(name)} writes decimals with a point in ${count(Number(points), "cell")}, such as ${quoted(String(point))}, and with a comma in ${count(Number(commas), "cell")}, such as ${quoted(String(comma))}, so nobody can tell its numbers. Write them one way before they are read, or use "onehot" or "label".`,
      { code: "mixed_decimals", got: [String(point), String(comma)], expected: "one way of writing" },
    );
  }
  const read = (way: string, cell: unknown) =>
    context.notice(`${who}: numbers of ${listed([name])} were read with ${way}, as in ${quoted(String(cell))}.`);
  if (Number(commas) > 0) read("decimals after a comma", comma);
  else if (Number(grouped) > 0) read("marks between thousands", first);
  return Number(commas) > 0 ? "comma" : "point";
}

/** What stands in each text besides its first number, such as "kmpl"; missing where the text begins otherwise. */
export function unitIn(name: string): Sql {
  const cell = sql`CAST(${col(name)} AS VARCHAR)`;
  const begins = sql`regexp_matches(${cell}, ${"^[\\s$€£¥₹(+−–-]*\\.?\\d"})`;
  return sql`CASE WHEN ${begins} THEN lower(trim(regexp_replace(${cell}, ${firstNumber}, ''))) END`;
}
