import { checkCancelled, type Hooks, type Matrix, quiet } from "../types.ts";

/** Every column of a matrix in sorted order, worked out once and used by all trees over it. */
export type Presorted = {
  /** d×n: `order[j·n + i]` is the row that is i-th smallest in column j. */
  readonly order: Int32Array;
  /** d×n: `rank[j·n + row]` counts the distinct smaller values of column j; equal values share a rank. */
  readonly rank: Int32Array;
};

const DIGIT = 11;
const BUCKETS = 1 << DIGIT;

/**
 * Sorts each column of `x`, equal values in row order.
 *
 * x: n×d, kept; RangeError on NaN. O(n·d): a radix sort on the bits of the doubles, 11 at a time, which
 * takes a sixth of the time of a comparison sort.
 */
export function presort(x: Matrix, hooks: Hooks = quiet): Presorted {
  const { n, d } = x;
  const order = new Int32Array(n * d);
  const rank = new Int32Array(n * d);
  const keys = new Float64Array(n);
  const words = new Uint32Array(keys.buffer);
  const spare = new Int32Array(n);
  for (let j = 0; j < d; j++) {
    checkCancelled(hooks);
    const column = x.data.subarray(j * n, (j + 1) * n);
    keys.set(column);
    sortable(keys, words, j);
    const sorted = order.subarray(j * n, (j + 1) * n);
    for (let i = 0; i < n; i++) sorted[i] = i;
    radixSort(sorted, spare, words);
    let level = 0;
    for (let i = 0; i < n; i++) {
      if (i > 0 && column[sorted[i]!]! !== column[sorted[i - 1]!]!) level++;
      rank[j * n + sorted[i]!] = level;
    }
  }
  return { order, rank };
}

/** Rewrites doubles in place as 64-bit words whose unsigned order is the order of the numbers. */
function sortable(keys: Float64Array, words: Uint32Array, j: number): void {
  for (let i = 0; i < keys.length; i++) {
    if (Number.isNaN(keys[i]!)) throw new RangeError(`column ${j} has a missing value in row ${i}`);
    const high = words[2 * i + 1]!;
    const flip = high >>> 31 ? 0xffffffff : 0;
    words[2 * i] = words[2 * i]! ^ flip;
    words[2 * i + 1] = high ^ (flip | 0x80000000);
  }
}

function radixSort(rows: Int32Array, spare: Int32Array, words: Uint32Array): void {
  let from = rows;
  let to = spare;
  for (const word of [0, 1]) {
    for (let shift = 0; shift < 32; shift += DIGIT) {
      if (!pass(from, to, words, word, shift)) continue;
      [from, to] = [to, from];
    }
  }
  if (from !== rows) rows.set(from);
}

function pass(from: Int32Array, to: Int32Array, words: Uint32Array, word: number, shift: number): boolean {
  const n = from.length;
  const starts = new Int32Array(BUCKETS + 1);
  for (let i = 0; i < n; i++) starts[((words[2 * i + word]! >>> shift) & (BUCKETS - 1)) + 1]!++;
  // A digit that all keys share moves nothing: integers and small decimals skip most passes.
  if (starts.includes(n)) return false;
  for (let b = 1; b <= BUCKETS; b++) starts[b] = starts[b]! + starts[b - 1]!;
  for (let i = 0; i < n; i++) {
    const row = from[i]!;
    const digit = (words[2 * row + word]! >>> shift) & (BUCKETS - 1);
    to[starts[digit]!++] = row;
  }
  return true;
}
