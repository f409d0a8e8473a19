import { createGram, GRAM_ROWS } from "../algebra/gram.ts";
import { checkCancelled, type Hooks, type Matrix } from "../types.ts";

/**
 * The rows of a quantile regression: those of x, standardised on the fly, and one for each penalised coefficient.
 *
 * Row n + j holds coefficient j alone, so that what is left over of it costs what the penalty says. Vectors over rows are
 * n + penalties long, vectors over columns d, with the intercept's place last where there is one.
 */
export type QuantileRows = {
  readonly count: number;
  readonly width: number;
  readonly penalties: number;
  /** Adds `by` times each row's product with `v` to `out`. O(nd). */
  addTimes(v: Float64Array, by: number, out: Float64Array): void;
  /** The sum of the rows, each as often as `shares` says. O(nd). */
  sum(shares: Float64Array): Float64Array;
  /** The lower triangle, row-major, of the sum of the rows' outer products, each as often as `shares` ≥ 0 says. O(nd²). */
  products(shares: Float64Array): Float64Array;
  /** A row's numbers. */
  row(i: number): Float64Array;
};

/** Features, the means and scales by which they are standardised, and how many of them are penalised. */
export type QuantileRowsInput = {
  readonly x: Matrix;
  readonly mean: Float64Array;
  readonly scale: Float64Array;
  readonly intercept: boolean;
  /** The first so many columns have a row of their own. */
  readonly penalties: number;
};

/** The rows of such a problem. */
export function quantileRows({ x, mean, scale, intercept, penalties }: QuantileRowsInput, hooks: Hooks): QuantileRows {
  const { n, d, data } = x;
  const width = d + (intercept ? 1 : 0);
  const count = n + penalties;
  return {
    count,
    width,
    penalties,
    addTimes(v, by, out) {
      let start = intercept ? v[d]! : 0;
      for (let j = 0; j < d; j++) start -= (v[j]! * mean[j]!) / scale[j]!;
      for (let i = 0; i < n; i++) out[i]! += by * start;
      for (let j = 0; j < d; j++) {
        const factor = (by * v[j]!) / scale[j]!;
        if (factor === 0) continue;
        checkCancelled(hooks);
        const at = j * n;
        for (let i = 0; i < n; i++) out[i]! += factor * data[at + i]!;
      }
      for (let j = 0; j < penalties; j++) out[n + j]! += by * v[j]!;
    },
    sum(shares) {
      const out = new Float64Array(width);
      let total = 0;
      for (let i = 0; i < n; i++) total += shares[i]!;
      for (let j = 0; j < d; j++) {
        const at = j * n;
        const middle = mean[j]!;
        let own = 0;
        checkCancelled(hooks);
        for (let i = 0; i < n; i++) own += shares[i]! * (data[at + i]! - middle);
        out[j] = own / scale[j]! + (j < penalties ? shares[n + j]! : 0);
      }
      if (intercept) out[d] = total;
      return out;
    },
    products(shares) {
      const gram = createGram(width);
      const { block } = gram;
      const roots = new Float64Array(GRAM_ROWS);
      for (let start = 0; start < n; start += GRAM_ROWS) {
        if (start % (GRAM_ROWS * 8) === 0) checkCancelled(hooks);
        const rows = Math.min(GRAM_ROWS, n - start);
        for (let i = 0; i < rows; i++) roots[i] = Math.sqrt(shares[start + i]!);
        for (let j = 0; j < d; j++) {
          const [at, to, middle, unit] = [j * n + start, j * GRAM_ROWS, mean[j]!, 1 / scale[j]!];
          for (let i = 0; i < rows; i++) block[to + i] = roots[i]! * (data[at + i]! - middle) * unit;
        }
        if (intercept) block.set(roots.subarray(0, rows), d * GRAM_ROWS);
        gram.add(rows);
      }
      const out = new Float64Array(width * width);
      for (let i = 0; i < width; i++) {
        out.set(gram.sums.subarray(i * gram.width, i * gram.width + i + 1), i * width);
        if (i < penalties) out[i * width + i]! += shares[n + i]!;
      }
      return out;
    },
    row(i) {
      const out = new Float64Array(width);
      if (i >= n) out[i - n] = 1;
      else {
        for (let j = 0; j < d; j++) out[j] = (data[j * n + i]! - mean[j]!) / scale[j]!;
        if (intercept) out[d] = 1;
      }
      return out;
    },
  };
}

/** What is minimised over v: over·r⁺ + under·r⁻ of all rows, for r = target − rows·v. */
export type QuantileProblem = {
  readonly rows: QuantileRows;
  readonly target: Float64Array;
  readonly over: Float64Array;
  readonly under: Float64Array;
};

/** What is left of the target. */
export function leftOver({ rows, target }: QuantileProblem, v: Float64Array): Float64Array {
  const out = target.slice();
  rows.addTimes(v, -1, out);
  return out;
}

/** The sum that is minimised. */
export function costOf(problem: QuantileProblem, v: Float64Array): number {
  const r = leftOver(problem, v);
  let sum = 0;
  for (let i = 0; i < r.length; i++) sum += r[i]! > 0 ? problem.over[i]! * r[i]! : -problem.under[i]! * r[i]!;
  return sum;
}
