import { RandomState } from "../random.ts";
import { checkCancelled, columnOf, type Hooks, type Matrix, quiet } from "../types.ts";

/** What `boostEdges` needs to know. */
export type EdgesInput = {
  /** n×d features; NaN is missing. A category is told by its code, 0, 1, …. */
  readonly x: Matrix;
  /** How many categories each feature has; 0 for numbers. */
  readonly categories: Int32Array;
  /** The rows to look at. */
  readonly rows: Int32Array;
  /** What each of the n rows counts; null where all count the same. */
  readonly weight: Float64Array | null;
  /** Bins of a feature at most, without the one of missing cells, 2 to 255. */
  readonly maxBins: number;
  /** Seed of the rows looked at, where they are many. */
  readonly seed: number;
  /** The features to do (default all). */
  readonly from?: number;
  readonly to?: number;
};

/** Of more rows than this a sample is looked at. */
const enoughRows = 200_000;

/**
 * The numbers between the bins of each feature, ascending: a value lies in bin k when k of them lie below it.
 *
 * Halfway between neighbours where a feature has no more values than bins, else at equal shares of the rows, or of their
 * weights, as scikit-learn's HistGradientBoosting takes them. Rows of weight 0 are left out. One array for each feature; empty where all rows are alike.
 */
export function boostEdges(input: EdgesInput, hooks: Hooks = quiet): Float64Array[] {
  const { x, categories, maxBins, from = 0, to = x.d } = input;
  const rows = input.rows.length > enoughRows ? sampleOf(input.rows, input.seed) : input.rows;
  return Array.from({ length: to - from }, (_, k) => {
    checkCancelled(hooks);
    const j = from + k;
    const found =
      categories[j]! > 0
        ? Float64Array.from({ length: categories[j]! - 1 }, (_, code) => code + 0.5)
        : input.weight
          ? weightedEdges(columnOf(x, j), rows, input.weight, maxBins)
          : edgesOf(columnOf(x, j), rows, maxBins);
    hooks.progress(k + 1, to - from);
    return found;
  });
}

function sampleOf(rows: Int32Array, seed: number): Int32Array {
  return new RandomState(seed).shuffle(rows.slice()).subarray(0, enoughRows).sort();
}

function edgesOf(column: Float64Array, rows: Int32Array, maxBins: number): Float64Array {
  const values = new Float64Array(rows.length);
  let n = 0;
  for (let i = 0; i < rows.length; i++) {
    const value = column[rows[i]!]!;
    if (!Number.isNaN(value)) values[n++] = value;
  }
  const sorted = values.subarray(0, n).sort();
  const few = halfway(sorted, maxBins);
  if (few) return few;
  const edges: number[] = [];
  for (let k = 1; k < maxBins; k++) {
    // The inverse of the distribution function, averaged where it jumps. In percent, as numpy rounds: it tells where that is.
    const position = n * ((k * (100 / maxBins)) / 100);
    const at = Math.ceil(position) - 1;
    const edge = position === at + 1 ? between(sorted[at]!, sorted[at + 1]!) : sorted[at]!;
    if (edges.length === 0 || edge > edges[edges.length - 1]!) edges.push(edge);
  }
  return Float64Array.from(edges);
}

/** The same where rows have weights. */
function weightedEdges(column: Float64Array, rows: Int32Array, weight: Float64Array, maxBins: number): Float64Array {
  const known = rows.filter((row) => weight[row]! > 0 && !Number.isNaN(column[row]!));
  known.sort((a, b) => column[a]! - column[b]! || a - b);
  const few = halfway(
    Float64Array.from(known, (row) => column[row]!),
    maxBins,
  );
  if (few) return few;
  const sums = new Float64Array(known.length);
  let sum = 0;
  for (let i = 0; i < known.length; i++) sums[i] = sum += weight[known[i]!]!;
  const edges: number[] = [];
  for (let k = 1, at = 0; k < maxBins; k++) {
    // In percent, as there, where rounding tells whether the function jumps here.
    const share = ((k * (100 / maxBins)) / 100) * sum;
    while (at < known.length - 1 && sums[at]! < share) at++;
    const value = column[known[at]!]!;
    const jumps = sums[at]! - share <= Number.EPSILON && at < known.length - 1;
    const edge = jumps ? between(value, column[known[at + 1]!]!) : value;
    if (edges.length === 0 || edge > edges[edges.length - 1]!) edges.push(edge);
  }
  return Float64Array.from(edges);
}

/** Halfway between neighbours, where there are no more values than bins; else null. */
function halfway(sorted: Float64Array, maxBins: number): Float64Array | null {
  const few = fewValues(sorted, maxBins);
  return few && Float64Array.from({ length: Math.max(0, few.length - 1) }, (_, k) => between(few[k]!, few[k + 1]!));
}

/** The different values; null when they are more than `most`. */
function fewValues(sorted: Float64Array, most: number): number[] | null {
  const found: number[] = [];
  for (let i = 0; i < sorted.length; i++) {
    if (i > 0 && sorted[i] === sorted[i - 1]) continue;
    if (found.length === most) return null;
    found.push(sorted[i]!);
  }
  return found;
}

/** Halfway; of neighbours that nothing lies between the lower, and never infinity. */
function between(low: number, high: number): number {
  const middle = low / 2 + high / 2;
  return middle < high ? middle : low;
}
