import { checkCancelled, columnOf, type Hooks, type Matrix, quiet } from "../types.ts";
import { momentsOf, runMoments } from "./moments.ts";
import { quantiles } from "./quantiles.ts";

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
 * NaN is missing. Large numbers close together keep their digits. With `spend` nobody needs the matrix afterwards.
 * O(nd); progress per column.
 */
export function summaries(
  input: { x: Matrix; spend?: boolean; from?: number; to?: number },
  hooks: Hooks = quiet,
): Summary[] {
  const { x, spend = false, from = 0, to = x.d } = input;
  const room = spend ? null : new Float64Array(x.n);
  return Array.from({ length: to - from }, (_, k) => {
    checkCancelled(hooks);
    const values = columnOf(x, from + k);
    const { n: count, min, max, mean, deviation } = momentsOf(runMoments(values));
    const std = count < 2 || deviation === null ? NaN : deviation * Math.sqrt(count / (count - 1));
    const histogram = min === null || max === null ? new Float64Array(0) : histogramOf(values, min, max);
    const quartiles = quantiles({ values, at: [0.25, 0.5, 0.75], room: room ?? values });
    hooks.progress(k + 1, to - from);
    return { count, mean: mean ?? NaN, std, min: min ?? NaN, max: max ?? NaN, quartiles, histogram };
  });
}

/**
 * Counts by part; without a range there are none.
 *
 * A part holds its lower edge, the last one its upper edge too; values that rounding sends next door are brought back,
 * as numpy's histogram does.
 */
function histogramOf(values: Float64Array, min: number, max: number): Float64Array {
  const scale = parts / (max - min);
  if (!(scale > 0 && scale < Infinity)) return new Float64Array(0);
  const edges = Float64Array.from({ length: parts + 2 }, (_, k) => min + k * ((max - min) / parts));
  edges[parts] = max;
  const counts = new Int32Array(parts + 2);
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (Number.isNaN(value)) continue;
    let part = ((value - min) * scale) | 0;
    if (value < edges[part]!) part--;
    else if (value >= edges[part + 1]!) part++;
    counts[part]!++;
  }
  counts[parts - 1]! += counts[parts]! + counts[parts + 1]!;
  return Float64Array.from(counts.subarray(0, parts));
}
