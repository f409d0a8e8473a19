import { minimize } from "./lbfgs.ts";
import { BLOCK, loss, type Model, scores, softmax, workspace } from "./logistic-loss.ts";
import { checkCancelled, type Hooks, type Matrix, quiet } from "./types.ts";

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

/**
 * Multinomial logistic regression with an L2 penalty, as scikit-learn's LogisticRegression.
 *
 * Minimises mean log loss + ‖w‖²/(2·c·Σweight), intercepts unpenalised, by L-BFGS. Columns are centred and
 * scaled implicitly, which changes the path and not the answer: data that scikit-learn gives up on after
 * 100 steps converge. Coefficients agree with its tol=1e-10 to about 1e-6. NaN gives a RangeError.
 * O(n·d·rows) a step. Source: Bishop, PRML §4.3.
 */
export function fitLogistic(input: LogisticInput, hooks: Hooks = quiet): Logistic {
  const { x, classes } = input;
  if (classes < 2) throw new RangeError(`logistic regression needs at least 2 classes, got ${classes}`);
  if (x.n < 1) throw new RangeError("logistic regression needs at least one row");
  const rows = classes === 2 ? 1 : classes;
  const weights = shares(input);
  const penalty = 1 / ((input.c ?? 1) * weights.total);
  const free = input.intercept !== false;
  const columns = standards(x, weights.share, penalty, free);
  const model: Model = {
    x,
    y: input.y,
    rows,
    penalty,
    free,
    share: weights.share,
    ...columns,
    work: workspace(x, rows),
  };
  const w = new Float64Array(rows * (x.d + 1));
  const tol = input.tol ?? 1e-4;
  const objective = (at: Float64Array, gradient: Float64Array) => loss(model, at, gradient, hooks);
  const end = minimize({ objective, w, tolerance: tol * 1e-6, maxIter: input.maxIter ?? 100 }, hooks);
  if (Number.isNaN(end.value)) throw new RangeError("logistic regression met a missing or infinite value");
  const { coef, intercept } = unscaled(model, w);
  return { coef, intercept, classes, iterations: end.iterations, converged: steepest(model, end.gradient) <= tol };
}

/** What `predictLogistic` needs to know. */
export type LogisticPredictInput = { x: Matrix; coef: Float64Array; intercept: Float64Array; classes: number };

/** The probability of each class for every row: n×classes, fresh. NaN spreads along its row. O(n·d·classes). */
export function predictLogistic(input: LogisticPredictInput, hooks: Hooks = quiet): Matrix {
  const { x, coef, intercept, classes } = input;
  const rows = intercept.length;
  if (coef.length !== rows * x.d) throw new RangeError(`the model has ${coef.length / rows} columns, got ${x.d}`);
  const data = new Float64Array(x.n * classes);
  const z = new Float64Array(rows * BLOCK);
  for (let start = 0; start < x.n; start += BLOCK) {
    if (start % (BLOCK * 32) === 0) checkCancelled(hooks);
    const count = Math.min(BLOCK, x.n - start);
    scores(z, x, coef, intercept, start, count);
    for (let i = 0; i < count; i++) {
      if (rows === 1) {
        data[x.n + start + i] = 1 / (1 + Math.exp(-z[i]!));
        data[start + i] = 1 / (1 + Math.exp(z[i]!));
        continue;
      }
      softmax(z, i, rows);
      for (let k = 0; k < classes; k++) data[k * x.n + start + i] = z[k * BLOCK + i]!;
    }
  }
  return { n: x.n, d: classes, data };
}

function shares(input: LogisticInput): { share: Float64Array; total: number } {
  const { n } = input.x;
  const weight = input.sampleWeight;
  if (!weight) return { share: new Float64Array(n).fill(1 / n), total: n };
  const total = weight.reduce((sum, value) => sum + value, 0);
  return { share: weight.map((value) => value / total), total };
}

/** Means and scales that bring the curvature along every coefficient near 1; no centring without intercept. */
function standards(x: Matrix, share: Float64Array, penalty: number, centred: boolean) {
  const mean = new Float64Array(x.d);
  const scale = new Float64Array(x.d);
  for (let j = 0; j < x.d; j++) {
    const column = x.data.subarray(j * x.n, (j + 1) * x.n);
    let sum = 0;
    if (centred) for (let i = 0; i < x.n; i++) sum += share[i]! * column[i]!;
    let square = 0;
    for (let i = 0; i < x.n; i++) square += share[i]! * (column[i]! - sum) ** 2;
    mean[j] = sum;
    scale[j] = Math.sqrt(square + 4 * penalty);
  }
  return { mean, scale };
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
