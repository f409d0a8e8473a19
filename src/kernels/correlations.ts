import { createGram, GRAM_ROWS } from "./gram.ts";
import { checkCancelled, columnOf, type Hooks, type Matrix, quiet } from "./types.ts";

/** Rows whose products are added up before they join those of others; the same on any number of threads. */
const CHUNK = 65_536;

/** Each column's mean and whether values are missing. */
export type ColumnMeans = { readonly mean: Float64Array; readonly holes: boolean };

/** How many chunks `coProducts` makes of so many rows. */
export function correlationChunks(n: number): number {
  return Math.ceil(n / CHUNK);
}

/** The columns' means; NaN counts as missing. A constant column's mean is its value exactly. O(nd). */
export function columnMeans({ x }: { x: Matrix }, hooks: Hooks = quiet): ColumnMeans {
  let holes = false;
  const mean = Float64Array.from({ length: x.d }, (_, j) => {
    checkCancelled(hooks);
    const column = columnOf(x, j);
    let [n, sum, least, most] = [0, 0, Infinity, -Infinity];
    for (let i = 0; i < column.length; i++) {
      const value = column[i]!;
      if (Number.isNaN(value)) continue;
      n++;
      sum += value;
      if (value < least) least = value;
      if (value > most) most = value;
    }
    holes ||= n < column.length;
    return least === most ? least : n > 0 ? sum / n : 0;
  });
  return { mean, holes };
}

/** What `coProducts` needs to know; the means are those of `columnMeans`. */
export type CoProductsInput = ColumnMeans & {
  readonly x: Matrix;
  /** Only these chunks of 65,536 rows (default all). */
  readonly chunks?: { readonly from: number; readonly to: number };
};

/**
 * Inner products of the columns less their means, chunk by chunk, for `correlationsOf`.
 *
 * Where values are missing, of three vectors per column: the value or 0, whether it is there, and its square. O(nd²).
 */
export function coProducts(input: CoProductsInput, hooks: Hooks = quiet): Float64Array[] {
  const { x, holes, chunks = { from: 0, to: correlationChunks(x.n) } } = input;
  const vectors = holes ? 3 * x.d : x.d;
  const gram = createGram(vectors);
  return Array.from({ length: chunks.to - chunks.from }, (_, k) => {
    gram.sums.fill(0);
    const start = (chunks.from + k) * CHUNK;
    const end = Math.min(x.n, start + CHUNK);
    for (let row = start; row < end; row += GRAM_ROWS) {
      checkCancelled(hooks);
      const rows = Math.min(GRAM_ROWS, end - row);
      layBlock(gram.block, input, row, rows);
      gram.add(rows);
    }
    hooks.progress(k + 1, chunks.to - chunks.from);
    const out = new Float64Array(vectors * vectors);
    for (let i = 0; i < vectors; i++) {
      for (let j = 0; j <= i; j++) {
        out[i * vectors + j] = gram.sums[i * gram.width + j]!;
        out[j * vectors + i] = out[i * vectors + j]!;
      }
    }
    return out;
  });
}

function layBlock(block: Float64Array, { x, mean, holes }: CoProductsInput, row: number, rows: number): void {
  for (let j = 0; j < x.d; j++) {
    const from = j * x.n + row;
    const value = j * GRAM_ROWS;
    const there = (x.d + j) * GRAM_ROWS;
    const square = (2 * x.d + j) * GRAM_ROWS;
    for (let i = 0; i < rows; i++) {
      const off = x.data[from + i]! - mean[j]!;
      if (!holes) block[value + i] = off;
      else {
        const isThere = !Number.isNaN(off);
        block[value + i] = isThere ? off : 0;
        block[there + i] = isThere ? 1 : 0;
        block[square + i] = isThere ? off * off : 0;
      }
    }
  }
}

/**
 * Pearson correlations of every pair of d columns, as pandas' `.corr()`, from the sums of `coProducts`' chunks.
 *
 * Each pair is judged on the rows where both are there. Returns d×d symmetric; NaN where a column is constant on those
 * rows, or where there are none. Taking the means off first keeps the digits that the plain sums would lose.
 */
export function correlationsOf(parts: readonly Float64Array[], d: number, holes: boolean): Float64Array {
  const vectors = holes ? 3 * d : d;
  const sums = new Float64Array(vectors * vectors);
  for (const part of parts) for (let i = 0; i < sums.length; i++) sums[i]! += part[i]!;
  const of = (a: number, b: number) => sums[a * vectors + b]!;
  const out = new Float64Array(d * d);
  for (let j = 0; j < d; j++) {
    for (let k = 0; k <= j; k++) {
      const value = holes ? pairOf(of, j, k, d) : correlation(of(j, k), of(j, j), of(k, k));
      out[j * d + k] = value;
      out[k * d + j] = value;
    }
  }
  return out;
}

/** The correlation on the rows that both columns have, moved to their means there. */
function pairOf(of: (a: number, b: number) => number, j: number, k: number, d: number): number {
  const n = of(d + j, d + k);
  const [sumJ, sumK] = [of(j, d + k), of(k, d + j)];
  const [squareJ, squareK] = [of(2 * d + j, d + k), of(2 * d + k, d + j)];
  const own = (square: number, sum: number) => {
    const left = square - (sum * sum) / n;
    // What rounding leaves of a column that is constant on these rows is no variance.
    return left > 1e-14 * square ? left : 0;
  };
  return correlation(of(j, k) - (sumJ * sumK) / n, own(squareJ, sumJ), own(squareK, sumK));
}

function correlation(product: number, squareJ: number, squareK: number): number {
  // The root of the product is exact for a column with itself; it can overflow where the roots can't.
  const whole = squareJ * squareK;
  const divisor = whole > 0 && whole < Infinity ? Math.sqrt(whole) : Math.sqrt(squareJ) * Math.sqrt(squareK);
  return divisor > 0 ? Math.max(-1, Math.min(1, product / divisor)) : NaN;
}

/** `columnMeans`, `coProducts` and `correlationsOf` in one, on one thread. d×d, fresh. */
export function correlations({ x }: { x: Matrix }, hooks: Hooks = quiet): Matrix {
  const means = columnMeans({ x }, hooks);
  return { n: x.d, d: x.d, data: correlationsOf(coProducts({ x, ...means }, hooks), x.d, means.holes) };
}
