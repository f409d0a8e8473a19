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
  /** How many values lie in each of eight equal parts from min to max; empty where there is no such range. */
  readonly histogram: Float64Array;
};

const parts = 8;

/**
 * Count, mean, deviation, extremes and quartiles of columns from…to−1 (default all), as pandas' describe; and a histogram.
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
    const middle = centre(values);
    const { std, histogram } = spread(values, middle);
    const quartiles = quantiles({ values, at: [0.25, 0.5, 0.75] });
    hooks.progress(k + 1, to - from);
    return { ...middle, std, quartiles, histogram };
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

/**
 * Sum of squares around the mean and counts by part, in one pass.
 *
 * A part holds its lower edge, the last one its upper edge too; values that rounding sends next door are brought back,
 * as numpy's histogram does.
 */
function spread(
  values: Float64Array,
  { count, mean, min, max }: Pick<Summary, "count" | "mean" | "min" | "max">,
): Pick<Summary, "std" | "histogram"> {
  const scale = parts / (max - min);
  const isRange = scale > 0 && scale < Infinity;
  const edges = Float64Array.from({ length: parts + 2 }, (_, k) => min + k * ((max - min) / parts));
  edges[parts] = max;
  const counts = new Int32Array(parts + 2);
  let square = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (Number.isNaN(value)) continue;
    square += (value - mean) * (value - mean);
    // Without a range this is NaN or infinite, which `| 0` turns into 0.
    let part = ((value - min) * scale) | 0;
    if (value < edges[part]!) part--;
    else if (value >= edges[part + 1]!) part++;
    counts[part]!++;
  }
  counts[parts - 1]! += counts[parts]! + counts[parts + 1]!;
  const std = count < 2 || !Number.isFinite(mean) ? NaN : Math.sqrt(square / (count - 1));
  return { std, histogram: Float64Array.from(isRange ? counts.subarray(0, parts) : []) };
}
