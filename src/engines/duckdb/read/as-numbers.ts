import { col, literal, raw, type Sql, sql } from "../../sql.ts";
import { areLookedThrough } from "../choose.ts";

/** A column as doubles. Missing cells become NaN here: in a vector their slots hold garbage. */
export function doubleOf(name: string): Sql {
  return sql`coalesce(CAST(${col(name)} AS DOUBLE), 'nan'::DOUBLE)`;
}

/** The place of a text column's cell among texts; missing where it is none of them. */
export function placeAmong(name: string, texts: readonly string[]): Sql {
  if (texts.length === 0) return raw("NULL");
  const list = raw(texts.map((text) => literal(text)).join(", "));
  // Where a file has texts by number, DuckDB calls a function once for each: 12 ms for a million rows, an ENUM 57.
  if (areLookedThrough(texts.length)) return sql`(list_position([${list}], CAST(${col(name)} AS VARCHAR)) - 1)`;
  return sql`enum_code(TRY_CAST(CAST(${col(name)} AS VARCHAR) AS ENUM(${list})))`;
}
