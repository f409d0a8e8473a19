import { z } from "zod";
import { columnOf } from "../../core/matrix.ts";
import { count } from "../../core/names.ts";
import { stack, text } from "../../core/view.ts";
import { fitQuantile } from "../../numerics/linear/quantile.ts";
import { addedLine } from "../models/additive.ts";
import { equation, refuseOverflow } from "../models/coefficients.ts";
import { defineModel } from "../models/models.ts";
import { linearOnnx } from "../onnx/linear.ts";
import { matrixOf } from "../shared/row-parts.ts";
import { askLine } from "./penalized.ts";

/**
 * BL_QUANTILE. Linear quantile regression: the median or any other quantile, as scikit-learn's QuantileRegressor.
 *
 * Of the training rows the share `quantile` lies below the answers. It is solved exactly; where several answers do
 * equally well, a notice says so and one in the middle is taken. No penalty is the default, as in R and statsmodels:
 * scikit-learn's alpha of 1 mostly leaves no feature at all. The penalty is alpha times the sum of the coefficients'
 * sizes; it acts alike on all features, so scale them first.
 */
export const quantileRegressor = defineModel({
  code: "BL_QUANTILE",
  name: "quantileRegressor",
  task: "regression",
  why: "The median does not follow a few rows that are far off, as the mean does, and two quantiles make a range that most rows fall into: quantile: 0.05 and quantile: 0.95 hold nine rows of ten.",
  args: {
    /** Share of rows that shall lie below the answer, between 0 and 1 (default 0.5). */
    quantile: z.number().gt(0).lt(1).default(0.5),
    /** Strength of the penalty on the coefficients' sizes; 0 is none (default 0). */
    alpha: z.number().min(0).default(0),
    /** Fit a constant term besides the coefficients (default true). */
    fit_intercept: z.boolean().default(true),
  },
  example:
    'session.input("sample:iris").drop("species").xy({ y: "petal_width" }).split({ test_size: 0.2, random_state: 0 }).quantileRegressor({ quantile: 0.9 }).metrics()',
  async fit({ x, y }, args, context) {
    const { quantile: share, alpha, fit_intercept: intercept } = args;
    const input = { x: matrixOf(x), y: columnOf(y, 0), quantile: share, alpha, intercept };
    const { coef, intercept: bias, tied } = await context.compute(fitQuantile, input, "quantile regression");
    const line = { coef, intercept: Float64Array.of(bias), alpha };
    refuseOverflow([coef, line.intercept], "quantileRegressor (BL_QUANTILE)");
    const kept = coef.reduce((sum, value) => (value === 0 ? sum : sum + 1), 0);
    return {
      parameters: line,
      weights: { title: "coefficients", values: [...coef] },
      shown: stack(
        equation(`${y.names[0]} at quantile ${share}`, x.names, coef, bias),
        kept < x.d && text(`${kept} of ${count(x.d, "feature")} weigh something.`),
      ),
      notices: [
        ...(tied
          ? [
              "several sets of coefficients fit these rows equally well, so single ones mean little; one in their middle was taken.",
            ]
          : []),
        ...(kept === 0 && alpha > 0
          ? [`no feature is left at alpha ${alpha}, so the model always answers the same; take a smaller alpha.`]
          : []),
      ],
    };
  },
  predict: askLine,
  additive: addedLine,
  onnx: linearOnnx,
});
