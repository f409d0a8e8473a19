import { checkCancelled, type Hooks, type Matrix, quiet } from "../types.ts";
import { createLoops, type Loops } from "../wasm/loops.ts";

/** Rows of a block; more would fall out of the cache before they are used again. */
export const GRAM_ROWS = 512;

/** The inner products of all pairs of columns, added up block of rows by block of rows. */
export type Gram = {
  /** Where a block's columns go: column j begins at `block[j · GRAM_ROWS]`. */
  readonly block: Float64Array;
  /** The products so far: that of columns i and j ≤ i is `sums[i · width + j]`. */
  readonly sums: Float64Array;
  readonly width: number;
  /** Adds the products of the block's first `rows` rows. O(rows · columns²). */
  add(rows: number, hooks?: Hooks): void;
};

/** Room for the products of so many columns. */
export function createGram(columns: number): Gram {
  const width = Math.ceil(columns / 4) * 4;
  const { loops, at } = createLoops(width * GRAM_ROWS * 8, width * width * 8);
  const [from, to] = at as [number, number];
  const { doubles } = loops;
  const block = doubles.subarray(from / 8, from / 8 + width * GRAM_ROWS);
  return {
    block,
    sums: doubles.subarray(to / 8, to / 8 + width * width),
    width,
    add(rows, hooks = quiet) {
      if (rows < GRAM_ROWS) for (let j = 0; j < columns; j++) block.fill(0, j * GRAM_ROWS + rows, (j + 1) * GRAM_ROWS);
      addProducts(loops, { from, to, width }, hooks);
    },
  };
}

/** Columns whose products with the others are added together: they stay in the cache. */
const together = 32;

/** Where vectors lie in the loops' memory, and where their products are added. */
export type ProductPlaces = {
  /** Vectors of `length` numbers (default GRAM_ROWS), a multiple of 2, one after the other. */
  readonly from: number;
  readonly length?: number;
  /** Those that they are multiplied by (default the same). */
  readonly by?: number;
  readonly to: number;
  /** How many vectors, a multiple of 4. */
  readonly width: number;
};

/** Adds the inner products of all pairs of vectors, up to the diagonal and a little past it. */
export function addProducts(
  loops: Loops,
  { from, length = GRAM_ROWS, by = from, to, width }: ProductPlaces,
  hooks: Hooks,
): void {
  const vector = length * 8;
  for (let j = 0; j < width; j += together) {
    if (j > 0) checkCancelled(hooks);
    const end = Math.min(width, j + together);
    const add = (i: number, rows: number, columns: number) =>
      loops.dots(from + i * vector, by + j * vector, to + (i * width + j) * 8, rows, columns, length, width);
    for (let i = j; i < end; i += 2) add(i, 2, (i & ~3) + 4 - j);
    if (end < width) add(end, width - end, together);
  }
}

/** Inner products of all pairs of rows, n×n; `means` are taken off the columns (default nothing). O(n²d). */
export function rowProducts({ n, d, data }: Matrix, hooks: Hooks, means?: Float64Array): Float64Array {
  const { block, sums, width, add } = createGram(n);
  for (let start = 0; start < d; start += GRAM_ROWS) {
    checkCancelled(hooks);
    hooks.progress(start, d);
    const columns = Math.min(GRAM_ROWS, d - start);
    for (let j = 0; j < columns; j++) {
      const from = (start + j) * n;
      const mean = means?.[start + j] ?? 0;
      for (let i = 0; i < n; i++) block[i * GRAM_ROWS + j] = data[from + i]! - mean;
    }
    add(columns, hooks);
  }
  return squareOf(sums, width, n);
}

/** Inner products of all pairs of `count` vectors of `length` numbers, count×count. O(count²·length). */
export function vectorProducts(data: Float64Array, count: number, length: number, hooks: Hooks): Float64Array {
  const { block, sums, width, add } = createGram(count);
  for (let start = 0; start < length; start += GRAM_ROWS) {
    checkCancelled(hooks);
    const rows = Math.min(GRAM_ROWS, length - start);
    for (let j = 0; j < count; j++)
      block.set(data.subarray(j * length + start, j * length + start + rows), j * GRAM_ROWS);
    add(rows, hooks);
  }
  return squareOf(sums, width, count);
}

/** Both triangles of a symmetric matrix of which `sums` holds the lower one. */
function squareOf(sums: Float64Array, width: number, n: number): Float64Array {
  const out = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let k = 0; k <= i; k++) {
      out[i * n + k] = sums[i * width + k]!;
      out[k * n + i] = sums[i * width + k]!;
    }
  }
  return out;
}
