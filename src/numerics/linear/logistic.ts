import { checkCancelled, type Hooks, type Matrix, quiet } from "../types.ts";
import { addSums, BLOCK, type LossSums, lossSummer, scores, softmax } from "./loss-sums.ts";
import {
  type ColumnUnits,
  descendingScores,
  orOverflow,
  type ScaledColumns,
  type ScorePoint,
  scaledColumns,
} from "./score-descent.ts";

/** What `fitLogistic` needs to know. */
export type LogisticInput = {
  /** n×d features without missing values. */
  x: Matrix;
  /** n class codes, 0…classes−1. */
  y: Int32Array;
  /** Number of classes, at least 2. */
  classes: number;
  /** Inverse strength of the penalty, above 0; Infinity is none (default 1). */
  c?: number;
  /** Which share of the penalty is on the coefficients' sizes; the rest is on half their squares (default 0). */
  l1Ratio?: number;
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
  /** The mean log loss with the penalty. */
  loss: number;
  iterations: number;
  /** Whether the largest gradient component fell below `tol`. */
  converged: boolean;
};

/**
 * Multinomial logistic regression with an L2 or L1 penalty, or both, as scikit-learn's LogisticRegression.
 *
 * Minimises mean log loss + ((1 − ρ)·‖w‖²/2 + ρ·‖w‖₁)/(c·Σweight), intercepts unpenalised, by L-BFGS. Columns are centred and
 * scaled implicitly, which changes the path and not the answer: data that scikit-learn gives up on after
 * 100 steps converge. Coefficients agree with its tol=1e-10 to about 1e-6. NaN gives a RangeError; columns whose squares
 * pass 1e308 give coefficients of NaN.
 * O(n·d·rows) a step. Source: Bishop, PRML §4.3. `fittingLogistic` is the same for several threads.
 */
export function fitLogistic(input: LogisticInput, hooks: Hooks = quiet): Logistic {
  const { x, y, sampleWeight: weight } = input;
  const fit = fittingLogistic(input, scaledColumns({ ...input, ...logisticUnits(input, x.n) }, hooks), hooks.progress);
  const sumsAt = lossSummer({ x, y, ...(weight ? { weight } : {}) }, input.classes === 2 ? 1 : input.classes);
  let next = fit.next();
  while (!next.done) next = fit.next(addSums(sumsAt(next.value, hooks)));
  return next.value;
}

/** `fitLogistic`, but asking whoever drives it for the sums over the rows at each point. */
export function* fittingLogistic(
  input: Omit<LogisticInput, "x" | "y">,
  columns: ScaledColumns,
  told: (done: number, total: number) => void,
): Generator<ScorePoint, Logistic, LossSums> {
  const { classes, maxIter = 100, tol = 1e-4 } = input;
  if (classes < 2) throw new RangeError(`logistic regression needs at least 2 classes, got ${classes}`);
  const rows = classes === 2 ? 1 : classes;
  const penalty = 1 / ((input.c ?? 1) * columns.total);
  const { l1Ratio = 0 } = input;
  const penalties = { penalty: (1 - l1Ratio) * penalty, lasso: l1Ratio * penalty };
  const task = { rows, ...penalties, intercept: input.intercept !== false, maxIter, tol };
  const scale = orOverflow(columns.scale);
  const { coef, intercept, value, ...ended } = yield* descendingScores(task, { ...columns, scale }, told);
  const overflows = columns.scale.includes(Infinity) || columns.mean.some((mean) => Math.abs(mean) === Infinity);
  if (Number.isNaN(value) && !overflows) throw new RangeError("logistic regression met a missing or infinite value");
  if (rows > 1) {
    // Only their differences matter; they are told so that they add up to 0.
    const middle = intercept.reduce((sum, each) => sum + each, 0) / rows;
    for (let k = 0; k < rows; k++) intercept[k] = intercept[k]! - middle;
  }
  return { coef, intercept, classes, loss: value, ...ended };
}

/** In which units `scaledColumns` puts them: the penalty is told in those of the curvature, which is a quarter at most. */
export function logisticUnits(
  { c = 1, l1Ratio = 0, sampleWeight: weight }: Pick<LogisticInput, "c" | "l1Ratio" | "sampleWeight">,
  n: number,
): ColumnUnits {
  const total = weight ? weight.reduce((sum, value) => sum + value, 0) : n;
  return { ridge: (4 * (1 - l1Ratio)) / (c * total), whitened: l1Ratio === 0 };
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
    if (rows === 1) {
      for (let i = 0; i < count; i++) {
        data[n + at + i] = 1 / (1 + Math.exp(-z[i]!));
        data[at + i] = 1 / (1 + Math.exp(z[i]!));
      }
      continue;
    }
    softmax(z, rows, count);
    for (let k = 0; k < classes; k++) data.set(z.subarray(k * BLOCK, k * BLOCK + count), k * n + at);
  }
  return { n, d: classes, data };
}
