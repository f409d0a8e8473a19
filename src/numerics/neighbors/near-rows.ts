import { type Hooks, type Matrix, quiet } from "../types.ts";
import { createLoops, type Loops } from "../wasm/loops.ts";
import { cosineOfUnits, type Metric, powerOf, rowMajor, unitRows } from "./distance.ts";
import { type Boxes, boxGap, buildBoxes, pointGap } from "./kd-tree.ts";

/** When two rows are near each other. */
export type Nearness = {
  readonly metric: Metric;
  /** Minkowski's power, at least 1. */
  readonly p: number;
  /** The largest distance of near rows. */
  readonly eps: number;
};

/** Rows in boxes, in memory that all threads see; `rows` lie one after the other in the order of the boxes, their places. */
export type BoxedRows = Boxes & { readonly n: number; readonly d: number; readonly rows: Float64Array };

/** What `boxRows` needs to know. */
export type BoxInput = { readonly x: Matrix; readonly metric: Metric };

/** Puts rows into the boxes of a k-d tree; those of a cosine at length 1. O(d·n·log n). */
export function boxRows({ x, metric }: BoxInput, hooks: Hooks = quiet): BoxedRows {
  const { n, d } = x;
  const data = rowMajor(x);
  if (metric === "cosine") unitRows(data);
  const boxes = buildBoxes(data, hooks);
  const rows = new Float64Array(new SharedArrayBuffer(8 * n * d));
  for (let k = 0; k < n; k++) {
    const from = boxes.order[k]! * d;
    for (let j = 0; j < d; j++) rows[k * d + j] = data.rows[from + j]!;
  }
  return { n, d, rows, ...boxes };
}

/** The node of the first leaf; the others follow. */
export function firstLeaf({ start }: Pick<Boxes, "start">): number {
  return (start.length - 1) / 2;
}

/** Finds rows that are near some rows of a leaf, leaf by leaf. */
export type NearSearch = {
  /** The other rows' leaves that can have any near the leaf of `asked`, those close in the tree first; to be used at once. */
  leaves(leaf: number): Int32Array;
  /** Asks for these places from now on. */
  ask(places: Int32Array): void;
  /** How many near pairs there are with a leaf of the other rows; no more than `most` are looked for. */
  pairs(leaf: number, most?: number): number;
  /** What `pairs` found: place of an asked row, place of another one, and so on. */
  readonly found: Int32Array;
};

/** Columns from which on single precision sorts out what is far. */
const wide = 4;

/**
 * A search for near rows: whatever the metric and the number of columns, the answers are those of double precision.
 *
 * Both sides are boxed for the same metric.
 */
export function nearSearch(near: Nearness, asked: BoxedRows, others: BoxedRows): NearSearch {
  const test = testOf(near);
  const first = firstLeaf(others);
  const list = new Int32Array(first + 1);
  const largest = (boxes: Boxes) => boxes.end[firstLeaf(boxes)]! - boxes.start[firstLeaf(boxes)]! + 1;
  const found = new Int32Array(2 * largest(asked) * largest(others));
  const isSame = asked === others;
  const leaves = (leaf: number) => {
    let count = 0;
    const visit = (node: number) => {
      if (boxGap(asked, leaf, others, node, asked.d, test.p) > test.boxLimit) return;
      if (node >= first) list[count++] = node;
      else {
        visit(2 * node + 1);
        visit(2 * node + 2);
      }
    };
    if (!isSame) visit(0);
    else {
      list[count++] = leaf;
      for (let node = leaf; node > 0; node = (node - 1) >> 1) visit(((node - 1) ^ 1) + 1);
    }
    return list.subarray(0, count);
  };
  const isWide = near.metric !== "cosine" && test.p === 2 && asked.d >= wide;
  return { leaves, found, ...(isWide ? scanned : compared)(test, asked, others, found) };
}

type Asking = Pick<NearSearch, "ask" | "pairs">;

/** Compares the rows that are asked with each row of a leaf. */
function compared(
  { within, limit, p, boxLimit }: Test,
  asked: BoxedRows,
  others: BoxedRows,
  found: Int32Array,
): Asking {
  const { d } = asked;
  let places: Int32Array = new Int32Array(0);
  return {
    ask(given) {
      places = given;
    },
    pairs(leaf, most = Number.POSITIVE_INFINITY) {
      const [from, to] = [others.start[leaf]!, others.end[leaf]!];
      let count = 0;
      for (let k = 0; k < places.length; k++) {
        const i = places[k]!;
        if (pointGap(others, d, leaf, p, asked.rows, i * d) > boxLimit) continue;
        for (let j = from; j < to; j++) {
          if (!within(asked.rows, i * d, others.rows, j * d, d, limit)) continue;
          found[2 * count] = i;
          found[2 * count + 1] = j;
          if (++count >= most) return count;
        }
      }
      return count;
    },
  };
}

const GROUP = 8;
const QUAD = 4;

/** As `compared`, by single precision, its rounding allowed for, and what that leaves by double precision. */
function scanned({ within, limit }: Test, asked: BoxedRows, others: BoxedRows, found: Int32Array): Asking {
  const { d } = asked;
  const first = firstLeaf(others);
  const { loops, at, shift, scale, group, longest } = packed(asked, others, found.length);
  const { floats, ints } = loops;
  const norms = new Float64Array(found.length);
  let places: Int32Array = new Int32Array(0);
  return {
    ask(given) {
      places = given;
      for (let k = 0; k < Math.ceil(given.length / QUAD) * QUAD; k++) {
        const quad = at.queries / 4 + Math.floor(k / QUAD) * QUAD * d + (k % QUAD);
        norms[k] = k < given.length ? 0 : Number.POSITIVE_INFINITY;
        for (let j = 0; j < d; j++) {
          const value = k < given.length ? (asked.rows[given[k]! * d + j]! - shift[j]!) * scale : 0;
          norms[k]! += value * value;
          floats[quad + j * QUAD] = -2 * value;
        }
      }
    },
    pairs(leaf, most = Number.POSITIVE_INFINITY) {
      const from = others.start[leaf]!;
      const groups = group[leaf - first + 1]! - group[leaf - first]!;
      const rows = at.rows + group[leaf - first]! * GROUP * (d + 1) * 4;
      const length = longest[leaf - first]!;
      let count = 0;
      for (let quad = 0; quad < places.length; quad += QUAD) {
        for (let q = 0; q < QUAD; q++) {
          const norm = norms[quad + q]!;
          const least = limit * scale * scale - norm;
          // Rounding of d products and sums in single precision, twice what it can be.
          const slack =
            (d + 8) * 2 ** -22 * (length * length + 2 * length * Math.sqrt(norm)) + Math.abs(least) * 2 ** -22;
          floats[at.limits / 4 + q] =
            norm === Number.POSITIVE_INFINITY ? Number.NEGATIVE_INFINITY : least + slack + 1e-37;
        }
        const end = loops.scan(at.queries + quad * d * 4, rows, groups, d, at.limits, at.out);
        for (let hit = at.out / 4; hit < end / 4; hit += 2) {
          for (let bits = ints[hit + 1]!; bits !== 0; bits &= bits - 1) {
            const bit = 31 - Math.clz32(bits & -bits);
            const i = places[quad + (bit >> 3)]!;
            const j = from + ints[hit]! * GROUP + (bit & 7);
            if (!within(asked.rows, i * d, others.rows, j * d, d, limit)) continue;
            found[2 * count] = i;
            found[2 * count + 1] = j;
            if (++count >= most) return count;
          }
        }
      }
      return count;
    },
  };
}

/** Rows in single precision, centred and scaled into its range, in groups of eight that begin anew with each leaf. */
type Packed = {
  readonly loops: Loops;
  readonly at: { readonly rows: number; readonly queries: number; readonly limits: number; readonly out: number };
  readonly shift: Float64Array;
  readonly scale: number;
  /** The first group of each leaf, and how many there are. */
  readonly group: Int32Array;
  /** Largest length of a row in each leaf. */
  readonly longest: Float64Array;
};

function packed(asked: BoxedRows, others: BoxedRows, room: number): Packed {
  const { n, d, rows, start, end } = others;
  const first = firstLeaf(others);
  const shift = new Float64Array(d);
  for (let at = 0; at < rows.length; at += d) for (let j = 0; j < d; j++) shift[j]! += rows[at + j]! / n;
  let reach = 0;
  for (const { low, high } of [asked, others]) {
    for (let j = 0; j < d; j++) reach = Math.max(reach, high[j]! - shift[j]!, shift[j]! - low[j]!);
  }
  const scale = reach > 0 ? 1 / reach : 1;
  const group = new Int32Array(first + 2);
  for (let k = 0; k <= first; k++) group[k + 1] = group[k]! + Math.ceil((end[first + k]! - start[first + k]!) / GROUP);
  const groups = group[first + 1]!;
  const { loops, at } = createLoops(groups * GROUP * (d + 1) * 4, (room + QUAD) * d * 4, QUAD * 4, room * 8);
  const longest = new Float64Array(first + 1);
  for (let k = 0; k <= first; k++) {
    const from = start[first + k]!;
    for (let i = 0; i < (group[k + 1]! - group[k]!) * GROUP; i++) {
      const base = (group[k]! + Math.floor(i / GROUP)) * GROUP * (d + 1) + (i % GROUP);
      const isRow = from + i < end[first + k]!;
      let square = 0;
      for (let j = 0; j < d && isRow; j++) {
        const value = (rows[(from + i) * d + j]! - shift[j]!) * scale;
        square += value * value;
        loops.floats[base + (j + 1) * GROUP] = value;
      }
      // What fills up the last group is farther than any limit.
      loops.floats[base] = isRow ? square : Number.POSITIVE_INFINITY;
      longest[k] = Math.max(longest[k]!, Math.sqrt(square));
    }
  }
  return { loops, at: { rows: at[0]!, queries: at[1]!, limits: at[2]!, out: at[3]! }, shift, scale, group, longest };
}

/** Is a row of `a` near one of `b`? `limit` is a reduced distance. */
type Within = (a: Float64Array, p: number, b: Float64Array, q: number, d: number, limit: number) => boolean;

/** How nearness is decided: between rows, and by power p between boxes, which may say yes too often. */
type Test = { readonly within: Within; readonly limit: number; readonly p: number; readonly boxLimit: number };

function testOf({ metric, p: power, eps }: Nearness): Test {
  // Rows of length 1 whose cosine is c are √(2 − 2c) apart.
  if (metric === "cosine") return { within: byAngle, limit: eps, p: 2, boxLimit: 2 * eps + 1e-9 };
  const p = powerOf(metric, power);
  if (p === 2) return { within: bySquares, limit: eps * eps, p, boxLimit: eps * eps };
  if (p === 1) return { within: byDifferences, limit: eps, p, boxLimit: eps };
  if (p === Number.POSITIVE_INFINITY) return { within: byLargest, limit: eps, p, boxLimit: eps };
  const byPowers: Within = (a, i, b, k, d, limit) => {
    let sum = 0;
    for (let j = 0; j < d; j++) {
      sum += Math.abs(a[i + j]! - b[k + j]!) ** p;
      if (sum > limit) return false;
    }
    return true;
  };
  return { within: byPowers, limit: eps ** p, p, boxLimit: eps ** p };
}

function bySquares(a: Float64Array, i: number, b: Float64Array, k: number, d: number, limit: number): boolean {
  let sum = 0;
  for (let j = 0; j < d; j++) {
    const off = a[i + j]! - b[k + j]!;
    sum += off * off;
    if (sum > limit) return false;
  }
  return true;
}

function byDifferences(a: Float64Array, i: number, b: Float64Array, k: number, d: number, limit: number): boolean {
  let sum = 0;
  for (let j = 0; j < d; j++) {
    sum += Math.abs(a[i + j]! - b[k + j]!);
    if (sum > limit) return false;
  }
  return true;
}

function byLargest(a: Float64Array, i: number, b: Float64Array, k: number, d: number, limit: number): boolean {
  for (let j = 0; j < d; j++) if (Math.abs(a[i + j]! - b[k + j]!) > limit) return false;
  return true;
}

function byAngle(a: Float64Array, i: number, b: Float64Array, k: number, d: number, limit: number): boolean {
  return cosineOfUnits(a, i, b, k, d) <= limit;
}
