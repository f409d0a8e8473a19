import type { BlockContext } from "../../core/block.ts";
import type { Frame } from "../../core/frame.ts";
import { fitSelection } from "../../core/scope.ts";
import type { TableSelection } from "../../core/tables.ts";
import { columnQuantiles } from "../../numerics/statistics/quantiles.ts";
import type { Matrix } from "../../numerics/types.ts";
import { farQuantiles } from "./far-measures.ts";
import { computeColumns, matrixOf } from "./row-parts.ts";

/** What the columns in memory together take, unless one alone takes more. */
const bytesTogether = 256 * 2 ** 20;

/**
 * Reads numeric columns into memory, as many together as fit into a quarter of a gigabyte, and hands them to `work`.
 *
 * They lie in the same memory in turn, so `work` may not keep them; those it may `spend` it may also change. It answers
 * something for each column.
 */
export async function inTurns<T>(
  frame: Frame,
  selection: TableSelection,
  { tables }: Pick<BlockContext, "tables">,
  work: (x: Matrix, spend: boolean, names: readonly string[]) => Promise<readonly T[]>,
): Promise<T[]> {
  const { columns } = selection;
  const found: T[] = [];
  const together = Math.max(1, Math.floor(bytesTogether / 8 / Math.max(1, frame.rows)));
  let memory: Float64Array | undefined;
  for (let k = 0; k < columns.length; k += together) {
    const some = { ...selection, columns: columns.slice(k, k + together) };
    const x = await tables.look(frame.relation, some, memory);
    if (!x.isKept) memory ??= x.data;
    for (const each of await work(matrixOf(x), !x.isKept, some.columns)) found.push(each);
  }
  return found;
}

/** Exact quantiles of numeric columns over the rows that a fit may see, on all threads; missing cells don't count. */
export async function columnQuantilesOf(
  frame: Frame,
  names: readonly string[],
  at: readonly number[],
  context: BlockContext,
  phase: string,
): Promise<Float64Array[]> {
  if (context.tables.isFar) return await farQuantiles(frame, names, at, context);
  return await inTurns(frame, { ...fitSelection(frame), columns: names }, context, (x, spend) =>
    computeColumns(context, columnQuantiles, { x, at, spend }, phase),
  );
}
