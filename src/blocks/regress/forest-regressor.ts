import { z } from "zod";
import { addedTrees } from "../models/additive.ts";
import { farForest } from "../models/far-trees.ts";
import { defineModel } from "../models/models.ts";
import { askTrees, growForest, maxFeatures, treeArgs, treeWeights } from "../models/trees.ts";
import { treesOnnx } from "../onnx/trees.ts";
import { matrixOf } from "../shared/row-parts.ts";

/**
 * ML_R_6. Random forest for numbers: the mean of many trees, each grown on rows drawn anew.
 *
 * Exact splits and scikit-learn's defaults. The same random_state gives the same forest on any number of threads.
 */
export const forestRegressor = defineModel({
  code: "ML_R_6",
  name: "forestRegressor",
  task: "regression",
  why: "The mean of many trees that each saw other rows errs less than any of them. A forest takes features as they are, unscaled, but never answers beyond what it has seen.",
  args: {
    /** Trees in the forest (default 100). */
    n_estimators: z.int().min(1).max(100_000).default(100),
    ...treeArgs,
    /** Features looked at per split: a count, a share below 1, "sqrt" or "log2" (default: all). */
    max_features: maxFeatures().optional(),
    /** Grow each tree on rows drawn with replacement (default true). */
    bootstrap: z.boolean().default(true),
  },
  example:
    'session.input("sample:iris").drop("species").xy({ y: "petal_width" }).split({ test_size: 0.2, random_state: 0 }).forestRegressor().metrics()',
  async fit({ x, y }, args, context) {
    const trees = await growForest({ x: matrixOf(x), y: y.data, task: "regression" }, args, context);
    return { parameters: { trees }, weights: treeWeights(trees) };
  },
  predict: ({ trees }, x, context) => askTrees(trees, x, context),
  far: farForest("forestRegressor (ML_R_6)"),
  additive: ({ trees }) => addedTrees(trees),
  onnx: ({ trees }, file) => treesOnnx(trees, file),
});
