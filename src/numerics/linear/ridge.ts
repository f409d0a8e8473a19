import { rowProducts } from "../algebra/gram.ts";
import { symmetricEigen } from "../algebra/symmetric-eigen.ts";
import { checkCancelled, type Hooks, type Matrix, quiet } from "../types.ts";
import { type SparseTurned, turnSparse } from "./descent.ts";
import { centredColumns, type LinearSource } from "./elastic-net.ts";
import { cholesky, dot, solveCholesky } from "./least-squares.ts";
import { productsOf } from "./products.ts";

/** What `fitRidge` needs to know. */
export type RidgeInput = {
  readonly source: LinearSource;
  readonly intercept: boolean;
  /** Strength of the penalty, above 0. */
  readonly alpha: number;
  /** Of sparse rows: what may be left over, as a share of what is solved for (default 1e-10). */
  readonly tol?: number;
  /** Of sparse rows: steps at most (default 10 per feature, 1,000 at least). */
  readonly maxIter?: number;
};

/** A fitted ridge regression. */
export type Ridge = { readonly coef: Float64Array; readonly intercept: number; readonly converged: boolean };

/**
 * Ridge regression, as scikit-learn's Ridge: minimises ‖y − Xw‖² + α·‖w‖².
 *
 * By Cholesky of the products of columns, or of rows where these are fewer, O(min(n, d)³); where they are nearly
 * singular by their eigenvectors. Sparse rows by conjugate gradients. NaN gives NaN. Source: Hastie, Tibshirani and
 * Friedman, §3.4.1, §18.3.5; Golub and Van Loan, §11.3.
 */
export function fitRidge(input: RidgeInput, hooks: Hooks = quiet): Ridge {
  const { source, intercept, alpha } = input;
  checkCancelled(hooks);
  if (source.kind === "products") {
    const products = productsOf(source.parts, source.shift, intercept);
    const coef = solveShifted(products.gram, products.d, alpha, products.cross, hooks);
    return { coef, intercept: biasOf(products.means, coef), converged: true };
  }
  const { n } = source.x;
  const meanY = intercept ? dot(source.y, 0, new Float64Array(n).fill(1), 0, n) / n : 0;
  const y = source.y.map((value) => value - meanY);
  if (source.kind === "sparse") {
    const x = turnSparse(source.x, intercept);
    const { coef, converged } = conjugate(x, y, input, hooks);
    return { coef, intercept: meanY - dot(x.means, 0, coef, 0, x.d), converged };
  }
  const { data, means } = centredColumns(source.x, intercept);
  const rows = rowProducts({ ...source.x, data }, hooks);
  const dual = solveShifted(rows, n, alpha, y, hooks);
  const coef = Float64Array.from({ length: source.x.d }, (_, j) => dot(data, j * n, dual, 0, n));
  return { coef, intercept: meanY - dot(means, 0, coef, 0, source.x.d), converged: true };
}

/** What `judgeRidge` needs to know: the rows come along, since each is left out once. */
export type RidgeJudgeInput = {
  readonly x: Matrix;
  readonly y: Float64Array;
  /** The products of all rows, where these are more than columns. */
  readonly products?: Extract<LinearSource, { kind: "products" }>;
  readonly intercept: boolean;
  readonly alphas: Float64Array;
};

/** What `ridgeDirections` needs to know. */
export type RidgeDirectionsInput = Pick<RidgeJudgeInput, "intercept" | "alphas"> & {
  readonly products: Extract<LinearSource, { kind: "products" }>;
};

/** Along what a ridge regression answers, and how much each penalty leaves of each direction. */
export type RidgeDirections = {
  /** d×d, a direction a row. */
  readonly vectors: Float64Array;
  /** What the target has of each. */
  readonly target: Float64Array;
  /** Of each alpha the weight of each direction. */
  readonly weights: readonly Float64Array[];
  /** Means of the features, the target's last; zeros without intercept. */
  readonly means: Float64Array;
  /** What a row has of its own answer by the constant term. */
  readonly constant: number;
};

/**
 * The directions by which `judgeRidge` foretells each row from all others, for rows that are elsewhere; O(d³).
 *
 * With a = V(x − means), alpha's answer is Σ aᵢ·wᵢ·tᵢ, and 1 − constant − Σ aᵢ²·wᵢ what its error is divided by.
 */
export function ridgeDirections(input: RidgeDirectionsInput, hooks: Hooks = quiet): RidgeDirections {
  const { products, intercept, alphas } = input;
  const { gram, cross, means, n, d } = productsOf(products.parts, products.shift, intercept);
  const { values, vectors } = symmetricEigen(gram, d, hooks);
  const target = Float64Array.from({ length: d }, (_, k) => dot(vectors, k * d, cross, 0, d));
  const weights = Array.from(alphas, (alpha) => shrunken(values, alpha, d).map((own) => (own === 0 ? 0 : 1 / own)));
  return { vectors, target, weights, means, constant: intercept ? 1 / n : 0 };
}

/** Eigenvalues with the penalty, those that are rounding alone as 0. */
function shrunken(values: Float64Array, alpha: number, size: number): Float64Array {
  const least = Math.max(0, values[0] ?? 0) * size * Number.EPSILON;
  return values.map((value) => (value > least ? value : 0) + alpha);
}

/** Rows whose errors are worked out together. */
const BLOCK = 512;

/**
 * Mean squared error of each alpha where every row is foretold by a ridge regression of all others.
 *
 * As scikit-learn's RidgeCV, without fitting n times: from one eigendecomposition, O(min(n, d)³ + nd·min(n, d)).
 * Source: Rifkin and Lippert (2007), "Notes on regularized least squares".
 */
export function judgeRidge(input: RidgeJudgeInput, hooks: Hooks = quiet): Float64Array {
  const { x, y, products, intercept, alphas } = input;
  const { n, d } = x;
  const sums = new Float64Array(alphas.length);
  const constant = intercept ? 1 / n : 0;
  const means = products ? productsOf(products.parts, products.shift, intercept) : undefined;
  const size = means ? d : n;
  const centred = means ? undefined : centredColumns(x, intercept).data;
  const { values, vectors } = symmetricEigen(means?.gram ?? rowProducts({ n, d, data: centred! }, hooks), size, hooks);
  const meanY = intercept ? y.reduce((sum, value) => sum + value, 0) / n : 0;
  // Along each eigenvector: what it has of a row, its share of the target, and how much a penalty leaves of it.
  const along = new Float64Array(size * BLOCK);
  const target = Float64Array.from({ length: size }, (_, k) => {
    if (means) return dot(vectors, k * size, means.cross, 0, size);
    let sum = 0;
    for (let i = 0; i < n; i++) sum += vectors[k * size + i]! * (y[i]! - meanY);
    return sum;
  });
  const least = Math.max(0, values[0] ?? 0) * size * Number.EPSILON;
  const kept = Array.from(alphas, (alpha) =>
    values.map((value) => {
      const own = value > least ? value : 0;
      if (own + alpha === 0) return 0;
      return means ? 1 / (own + alpha) : own / (own + alpha);
    }),
  );
  for (let start = 0; start < n; start += BLOCK) {
    checkCancelled(hooks);
    hooks.progress(start, n);
    const rows = Math.min(BLOCK, n - start);
    for (let k = 0; k < size; k++) {
      const out = along.subarray(k * BLOCK, k * BLOCK + rows);
      if (means) turnRows(x, means.means, vectors, k, start, out);
      else for (let i = 0; i < rows; i++) out[i] = vectors[k * size + start + i]!;
    }
    for (const [a, weights] of kept.entries()) {
      for (let i = 0; i < rows; i++) {
        let fitted = 0;
        let share = constant;
        for (let k = 0; k < size; k++) {
          const value = along[k * BLOCK + i]!;
          fitted += value * weights[k]! * target[k]!;
          share += value * value * weights[k]!;
        }
        sums[a]! += ((y[start + i]! - meanY - fitted) / (1 - share)) ** 2;
      }
    }
  }
  return sums.map((sum) => sum / n);
}

/** What rows from `start` on have of eigenvector k. */
function turnRows(x: Matrix, means: Float64Array, vectors: Float64Array, k: number, start: number, out: Float64Array) {
  out.fill(0);
  for (let j = 0; j < x.d; j++) {
    const by = vectors[k * x.d + j]!;
    const from = j * x.n + start;
    const mean = means[j]!;
    for (let i = 0; i < out.length; i++) out[i]! += by * (x.data[from + i]! - mean);
  }
}

function biasOf(means: Float64Array, coef: Float64Array): number {
  return means[coef.length]! - dot(means, 0, coef, 0, coef.length);
}

/** Pivots of a matrix with ones on its diagonal below which Cholesky leaves too few digits. */
const leastPivot = 1e-12;

/** Solves (A + alpha·I)·x = b for a symmetric A of d×d, which has no negative eigenvalues. */
function solveShifted(a: Float64Array, d: number, alpha: number, b: Float64Array, hooks: Hooks): Float64Array {
  if (!a.every(Number.isFinite) || !b.every(Number.isFinite)) return new Float64Array(d).fill(Number.NaN);
  const scale = Float64Array.from({ length: d }, (_, j) => Math.sqrt(a[j * d + j]! + alpha));
  const l = new Float64Array(d * d);
  for (let i = 0; i < d; i++) {
    for (let j = 0; j < i; j++) l[i * d + j] = a[i * d + j]! / (scale[i]! * scale[j]!);
    l[i * d + i] = 1;
  }
  checkCancelled(hooks);
  if (cholesky(l, d, leastPivot, hooks)) {
    const x = b.map((value, j) => value / scale[j]!);
    solveCholesky(l, d, x);
    return x.map((value, j) => value / scale[j]!);
  }
  const { values, vectors } = symmetricEigen(a, d, hooks);
  const least = Math.max(0, values[0]!) * d * Number.EPSILON;
  const x = new Float64Array(d);
  for (let k = 0; k < d; k++) {
    if (!(values[k]! > least)) continue;
    const share = dot(vectors, k * d, b, 0, d) / (values[k]! + alpha);
    for (let j = 0; j < d; j++) x[j]! += share * vectors[k * d + j]!;
  }
  return x;
}

/** Conjugate gradients on (XᵀX + alpha·I)·w = Xᵀy, with X's means taken off implicitly. */
function conjugate(
  x: SparseTurned,
  y: Float64Array,
  { alpha, tol = 1e-10, maxIter = Math.max(1000, 10 * x.d) }: RidgeInput,
  hooks: Hooks,
): { coef: Float64Array; converged: boolean } {
  const { d } = x;
  const w = new Float64Array(d);
  const r = timesTurned(x, y);
  const p = Float64Array.from(r);
  let square = dot(r, 0, r, 0, d);
  const enough = tol * tol * square;
  let step = 0;
  for (; step < maxIter && square > enough; step++) {
    checkCancelled(hooks);
    hooks.progress(step, maxIter);
    const ap = timesTurned(x, times(x, p));
    for (let j = 0; j < d; j++) ap[j]! += alpha * p[j]!;
    const by = square / dot(p, 0, ap, 0, d);
    for (let j = 0; j < d; j++) {
      w[j]! += by * p[j]!;
      r[j]! -= by * ap[j]!;
    }
    const next = dot(r, 0, r, 0, d);
    for (let j = 0; j < d; j++) p[j] = r[j]! + (next / square) * p[j]!;
    square = next;
  }
  return { coef: w, converged: square <= enough };
}

/** Xw for the centred X. */
function times({ n, d, start, rows, values, means }: SparseTurned, w: Float64Array): Float64Array {
  const out = new Float64Array(n).fill(-dot(means, 0, w, 0, d));
  for (let j = 0; j < d; j++) {
    const by = w[j]!;
    if (by !== 0) for (let at = start[j]!; at < start[j + 1]!; at++) out[rows[at]!]! += by * values[at]!;
  }
  return out;
}

/** Xᵀv for the centred X. */
function timesTurned({ d, start, rows, values, means }: SparseTurned, v: Float64Array): Float64Array {
  let total = 0;
  for (let i = 0; i < v.length; i++) total += v[i]!;
  const out = new Float64Array(d);
  for (let j = 0; j < d; j++) {
    let sum = 0;
    for (let at = start[j]!; at < start[j + 1]!; at++) sum += values[at]! * v[rows[at]!]!;
    out[j] = sum - means[j]! * total;
  }
  return out;
}
