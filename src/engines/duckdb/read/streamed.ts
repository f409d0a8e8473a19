import type { DuckDBConnection, DuckDBDataChunk } from "@duckdb/node-api";
import { type Selection, subsetOf } from "../../../core/selection.ts";
import { rowColumn } from "../../../plan/expr.ts";
import { type Relation, rowsLeft } from "../../../plan/node.ts";
import { col, type Sql, sql } from "../../sql.ts";
import { type Duck, failing } from "../duck.ts";
import { selectFrom, subsetRows } from "../select.ts";
import { forgetCopies } from "./copies.ts";

/** Hands over a query's rows, chunk by chunk. */
export async function eachChunk(
  connection: DuckDBConnection,
  text: string,
  values: readonly unknown[],
  take: (chunk: DuckDBDataChunk) => void,
): Promise<void> {
  const result = await failing(text, () => connection.stream(text, values as never));
  for (;;) {
    const chunk = await failing(text, () => result.fetchChunk());
    if (!chunk || chunk.rowCount === 0) return;
    take(chunk);
    forgetCopies(chunk);
  }
}

/** Numbers that become more. */
export class Growing<T extends Float64Array | Int32Array> {
  length = 0;
  #array: T;

  constructor(start: T) {
    this.#array = start;
  }

  append(items: T): void {
    const before = this.#array;
    if (this.length + items.length > before.length) {
      const make = before.constructor as new (length: number) => T;
      this.#array = new make(Math.max(2 * before.length, this.length + items.length));
      this.#array.set(before.subarray(0, this.length));
    }
    this.#array.set(items, this.length);
    this.length += items.length;
  }

  /** What is there so far, as a view. */
  get all(): T {
    return this.#array.subarray(0, this.length) as T;
  }
}

/** The place of a row within its subset, which travels beside the columns. */
export const placeColumn = "__place";

/**
 * The rows to read. A whole subset comes in any order with each row's place beside it: putting numbers in their
 * places costs half of what sorting the rows does.
 */
export function placedRows(relation: Relation, selection: Selection): { placed: Sql; isScattered: boolean } {
  const part = subsetOf(selection);
  if (!part || selection.offset !== undefined || selection.limit !== undefined) {
    return { placed: selectFrom(relation, selection), isScattered: false };
  }
  const inner = selectFrom(relation, { columns: selection.columns, row: true });
  const placed = sql`SELECT rows.*, subset."pos"::INTEGER AS ${col(placeColumn)} FROM (${inner}) AS rows JOIN (${subsetRows(part.split, part.subset)}) AS subset ON subset."row" = rows.${col(rowColumn)}`;
  return { placed, isScattered: true };
}

/** How many rows a selection has; the split, the plan or the file tell, without working the plan out. */
export async function countRows(
  duck: Duck,
  relation: Relation,
  selection: Selection,
  signal?: AbortSignal,
): Promise<number> {
  const { offset = 0, limit = Number.POSITIVE_INFINITY } = selection;
  const part = subsetOf(selection);
  const left = part ? part.split[part.subset] : rowsLeft(relation);
  const total = left ?? (await duck.facts.rows(relation.artifact, signal));
  return Math.max(0, Math.min(total - offset, limit));
}
