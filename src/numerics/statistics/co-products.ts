import { addProducts, GRAM_ROWS } from "../algebra/gram.ts";
import { checkCancelled, columnOf, type Hooks, type Matrix, quiet } from "../types.ts";
import { createLoops } from "../wasm/loops.ts";
import { runMoments } from "./moments.ts";

/** At most so many chunks of rows, and bytes of their sums; neither says anything of threads. */
const mostChunks = 16;
const mostBytes = 2 ** 28;
/** Fewer rows make no chunk of their own. */
const fewestRows = 8192;

/** Each column's mean, and 1 where values are missing. */
export type ColumnMeans = {
  readonly mean: Float64Array;
  readonly holes: Uint8Array;
  /** A power of two by which each column is multiplied, so that squares neither overflow nor vanish (default 1). */
  readonly unit?: Float64Array;
};

/** Columns whose values lie no further apart than 2 to this power, or its inverse, are taken as they are. */
const plainPower = 400;

/**
 * The columns' means and units; NaN counts as missing. A constant column's mean is its value exactly.
 *
 * Only of the columns from…to−1 (default all). O(nd).
 */
export function columnMeans(input: { x: Matrix; from?: number; to?: number }, hooks: Hooks = quiet): ColumnMeans {
  const { x, from = 0, to = x.d } = input;
  const mean = new Float64Array(to - from);
  const holes = new Uint8Array(to - from);
  const unit = new Float64Array(to - from).fill(1);
  for (let j = from; j < to; j++) {
    checkCancelled(hooks);
    const found = runMoments(columnOf(x, j), false);
    mean[j - from] = found.n > 0 ? found.mean : 0;
    holes[j - from] = found.n < x.n ? 1 : 0;
    if (Math.abs(found.power) > plainPower) unit[j - from] = 2 ** -found.power;
  }
  return { mean, holes, unit };
}

/** Rows that a guess looks at. */
const guessRows = 512;

/** About where each column lies, by rows all over the table: products need no more, and means take half as long as they. */
export function guessedMeans({ x }: { x: Matrix }, hooks: Hooks = quiet): Float64Array {
  const { n, d, data } = x;
  const rows = Math.min(n, guessRows);
  const some = new Float64Array(rows);
  return Float64Array.from({ length: d }, (_, j) => {
    checkCancelled(hooks);
    for (let i = 0; i < rows; i++) some[i] = data[j * n + Math.floor((i * n) / rows)]!;
    return runMoments(some, false).mean;
  });
}

/** What `coProducts` needs to know; the means are those of `columnMeans`, or any number near them. */
export type CoProductsInput = ColumnMeans & {
  readonly x: Matrix;
  /** Behind the last column one of ones, so that products with it are the columns' sums; only where none has holes. */
  readonly sums?: boolean;
  /** Only these chunks of rows (default all). */
  readonly chunks?: { readonly from: number; readonly to: number };
};

/** Where the sums of `coProducts` lie. Columns with holes have numbers of their own, in order. */
export type Layout = {
  /** Columns with holes. */
  readonly holey: readonly number[];
  /** Vectors of a block: the columns, whether values are there, and squares; each part a multiple of 4. */
  readonly values: number;
  readonly theres: number;
  /** Sums between two columns begin at 0, `values` in a line; those of column holey[h] at `across`, `line` in a line. */
  readonly across: number;
  readonly line: number;
  readonly size: number;
};

/** The layout of the products of an input, with the column of ones. */
export function layoutIn({ holes, sums = false }: Pick<CoProductsInput, "holes" | "sums">): Layout {
  return layoutOf(sums ? new Uint8Array(holes.length + 1) : holes);
}

/** The layout for columns of which these have holes. */
export function layoutOf(holes: Uint8Array): Layout {
  const holey = Array.from(holes.keys()).filter((j) => holes[j]);
  const values = 4 * Math.ceil(holes.length / 4);
  const theres = 4 * Math.ceil(holey.length / 4);
  const line = holey.length > 0 ? values + theres + values : 0;
  const across = values * values;
  return { holey, values, theres, across, line, size: across + holey.length * line };
}

/** How many chunks `coProducts` makes, by the table alone, so that sums are the same on any number of threads. */
export function chunkCount(n: number, layout: Layout): number {
  const room = Math.max(1, Math.floor(mostBytes / (8 * layout.size)));
  return Math.max(1, Math.min(mostChunks, room, Math.floor(n / fewestRows)));
}

/**
 * Inner products of the columns less their means, chunk of rows by chunk of rows, as `layoutOf` lays them out.
 *
 * Those of two columns i and j ≤ i are at i · values + j, where a missing value counts as 0. For a column with holes:
 * with each column's values, with whether others are there, and with each column's squares, all over the rows where it
 * is there. O(nd²).
 */
export function coProducts(input: CoProductsInput, hooks: Hooks = quiet): Float64Array[] {
  const { x } = input;
  const layout = layoutIn(input);
  const count = chunkCount(x.n, layout);
  const { chunks = { from: 0, to: count } } = input;
  const block = createBlock(x.d, layout);
  // Whole blocks, so that the last chunk alone may end within one.
  const blocks = Math.ceil(x.n / GRAM_ROWS);
  const startOf = (chunk: number) => Math.min(x.n, Math.floor((chunk * blocks) / count) * GRAM_ROWS);
  return Array.from({ length: chunks.to - chunks.from }, (_, k) => {
    block.sums.fill(0);
    const end = chunks.from + k + 1 === count ? x.n : startOf(chunks.from + k + 1);
    for (let row = startOf(chunks.from + k); row < end; row += GRAM_ROWS) {
      checkCancelled(hooks);
      block.add(input, row, Math.min(GRAM_ROWS, end - row), hooks);
    }
    hooks.progress(k + 1, chunks.to - chunks.from);
    return block.sums.slice();
  });
}

/** Room for a block of rows and for the sums. */
function createBlock(d: number, { holey, values, theres, across, line, size }: Layout) {
  const vector = GRAM_ROWS * 8;
  const vectors = holey.length > 0 ? values + theres + values : values;
  const { loops, at } = createLoops(vectors * vector, size * 8);
  const [from, to] = at as [number, number];
  const { doubles } = loops;
  const column = (j: number) => doubles.subarray(from / 8 + j * GRAM_ROWS, from / 8 + (j + 1) * GRAM_ROWS);
  const columns = Array.from({ length: vectors }, (_, j) => column(j));
  const lay = ({ x, mean, unit, sums = false }: CoProductsInput, row: number, rows: number) => {
    if (sums) columns[d]!.fill(1, 0, rows).fill(0, rows);
    for (let j = 0; j < d; j++) {
      const out = columns[j]!;
      out.set(x.data.subarray(j * x.n + row, j * x.n + row + rows));
      loops.shift(from + j * vector, -mean[j]!, GRAM_ROWS);
      const factor = unit?.[j] ?? 1;
      if (factor !== 1) for (let i = 0; i < rows; i++) out[i]! *= factor;
      if (rows < GRAM_ROWS) out.fill(0, rows);
    }
    holey.forEach((j, h) => {
      markHoles(columns[j]!, columns[values + h]!, rows);
    });
    if (holey.length === 0) return;
    for (let j = 0; j < d; j++) loops.squares(from + j * vector, from + (values + theres + j) * vector, GRAM_ROWS);
  };
  return {
    sums: doubles.subarray(to / 8, to / 8 + size),
    add(input: CoProductsInput, row: number, rows: number, hooks: Hooks): void {
      lay(input, row, rows);
      addProducts(loops, { from, to, width: values }, hooks);
      loops.dots(from + values * vector, from, to + across * 8, holey.length, line, GRAM_ROWS, line);
    },
  };
}

/** Missing values become 0; `there` tells which are not. */
function markHoles(values: Float64Array, there: Float64Array, rows: number): void {
  for (let i = 0; i < rows; i++) {
    const isThere = !Number.isNaN(values[i]);
    there[i] = isThere ? 1 : 0;
    if (!isThere) values[i] = 0;
  }
  there.fill(0, rows);
}

/** The sums of all chunks, in order. */
export function summed(parts: readonly Float64Array[]): Float64Array {
  const sums = new Float64Array(parts[0]!.length);
  for (const part of parts) for (let i = 0; i < sums.length; i++) sums[i]! += part[i]!;
  return sums;
}
