import { z } from "zod";
import { columnOf } from "../../core/matrix.ts";
import { predictBoosted } from "../../numerics/boost/predict.ts";
import { addedBoosted } from "../models/additive.ts";
import { classWeight } from "../models/class-weight.ts";
import { defineModel } from "../models/models.ts";
import { boostedOnnx } from "../onnx/boosted.ts";
import { computeRows, matrixOf } from "../shared/row-parts.ts";
import { fitBoost } from "./boost-fit.ts";
import { farBoost } from "./far-boost.ts";

/**
 * MS_XGBOOST. Gradient boosting: small trees, each grown on what those before leave over, add up to the answer.
 *
 * Histograms of 255 bins and scikit-learn's HistGradientBoosting and its defaults. Text and missing cells are taken as
 * they are. The same random_state gives the same trees on any number of threads.
 */
export const boost = defineModel({
  code: "MS_XGBOOST",
  name: "boost",
  why: "Each small tree mends what the trees before it get wrong, which on most tables beats all other models. It takes text, missing cells and unscaled numbers as they are; held-out rows say when more trees would only learn the noise.",
  isRaw: true,
  isWeighted: true,
  goesOn: "warm_start",
  asNumbers: 'loss: "squared_error"',
  task: ({ loss }) => (loss === undefined ? null : loss === "log_loss" ? "classification" : "regression"),
  args: {
    /** What is made small: "squared_error", "absolute_error", "poisson" or "quantile" of numbers, "log_loss" of classes (default: by the target). */
    loss: z.literal(["squared_error", "absolute_error", "poisson", "quantile", "log_loss"]).optional(),
    /** Share of rows that shall lie below the answer, between 0 and 1, for loss "quantile" (default 0.5). */
    quantile: z.number().gt(0).lt(1).default(0.5),
    /** How much of each tree's answer is added (default 0.1). */
    learning_rate: z.number().gt(0).max(10).default(0.1),
    /** Rounds at most; of more than two classes each has a tree in every round (default 100). */
    max_iter: z.int().min(1).max(100_000).default(100),
    /** Leaves of a tree at most, the best splits first (default 31). */
    max_leaf_nodes: z.int().min(2).max(100_000).default(31),
    /** Levels of a tree at most (default: no limit). */
    max_depth: z.int().min(1).optional(),
    /** Rows on either side of a split (default 20). */
    min_samples_leaf: z.int().min(1).default(20),
    /** Holds the leaves' answers near 0, the more so the larger it is (default 0). */
    l2_regularization: z.number().min(0).default(0),
    /** Bins of a feature's numbers, without the one of missing cells, 2 to 255 (default 255). */
    max_bins: z.int().min(2).max(255).default(255),
    /** Features along which the answer may only rise (1) or fall (-1), by name (default: none). */
    monotonic_cst: z.record(z.string(), z.literal([-1, 0, 1])).optional(),
    /** What a row of each class counts: "balanced", or weights by label (default: all the same). */
    class_weight: classWeight().optional(),
    /** The column that says what each row counts, by numbers from 0 on; times class_weight where both are given (default: all the same). */
    sample_weight: z.string().min(1).max(1000).optional(),
    /** The name of an earlier boost model to go on from: max_iter rounds are added to its own, in its bins (default: begin anew). */
    warm_start: z.string().min(1).max(200).optional(),
    /** End when rows held out gain no more: true, false, or "auto", from 10,001 rows on (default "auto"). */
    early_stopping: z.union([z.literal("auto"), z.boolean()]).default("auto"),
    /** Share of the rows that is held out, between 0 and 1 (default 0.1). */
    validation_fraction: z.number().gt(0).lt(1).default(0.1),
    /** Rounds without a gain after which it ends (default 10). */
    n_iter_no_change: z.int().min(1).default(10),
    /** How much less the loss must be to count as a gain (default 1e-7). */
    tol: z.number().min(0).default(1e-7),
    /** Seed of which rows are held out (default 0). */
    random_state: z.int().min(0).max(4294967295).default(0),
  },
  example:
    'session.input("sample:penguins").xy({ y: "species" }).split({ test_size: 0.2, random_state: 0 }).boost().metrics()',
  fit: fitBoost,
  async predict(model, x, context) {
    const matrix = await computeRows(context, predictBoosted, { x: matrixOf(x), model }, "predict");
    return model.loss === "log_loss"
      ? { kind: "probabilities", matrix }
      : { kind: "numbers", values: columnOf(matrix, 0) };
  },
  far: farBoost,
  additive: addedBoosted,
  onnx: boostedOnnx,
});
