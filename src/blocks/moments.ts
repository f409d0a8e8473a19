import type { BlockContext } from "../core/block.ts";
import type { Frame } from "../core/frame.ts";
import { fitSelection } from "../core/scope.ts";
import { joinedMoments, type Moments, momentsOf, noMoments, type RunMoments, runMoments } from "../kernels/moments.ts";
import { fewAtATime } from "./aggregates.ts";

/** Moments of numeric columns over the rows that a fit may see, in one reading; missing cells don't count. */
export async function moments(
  frame: Frame,
  names: readonly string[],
  context: Pick<BlockContext, "tables">,
): Promise<Moments[]> {
  return (await summedUp(frame, names, context, true)).map(momentsOf);
}

/** The same without deviations, in half of the work. */
export async function meansAndRanges(
  frame: Frame,
  names: readonly string[],
  context: Pick<BlockContext, "tables">,
): Promise<Omit<Moments, "deviation">[]> {
  return (await summedUp(frame, names, context, false)).map(momentsOf);
}

/**
 * Each run of rows is summed up while it is in the cache. Runs come in any order and are joined in that of the table,
 * so the last digits are the same whichever came first. Only those that came too early wait in memory.
 */
async function summedUp(
  frame: Frame,
  names: readonly string[],
  { tables }: Pick<BlockContext, "tables">,
  squares: boolean,
): Promise<RunMoments[]> {
  const found: RunMoments[] = [];
  for (const some of fewAtATime(names)) {
    const waiting = new Map<number, { readonly next: number; readonly run: readonly RunMoments[] }>();
    let joined: readonly RunMoments[] = some.map(() => noMoments);
    let end = 0;
    await tables.runs(frame.relation, { ...fitSelection(frame), columns: some }, ({ first, next, column }) => {
      waiting.set(first, { next, run: some.map((_, k) => runMoments(column(k), squares)) });
      for (let due = waiting.get(end); due; due = waiting.get(end)) {
        const { next, run } = due;
        waiting.delete(end);
        joined = joined.map((before, k) => joinedMoments(before, run[k]));
        end = next;
      }
    });
    found.push(...joined);
  }
  return found;
}
