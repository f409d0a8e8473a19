import { z } from "zod";
import { addedLine } from "../models/additive.ts";
import { defineModel } from "../models/models.ts";
import { linearOnnx } from "../onnx/linear.ts";
import { lineAnswer } from "./far-line.ts";
import { askLine, askLineSparse, fitElastic, strength, strengths } from "./penalized.ts";

/**
 * BL_ELASTICNET. Elastic net: between ridge and lasso, as scikit-learn's ElasticNet.
 *
 * It leaves features out as lasso (BL_LASSO) does, but keeps those together that say the same. Scale the features
 * first. With `alpha: "auto"`, or `alphas` to choose from, 5 folds of the training rows choose, as in scikit-learn's
 * ElasticNetCV; `grid: { l1_ratio: [0.1, 0.5, 0.9] }` tries shares as well. Texts' terms, from vectorize (DP_VEC), stay sparse.
 */
export const elasticNet = defineModel({
  code: "BL_ELASTICNET",
  name: "elasticNet",
  task: "regression",
  why: 'A lasso takes one of several features that say the same, and which is chance; an elastic net keeps them together. Scale the features first, and let alpha: "auto" choose how many stay.',
  args: {
    /** Strength of the penalty; "auto" chooses among 100 by cross-validation (default 1). */
    alpha: strength().default(1),
    /** Strengths to choose from, in place of alpha (default: alpha alone). */
    alphas: strengths().optional(),
    /** The share of the penalty on the coefficients' sizes, the rest is on their squares; 1 is lasso, 0 ridge (default 0.5). */
    l1_ratio: z.number().min(0).max(1).default(0.5),
    /** Fit a constant term besides the coefficients (default true). */
    fit_intercept: z.boolean().default(true),
    /** Allow no coefficient below 0 (default false). */
    positive: z.boolean().default(false),
    /** Passes over the coefficients at most (default 1000). */
    max_iter: z.int().min(1).max(1_000_000).default(1000),
    /** The duality gap, as a share of the target's square, below which it counts as converged; it goes on as far as it may (default 0.0001). */
    tol: z.number().min(0).default(0.0001),
  },
  example:
    'session.input("sample:iris").drop("species").xy({ y: "petal_width" }).split({ test_size: 0.2, random_state: 0 }).scale().elasticNet({ alpha: "auto" }).metrics()',
  fit: (data, args, context) => fitElastic(data, args, "elasticNet (BL_ELASTICNET)", context),
  predict: askLine,
  sparse: {
    fit: (data, args, context) => fitElastic(data, args, "elasticNet (BL_ELASTICNET)", context),
    predict: askLineSparse,
  },
  far: {
    fit: (data, args, context) => fitElastic(data, args, "elasticNet (BL_ELASTICNET)", context),
    answer: lineAnswer,
  },
  additive: addedLine,
  onnx: linearOnnx,
});
