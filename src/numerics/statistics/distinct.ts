import type { SparseRows } from "../sparse/rows.ts";
import { checkCancelled, columnOf, type Hooks, type Matrix, quiet } from "../types.ts";

/** From here on whole numbers and doubles are no longer the same. */
const exact = 2 ** 53;

/** So many different numbers are counted in one table; it stays in the cache. */
const few = 4096;

/** Columns of more are divided by their hashes first, so that the table of each part stays in the cache. */
const parts = 256;

/**
 * How many different numbers each of columns from…to−1 (default all) has; NaN is none, -0 is 0.
 *
 * -1 of a column with numbers from 2^53 on, which may stand for several whole ones. O(nd), by tables with open
 * addressing that are at most half full; besides the matrix it takes the memory of a column.
 */
export function distinctNumbers(
  { x, from = 0, to = x.d }: { x: Matrix; from?: number; to?: number },
  hooks: Hooks = quiet,
): number[] {
  const counter = createCounter(x.n);
  return Array.from({ length: to - from }, (_, k) => {
    checkCancelled(hooks);
    const count = counter(columnOf(x, from + k));
    hooks.progress(k + 1, to - from);
    return count;
  });
}

/** How many different numbers each column of sparse rows has; where a row lacks a column it is 0. O(nnz), beside a copy of them. */
export function distinctInRows({ x: { n, d, start, columns, values } }: { x: SparseRows }): number[] {
  const ends = new Int32Array(d + 1);
  for (let at = 0; at < start[n]!; at++) if (values[at] !== 0) ends[columns[at]! + 1]!++;
  for (let k = 0; k < d; k++) ends[k + 1]! += ends[k]!;
  const next = ends.slice(0, d);
  const byColumn = new Float64Array(ends[d]!);
  for (let at = 0; at < start[n]!; at++) if (values[at] !== 0) byColumn[next[columns[at]!]!++] = values[at]!;
  let table = new Float64Array(2 * few);
  return Array.from({ length: d }, (_, k) => {
    const held = byColumn.subarray(ends[k], ends[k + 1]);
    const size = tableSize(held.length);
    if (table.length < size) table = new Float64Array(size);
    const found = countIn(held, table.subarray(0, size).fill(NaN), held.length) ?? -1;
    return (found < 0 ? new Set(held).size : found) + (held.length < n ? 1 : 0);
  });
}

/** Places for so many numbers in a table that is at most half full. */
function tableSize(numbers: number): number {
  return 2 ** Math.ceil(Math.log2(2 * numbers + 2));
}

/** Counts in columns of n values, with one room for all of them. */
function createCounter(n: number): (values: Float64Array) => number {
  let table = new Float64Array(2 * few);
  let divided: { readonly values: Float64Array<ArrayBuffer>; readonly part: Uint8Array } | undefined;
  return (values) => {
    const found = countIn(values, table.subarray(0, 2 * few).fill(NaN), few);
    if (found !== null) return found;
    divided ??= { values: new Float64Array(n), part: new Uint8Array(n) };
    const ends = divide(values, divided.values, divided.part);
    let count = 0;
    for (let k = 0; k < parts; k++) {
      const some = divided.values.subarray(k === 0 ? 0 : ends[k - 1], ends[k]);
      const size = tableSize(some.length);
      if (table.length < size) table = new Float64Array(size);
      const within = countIn(some, table.subarray(0, size).fill(NaN), some.length);
      if (within === null || within < 0) return -1;
      count += within;
    }
    return count;
  };
}

/** How many different numbers there are, -1 where some are too large; null when they are more than `most`. */
function countIn(values: Float64Array, table: Float64Array, most: number): number | null {
  const bits = new Int32Array(values.buffer, values.byteOffset, 2 * values.length);
  const mask = table.length - 1;
  let count = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (Number.isNaN(value)) continue;
    if (Math.abs(value) >= exact && Number.isFinite(value)) return -1;
    let at = value === 0 ? 0 : hash(bits[2 * i]!, bits[2 * i + 1]!) & mask;
    while (table[at] !== value) {
      if (Number.isNaN(table[at])) {
        if (count === most) return null;
        table[at] = value;
        count++;
        break;
      }
      at = (at + 1) & mask;
    }
  }
  return count;
}

/** Puts the numbers that are there into `out`, part by part; answers where each part ends. */
function divide(values: Float64Array, out: Float64Array, part: Uint8Array): Int32Array {
  const bits = new Int32Array(values.buffer, values.byteOffset, 2 * values.length);
  const starts = new Int32Array(parts + 1);
  for (let i = 0; i < values.length; i++) {
    // -0 and 0 are one number, and have one place.
    const which = values[i] === 0 ? 0 : hash(bits[2 * i]!, bits[2 * i + 1]!) >>> 24;
    part[i] = which;
    starts[which + 1]! += Number.isNaN(values[i]) ? 0 : 1;
  }
  for (let k = 0; k < parts; k++) starts[k + 1]! += starts[k]!;
  // Each start moves on until it is its part's end.
  for (let i = 0; i < values.length; i++) {
    if (!Number.isNaN(values[i])) out[starts[part[i]!]!++] = values[i]!;
  }
  return starts;
}

/** Mixes the halves of a double, of which whole numbers leave the lower one empty (the finalizer of MurmurHash3). */
function hash(low: number, high: number): number {
  let mixed = low ^ Math.imul(high, 0x9e3779b1);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
