import { checkCancelled, type Hooks, quiet } from "../types.ts";
import { createLoops } from "../wasm/loops.ts";

/** Vectors of one length, one after the other. */
export type Vectors = {
  readonly data: Float64Array;
  readonly count: number;
  /** What is taken off the numbers of each vector (default nothing). */
  readonly less?: Float64Array;
};

/** Numbers of a vector, and vectors, that are worked on together: they fit the cache. */
const [piece, together] = [512, 32];

/**
 * The inner products of each vector of `a` with each of `b`, all of `length` numbers: a.count×b.count, row by row, fresh.
 *
 * NaN spreads. O(a.count · b.count · length). RangeError where they don't fit 4 GB.
 */
export function innerProducts(a: Vectors, b: Vectors, length: number, hooks: Hooks = quiet): Float64Array {
  const width = Math.ceil(b.count / 4) * 4;
  const vector = piece * 8;
  const { loops, at } = createLoops(a.count * vector, together * vector, a.count * width * 8);
  const [ours, theirs, to] = at as [number, number, number];
  const block = (from: number, count: number) => loops.doubles.subarray(from / 8, from / 8 + count * piece);
  for (let start = 0; start < length; start += piece) {
    const size = Math.min(piece, length - start);
    copyPiece(block(ours, a.count), a, length, { start, size, first: 0 });
    for (let first = 0; first < b.count; first += together) {
      checkCancelled(hooks);
      const count = Math.min(together, width - first);
      copyPiece(block(theirs, count), b, length, { start, size, first });
      loops.dots(ours, theirs, to + first * 8, a.count, count, piece, width);
    }
  }
  const out = new Float64Array(a.count * b.count);
  for (let i = 0; i < a.count; i++) {
    const from = to / 8 + i * width;
    out.set(loops.doubles.subarray(from, from + b.count), i * b.count);
  }
  return out;
}

/** Copies a piece of vectors from `first` on; what is left of the block becomes 0. */
function copyPiece(
  block: Float64Array,
  { data, count, less }: Vectors,
  length: number,
  { start, size, first }: { readonly start: number; readonly size: number; readonly first: number },
): void {
  for (let k = 0; k * piece < block.length; k++) {
    const to = block.subarray(k * piece, (k + 1) * piece);
    if (first + k >= count) {
      to.fill(0);
      continue;
    }
    const from = (first + k) * length + start;
    to.set(data.subarray(from, from + size));
    const by = less?.[first + k] ?? 0;
    if (by !== 0) for (let i = 0; i < size; i++) to[i] = to[i]! - by;
    to.fill(0, size);
  }
}
