import type { BlockContext } from "../../core/block.ts";
import type { Column, Frame } from "../../core/frame.ts";
import { fitSelection } from "../../core/scope.ts";
import type { Tables, WholeSums } from "../../core/tables.ts";
import {
  joinedMoments,
  type Moments,
  momentsOf,
  noMoments,
  type RunMoments,
  runMoments,
  wholeMoments,
} from "../../numerics/statistics/moments.ts";

/** The engine's work on one query grows faster than its number of columns: 10,000 at once took minutes, 256 at a time seconds. */
const mostTogether = 256;

/** The names in runs of a few hundred. */
function fewAtATime(names: readonly string[]): string[][] {
  return Array.from({ length: Math.ceil(names.length / mostTogether) }, (_, k) =>
    names.slice(k * mostTogether, (k + 1) * mostTogether),
  );
}

/** Moments of numeric columns over the rows that a fit may see, in one reading; missing cells don't count. */
export async function moments(
  frame: Frame,
  names: readonly string[],
  context: Pick<BlockContext, "tables">,
): Promise<Moments[]> {
  return await summedUp(frame, names, context, true);
}

/** The same without deviations, in half of the work. */
export async function meansAndRanges(
  frame: Frame,
  names: readonly string[],
  context: Pick<BlockContext, "tables">,
): Promise<Omit<Moments, "deviation">[]> {
  return await summedUp(frame, names, context, false);
}

async function summedUp(
  frame: Frame,
  names: readonly string[],
  { tables }: Pick<BlockContext, "tables">,
  squares: boolean,
): Promise<Moments[]> {
  const found = new Map<string, Moments>();
  const wholes = new Set(frame.columns.filter(isWhole).map(({ name }) => name));
  for (const some of fewAtATime(names)) {
    const whole = some.filter((name) => wholes.has(name));
    const others = some.filter((name) => !wholes.has(name));
    const read = await summedRuns(frame, others, whole, tables, squares);
    for (const [k, name] of others.entries()) found.set(name, momentsOf(read.runs[k]));
    // Sums that are too large to be exact depend on the order of the rows, so those are added up as the others are.
    const large: string[] = [];
    for (const [k, name] of whole.entries()) {
      const sums = read.whole[k];
      if (sums.sum === null || (squares && sums.squares === null)) large.push(name);
      else found.set(name, wholeMoments({ ...sums, sum: sums.sum }));
    }
    if (large.length === 0) continue;
    const again = await summedRuns(frame, large, [], tables, squares);
    for (const [k, name] of large.entries()) found.set(name, momentsOf(again.runs[k]));
  }
  return names.map((name) => found.get(name)!);
}

function isWhole({ type, integer }: Column): boolean {
  return integer === true || type === "boolean";
}

/**
 * Each run of rows is summed up while it is in the cache. Runs come in any order and are joined in that of the table,
 * so the last digits are the same whichever came first. Only those that came too early wait in memory.
 */
async function summedRuns(
  frame: Frame,
  names: readonly string[],
  whole: readonly string[],
  tables: Tables,
  squares: boolean,
): Promise<{ readonly runs: readonly RunMoments[]; readonly whole: readonly WholeSums[] }> {
  const waiting = new Map<number, { readonly next: number; readonly run: readonly RunMoments[] }>();
  let joined: readonly RunMoments[] = names.map(() => noMoments);
  let end = 0;
  const selection = { ...fitSelection(frame), columns: names, whole };
  const sums = await tables.runs(frame.relation, selection, ({ first, next, column }) => {
    waiting.set(first, { next, run: names.map((_, k) => runMoments(column(k), squares)) });
    for (let due = waiting.get(end); due; due = waiting.get(end)) {
      const { next, run } = due;
      waiting.delete(end);
      joined = joined.map((before, k) => joinedMoments(before, run[k]));
      end = next;
    }
  });
  return { runs: joined, whole: sums };
}
