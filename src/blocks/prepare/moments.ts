import type { BlockContext } from "../../core/block.ts";
import { columnsNamed, type Frame } from "../../core/frame.ts";
import { fitSelection } from "../../core/scope.ts";
import {
  joinedMoments,
  type Moments,
  momentsOf,
  noMoments,
  runMoments,
  wholeMoments,
} from "../../numerics/statistics/moments.ts";
import { farMoments } from "../shared/far-measures.ts";

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
  if (tables.isFar) return await farMoments(frame, names, { tables }, squares);
  return await tables.sums(frame.relation, fitSelection(frame), columnsNamed(frame.columns, names), {
    none: noMoments,
    of: (values) => runMoments(values, squares),
    joined: joinedMoments,
    ended: momentsOf,
    ofWhole: ({ sum, ...sums }) =>
      sum === null || (squares && sums.squares === null) ? null : wholeMoments({ ...sums, sum }),
  });
}
