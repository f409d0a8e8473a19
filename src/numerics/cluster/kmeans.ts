import { squared } from "../neighbors/distance.ts";
import { RandomState } from "../random.ts";
import { checkCancelled, type Hooks, type Matrix, quiet } from "../types.ts";
import { createLoops, type Loops } from "../wasm/loops.ts";

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
 * "k-means++" takes rows far from the centres so far with more chance, the best of 2 + ⌊ln k⌋ tries each, "random" any
 * rows, both by the draws of scikit-learn's KMeans. O(rounds · k · ln k · nd). Source: Arthur and Vassilvitskii (2007).
 */
export function seedCentres({ rows, n, d, k, init, seed, rounds }: SeedInput, hooks: Hooks = quiet): Float64Array {
  const random = new RandomState(seed);
  const out = new Float64Array(rounds * k * d);
  const from = (row: number) => squares(rows, n, d, row);
  for (let round = 0; round < rounds; round++) {
    const chosen = init === "random" ? anyRows(n, k, random) : firstRows(from, n, k, random, hooks);
    for (let c = 0; c < k; c++) out.set(rows.subarray(chosen[c]! * d, (chosen[c]! + 1) * d), (round * k + c) * d);
  }
  return out;
}

/** Any k rows, each as likely, as numpy's `choice(n, k, replace=False, p)` draws them: again where a row came up before. */
function anyRows(n: number, k: number, random: RandomState): Int32Array {
  const chosen = new Set<number>();
  const sums = new Float64Array(n);
  while (chosen.size < k) {
    const left = n - chosen.size;
    for (let i = 0, row = 0; row < n; row++) {
      if (!chosen.has(row)) i++;
      sums[row] = i / left;
    }
    const drawn = Array.from({ length: k - chosen.size }, () => random.uniform());
    for (const value of drawn) chosen.add(place(sums, value, true));
  }
  return Int32Array.from(chosen);
}

/** The rows of k-means++, by the squared distances of all rows from one of them, which it changes. */
export function firstRows(
  squaresFrom: (row: number) => Float64Array,
  n: number,
  k: number,
  random: RandomState,
  hooks: Hooks,
): Int32Array {
  const tries = 2 + Math.floor(Math.log(k));
  const chosen = new Int32Array(k);
  const sums = new Float64Array(n);
  // A draw by equal shares, as numpy's choice with probabilities makes it.
  for (let i = 0; i < n; i++) sums[i] = (i + 1) / n;
  chosen[0] = Math.min(n - 1, place(sums, random.uniform(), true));
  let nearest = squaresFrom(chosen[0]!);
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
      const left = squaresFrom(row);
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
  /** The rows of each centre added up, k·d numbers, what rounding took from them, and how many rows they are. */
  readonly sums: Float64Array;
  readonly rest: Float64Array;
  readonly counts: Float64Array;
  /** Only the rows from…to−1. */
  readonly from: number;
  readonly to: number;
};

/**
 * Finds the nearest centre of each row, of equally near ones the first; how many rows have another one now.
 *
 * A step of Lloyd's k-means. Rows whose bounds say that no other centre can be nearer are not looked at, and sums lose
 * and gain those alone that change. O(rows · k · d) at worst. Source: Hamerly (2010), "Making k-means even faster".
 */
export function assignRows(input: AssignInput, hooks: Hooks = quiet): number {
  const { rows, d, k, moved, labels, upper, lower, sums, rest, counts, from, to } = input;
  const size = to - from;
  const desk = deskFor(k, d, size);
  const { loops, at, some, step } = desk;
  const { doubles, ints } = loops;
  placeCentres(desk, input);
  if (!moved) {
    for (const each of [sums, rest, counts]) each.fill(0);
    // Any other centre may be nearer.
    upper.fill(0, from, to);
    lower.fill(-1, from, to);
  }
  const [own, list, label] = [at.rows / 8, at.taken / 4, at.labels / 4];
  ints.set(labels.subarray(from, to), label);
  doubles.set(upper.subarray(from, to), at.upper / 8);
  doubles.set(lower.subarray(from, to), at.lower / 8);
  const { moved: ways, others, half } = at;
  const n = loops.looseRows(at.labels, at.upper, at.lower, size, ways, others, half, at.taken);
  for (let next = 0, first = 0; next < n; first += some) {
    checkCancelled(hooks);
    const begin = next;
    const end = Math.min(size, first + some);
    while (next < n && ints[list + next]! < end) next++;
    // Memory gives rows that lie together sooner than a few of them.
    if (next - begin > some / SKIPPED) doubles.set(rows.subarray((from + first) * d, (from + end) * d), own);
    else {
      for (let m = begin; m < next; m++) {
        const row = ints[list + m]!;
        for (let j = 0, here = own + (row - first) * d, there = (from + row) * d; j < d; j++)
          doubles[here + j] = rows[there + j]!;
      }
    }
    const [base, taken] = [at.rows - first * d * 8, at.taken + begin * 4];
    loops.nearestTwo(base, taken, next - begin, d, at.centres, step, half, at.labels, at.upper, at.lower);
  }
  upper.set(doubles.subarray(at.upper / 8, at.upper / 8 + size), from);
  lower.set(doubles.subarray(at.lower / 8, at.lower / 8 + size), from);
  let changed = 0;
  for (let m = 0; m < n; m++) {
    const row = ints[list + m]!;
    const i = from + row;
    const [before, now] = [labels[i]!, ints[label + row]!];
    if (moved) {
      if (now === before) continue;
      counts[before]!--;
      addRow(-1, rows, i * d, sums, rest, before * d, d);
    }
    labels[i] = now;
    changed++;
    counts[now]!++;
    addRow(1, rows, i * d, sums, rest, now * d, d);
  }
  return changed;
}

/** Adds a row, or takes it away; with the rest the sums are the same whichever rows came and went (Knuth's two-sum). */
function addRow(
  sign: 1 | -1,
  rows: Float64Array,
  from: number,
  sums: Float64Array,
  rest: Float64Array,
  to: number,
  d: number,
): void {
  for (let j = 0; j < d; j++) {
    const value = sign * rows[from + j]!;
    const before = sums[to + j]!;
    const sum = before + value;
    const taken = sum - before;
    sums[to + j] = sum;
    rest[to + j]! += before - (sum - taken) + (value - taken);
  }
}

/** Where more than one row in so many is looked at, all are copied. */
const SKIPPED = 12;

type Place = "rows" | "taken" | "labels" | "upper" | "lower" | "centres" | "moved" | "others" | "half";

/** Room for what is known of rows, for some of them, and for the centres. */
type Desk = {
  readonly k: number;
  readonly d: number;
  /** Of so many rows it is known how far they are from centres, and so many lie there at a time. */
  readonly size: number;
  readonly some: number;
  readonly loops: Loops;
  /** Where things begin, in bytes. */
  readonly at: Readonly<Record<Place, number>>;
  /** Bytes of a column of centres. */
  readonly step: number;
};

/** This thread's room, as long as it is asked for as many centres. */
let room: Desk | undefined;

/** Rows of so many bytes stay in the cache while they are compared. */
const ROW_BYTES = 65_536;

function deskFor(k: number, d: number, size: number): Desk {
  if (room?.k === k && room.d === d && room.size >= size) return room;
  const some = Math.max(16, Math.min(512, Math.floor(ROW_BYTES / 8 / d)));
  const step = 16 * Math.ceil(k / 2);
  const sizes: Record<Place, number> = {
    ...{ rows: some * d * 8, taken: size * 4 + 4, labels: size * 4, upper: size * 8, lower: size * 8 },
    ...{ centres: d * step, moved: k * 8, others: k * 8, half: k * 8 },
  };
  const { loops, at } = createLoops(...Object.values(sizes));
  const places = Object.fromEntries(Object.keys(sizes).map((name, p) => [name, at[p]])) as Record<Place, number>;
  room = { k, d, size, some, loops, at: places, step };
  return room;
}

/** Lays the centres out column after column, with how far they went; one that fills up a pair is infinitely far. */
function placeCentres({ loops, at, step }: Desk, { centres, moved, k, d }: AssignInput): void {
  const { doubles } = loops;
  for (let j = 0; j < d; j++) {
    const column = (at.centres + j * step) / 8;
    for (let c = 0; c < k; c++) doubles[column + c] = centres[c * d + j]!;
    if (k % 2 === 1) doubles[column + k] = Number.POSITIVE_INFINITY;
  }
  const none = new Float64Array(k);
  doubles.set(moved ?? none, at.moved / 8);
  doubles.set(moved ? mostOfOthers(moved) : none, at.others / 8);
  doubles.set(moved ? halfGaps(centres, k, d) : none.fill(-1), at.half / 8);
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

/** How far any other centre moved at most, for each. */
function mostOfOthers(moved: Float64Array): Float64Array {
  const first = moved.indexOf(Math.max(...moved));
  const second = moved.reduce((most, way, c) => (c === first ? most : Math.max(most, way)), 0);
  return moved.map((_, c) => (c === first ? second : moved[first]!));
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
