import { type Hooks, type Matrix, quiet } from "../types.ts";
import { addSums, type LossSums, lossSummer } from "./loss-sums.ts";
import {
  type ColumnUnits,
  descendingScores,
  orOverflow,
  type ScaledColumns,
  type ScoreFit,
  type ScorePoint,
  scaledColumns,
} from "./score-descent.ts";
import { type WaldFit, waldErrors } from "./wald.ts";

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
  const fit = fittingPoisson(input, scaledColumns({ ...input, ...poissonUnits(input) }, hooks), hooks.progress);
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

/** In which units `scaledColumns` puts them: the penalty is told in those of the curvature, which is the mean of y. */
export function poissonUnits({ y, alpha }: Pick<PoissonInput, "y" | "alpha">): ColumnUnits {
  return { ridge: alpha / meanOf(y), whitened: true };
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
 * Wald's standard errors of a Poisson regression without penalty: each row's information is its mean.
 *
 * Null where `waldErrors` has none. O(nd² + d³). Source: McCullagh and Nelder, Generalized Linear Models, 2nd ed., §4.5.
 */
export function poissonErrors(
  { y, ...fit }: WaldFit & { y: Float64Array },
  hooks: Hooks = quiet,
): PoissonErrors | null {
  let pearson = 0;
  const information = (score: number, i: number) => {
    const mean = Math.exp(score);
    pearson += (y[i]! - mean) ** 2 / mean;
    return mean;
  };
  const errors = waldErrors(fit, information, hooks);
  return errors && { errors, dispersion: pearson / (fit.x.n - errors.length) };
}
