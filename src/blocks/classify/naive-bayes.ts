import { z } from "zod";
import { ArgsError } from "../../core/errors.ts";
import { fitNaiveBayes, naiveBayesOf, predictNaiveBayes } from "../../numerics/naive-bayes.ts";
import { defineModel } from "../models/models.ts";
import { naiveBayesOnnx } from "../onnx/bayes.ts";
import { computeRows, matrixOf } from "../shared/row-parts.ts";
import { bayesAnswer, farBayesSums } from "./far-classifiers.ts";

/**
 * ML_CN_5. Gaussian naive Bayes: each feature a bell curve of its own in every class.
 *
 * As scikit-learn's GaussianNB. Fast and hard to overfit; its probabilities are too sure where features depend on each other.
 */
export const naiveBayes = defineModel({
  code: "ML_CN_5",
  name: "naiveBayes",
  task: "classification",
  why: "It takes each feature for a bell curve of its own, learns in one pass, and does well on few rows. Where features say the same twice it is surer than it should be.",
  args: {
    /** Share of the largest variance that is added to all, for stability (default 1e-9). */
    var_smoothing: z.number().min(0).default(1e-9),
    /** Probability of each class in sorted order, adding up to 1 (default: its share of the training rows). */
    priors: z.array(z.number().min(0)).optional(),
  },
  example:
    'session.input("sample:iris").xy({ y: "species" }).split({ test_size: 0.2, random_state: 0 }).naiveBayes().metrics()',
  async fit({ x, classes }, args, context) {
    const kinds = classes.labels.length;
    refusePriors(args.priors, kinds);
    const parameters = await context.compute(
      fitNaiveBayes,
      {
        x: matrixOf(x),
        y: classes.codes,
        classes: kinds,
        varSmoothing: args.var_smoothing,
        priors: args.priors && Float64Array.from(args.priors),
      },
      "means and variances",
    );
    return { parameters };
  },
  async predict(parameters, x, context) {
    const matrix = await computeRows(context, predictNaiveBayes, { x: matrixOf(x), ...parameters }, "predict");
    return { kind: "probabilities", matrix };
  },
  far: {
    async fit(data, args, context) {
      refusePriors(args.priors, data.counts.length);
      const priors = args.priors && Float64Array.from(args.priors);
      const sums = await farBayesSums(data, context);
      return { parameters: await context.compute(naiveBayesOf, { ...sums, varSmoothing: args.var_smoothing, priors }) };
    },
    answer: bayesAnswer,
  },
  onnx: naiveBayesOnnx,
});

function refusePriors(priors: readonly number[] | undefined, kinds: number): void {
  if (!priors) return;
  const sum = priors.reduce((total, prior) => total + prior, 0);
  if (priors.length === kinds && Math.abs(sum - 1) <= 1e-6) return;
  throw new ArgsError(
    `naiveBayes (ML_CN_5): priors must be ${kinds} numbers that add up to 1, one for each class, got ${priors.length} that add up to ${Number(sum.toPrecision(6))}.`,
    { path: "priors", got: priors.slice(0, 20), expected: `${kinds} shares` },
  );
}
