import { z } from "zod";
import { addedLine } from "../models/additive.ts";
import { defineModel } from "../models/models.ts";
import { linearOnnx } from "../onnx/linear.ts";
import { lineAnswer } from "./far-line.ts";
import { askLine, askLineSparse, fitElastic, strength, strengths } from "./penalized.ts";

/**
 * BL_LASSO. Lasso: least squares that leaves features out, as scikit-learn's Lasso.
 *
 * The penalty is alpha times the sum of the coefficients' sizes. It acts alike on all features, so scale them first.
 * With `alpha: "auto"`, or `alphas` to choose from, 5 folds of the training rows choose, as in scikit-learn's LassoCV;
 * steps before are not fitted anew for them, as `cv` and `grid` do. Texts' terms, from vectorize (DP_VEC), stay sparse.
 */
export const lasso = defineModel({
  code: "BL_LASSO",
  name: "lasso",
  task: "regression",
  why: 'Of many features it keeps those that matter and says so, with 0 for the others. Scale the features first, and let alpha: "auto" choose how many stay.',
  args: {
    /** Strength of the penalty; "auto" chooses among 100 by cross-validation (default 1). */
    alpha: strength().default(1),
    /** Strengths to choose from, in place of alpha (default: alpha alone). */
    alphas: strengths().optional(),
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
    'session.input("sample:iris").drop("species").xy({ y: "petal_width" }).split({ test_size: 0.2, random_state: 0 }).scale().lasso({ alpha: "auto" }).metrics()',
  fit: (data, args, context) => fitElastic(data, { ...args, l1_ratio: 1 }, "lasso (BL_LASSO)", context),
  predict: askLine,
  sparse: {
    fit: (data, args, context) => fitElastic(data, { ...args, l1_ratio: 1 }, "lasso (BL_LASSO)", context),
    predict: askLineSparse,
  },
  far: {
    fit: (data, args, context) => fitElastic(data, { ...args, l1_ratio: 1 }, "lasso (BL_LASSO)", context),
    answer: lineAnswer,
  },
  additive: addedLine,
  onnx: linearOnnx,
});
