import { listed } from "../../../core/names.ts";

/**
 * What is said of a column that was kept as text because its numbers have more digits than are kept exactly.
 *
 * The rule, for every kind of source: whole numbers are 64-bit integers; a column of them of which some lie beyond is
 * text, since as doubles different ones, such as two ids, would become the same.
 */
export function keptAsText(
  name: string,
  cure = `types: { ${JSON.stringify(name)}: "number" } reads the nearest floats`,
): string {
  return `input (DP_1): column ${listed([name])} holds numbers of more digits than are kept exactly, so it was kept as text; ${cure}.`;
}

/** What is said of a column with fractions, so one of doubles, that holds whole numbers which these can't hold. */
export function keptAsFloats(
  name: string,
  cure = `types: { ${JSON.stringify(name)}: "string" } keeps every digit`,
): string {
  return `input (DP_1): column ${listed([name])} holds fractions beside whole numbers beyond 2^53, which became the nearest floats; ${cure}.`;
}

/** SQL: is a text a whole number? */
export function isWholeText(text: string): string {
  return `regexp_full_match(${text}, '\\s*[+-]?[0-9]+\\s*')`;
}

/** SQL: is a text a whole number beyond 64 bits? */
export function isLongWhole(text: string): string {
  return `(strlen(${text}) >= 19 AND ${isWholeText(text)} AND TRY_CAST(${text} AS BIGINT) IS NULL)`;
}

/** SQL: is a text a number that a double holds? DuckDB's cast alone would take 1_000 and +-5 as well. */
export function isNumberText(text: string): string {
  return `(NOT (contains(${text}, '_') OR contains(${text}, '+-')) AND TRY_CAST(${text} AS DOUBLE) IS NOT NULL)`;
}
