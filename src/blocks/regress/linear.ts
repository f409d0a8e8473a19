import { z } from "zod";
import { columnOf } from "../../core/matrix.ts";
import { stack } from "../../core/view.ts";
import { fitLinear, type Linear, predictLinear } from "../../numerics/linear/linear.ts";
import { addedLine } from "../models/additive.ts";
import { equation, fitIntervals, rankNotices, refuseOverflow } from "../models/coefficients.ts";
import type { Fitted } from "../models/model-types.ts";
import { defineModel } from "../models/models.ts";
import { linearOnnx } from "../onnx/linear.ts";
import { computeRows, matrixOf } from "../shared/row-parts.ts";
import { farLeastSquares, lineAnswer } from "./far-line.ts";

const who = "linear (ML_R_2)";

/**
 * ML_R_2. Multiple linear regression: ordinary least squares, as scikit-learn's LinearRegression.
 *
 * Dependent columns are no obstacle: of all equally good coefficients the smallest are taken. Where they can be told apart,
 * a table has their 95 % intervals, by Student's t, for errors of like size that don't depend on each other.
 */
export const linear = defineModel({
  code: "ML_R_2",
  name: "linear",
  task: "regression",
  why: "Each feature adds its share to the answer, and the shares can be read. It draws a plane, whatever shape the data has.",
  args: {
    /** Fit a constant term besides the coefficients (default true). */
    fit_intercept: z.boolean().default(true),
    /** Singular values of the features up to this share of the largest count as 0 (default 0.000001). */
    tol: z.number().min(0).max(1).default(1e-6),
  },
  example:
    'session.input("sample:iris").drop("species").xy({ y: "petal_width" }).split({ test_size: 0.2, random_state: 0 }).linear().metrics()',
  async fit({ x, y }, args, context) {
    const input = { x: matrixOf(x), y: matrixOf(y), intercept: args.fit_intercept, tolerance: args.tol };
    return fittedLine(await context.compute(fitLinear, input, "least squares"), { x, y }, args.tol);
  },
  async predict({ coef, intercept }, x, context) {
    const answers = await computeRows(context, predictLinear, { x: matrixOf(x), coef, intercept }, "predict");
    return { kind: "numbers", values: columnOf(answers, 0) };
  },
  far: {
    async fit(data, args, context) {
      const asked = { intercept: args.fit_intercept, tolerance: args.tol };
      return fittedLine(await farLeastSquares(data.far, asked, who, context), data, args.tol);
    },
    answer: lineAnswer,
  },
  additive: addedLine,
  onnx: linearOnnx,
});

function fittedLine(fit: Linear, { x, y }: Named, tolerance: number): Fitted<Pick<Linear, "coef" | "intercept">> {
  const { coef, intercept, rank } = fit;
  refuseOverflow([coef, intercept], who);
  return {
    parameters: { coef, intercept },
    weights: { title: "coefficients", values: [...coef] },
    shown: stack(equation(y.names[0], x.names, coef, intercept[0]), ...fitIntervals(x.names, fit)),
    notices: rankNotices(rank, x.names.length, tolerance),
  };
}

/** The names of features and target. */
interface Named {
  readonly x: { readonly names: readonly string[] };
  readonly y: { readonly names: readonly string[] };
}
