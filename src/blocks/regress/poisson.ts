import { z } from "zod";
import type { BlockContext } from "../../core/block.ts";
import { columnOf, type NumberColumns, type SparseColumns } from "../../core/matrix.ts";
import { stack } from "../../core/view.ts";
import { type PoissonErrors, poissonErrors } from "../../numerics/linear/poisson.ts";
import type { ScoreFit } from "../../numerics/linear/score-descent.ts";
import { z975 } from "../../numerics/statistics/student.ts";
import { addedLine } from "../models/additive.ts";
import { equation, intervals, refuseOverflow } from "../models/coefficients.ts";
import { refuseNoCounts } from "../models/counts-target.ts";
import { fitPoissonOnThreads, fitSparsePoissonOnThreads } from "../models/descent-threads.ts";
import type { Fitted } from "../models/model-types.ts";
import { defineModel, type Prediction } from "../models/models.ts";
import { poissonOnnx } from "../onnx/linear.ts";
import { matrixOf, sparseOf } from "../shared/row-parts.ts";
import { askLine, askLineSparse, type Line } from "./penalized.ts";

/**
 * BL_POISSON. Poisson regression: counts and rates by a log link, as scikit-learn's PoissonRegressor.
 *
 * The answer is exp(intercept + Σ coefficient · feature), so one more of a feature multiplies it by exp(coefficient). The
 * target is 0 or more, whole or not. The penalty is half of alpha times the sum of the coefficients' squares; it acts
 * alike on all features, so scale them first. With `alpha: 0` the coefficients come with 95 % intervals, which hold where
 * counts vary as Poisson's do; a notice says if they vary more. Texts' terms, from vectorize (DP_VEC), stay sparse.
 */
export const poisson = defineModel({
  code: "BL_POISSON",
  name: "poisson",
  task: "regression",
  why: "For counts and rates: it answers nothing below 0, and features multiply the answer where linear regression adds. Scale the features first; with alpha: 0 one sees how sure each coefficient is.",
  args: {
    /** Strength of the penalty; 0 is none, and adds intervals (default 1). */
    alpha: z.number().min(0).default(1),
    /** Fit a constant term besides the coefficients (default true). */
    fit_intercept: z.boolean().default(true),
    /** Steps of the optimiser at most (default 100). */
    max_iter: z.int().min(1).max(1_000_000).default(100),
    /** The gradient, as a share of the target's mean, below which it counts as converged; it goes on as far as it may (default 0.0001). */
    tol: z.number().positive().default(0.0001),
  },
  example:
    'session.input("sample:weather").xy({ x: ["temp_max", "temp_min", "wind"], y: "precipitation" }).split({ test_size: 0.2, random_state: 0 }).scale().poisson({ alpha: 0 }).metrics()',
  async fit({ x, y }, args, context) {
    refuseNoCounts(y, `${who}: it`);
    const fitted = await fitPoissonOnThreads({ ...inputOf(y, args), x: matrixOf(x) }, context);
    const isShown = args.alpha === 0 && x.d <= mostShown && fitted.converged;
    const errors = isShown ? await errorsOf(x, y, fitted, args, context) : null;
    return finished(x, y, fitted, args, errors);
  },
  predict: async (line: Line, x, context) => counts(await askLine(line, x, context)),
  sparse: {
    async fit({ x, y }, args, context) {
      refuseNoCounts(y, `${who}: it`);
      return finished(
        x,
        y,
        await fitSparsePoissonOnThreads({ ...inputOf(y, args), x: sparseOf(x) }, context),
        args,
        null,
      );
    },
    predict: async (line: Line, x, context) => counts(await askLineSparse(line, x, context)),
  },
  additive: (line) => addedLine(line, "log"),
  onnx: poissonOnnx,
});

const who = "poisson (BL_POISSON)";

/** Coefficients up to which intervals are worked out. */
const mostShown = 200;
/** Counts that vary more than so many times as much as Poisson's make the intervals far too narrow. */
const muchMore = 1.5;

interface PoissonArgs {
  readonly alpha: number;
  readonly fit_intercept: boolean;
  readonly max_iter: number;
  readonly tol: number;
}

function inputOf(y: NumberColumns, { alpha, fit_intercept, max_iter, tol }: PoissonArgs) {
  return { y: columnOf(y, 0), alpha, intercept: fit_intercept, maxIter: max_iter, tol };
}

function counts(prediction: Prediction): Prediction {
  return prediction.kind === "numbers" ? { kind: "numbers", values: prediction.values.map(Math.exp) } : prediction;
}

async function errorsOf(
  x: NumberColumns,
  y: NumberColumns,
  { coef, intercept }: ScoreFit,
  args: PoissonArgs,
  context: BlockContext,
): Promise<PoissonErrors | null> {
  const input = { x: matrixOf(x), y: columnOf(y, 0), coef, intercept: args.fit_intercept ? intercept[0] : null };
  return await context.compute(poissonErrors, input, "standard errors");
}

function finished(
  x: NumberColumns | SparseColumns,
  y: NumberColumns,
  { coef, intercept, converged }: ScoreFit,
  args: PoissonArgs,
  errors: PoissonErrors | null,
): Fitted<Line> {
  refuseOverflow([coef, intercept], who);
  const late = `it had not converged after ${args.max_iter} steps; scale the features, raise max_iter, or take a larger alpha.`;
  const spread = `the counts vary ${errors?.dispersion.toFixed(1)} times as much as Poisson's would, so the intervals are too narrow by a factor of ${Math.sqrt(errors?.dispersion ?? 1).toFixed(1)}.`;
  return {
    parameters: { coef, intercept, alpha: args.alpha },
    weights: { title: "coefficients", values: [...coef] },
    shown: stack(
      equation(`log(${y.names[0]})`, x.names, coef, intercept[0]),
      ...(errors ? intervals(x.names, coef, { errors: errors.errors, quantile: z975, perUnit: true }) : []),
    ),
    notices: [...(converged ? [] : [late]), ...(errors && errors.dispersion > muchMore ? [spread] : [])],
  };
}
