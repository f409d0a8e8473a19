import { allOf, call, column, type Expr, rowColumn, type SortKey, value } from "../plan/expr.ts";
import { addStep } from "../plan/node.ts";
import type { BlockContext } from "./block.ts";
import type { Frame } from "./frame.ts";
import { clusterSplit, movedSplit } from "./split.ts";
import type { Keep } from "./tables.ts";

/** Keeps the rows in which a condition is true; see `keepMasked`. */
export async function keepRows(frame: Frame, context: BlockContext, where: Expr): Promise<Frame> {
  if (context.tables.isFar) return await keepFar(frame, context, where);
  return await keepMasked(frame, context, await context.tables.mask(frame.relation, frame.rows, where), where);
}

/** Keeps the rows from one number up to another. */
export async function keepStretch(frame: Frame, context: BlockContext, from: number, to: number): Promise<Frame> {
  const row = column(rowColumn, "integer");
  const where = allOf([call("greaterEqual", row, value(from, "integer")), call("less", row, value(to, "integer"))]);
  if (context.tables.isFar) return await keepFar(frame, context, where);
  return await keepMasked(frame, context, new Uint8Array(frame.rows).fill(1, from, to), where);
}

/**
 * Keeps the rows of which a mask has a 1; each subset keeps its own order. The same frame where these are all.
 *
 * `where`: the condition that is true in these rows alone, where a row's own cells say it.
 */
export async function keepMasked(frame: Frame, context: BlockContext, mask: Uint8Array, where?: Expr): Promise<Frame> {
  let count = 0;
  for (let row = 0; row < mask.length; row++) count += mask[row];
  if (count === frame.rows) return frame;
  const rows = maskedRows(mask, count);
  const split = frame.split && (await movedSplit(frame, rows, context.tables));
  const { id, name } = context.block;
  const node = { block: id, name, ...(where ? { where } : {}) };
  const relation = await context.tables.keep(frame.relation, { columns: frame.columns, mask, rows, node });
  return { ...frame, relation, rows: count, split };
}

/** Keeps the rows that repeat no other in these columns; missing cells are alike. */
export async function keepOriginals(
  frame: Frame,
  context: BlockContext,
  names: readonly string[],
  keep: Keep,
): Promise<Frame> {
  if (context.tables.isFar) return await keepFar(frame, context, isOriginal(names, keep));
  return await keepMasked(frame, context, await context.tables.originals(frame.relation, frame.rows, names, keep));
}

/** True in the rows that repeat no other in these columns, by windows over those that are alike. */
export function isOriginal(names: readonly string[], keep: Keep): Expr {
  const over = { by: names, order: keep === "last" ? [backwards] : [] };
  const place: Expr = { call: keep === "none" ? "count" : "rowNumber", args: [], over };
  return call("equal", place, value(1, "integer"));
}

const backwards: SortKey = { column: rowColumn, descending: true, type: "integer" };

/** The rows in which a condition is true, on a cluster, where the rows that stay are counted and no list of them is made. */
async function keepFar(frame: Frame, context: BlockContext, where: Expr): Promise<Frame> {
  const outputs = frame.columns.map((column) => ({ column }));
  const step = { block: context.block.id, name: context.block.name, outputs, kept: { where } };
  const kept = addStep(frame.relation, step);
  const [rows] = (await context.tables.aggregate(kept, {}, [call("count")])).map(Number);
  if (rows === frame.rows) return frame;
  const relation = addStep(frame.relation, { ...step, rows });
  const split = frame.split && (await clusterSplit(relation, context.tables));
  return { ...frame, relation, rows, split };
}

/** The numbers of the rows of which a mask has a 1. No branch depends on it, which a processor would guess wrong. */
function maskedRows(mask: Uint8Array, count: number): Int32Array {
  const rows = new Int32Array(count);
  for (let row = 0, k = 0; k < count; row++) {
    rows[k] = row;
    k += mask[row];
  }
  return rows;
}
