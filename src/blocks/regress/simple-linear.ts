import { z } from "zod";
import { columnOf } from "../../core/matrix.ts";
import { count } from "../../core/names.ts";
import { fitLinear, predictLinear } from "../../kernels/linear.ts";
import { refuseOverflow } from "../coefficients.ts";
import { defineModel } from "../models.ts";
import { matrixOf } from "../row-parts.ts";

/**
 * ML_R_1. Simple linear regression: the straight line that is closest to one feature's points.
 *
 * Ordinary least squares. With several features it fits the plane through all of them, as linear (ML_R_2) does, and says so.
 */
export const simpleLinear = defineModel({
  code: "ML_R_1",
  name: "simpleLinear",
  task: "regression",
  args: {
    /** Fit a constant term besides the slope (default true). */
    fit_intercept: z.boolean().default(true),
  },
  example:
    'session.input("sample:iris").xy({ x: ["petal_length"], y: "petal_width" }).split({ test_size: 0.2 }).simpleLinear().metrics()',
  async fit({ x, y }, args, context) {
    const { coef, intercept } = await context.compute(
      fitLinear,
      { x: matrixOf(x), y: matrixOf(y), intercept: args.fit_intercept },
      "least squares",
    );
    refuseOverflow([coef, intercept], "simpleLinear (ML_R_1)");
    const notices: string[] = [];
    if (x.d > 1)
      notices.push(
        `a simple regression has one feature, this has ${count(x.d, "feature")}; it is that of linear (ML_R_2).`,
      );
    return { parameters: { coef, intercept }, weights: { title: "coefficients", values: [...coef] }, notices };
  },
  async predict({ coef, intercept }, x, context) {
    const answers = await context.compute(predictLinear, { x: matrixOf(x), coef, intercept }, "predict");
    return { kind: "numbers", values: columnOf(answers, 0) };
  },
});
