import { col, join, literal, raw, type Sql, sql } from "../../sql.ts";

/** A column as doubles. Missing cells become NaN here: in a vector their slots hold garbage. */
export function doubleOf(name: string): Sql {
  return sql`coalesce(CAST(${col(name)} AS DOUBLE), 'nan'::DOUBLE)`;
}

/** The place of a text among texts, from 0; missing where it is none of them. An ENUM is looked up by hash, but holds no NUL letter. */
export function placeAmong(text: Sql, texts: readonly string[]): Sql {
  if (texts.length === 0) return raw("NULL");
  if (texts.some((each) => each.includes("\0"))) {
    return sql`(list_position([${join(texts.map((each) => sql`${each}`))}], ${text}) - 1)`;
  }
  return sql`enum_code(TRY_CAST(${text} AS ENUM(${raw(texts.map(literal).join(", "))})))`;
}
