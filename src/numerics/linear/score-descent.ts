import { checkCancelled, type Hooks, type Matrix, quiet } from "../types.ts";
import { type Minimum, minimizing, type Slope } from "./lbfgs.ts";
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
export type ScaledColumns = { readonly mean: Float64Array; readonly scale: Float64Array; readonly total: number };

/**
 * Minimises the mean loss of x·coefᵀ + intercept with an L2 or L1 penalty, or both, by L-BFGS, asking for the sums over the rows.
 *
 * Columns are centred and scaled implicitly, which changes the path and not the answer.
 */
export function* descendingScores(
  task: ScoreTask,
  columns: ScaledColumns,
  told: (done: number, total: number) => void,
): Generator<ScorePoint, ScoreFit, LossSums> {
  const { rows, maxIter, tol } = task;
  const d = columns.mean.length;
  const model: Model = { ...columns, ...task };
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

/** The function that is minimised, and the units in which it is: column j enters as (x − mean[j]) / scale[j]. */
type Model = ScaledColumns & ScoreTask;

function pointAt({ rows, mean, scale }: Model, w: Float64Array): ScorePoint {
  const d = mean.length;
  const coef = new Float64Array(rows * d);
  const intercept = new Float64Array(rows);
  for (let k = 0; k < rows; k++) {
    let bias = w[k * (d + 1) + d]!;
    for (let j = 0; j < d; j++) {
      const value = w[k * (d + 1) + j]! / scale[j]!;
      coef[k * d + j] = value;
      bias -= value * mean[j]!;
    }
    intercept[k] = bias;
  }
  return { coef, intercept };
}

/** The penalised mean loss and its gradient in scaled units. */
function slopeAt({ rows, mean, scale, total, penalty, intercept }: Model, { coef }: ScorePoint, sums: LossSums): Slope {
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
  /** Added to each column's variance: the penalty over the loss's curvature. */
  readonly ridge: number;
};

/** Means and scales that bring the curvature along every coefficient near 1; no centring without intercept. O(nd). */
export function scaledColumns(
  { x, intercept, sampleWeight: weight, ridge }: ScaledColumnsInput,
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
  return { mean, scale, total };
}

/** Scales with NaN where squares overflowed, which would else leave such a column out without a word. */
export function orOverflow(scale: Float64Array): Float64Array {
  return scale.map((value) => (value === Infinity ? NaN : value));
}

/** The largest component of the gradient in the units of x, which is what scikit-learn's `tol` speaks of. */
function steepest(model: Model, gradient: Float64Array): number {
  const { rows, mean, scale } = model;
  const d = mean.length;
  let most = 0;
  for (let k = 0; k < rows; k++) {
    const bias = gradient[k * (d + 1) + d]!;
    most = Math.max(most, Math.abs(bias));
    for (let j = 0; j < d; j++) {
      most = Math.max(most, Math.abs(gradient[k * (d + 1) + j]! * scale[j]! + mean[j]! * bias));
    }
  }
  return most;
}
