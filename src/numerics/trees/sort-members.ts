import type { Samples } from "./samples.ts";

/** So few samples are sorted by moving each to its place. */
const few = 16;
/** Ranks per sample up to which it is quicker to count those of each rank. */
const mostRanks = 16;

/** Arrays that sorting uses again and again. */
export type SortScratch = { counts: Int32Array; keys: Float64Array };

/** Room for sorting `m` samples. */
export function sortScratch(m: number): SortScratch {
  return { counts: new Int32Array(mostRanks * m + 2), keys: new Float64Array(m) };
}

/**
 * Writes a node's members into its range of a column's order, sorted by that column; equals by their number.
 *
 * Of a column that is constant there the first and the last alone. O(size), O(size · log size) for many different values.
 */
export function sortMembers(s: Samples, column: number, start: number, end: number, scratch: SortScratch): void {
  const members = s.members!;
  const { order, rank } = s;
  const base = column * s.m;
  let low = rank[base + members[start]!]!;
  let high = low;
  for (let p = start + 1; p < end; p++) {
    const level = rank[base + members[p]!]!;
    if (level < low) low = level;
    else if (level > high) high = level;
  }
  if (low === high) {
    order[base + start] = members[start]!;
    order[base + end - 1] = members[end - 1]!;
  } else if (end - start <= few) insert(s, base, start, end);
  else if (high - low < mostRanks * (end - start)) count(s, base, start, end, { low, high, counts: scratch.counts });
  else sort(s, base, start, end, { low, keys: scratch.keys });
}

function insert({ order, rank, members }: Samples, base: number, start: number, end: number): void {
  for (let p = start; p < end; p++) {
    const id = members![p]!;
    const level = rank[base + id]!;
    let to = base + p;
    for (; to > base + start && rank[base + order[to - 1]!]! > level; to--) order[to] = order[to - 1]!;
    order[to] = id;
  }
}

function count(
  { order, rank, members }: Samples,
  base: number,
  start: number,
  end: number,
  { low, high, counts }: { readonly low: number; readonly high: number; readonly counts: Int32Array },
): void {
  const levels = high - low + 1;
  counts.fill(0, 0, levels + 1);
  for (let p = start; p < end; p++) counts[rank[base + members![p]!]! - low + 1]!++;
  counts[0] = base + start;
  for (let level = 1; level < levels; level++) counts[level] = counts[level]! + counts[level - 1]!;
  for (let p = start; p < end; p++) {
    const id = members![p]!;
    order[counts[rank[base + id]! - low]!++] = id;
  }
}

function sort(
  { order, rank, members }: Samples,
  base: number,
  start: number,
  end: number,
  { low, keys }: { readonly low: number; readonly keys: Float64Array },
): void {
  const size = end - start;
  for (let k = 0; k < size; k++) keys[k] = (rank[base + members![start + k]!]! - low) * size + k;
  keys.subarray(0, size).sort();
  for (let k = 0; k < size; k++) order[base + start + k] = members![start + (keys[k]! % size)]!;
}
