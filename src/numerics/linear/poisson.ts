import { createGram, GRAM_ROWS } from "../algebra/gram.ts";
import { checkCancelled, type Hooks, type Matrix, quiet } from "../types.ts";
import { cholesky, inverseDiagonal, solveScaled } from "./least-squares.ts";
import { addSums, type LossSums, lossSummer } from "./loss-sums.ts";
import {
  descendingScores,
  orOverflow,
  type ScaledColumns,
  type ScoreFit,
  type ScorePoint,
  scaledColumns,
} from "./score-descent.ts";

/** What `fitPoisson` needs to know. */
export type PoissonInput = {
  /** n×d features without missing values. */
  readonly x: Matrix;
  /** n numbers of 0 or more, not all 0. */
  readonly y: Float64Array;
  /** Strength of the L2 penalty, at least 0. */
  readonly alpha: number;
  /** False leaves the intercept at 0. */
  readonly intercept: boolean;
  /** Steps at most. */
  readonly maxIter: number;
  /** The gradient, as a share of the mean of y, below which the fit counts as converged. */
  readonly tol: number;
};

/**
 * Poisson regression with a log link and an L2 penalty, as scikit-learn's PoissonRegressor.
 *
 * Minimises mean(exp(s) − y·s) + α/2·‖w‖² for s = x·w + b, b unpenalised, by L-BFGS; it starts at the mean of y. NaN
 * gives NaN. O(nd) a step. Source: McCullagh and Nelder, Generalized Linear Models, 2nd ed., §6.2.
 */
export function fitPoisson(input: PoissonInput, hooks: Hooks = quiet): ScoreFit {
  const { x, y } = input;
  const sumsAt = lossSummer({ x, y, loss: "poisson" }, 1);
  const fit = fittingPoisson(input, scaledColumns({ ...input, ridge: poissonRidge(input) }), hooks.progress);
  let next = fit.next();
  while (!next.done) next = fit.next(addSums(sumsAt(next.value, hooks)));
  return next.value;
}

/** `fitPoisson`, but asking whoever drives it for the sums over the rows at each point. */
export function* fittingPoisson(
  input: Omit<PoissonInput, "x">,
  columns: ScaledColumns,
  told: (done: number, total: number) => void,
): Generator<ScorePoint, ScoreFit, LossSums> {
  const { y, alpha, intercept, maxIter, tol } = input;
  const unit = meanOf(y);
  if (!(unit > 0)) throw new RangeError("Poisson regression needs numbers of 0 or more, not all 0");
  const task = { rows: 1, penalty: alpha / unit, intercept, start: intercept ? Math.log(unit) : 0, maxIter, tol };
  // In units of the mean the gradient says the same of counts of any size.
  const scale = orOverflow(columns.scale);
  return yield* descendingScores(task, { ...columns, scale, total: columns.total * unit }, told);
}

/** What the penalty adds to the columns' variances in units of the curvature, which is the mean of y. */
export function poissonRidge({ y, alpha }: Pick<PoissonInput, "y" | "alpha">): number {
  return alpha / meanOf(y);
}

function meanOf(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** How sure the coefficients of a fit without penalty are. */
export type PoissonErrors = {
  /** Standard errors of the coefficients, the intercept's last where there is one. */
  readonly errors: Float64Array;
  /** Pearson's χ² per degree of freedom: 1 where counts vary as Poisson's do, more where they vary more. */
  readonly dispersion: number;
};

/**
 * Wald's standard errors of a Poisson regression without penalty: roots of the diagonal of (XᵀMX)⁻¹, M the means.
 *
 * Null where columns depend on each other, or there are no more rows than coefficients. O(nd² + d³).
 * Source: McCullagh and Nelder, Generalized Linear Models, 2nd ed., §2.5 and §4.5.
 */
export function poissonErrors(
  { x, y, coef, intercept }: { x: Matrix; y: Float64Array; coef: Float64Array; intercept: number | null },
  hooks: Hooks = quiet,
): PoissonErrors | null {
  const { n, d, data } = x;
  const size = intercept === null ? d : d + 1;
  if (n <= size) return null;
  const { block, sums, width, add } = createGram(size);
  let pearson = 0;
  const roots = new Float64Array(GRAM_ROWS);
  for (let start = 0; start < n; start += GRAM_ROWS) {
    checkCancelled(hooks);
    const rows = Math.min(GRAM_ROWS, n - start);
    roots.fill(intercept ?? 0);
    for (let j = 0; j < d; j++) for (let i = 0; i < rows; i++) roots[i]! += coef[j]! * data[j * n + start + i]!;
    for (let i = 0; i < rows; i++) {
      const mean = Math.exp(roots[i]!);
      pearson += (y[start + i]! - mean) ** 2 / mean;
      roots[i] = Math.sqrt(mean);
    }
    for (let j = 0; j < d; j++) {
      for (let i = 0; i < rows; i++) block[j * GRAM_ROWS + i] = roots[i]! * data[j * n + start + i]!;
    }
    if (size > d) block.set(roots.subarray(0, rows), d * GRAM_ROWS);
    add(rows);
  }
  const scale = Float64Array.from({ length: size }, (_, j) => Math.sqrt(sums[j * width + j]!));
  const factor = new Float64Array(size * size);
  for (let i = 0; i < size; i++) {
    for (let j = 0; j <= i; j++) factor[i * size + j] = sums[i * width + j]! / (scale[i]! * scale[j]!);
  }
  if (!cholesky(factor, size, 1e-12)) return null;
  const errors = inverseDiagonal((each) => solveScaled(factor, size, scale, each), size).map(Math.sqrt);
  return { errors, dispersion: pearson / (n - size) };
}
