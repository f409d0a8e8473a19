import { z } from "zod";
import { addedLine } from "../models/additive.ts";
import { defineModel } from "../models/models.ts";
import { linearOnnx } from "../onnx/linear.ts";
import { lineAnswer } from "./far-line.ts";
import { askLine, askLineSparse, fitRidgeRows, strength, strengths } from "./penalized.ts";

/**
 * BL_RIDGE. Ridge regression: least squares that keeps coefficients small, as scikit-learn's Ridge.
 *
 * The penalty is alpha times the sum of their squares. It acts alike on all features, so scale them first. With
 * `alpha: "auto"`, or `alphas` to choose from, the one is taken that foretells each row best from all others, as
 * scikit-learn's RidgeCV. Texts' terms, from vectorize (DP_VEC), stay sparse.
 */
export const ridge = defineModel({
  code: "BL_RIDGE",
  name: "ridge",
  task: "regression",
  why: 'Where features say much the same, or are nearly as many as the rows, least squares goes astray; held back, it stays calm. Scale the features first, and let alpha: "auto" choose how far.',
  args: {
    /** Strength of the penalty; 0 is least squares, "auto" chooses among 37 by leaving out one row after the other (default 1). */
    alpha: strength().default(1),
    /** Strengths to choose from, in place of alpha (default: alpha alone). */
    alphas: strengths().optional(),
    /** Fit a constant term besides the coefficients (default true). */
    fit_intercept: z.boolean().default(true),
    /** Allow no coefficient below 0 (default false). */
    positive: z.boolean().default(false),
    /** Steps at most, where it takes steps: with positive, or on sparse rows (default: 1,000 or more). */
    max_iter: z.int().min(1).max(1_000_000).optional(),
    /** How near to the best answer is near enough, where it takes steps (default 0.0001). */
    tol: z.number().min(0).default(0.0001),
  },
  example:
    'session.input("sample:iris").drop("species").xy({ y: "petal_width" }).split({ test_size: 0.2, random_state: 0 }).scale().ridge({ alpha: "auto" }).metrics()',
  fit: (data, args, context) => fitRidgeRows(data, args, "ridge (BL_RIDGE)", context),
  predict: askLine,
  sparse: {
    fit: (data, args, context) => fitRidgeRows(data, args, "ridge (BL_RIDGE)", context),
    predict: askLineSparse,
  },
  far: {
    fit: (data, args, context) => fitRidgeRows(data, args, "ridge (BL_RIDGE)", context),
    answer: lineAnswer,
  },
  additive: addedLine,
  onnx: linearOnnx,
});
