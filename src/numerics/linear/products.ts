import { createGram, GRAM_ROWS } from "../algebra/gram.ts";
import { checkCancelled, type Hooks, type Matrix, quiet } from "../types.ts";

/** What `productSums` needs to know. */
export type ProductSumsInput = {
  /** n×d features. */
  readonly x: Matrix;
  /** n numbers. */
  readonly y: Float64Array;
  /** What each column, the target last, is shifted by: near its mean, so that no digits are lost; zeros without intercept. */
  readonly shift: Float64Array;
  /** Only the rows from…to−1 (default all). */
  readonly from?: number;
  readonly to?: number;
};

/** Inner products of the shifted columns over some rows; those of several runs of rows add up. */
export type ProductSums = {
  readonly n: number;
  /** Of columns i and j ≤ i at i · width + j: the features, the target, and a column of ones. */
  readonly sums: Float64Array;
  readonly width: number;
};

/** Inner products of all pairs of columns over a run of rows. NaN spreads. O(nd²). */
export function productSums(input: ProductSumsInput, hooks: Hooks = quiet): ProductSums {
  const { x, y, shift, from = 0, to = x.n } = input;
  const { d } = x;
  const { block, sums, width, add } = createGram(d + 2);
  for (let start = from; start < to; start += GRAM_ROWS) {
    if ((start - from) % (GRAM_ROWS * 8) === 0) {
      checkCancelled(hooks);
      hooks.progress(start - from, to - from);
    }
    const rows = Math.min(GRAM_ROWS, to - start);
    for (let j = 0; j <= d; j++) {
      const [data, at] = j < d ? [x.data, j * x.n + start] : [y, start];
      const by = shift[j]!;
      for (let i = 0, k = j * GRAM_ROWS; i < rows; i++, k++) block[k] = data[at + i]! - by;
    }
    block.fill(1, (d + 1) * GRAM_ROWS, (d + 1) * GRAM_ROWS + rows);
    add(rows, hooks);
  }
  return { n: to - from, sums: sums.slice(), width };
}

/** All that a penalised least-squares fit of tall data needs to know of them. */
export type Products = {
  readonly n: number;
  readonly d: number;
  /** d×d, symmetric: inner products of the (centred) features. */
  readonly gram: Float64Array;
  /** Of each feature with the target. */
  readonly cross: Float64Array;
  /** Of the target with itself. */
  readonly square: number;
  /** Means of the features, the target's last; zeros without intercept. */
  readonly means: Float64Array;
};

/** The products of all rows of `parts` together, about their means where `centred`. O(parts · d²). */
export function productsOf(parts: readonly ProductSums[], shift: Float64Array, centred: boolean): Products {
  const d = shift.length - 1;
  const width = parts[0]!.width;
  const total = new Float64Array(parts[0]!.sums.length);
  let n = 0;
  for (const part of parts) {
    n += part.n;
    for (let i = 0; i < total.length; i++) total[i]! += part.sums[i]!;
  }
  const ones = (d + 1) * width;
  const off = Float64Array.from({ length: d + 1 }, (_, j) => (centred ? total[ones + j]! / n : 0));
  const product = (i: number, j: number) => total[i * width + j]! - n * off[i]! * off[j]!;
  const gram = new Float64Array(d * d);
  for (let i = 0; i < d; i++) {
    for (let j = 0; j <= i; j++) {
      const value = product(i, j);
      gram[i * d + j] = value;
      gram[j * d + i] = value;
    }
    // Rounding must not make a column's own product negative.
    if (gram[i * d + i]! < 0) gram[i * d + i] = 0;
  }
  return {
    n,
    d,
    gram,
    cross: Float64Array.from({ length: d }, (_, j) => product(d, j)),
    square: Math.max(0, product(d, d)),
    means: off.map((value, j) => value + shift[j]!),
  };
}
