import { quantiles } from "./statistics.ts";
import { checkCancelled, columnOf, type Hooks, type Matrix, quiet } from "./types.ts";

/** What one column comes to; NaN where there is nothing to say. */
export type Summary = {
  /** Values that are there. */
  readonly count: number;
  readonly mean: number;
  /** Sample deviation, divisor n − 1. NaN with fewer than two values, and with infinity among them. */
  readonly std: number;
  readonly min: number;
  readonly max: number;
  /** Quantiles at 1/4, 1/2 and 3/4. */
  readonly quartiles: Float64Array;
};

/**
 * Count, mean, deviation, extremes and quartiles of columns from…to−1 (default all), as pandas' describe.
 *
 * NaN is missing. The deviation is taken around the mean in a second pass, so that large numbers close together keep
 * their digits. O(nd); progress per column.
 */
export function summaries(
  { x, from = 0, to = x.d }: { x: Matrix; from?: number; to?: number },
  hooks: Hooks = quiet,
): Summary[] {
  return Array.from({ length: to - from }, (_, k) => {
    checkCancelled(hooks);
    const values = columnOf(x, from + k);
    const { count, mean, min, max } = centre(values);
    const std = deviation(values, count, mean);
    const quartiles = quantiles({ values, at: [0.25, 0.5, 0.75] });
    hooks.progress(k + 1, to - from);
    return { count, mean, std, min, max, quartiles };
  });
}

function centre(values: Float64Array): Pick<Summary, "count" | "mean" | "min" | "max"> {
  let count = 0;
  let sum = 0;
  let min = Infinity;
  let max = -Infinity;
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (Number.isNaN(value)) continue;
    count++;
    sum += value;
    if (value < min) min = value;
    if (value > max) max = value;
  }
  return count === 0 ? { count, mean: NaN, min: NaN, max: NaN } : { count, mean: sum / count, min, max };
}

function deviation(values: Float64Array, count: number, mean: number): number {
  if (count < 2 || !Number.isFinite(mean)) return NaN;
  let square = 0;
  for (let i = 0; i < values.length; i++) {
    const off = values[i]! - mean;
    if (!Number.isNaN(off)) square += off * off;
  }
  return Math.sqrt(square / (count - 1));
}
