import { squared } from "../neighbors/distance.ts";
import { RandomState } from "../random.ts";
import { checkCancelled, type Hooks, type Matrix, quiet } from "../types.ts";

/** What `centredRows` needs to know. */
export type CentredRowsInput = {
  readonly x: Matrix /** n·d numbers, written: row after row, less the means. */;
  readonly out: Float64Array;
};

/** Writes the rows one after the other, less their means; answers the means and the mean of the columns' variances. O(nd). */
export function centredRows(
  { x, out }: CentredRowsInput,
  hooks: Hooks = quiet,
): { means: Float64Array; variance: number } {
  const { n, d, data } = x;
  const means = new Float64Array(d);
  let variance = 0;
  for (let j = 0; j < d; j++) {
    checkCancelled(hooks);
    let sum = 0;
    for (let i = 0; i < n; i++) sum += data[j * n + i]!;
    const mean = sum / n;
    means[j] = mean;
    let square = 0;
    for (let i = 0; i < n; i++) {
      const value = data[j * n + i]! - mean;
      out[i * d + j] = value;
      square += value * value;
    }
    variance += square / n;
  }
  return { means, variance: variance / d };
}

/** Rows one after the other. */
export type RowList = { readonly rows: Float64Array; readonly n: number; readonly d: number };

/** What `seedCentres` needs to know. */
export type SeedInput = RowList & {
  readonly k: number;
  readonly init: "k-means++" | "random";
  /** Where the draws begin: this many were made before with the same seed. */
  readonly seed: number;
  readonly rounds: number;
};

/**
 * First centres for each of some rounds: round after round k·d numbers.
 *
 * "k-means++" takes rows far from the centres so far with more chance, the best of 2 + ⌊ln k⌋ tries each, by the draws
 * of scikit-learn's KMeans; "random" any
 * rows. O(rounds · k · ln k · nd). Source: Arthur and Vassilvitskii (2007).
 */
export function seedCentres({ rows, n, d, k, init, seed, rounds }: SeedInput, hooks: Hooks = quiet): Float64Array {
  const random = new RandomState(seed);
  const out = new Float64Array(rounds * k * d);
  for (let round = 0; round < rounds; round++) {
    const chosen = init === "random" ? random.permutation(n).subarray(0, k) : plusPlus(rows, n, d, k, random, hooks);
    for (let c = 0; c < k; c++) out.set(rows.subarray(chosen[c]! * d, (chosen[c]! + 1) * d), (round * k + c) * d);
  }
  return out;
}

function plusPlus(rows: Float64Array, n: number, d: number, k: number, random: RandomState, hooks: Hooks): Int32Array {
  const tries = 2 + Math.floor(Math.log(k));
  const chosen = new Int32Array(k);
  const sums = new Float64Array(n);
  // A draw by equal shares, as numpy's choice with probabilities makes it.
  for (let i = 0; i < n; i++) sums[i] = (i + 1) / n;
  chosen[0] = Math.min(n - 1, place(sums, random.uniform(), true));
  let nearest = squares(rows, n, d, chosen[0]!);
  let total = nearest.reduce((sum, value) => sum + value, 0);
  for (let c = 1; c < k; c++) {
    checkCancelled(hooks);
    hooks.progress(c, k);
    let sum = 0;
    for (let i = 0; i < n; i++) {
      sum += nearest[i]!;
      sums[i] = sum;
    }
    const drawn = Array.from({ length: tries }, () => random.uniform() * total);
    let best: { row: number; left: Float64Array; total: number } | undefined;
    for (const value of drawn) {
      const row = Math.min(n - 1, place(sums, value, false));
      const left = squares(rows, n, d, row);
      let whole = 0;
      for (let i = 0; i < n; i++) {
        if (nearest[i]! < left[i]!) left[i] = nearest[i]!;
        whole += left[i]!;
      }
      if (!best || whole < best.total) best = { row, left, total: whole };
    }
    chosen[c] = best!.row;
    nearest = best!.left;
    total = best!.total;
  }
  return chosen;
}

/** The first place whose sum is at least the value, or above it with `above`. */
function place(sums: Float64Array, value: number, above: boolean): number {
  let low = 0;
  let high = sums.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sums[middle]! < value || (above && sums[middle] === value)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Squared distances of all rows from one of them. */
function squares(rows: Float64Array, n: number, d: number, row: number): Float64Array {
  const out = new Float64Array(n);
  for (let i = 0; i < n; i++) out[i] = squared(rows, i * d, rows, row * d, d);
  return out;
}

/** What `assignRows` needs to know. What it knows of each row stays between its calls, in memory that it writes. */
export type AssignInput = RowList & {
  readonly k: number;
  /** k·d numbers. */
  readonly centres: Float64Array;
  /** How far each centre moved since the call before; none before the first. */
  readonly moved?: Float64Array;
  /** Which centre is nearest to each row. */
  readonly labels: Int32Array;
  /** No less than each row's distance from its centre, and no more than that from any other. */
  readonly upper: Float64Array;
  readonly lower: Float64Array;
  /** Only the rows from…to−1. */
  readonly from: number;
  readonly to: number;
};

/** The rows of each centre added up. */
export type Assigned = { readonly sums: Float64Array; readonly counts: Float64Array; readonly changed: number };

/**
 * Finds the nearest centre of each row; of equally near ones the first. A step of Lloyd's k-means.
 *
 * Rows whose bounds say that no other centre can be nearer are not compared, so that most steps look at few.
 * O(rows · k · d) at worst. Source: Hamerly (2010), "Making k-means even faster".
 */
export function assignRows(input: AssignInput, hooks: Hooks = quiet): Assigned {
  const { rows, d, k, centres, moved, labels, upper, lower, from, to } = input;
  const sums = new Float64Array(k * d);
  const counts = new Float64Array(k);
  const half = halfGaps(centres, k, d);
  const most = moved ? twoLargest(moved) : undefined;
  let changed = 0;
  for (let i = from; i < to; i++) {
    if (i % 4096 === 0) checkCancelled(hooks);
    let label = labels[i]!;
    if (moved && most) {
      upper[i]! += moved[label]!;
      lower[i]! -= label === most.first ? most.second : most.largest;
      // A hair wider, so that rounding decides nothing.
      const bound = Math.max(half[label]!, lower[i]!) * (1 - 1e-12);
      if (upper[i]! >= bound) {
        upper[i] = Math.sqrt(squared(rows, i * d, centres, label * d, d));
        if (upper[i]! >= bound) label = nearest(rows, i, d, centres, k, upper, lower);
      }
    } else label = nearest(rows, i, d, centres, k, upper, lower);
    if (!moved || label !== labels[i]) {
      labels[i] = label;
      changed++;
    }
    counts[label]!++;
    for (let j = 0; j < d; j++) sums[label * d + j]! += rows[i * d + j]!;
  }
  return { sums, counts, changed };
}

function nearest(
  rows: Float64Array,
  i: number,
  d: number,
  centres: Float64Array,
  k: number,
  upper: Float64Array,
  lower: Float64Array,
): number {
  let best = 0;
  let least = Number.POSITIVE_INFINITY;
  let second = Number.POSITIVE_INFINITY;
  for (let c = 0; c < k; c++) {
    const off = squared(rows, i * d, centres, c * d, d);
    if (off < least) {
      second = least;
      least = off;
      best = c;
    } else if (off < second) second = off;
  }
  upper[i] = Math.sqrt(least);
  lower[i] = Math.sqrt(second);
  return best;
}

/** Half of each centre's distance from the next one. */
function halfGaps(centres: Float64Array, k: number, d: number): Float64Array {
  const out = new Float64Array(k).fill(Number.POSITIVE_INFINITY);
  for (let a = 0; a < k; a++) {
    for (let b = 0; b < a; b++) {
      const half = Math.sqrt(squared(centres, a * d, centres, b * d, d)) / 2;
      out[a] = Math.min(out[a]!, half);
      out[b] = Math.min(out[b]!, half);
    }
  }
  return out;
}

function twoLargest(moved: Float64Array): { largest: number; first: number; second: number } {
  let first = 0;
  let second = 0;
  for (let c = 1; c < moved.length; c++) if (moved[c]! > moved[first]!) first = c;
  for (let c = 0; c < moved.length; c++) if (c !== first) second = Math.max(second, moved[c]!);
  return { largest: moved[first]!, first, second };
}

/** Squared distances of rows from…to−1 from their centres. */
export function ownSquares(
  { rows, d, centres, labels, from, to }: Pick<AssignInput, "rows" | "d" | "centres" | "labels" | "from" | "to">,
  hooks: Hooks = quiet,
): Float64Array {
  checkCancelled(hooks);
  return Float64Array.from({ length: to - from }, (_, i) =>
    squared(rows, (from + i) * d, centres, labels[from + i]! * d, d),
  );
}

/** What `nearestCentres` needs to know. */
export type NearestInput = {
  readonly x: Matrix;
  readonly centres: Float64Array;
  readonly from?: number;
  readonly to?: number;
};

/** The nearest of the k×d centres for each row, rows×1, fresh; of equally near ones the first. O(rows · k · d). */
export function nearestCentres({ x, centres, from = 0, to = x.n }: NearestInput, hooks: Hooks = quiet): Matrix {
  const { n, d, data } = x;
  const k = centres.length / d;
  const out = new Float64Array(to - from);
  const row = new Float64Array(d);
  for (let i = from; i < to; i++) {
    if (i % 4096 === 0) checkCancelled(hooks);
    for (let j = 0; j < d; j++) row[j] = data[j * n + i]!;
    let least = Number.POSITIVE_INFINITY;
    for (let c = 0; c < k; c++) {
      const off = squared(row, 0, centres, c * d, d);
      if (off < least) {
        least = off;
        out[i - from] = c;
      }
    }
  }
  return { n: to - from, d: 1, data: out };
}
