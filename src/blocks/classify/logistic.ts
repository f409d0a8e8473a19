import { z } from "zod";
import type { ClassColumn } from "../../core/matrix.ts";
import { type Logistic, predictLogistic } from "../../numerics/linear/logistic.ts";
import { predictLogisticRows } from "../../numerics/sparse/sums.ts";
import { addedLine } from "../models/additive.ts";
import { classWeight, classWeights, rowWeights } from "../models/class-weight.ts";
import { refuseOverflow } from "../models/coefficients.ts";
import { fitLogisticOnThreads, fitSparseLogisticOnThreads } from "../models/descent-threads.ts";
import { defineModel } from "../models/models.ts";
import { logisticOnnx } from "../onnx/linear.ts";
import { computeRows, matrixOf, sparseOf } from "../shared/row-parts.ts";
import { farLogistic, logisticAnswer } from "./far-classifiers.ts";

const who = "logistic (ML_CN_1)";

/**
 * ML_CN_1. Logistic regression with an L2 penalty, as scikit-learn's LogisticRegression.
 *
 * Several classes are fitted together (multinomial). The penalty acts alike on all features, so scale them first. Texts'
 * terms, from vectorize (DP_VEC), stay sparse; the answer is the same.
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
    const input = { ...inputOf(args, classes), x: matrixOf(x) };
    return fitted(await fitLogisticOnThreads(input, context), x.d, args, classes);
  },
  async predict({ coef, intercept, classes }, x, context) {
    const input = { x: matrixOf(x), coef, intercept, classes };
    const matrix = await computeRows(context, predictLogistic, input, "predict");
    return { kind: "probabilities", matrix };
  },
  sparse: {
    async fit({ x, classes }, args, context) {
      const input = { ...inputOf(args, classes), x: sparseOf(x) };
      return fitted(await fitSparseLogisticOnThreads(input, context), x.d, args, classes);
    },
    async predict({ coef, intercept, classes }, x, context) {
      const matrix = await context.compute(
        predictLogisticRows,
        { x: sparseOf(x), coef, intercept, classes },
        "predict",
      );
      return { kind: "probabilities", matrix };
    },
  },
  far: {
    async fit(data, args, context) {
      const weights = classWeights(args.class_weight, data.classes.labels, data.counts, who);
      const asked = { c: args.C, maxIter: args.max_iter, tol: args.tol, intercept: args.fit_intercept, weights };
      return fitted(await farLogistic(data, asked, context), data.x.d, args, data.classes);
    },
    answer: logisticAnswer,
  },
  additive: (line) => addedLine(line, "log odds"),
  onnx: logisticOnnx,
});

interface Args {
  readonly C: number;
  readonly max_iter: number;
  readonly tol: number;
  readonly fit_intercept: boolean;
  readonly class_weight?: Parameters<typeof rowWeights>[0];
}

function inputOf(args: Args, classes: ClassColumn) {
  return {
    y: classes.codes,
    classes: classes.labels.length,
    c: args.C,
    maxIter: args.max_iter,
    tol: args.tol,
    intercept: args.fit_intercept,
    sampleWeight: rowWeights(args.class_weight, classes, who),
  };
}

function fitted({ coef, intercept, converged }: Logistic, d: number, args: Args, { labels }: ClassColumn) {
  refuseOverflow([coef, intercept], who);
  const rows = intercept.length;
  const size = (k: number) => Array.from({ length: rows }, (_, row) => Math.abs(coef[row * d + k]));
  return {
    parameters: { coef, intercept, classes: labels.length },
    weights: {
      title: rows === 1 ? `coefficients for ${String(labels[1])}` : "largest coefficient of any class",
      values: Array.from({ length: d }, (_, k) => (rows === 1 ? coef[k] : Math.max(...size(k)))),
    },
    notices: converged
      ? []
      : [`it had not converged after ${args.max_iter} steps; scale the features, or raise max_iter.`],
  };
}
