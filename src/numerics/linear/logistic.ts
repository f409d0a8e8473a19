import { checkCancelled, type Hooks, type Matrix, quiet } from "../types.ts";
import { type Minimum, minimizing, type Slope } from "./lbfgs.ts";
import {
  addSums,
  BLOCK,
  type LogisticSums,
  type LogisticSumsInput,
  logisticSums,
  scores,
  softmax,
} from "./logistic-loss.ts";

/** What `fitLogistic` needs to know. */
export type LogisticInput = {
  /** n×d features without missing values. */
  x: Matrix;
  /** n class codes, 0…classes−1. */
  y: Int32Array;
  /** Number of classes, at least 2. */
  classes: number;
  /** Inverse strength of the L2 penalty, above 0 (default 1). */
  c?: number;
  /** False leaves the intercept at 0 (default true). */
  intercept?: boolean;
  /** Steps at most (default 100). */
  maxIter?: number;
  /** The gradient below which the fit counts as converged; it goes on to a 10⁶th of it if it can (default 1e-4). */
  tol?: number;
  /** A weight per row, at least 0; class weights come in here as well (default 1). */
  sampleWeight?: Float64Array;
};

/** A fitted logistic regression. */
export type Logistic = {
  /** rows×d row-major; one row for two classes (that of class 1), else one per class. */
  coef: Float64Array;
  /** One number per row of coef. */
  intercept: Float64Array;
  classes: number;
  iterations: number;
  /** Whether the largest gradient component fell below `tol`. */
  converged: boolean;
};

/** A point whose loss a fit wants to know: coefficients for the columns as they are. */
export type LogisticPoint = Pick<LogisticSumsInput, "coef" | "intercept">;

/**
 * Multinomial logistic regression with an L2 penalty, as scikit-learn's LogisticRegression.
 *
 * Minimises mean log loss + ‖w‖²/(2·c·Σweight), intercepts unpenalised, by L-BFGS. Columns are centred and
 * scaled implicitly, which changes the path and not the answer: data that scikit-learn gives up on after
 * 100 steps converge. Coefficients agree with its tol=1e-10 to about 1e-6. NaN gives a RangeError.
 * O(n·d·rows) a step. Source: Bishop, PRML §4.3. `fittingLogistic` is the same for several threads.
 */
export function fitLogistic(input: LogisticInput, hooks: Hooks = quiet): Logistic {
  const fit = fittingLogistic(input, logisticColumns(input), hooks.progress);
  const { x, y, sampleWeight: weight } = input;
  let next = fit.next();
  while (!next.done) {
    next = fit.next(addSums(logisticSums({ x, y, ...(weight ? { weight } : {}), ...next.value }, hooks)));
  }
  return next.value;
}

/** `fitLogistic`, but asking whoever drives it for the sums over the rows at each point. */
export function* fittingLogistic(
  input: Omit<LogisticInput, "x" | "y">,
  columns: LogisticColumns,
  told: (done: number, total: number) => void,
): Generator<LogisticPoint, Logistic, LogisticSums> {
  const { classes, maxIter = 100, tol = 1e-4 } = input;
  if (classes < 2) throw new RangeError(`logistic regression needs at least 2 classes, got ${classes}`);
  const rows = classes === 2 ? 1 : classes;
  const { mean, total } = columns;
  const model: Model = { ...columns, rows, penalty: 1 / ((input.c ?? 1) * total), free: input.intercept !== false };
  const start = new Float64Array(rows * (mean.length + 1));
  const tolerance = tol * 1e-6;
  function* descending(from: Float64Array, most: number): Generator<LogisticPoint, Minimum, LogisticSums> {
    const steps = minimizing(from, { tolerance, maxIter: most }, (done) => told(Math.min(done, maxIter), maxIter));
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
  if (iterations >= maxIter && total * start.length <= cheapFit && steepest(model, ended.gradient) <= tol)
    ended = yield* descending(ended.w, 9 * maxIter);
  const { w, value, gradient } = ended;
  if (Number.isNaN(value)) throw new RangeError("logistic regression met a missing or infinite value");
  const { coef, intercept } = unscaled(model, w);
  return { coef, intercept, classes, iterations, converged: steepest(model, gradient) <= tol };
}

/** Rows times coefficients up to which a step takes about a millisecond. */
const cheapFit = 500_000;

/** The function that is minimised, and the units in which it is: column j enters as (x − mean[j]) / scale[j]. */
type Model = LogisticColumns & {
  /** Rows of coefficients: 1 for two classes, else one per class. */
  readonly rows: number;
  /** Half of it times ‖coef‖² is added to the mean loss. */
  readonly penalty: number;
  /** False keeps the intercept where it is. */
  readonly free: boolean;
};

function pointAt({ rows, mean, scale }: Model, w: Float64Array): LogisticPoint {
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
function slopeAt(
  { rows, mean, scale, total, penalty, free }: Model,
  { coef }: LogisticPoint,
  sums: LogisticSums,
): Slope {
  const d = mean.length;
  const gradient = new Float64Array(rows * (d + 1));
  let value = sums.loss / total;
  for (let k = 0; k < rows; k++) {
    const at = k * (d + 1);
    const bias = sums.intercept[k]! / total;
    gradient[at + d] = free ? bias : 0;
    for (let j = 0; j < d; j++) {
      const weight = coef[k * d + j]!;
      value += (penalty / 2) * weight * weight;
      gradient[at + j] = (sums.coef[k * d + j]! / total - mean[j]! * bias + penalty * weight) / scale[j]!;
    }
  }
  return { value, gradient };
}

/** What `predictLogistic` needs to know. */
export type LogisticPredictInput = {
  x: Matrix;
  coef: Float64Array;
  intercept: Float64Array;
  classes: number;
  /** Judge only the rows from…to−1 (default all). */
  from?: number;
  to?: number;
};

/** The probability of each class for every row: rows×classes, fresh. NaN spreads along its row. O(n·d·classes). */
export function predictLogistic(input: LogisticPredictInput, hooks: Hooks = quiet): Matrix {
  const { x, coef, intercept, classes, from = 0, to = x.n } = input;
  const rows = intercept.length;
  if (coef.length !== rows * x.d) throw new RangeError(`the model has ${coef.length / rows} columns, got ${x.d}`);
  const n = to - from;
  const data = new Float64Array(n * classes);
  const z = new Float64Array(rows * BLOCK);
  for (let start = from; start < to; start += BLOCK) {
    if ((start - from) % (BLOCK * 32) === 0) checkCancelled(hooks);
    const count = Math.min(BLOCK, to - start);
    const at = start - from;
    scores(z, x, coef, intercept, start, count);
    for (let i = 0; i < count; i++) {
      if (rows === 1) {
        data[n + at + i] = 1 / (1 + Math.exp(-z[i]!));
        data[at + i] = 1 / (1 + Math.exp(z[i]!));
        continue;
      }
      softmax(z, i, rows);
      for (let k = 0; k < classes; k++) data[k * n + at + i] = z[k * BLOCK + i]!;
    }
  }
  return { n, d: classes, data };
}

/** Means and scales of the columns, and the rows' weight together. */
export type LogisticColumns = { readonly mean: Float64Array; readonly scale: Float64Array; readonly total: number };

/** Means and scales that bring the curvature along every coefficient near 1; no centring without intercept. O(nd). */
export function logisticColumns(
  { x, c = 1, intercept, sampleWeight: weight }: Omit<LogisticInput, "y" | "classes">,
  hooks: Hooks = quiet,
): LogisticColumns {
  if (x.n < 1) throw new RangeError("logistic regression needs at least one row");
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
    scale[j] = Math.sqrt(square / total + 4 / (c * total));
  }
  return { mean, scale, total };
}

/** Coefficients in the units of x; multinomial intercepts add up to 0. */
function unscaled(model: Model, w: Float64Array): { coef: Float64Array; intercept: Float64Array } {
  const { rows, mean, scale } = model;
  const d = mean.length;
  const coef = new Float64Array(rows * d);
  const intercept = new Float64Array(rows);
  for (let k = 0; k < rows; k++) {
    let shift = 0;
    for (let j = 0; j < d; j++) {
      const value = w[k * (d + 1) + j]! / scale[j]!;
      coef[k * d + j] = value;
      shift += value * mean[j]!;
    }
    intercept[k] = w[k * (d + 1) + d]! - shift;
  }
  if (rows > 1) {
    const middle = intercept.reduce((sum, value) => sum + value, 0) / rows;
    for (let k = 0; k < rows; k++) intercept[k] = intercept[k]! - middle;
  }
  return { coef, intercept };
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
