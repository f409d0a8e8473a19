import type { BlockContext } from "../../core/block.ts";
import { DataError } from "../../core/errors.ts";
import { column, type Frame } from "../../core/frame.ts";
import { listed, quoted } from "../../core/names.ts";
import { rowsOf } from "../../core/relation.ts";
import { fitSelection } from "../../core/scope.ts";
import { col, join, literal, raw, type Sql, sql } from "../../core/sql.ts";
import type { Unseen } from "../../plan/node.ts";
import { aggregates } from "./aggregates.ts";

/** "categorical" is another word for "onehot". */
export const encodings = ["onehot", "categorical", "label", "binary", "target", "hash", "extract_numbers"] as const;
export type Encoding = (typeof encodings)[number];

/** What was learnt of one column. */
export interface Encoded {
  readonly column: string;
  readonly type: Encoding;
  readonly categories: readonly (string | number | boolean)[];
  readonly outputs: readonly string[];
}

/** Beyond this many categories one-hot columns help nobody. */
const mostCategories = 2000;

/** Encodings that look a category up as text. */
const byText: readonly string[] = ["label", "binary", "target"];

/** A column's category; DuckDB's DISTINCT tells -0.0 from 0.0 where people don't. */
function categoryOf(frame: Frame, name: string): Sql {
  const { type, integer } = column(frame, name);
  return type === "number" && !integer ? sql`(${col(name)} + 0.0::DOUBLE)` : col(name);
}

/** A category as text: 2 for 2.0 as well, so that a column of whole numbers may come as either. */
function written(frame: Frame, name: string, cell: Sql): Sql {
  const words = sql`CAST(${cell} AS VARCHAR)`;
  if (column(frame, name).type !== "number") return words;
  return sql`CASE WHEN ${cell} = trunc(${cell}) THEN coalesce(CAST(TRY_CAST(${cell} AS BIGINT) AS VARCHAR), ${words}) ELSE ${words} END`;
}

/** The categories of a column in sorted order, from the rows a fit may see. */
export async function learnCategories(
  frame: Frame,
  name: string,
  type: Encoding,
  context: BlockContext,
): Promise<Encoded["categories"]> {
  const seen = rowsOf(frame.relation, { ...fitSelection(frame), columns: [name] });
  const limit = byText.includes(type) ? 10 * mostCategories : mostCategories;
  const distinct = sql`SELECT DISTINCT ${categoryOf(frame, name)} AS category FROM (${seen}) WHERE ${col(name)} IS NOT NULL ORDER BY category LIMIT ${limit + 1}`;
  const found = await context.tables.query(
    byText.includes(type)
      ? sql`SELECT ${written(frame, name, raw("category"))} FROM (${distinct}) ORDER BY category`
      : distinct,
  );
  if (found.length > limit) {
    throw new DataError(
      `encode (DP_3): column ${quoted(name)} has more than ${limit.toLocaleString("en-US")} different values, too many for ${type}. Drop it, or use another encoding.`,
      { got: `more than ${limit}`, expected: `at most ${limit} categories` },
    );
  }
  return found.map(([value]) => value as string | number | boolean);
}

/** With more different values than this, and than half of its cells, a column holds names rather than categories. */
const mostNames = 20;

/** The encodings without columns of names, for which one-hot columns would be one a row; these are told. */
export async function withoutNames(
  frame: Frame,
  wanted: ReadonlyMap<string, Encoding>,
  context: BlockContext,
): Promise<ReadonlyMap<string, Encoding>> {
  const hot = [...wanted].flatMap(([name, type]) => (type === "onehot" || type === "categorical" ? [name] : []));
  const rows = (some: readonly string[]) => rowsOf(frame.relation, { ...fitSelection(frame), columns: some });
  const pieces = (name: string) => [sql`count(${col(name)})`, sql`count(DISTINCT ${col(name)})`];
  const found = await aggregates(hot, rows, pieces, context);
  const isNames = (k: number) => {
    const [cells, different] = found[k].map(Number);
    return different > mostNames && 2 * different > cells;
  };
  const names = hot.filter((_, k) => isNames(k));
  if (names.length === 0) return wanted;
  const calls = names.slice(0, 4).map(quoted).join(", ");
  context.notice(
    `encode (DP_3): ${listed(names)} ${names.length === 1 ? "is" : "are"} left as ${names.length === 1 ? "it is" : "they are"}: most of the values stand in one row alone, as names do. Drop ${names.length === 1 ? "it" : "them"} with drop(${calls}), or choose an encoding, as in encode({ columns: [${calls}], type: "hash" }).`,
  );
  return new Map([...wanted].filter(([name]) => !names.includes(name)));
}

/** The category's place in sorted order: -1 for one that was not learnt, missing where the cell is. */
export function labelCode(frame: Frame, name: string, categories: Encoded["categories"]): Sql {
  if (categories.length === 0) return sql`CAST(NULL AS BIGINT)`;
  const words = categories.map(String);
  const cell = written(frame, name, col(name));
  // An ENUM is looked up by hash, where a long CASE would try its branches one by one. It can't hold a NUL letter.
  const place = words.some((word) => word.includes("\0"))
    ? sql`list_position([${join(words.map((word) => sql`${word}`))}], ${cell}) - 1`
    : sql`enum_code(TRY_CAST(${cell} AS ENUM(${raw(words.map(literal).join(", "))})))`;
  return sql`CASE WHEN ${col(name)} IS NULL THEN NULL ELSE coalesce(CAST(${place} AS BIGINT), -1) END`;
}

/** Which cells of encoded columns have not been learnt, and what becomes of them. */
export function unseenOf(frame: Frame, encoded: readonly Encoded[]): Unseen[] {
  return encoded.flatMap(({ column: name, categories, type }): Unseen[] => {
    if (categories.length === 0) return [];
    const given = join(categories.map((category) => sql`${category}`));
    const where = byText.includes(type)
      ? sql`${labelCode(frame, name, categories)} = -1`
      : sql`${col(name)} NOT IN (${given})`;
    const become =
      type === "label" ? "became -1" : type === "target" ? "became the mean of the target" : "became all zeros";
    return [{ column: name, where, become }];
  });
}
