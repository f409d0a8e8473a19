import { z } from "zod";
import { predictLogistic } from "../../kernels/logistic.ts";
import { classWeight, rowWeights } from "../class-weight.ts";
import { fitOnThreads } from "../logistic-threads.ts";
import { defineModel } from "../models.ts";
import { logisticOnnx } from "../onnx/linear.ts";
import { computeRows, matrixOf } from "../row-parts.ts";

/**
 * ML_CN_1. Logistic regression with an L2 penalty, as scikit-learn's LogisticRegression.
 *
 * Several classes are fitted together (multinomial). The penalty acts alike on all features, so scale them first.
 */
export const logistic = defineModel({
  code: "ML_CN_1",
  name: "logistic",
  task: "classification",
  why: "It weighs each feature and adds up, so one sees what speaks for which class, and its probabilities can mostly be trusted. It draws straight borders; scale the features first.",
  args: {
    /** Inverse strength of the penalty; smaller is stricter (default 1). */
    C: z.number().positive().default(1),
    /** Steps of the optimiser at most (default 100). */
    max_iter: z.int().min(1).max(100_000).default(100),
    /** The gradient below which it stops (default 0.0001). */
    tol: z.number().positive().default(0.0001),
    /** Fit a constant term besides the coefficients (default true). */
    fit_intercept: z.boolean().default(true),
    /** What a row of each class counts: "balanced", or weights by label (default: all the same). */
    class_weight: classWeight().optional(),
    /** Accepted for clients that send it; the fit draws nothing (default 0). */
    random_state: z.int().min(0).max(4294967295).default(0),
  },
  example:
    'session.input("sample:iris").xy({ y: "species" }).split({ test_size: 0.2, random_state: 0 }).scale().logistic().metrics()',
  async fit({ x, classes }, args, context) {
    const labels = classes.labels.length;
    const input = {
      x: matrixOf(x),
      y: classes.codes,
      classes: labels,
      c: args.C,
      maxIter: args.max_iter,
      tol: args.tol,
      intercept: args.fit_intercept,
      sampleWeight: rowWeights(args.class_weight, classes, "logistic (ML_CN_1)"),
    };
    const { coef, intercept, converged } = await fitOnThreads(input, context);
    const rows = labels === 2 ? 1 : labels;
    const size = (k: number) => Array.from({ length: rows }, (_, row) => Math.abs(coef[row * x.d + k]));
    const values = x.names.map((_, k) => (rows === 1 ? coef[k] : Math.max(...size(k))));
    return {
      parameters: { coef, intercept, classes: labels },
      weights: {
        title: rows === 1 ? `coefficients for ${String(classes.labels[1])}` : "largest coefficient of any class",
        values,
      },
      notices: converged
        ? []
        : [`it had not converged after ${args.max_iter} steps; scale the features, or raise max_iter.`],
    };
  },
  async predict({ coef, intercept, classes }, x, context) {
    const input = { x: matrixOf(x), coef, intercept, classes };
    const matrix = await computeRows(context, predictLogistic, input, "predict");
    return { kind: "probabilities", matrix };
  },
  onnx: logisticOnnx,
});
