import { createGram, GRAM_ROWS } from "../algebra/gram.ts";
import { checkCancelled, type Hooks, type Matrix, quiet } from "../types.ts";
import { type Minimum, minimizing, type Slope } from "./lbfgs.ts";
import { cholesky, dot, solveLower, solveUpper } from "./least-squares.ts";
import type { LossSums, LossSumsInput } from "./loss-sums.ts";
import { minimizingSparse } from "./sparse-lbfgs.ts";

/** A point whose loss a fit wants to know: coefficients for the columns as they are. */
export type ScorePoint = Pick<LossSumsInput, "coef" | "intercept">;

/** What is fitted by `descendingScores`: the mean loss of linear scores and a penalty on the coefficients. */
export type ScoreTask = {
  /** Rows of coefficients, one for each score of a row of x. */
  readonly rows: number;
  /** Half of it times ‖coef‖² is added to the mean loss. */
  readonly penalty: number;
  /** So many times the sum of the coefficients' sizes is added as well (default 0). */
  readonly lasso?: number;
  /** False keeps the intercepts where they begin. */
  readonly intercept: boolean;
  /** What the intercepts begin with (default 0). */
  readonly start?: number;
  /** Steps at most. */
  readonly maxIter: number;
  /** The gradient below which the fit counts as converged; it goes on to a 10⁶th of it if it can. */
  readonly tol: number;
};

/** Where a fit ended. */
export type ScoreFit = {
  /** rows×d row-major, in the units of x. */
  coef: Float64Array;
  /** One per row of coef. */
  intercept: Float64Array;
  /** The penalised mean loss. */
  value: number;
  iterations: number;
  /** Whether the largest gradient component fell below `tol`. */
  converged: boolean;
};

/** Means and scales of the columns, and the rows' weight together. */
export type ScaledColumns = {
  readonly mean: Float64Array;
  readonly scale: Float64Array;
  readonly total: number;
  /** d×d: the Cholesky factor of the scaled columns' products, by which they are turned (default not at all). */
  readonly factor?: Float64Array | undefined;
};

/**
 * Minimises the mean loss of x·coefᵀ + intercept with an L2 or L1 penalty, or both, by L-BFGS, asking for the sums over the rows.
 *
 * Columns are centred, scaled and, where it is known how they go together, turned implicitly, which changes the path and not
 * the answer: of columns that go together a fit takes a fifth of the steps. Source: Böhning (1992), "Multinomial logistic
 * regression algorithm", for the bound on the curvature by the columns' products.
 */
export function* descendingScores(
  task: ScoreTask,
  columns: ScaledColumns,
  told: (done: number, total: number) => void,
): Generator<ScorePoint, ScoreFit, LossSums> {
  const { rows, maxIter, tol } = task;
  const d = columns.mean.length;
  // Sizes are told coefficient by coefficient, so there nothing may be turned.
  const model: Model = { ...columns, ...task, factor: task.lasso ? undefined : columns.factor };
  const start = new Float64Array(rows * (d + 1));
  for (let k = 0; k < rows; k++) start[k * (d + 1) + d] = task.start ?? 0;
  function* descending(from: Float64Array, most: number): Generator<ScorePoint, Minimum, LossSums> {
    const ending = { tolerance: tol * 1e-6, maxIter: most };
    const hears = (done: number) => told(Math.min(done, maxIter), maxIter);
    const steps = task.lasso
      ? minimizingSparse(from, sizesOf(model, task.lasso), ending, hears)
      : minimizing(from, ending, hears);
    let next = steps.next();
    while (!next.done) {
      const point = pointAt(model, next.value);
      next = steps.next(slopeAt(model, point, yield point));
    }
    return next.value;
  }
  let ended = yield* descending(start, maxIter);
  const { iterations } = ended;
  // Converged, yet short of the last digits: where steps are cheap, some more of them find these.
  if (iterations >= maxIter && columns.total * start.length <= cheapFit && steepest(model, ended.gradient) <= tol)
    ended = yield* descending(ended.w, 9 * maxIter);
  const { w, value, gradient } = ended;
  return { ...pointAt(model, w), value, iterations, converged: steepest(model, gradient) <= tol };
}

/** What each component's size costs; intercepts cost nothing. */
function sizesOf({ rows, scale }: Model, lasso: number): Float64Array {
  const d = scale.length;
  return Float64Array.from({ length: rows * (d + 1) }, (_, i) => (i % (d + 1) < d ? lasso / scale[i % (d + 1)]! : 0));
}

/** Rows times coefficients up to which a step takes about a millisecond. */
const cheapFit = 500_000;

/** The function that is minimised, and the units in which it is: column j enters as (x − mean[j]) / scale[j], then turned. */
type Model = ScaledColumns & ScoreTask;

function pointAt({ rows, mean, scale, factor }: Model, w: Float64Array): ScorePoint {
  const d = mean.length;
  const coef = new Float64Array(rows * d);
  const intercept = new Float64Array(rows);
  for (let k = 0; k < rows; k++) {
    let bias = w[k * (d + 1) + d]!;
    const own = w.slice(k * (d + 1), k * (d + 1) + d);
    if (factor) solveUpper(factor, d, own);
    for (let j = 0; j < d; j++) {
      const value = own[j]! / scale[j]!;
      coef[k * d + j] = value;
      bias -= value * mean[j]!;
    }
    intercept[k] = bias;
  }
  return { coef, intercept };
}

/** The penalised mean loss and its gradient in scaled units. */
function slopeAt(
  { rows, mean, scale, factor, total, penalty, intercept }: Model,
  { coef }: ScorePoint,
  sums: LossSums,
): Slope {
  const d = mean.length;
  const gradient = new Float64Array(rows * (d + 1));
  let value = sums.loss / total;
  for (let k = 0; k < rows; k++) {
    const at = k * (d + 1);
    const bias = sums.intercept[k]! / total;
    gradient[at + d] = intercept ? bias : 0;
    for (let j = 0; j < d; j++) {
      const weight = coef[k * d + j]!;
      value += (penalty / 2) * weight * weight;
      gradient[at + j] = (sums.coef[k * d + j]! / total - mean[j]! * bias + penalty * weight) / scale[j]!;
    }
    if (factor) solveLower(factor, d, gradient.subarray(at, at + d));
  }
  return { value, gradient };
}

/** What `scaledColumns` needs to know. */
export type ScaledColumnsInput = {
  readonly x: Matrix;
  /** A weight per row (default 1). */
  readonly sampleWeight?: Float64Array | undefined;
  /** False does not centre the columns (default true). */
  readonly intercept?: boolean;
} & ColumnUnits;

/** In which units a fit sees its columns. */
export type ColumnUnits = {
  /** Added to each column's variance: the penalty over the loss's curvature. */
  readonly ridge: number;
  /** Are columns that go together turned, where there are few (default false)? */
  readonly whitened?: boolean;
};

/** Means and scales that bring the curvature along every coefficient near 1; no centring without intercept. O(nd), whitened O(nd²). */
export function scaledColumns(
  { x, intercept, sampleWeight: weight, ridge, whitened }: ScaledColumnsInput,
  hooks: Hooks = quiet,
): ScaledColumns {
  if (x.n < 1) throw new RangeError("a linear model needs at least one row");
  const total = weight ? weight.reduce((sum, value) => sum + value, 0) : x.n;
  const mean = new Float64Array(x.d);
  const scale = new Float64Array(x.d);
  for (let j = 0; j < x.d; j++) {
    checkCancelled(hooks);
    const column = x.data.subarray(j * x.n, (j + 1) * x.n);
    let sum = 0;
    if (intercept !== false) for (let i = 0; i < x.n; i++) sum += weight ? weight[i]! * column[i]! : column[i]!;
    const middle = sum / total;
    let square = 0;
    for (let i = 0; i < x.n; i++) square += (weight ? weight[i]! : 1) * (column[i]! - middle) ** 2;
    mean[j] = middle;
    // Rounding alone is no spread.
    const variance = Math.sqrt(square / total) > 1e-12 * Math.abs(middle) ? square / total : 0;
    scale[j] = Math.sqrt(variance + ridge) || 1;
  }
  const columns = { mean, scale, total };
  if (!whitened || x.d > mostWhitened) return columns;
  return whitenedColumns(columns, scaledProducts(x, columns, hooks), ridge);
}

/** Columns are turned where they are no more than this: it takes the products of all pairs of them. */
export const mostWhitened = 64;

/** Rows that tell how columns go together: more would turn them no better. */
const rowsLookedAt = 16_384;

/**
 * Columns with the factor by which they are turned, given mean products of the centred and scaled ones over all rows or some:
 * d×d, of which the lower triangle is read.
 *
 * Columns that depend on others are held a little, so that rounding is not blown up. O(d³/3).
 */
export function whitenedColumns(columns: ScaledColumns, products: Float64Array, ridge: number): ScaledColumns {
  const { scale } = columns;
  const d = scale.length;
  // A column that is constant in these rows goes with no other.
  const length = scale.map((own, j) => Math.sqrt(products[j * d + j]! + ridge / own ** 2) || Infinity);
  const factor = products.map((each, at) => each / length[Math.floor(at / d)]! / length[at % d]!);
  for (let j = 0; j < d; j++) factor[j * d + j] = 1 + 1e-6;
  return cholesky(factor, d, 0) ? { ...columns, factor } : columns;
}

function scaledProducts(x: Matrix, { mean, scale }: ScaledColumns, hooks: Hooks): Float64Array {
  const { n, d, data } = x;
  const { block, sums, width, add } = createGram(d);
  const blocks = Math.ceil(n / GRAM_ROWS);
  const step = Math.max(1, blocks / (rowsLookedAt / GRAM_ROWS));
  let looked = 0;
  for (let k = 0; k < blocks; k += step) {
    const start = Math.floor(k) * GRAM_ROWS;
    const rows = Math.min(GRAM_ROWS, n - start);
    for (let j = 0; j < d; j++) {
      const [from, to] = [j * n + start, j * GRAM_ROWS];
      for (let i = 0; i < rows; i++) block[to + i] = (data[from + i]! - mean[j]!) / scale[j]!;
    }
    add(rows, hooks);
    looked += rows;
  }
  const products = new Float64Array(d * d);
  for (let j = 0; j < d; j++) products.set(sums.subarray(j * width, j * width + j + 1), j * d);
  return products.map((sum) => sum / looked);
}

/** Scales with NaN where squares overflowed, which would else leave such a column out without a word. */
export function orOverflow(scale: Float64Array): Float64Array {
  return scale.map((value) => (value === Infinity ? NaN : value));
}

/** The largest component of the gradient in the units of x, which is what scikit-learn's `tol` speaks of. */
function steepest({ rows, mean, scale, factor }: Model, gradient: Float64Array): number {
  const d = mean.length;
  let most = 0;
  for (let k = 0; k < rows; k++) {
    const bias = gradient[k * (d + 1) + d]!;
    most = Math.max(most, Math.abs(bias));
    const own = gradient.subarray(k * (d + 1), k * (d + 1) + d);
    for (let j = 0; j < d; j++) {
      const slope = factor ? dot(factor, j * d, own, 0, j + 1) : own[j]!;
      most = Math.max(most, Math.abs(slope * scale[j]! + mean[j]! * bias));
    }
  }
  return most;
}
