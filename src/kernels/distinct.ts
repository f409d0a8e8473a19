import { checkCancelled, columnOf, type Hooks, type Matrix, quiet } from "./types.ts";

/** More different numbers than this are left to others: the table of them would no longer fit into the cache. */
const mostNumbers = 2 ** 22;

/** From here on whole numbers and doubles are no longer the same. */
const exact = 2 ** 53;

/**
 * How many different numbers each of columns from…to−1 (default all) has; NaN is none, -0 is 0.
 *
 * -1 of a column that has more than four million, or numbers from 2^53 on, which may stand for several whole ones.
 * O(nd), by a table with open addressing that is at most half full.
 */
export function distinctNumbers(
  { x, from = 0, to = x.d }: { x: Matrix; from?: number; to?: number },
  hooks: Hooks = quiet,
): number[] {
  let table = new Float64Array(2048);
  return Array.from({ length: to - from }, (_, k) => {
    checkCancelled(hooks);
    table.fill(NaN);
    const found = countInto(table, columnOf(x, from + k));
    table = found.table;
    hooks.progress(k + 1, to - from);
    return found.count;
  });
}

function countInto(
  start: Float64Array<ArrayBuffer>,
  values: Float64Array,
): { readonly count: number; readonly table: Float64Array<ArrayBuffer> } {
  let table = start;
  let halves = new Int32Array(table.buffer);
  const bits = new Int32Array(values.buffer, values.byteOffset, 2 * values.length);
  let mask = table.length - 1;
  let count = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (Number.isNaN(value)) continue;
    if (Math.abs(value) >= exact && Number.isFinite(value)) return { count: -1, table };
    let at = value === 0 ? 0 : hash(bits[2 * i]!, bits[2 * i + 1]!) & mask;
    while (table[at] !== value) {
      if (Number.isNaN(table[at])) {
        table[at] = value;
        count++;
        break;
      }
      at = (at + 1) & mask;
    }
    if (2 * count < table.length) continue;
    if (count >= mostNumbers) return { count: -1, table };
    table = twiceAsLong(table, halves);
    halves = new Int32Array(table.buffer);
    mask = table.length - 1;
  }
  return { count, table };
}

/** The same numbers in a table of twice the length. */
function twiceAsLong(before: Float64Array, halves: Int32Array): Float64Array<ArrayBuffer> {
  const table = new Float64Array(2 * before.length).fill(NaN);
  const mask = table.length - 1;
  for (let i = 0; i < before.length; i++) {
    const value = before[i]!;
    if (Number.isNaN(value)) continue;
    let at = value === 0 ? 0 : hash(halves[2 * i]!, halves[2 * i + 1]!) & mask;
    while (!Number.isNaN(table[at])) at = (at + 1) & mask;
    table[at] = value;
  }
  return table;
}

/** Mixes the halves of a double, of which whole numbers leave the lower one empty (the finalizer of MurmurHash3). */
function hash(low: number, high: number): number {
  let mixed = low ^ Math.imul(high, 0x9e3779b1);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
