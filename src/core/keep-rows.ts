import type { Expr } from "../plan/expr.ts";
import type { BlockContext } from "./block.ts";
import type { Frame } from "./frame.ts";
import { movedSplit } from "./split.ts";

/** Keeps the rows in which a condition is true; see `keepMasked`. */
export async function keepRows(frame: Frame, context: BlockContext, where: Expr): Promise<Frame> {
  return await keepMasked(frame, context, await context.tables.mask(frame.relation, frame.rows, where), where);
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

/** The numbers of the rows of which a mask has a 1. No branch depends on it, which a processor would guess wrong. */
function maskedRows(mask: Uint8Array, count: number): Int32Array {
  const rows = new Int32Array(count);
  for (let row = 0, k = 0; k < count; row++) {
    rows[k] = row;
    k += mask[row];
  }
  return rows;
}
