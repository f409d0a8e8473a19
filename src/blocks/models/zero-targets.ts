import type { BlockContext } from "../../core/block.ts";
import { count } from "../../core/names.ts";

/** Targets that mape, which divides by them, takes for 0. */
export function zerosIn(targets: Float64Array): number {
  return targets.reduce((sum, value) => sum + (Math.abs(value) < Number.EPSILON ? 1 : 0), 0);
}

/** Says that mape means nothing where targets are 0: scikit-learn's, as ours, is astronomic there. */
export function noticeZeros(zeros: number, rows: number, context: BlockContext, who: string): void {
  if (zeros === 0) return;
  context.notice(
    `${who}: mape means nothing here, since it divides by the target, which is 0 in ${zeros.toLocaleString("en-US")} of ${count(rows, "row")}. Look at mae or rmse.`,
  );
}
