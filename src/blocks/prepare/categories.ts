import type { BlockContext } from "../../core/block.ts";
import { DataError } from "../../core/errors.ts";
import { type Column, cell, column, type Frame, wideCell } from "../../core/frame.ts";
import { listed, quoted } from "../../core/names.ts";
import { fitSelection } from "../../core/scope.ts";
import { call, type Expr, type ListExpr, numberList, value } from "../../plan/expr.ts";
import type { Unseen } from "../../plan/node.ts";

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

/** A column's category; groups tell -0.0 from 0.0 where people don't. */
export function categoryOf(of: Column): Expr {
  const isWide = of.type === "number" && !of.integer;
  return isWide ? call("add", cell(of), value(0, "number")) : cell(of);
}

/** The categories of a column in sorted order, from the rows a fit may see. */
export async function learnCategories(
  frame: Frame,
  name: string,
  type: Encoding,
  context: BlockContext,
): Promise<Encoded["categories"]> {
  const of = column(frame, name);
  const category = categoryOf(of);
  const limit = byText.includes(type) ? 10 * mostCategories : mostCategories;
  const { found } = await context.tables.groups(frame.relation, fitSelection(frame), {
    by: [category],
    where: call("not", call("isMissing", cell(of))),
    outputs: [byText.includes(type) ? call("text", category) : category],
    order: [{ expr: category }],
    limit: limit + 1,
  });
  if (found.length > limit) {
    throw new DataError(
      `encode (DP_3): column ${quoted(name)} has more than ${limit.toLocaleString("en-US")} different values, too many for ${type}. Drop it, or use another encoding.`,
      { got: `more than ${limit}`, expected: `at most ${limit} categories` },
    );
  }
  return found.map(([each]) => each as string | number | boolean);
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
  const counts = hot
    .map((name) => cell(column(frame, name)))
    .flatMap((of) => [call("count", of), call("countDistinct", of)]);
  const found = (await context.tables.aggregate(frame.relation, fitSelection(frame), counts)).map(Number);
  const isNames = (k: number) => {
    const [cells, different] = found.slice(2 * k);
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
export function labelCode(of: Column, categories: Encoded["categories"]): Expr {
  // Text is 2 for 2.0 as well, so that a column of whole numbers may come as either.
  return call("placeOf", call("text", wideCell(of)), { list: categories.map(String) });
}

/** Is it this category? */
export function isCategory(of: Column, category: Encoded["categories"][number]): Expr {
  return call("equal", cell(of), typeof category === "string" ? value(category, constantOf(of)) : value(category));
}

/** What a category is where it is told as text: a date, or a whole number beyond 2^53. */
function constantOf({ type }: Column): "datetime" | "integer" | undefined {
  return type === "datetime" ? "datetime" : type === "number" ? "integer" : undefined;
}

function listOf(of: Column, categories: Encoded["categories"]): ListExpr {
  if (of.type === "number" && !of.integer) return numberList(categories.map(Number));
  const as = constantOf(of);
  return as ? { list: categories, as } : { list: categories };
}

/** Which cells of encoded columns have not been learnt, and what becomes of them. */
export function unseenOf(frame: Frame, encoded: readonly Encoded[]): Unseen[] {
  return encoded.flatMap(({ column: name, categories, type }): Unseen[] => {
    if (categories.length === 0) return [];
    const of = column(frame, name);
    const where = byText.includes(type)
      ? call("equal", labelCode(of, categories), value(-1))
      : call("not", call("oneOf", cell(of), listOf(of, categories)));
    const become =
      type === "label" ? "became -1" : type === "target" ? "became the mean of the target" : "became all zeros";
    return [{ column: name, where, become }];
  });
}
