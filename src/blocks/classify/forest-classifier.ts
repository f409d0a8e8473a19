import { z } from "zod";
import { addedTrees } from "../models/additive.ts";
import { classWeight, rowWeights } from "../models/class-weight.ts";
import { farForest } from "../models/far-trees.ts";
import { defineModel } from "../models/models.ts";
import { askTrees, growForest, maxFeatures, treeArgs, treeWeights } from "../models/trees.ts";
import { treesOnnx } from "../onnx/trees.ts";
import { matrixOf } from "../shared/row-parts.ts";

/**
 * ML_CN_7. Random forest: many trees, each grown on rows drawn anew, vote by their class shares.
 *
 * Exact splits and scikit-learn's defaults. The same random_state gives the same forest on any number of threads.
 */
export const forestClassifier = defineModel({
  code: "ML_CN_7",
  name: "forestClassifier",
  task: "classification",
  why: "Many trees that each saw other rows and features err in different ways, and their vote errs less. A forest takes features as they are, unscaled, and is a good first try; it is hard to read.",
  args: {
    /** Trees in the forest (default 100). */
    n_estimators: z.int().min(1).max(100_000).default(100),
    /** What a split makes purer: "gini", "entropy" or "log_loss" (default "gini"). */
    criterion: z.literal(["gini", "entropy", "log_loss"]).default("gini"),
    ...treeArgs,
    /** Features looked at per split: a count, a share below 1, "sqrt" or "log2" (default "sqrt"). */
    max_features: maxFeatures().default("sqrt"),
    /** Grow each tree on rows drawn with replacement (default true). */
    bootstrap: z.boolean().default(true),
    /** What a row of each class counts: "balanced", or weights by label (default: all the same). */
    class_weight: classWeight().optional(),
  },
  example:
    'session.input("sample:iris").xy({ y: "species" }).split({ test_size: 0.2, random_state: 0 }).forestClassifier().metrics()',
  async fit({ x, classes }, args, context) {
    const data = {
      x: matrixOf(x),
      y: classes.codes,
      task: "classification" as const,
      classes: classes.labels.length,
      sampleWeight: rowWeights(args.class_weight, classes, "forestClassifier (ML_CN_7)"),
    };
    const trees = await growForest(data, args, context);
    return { parameters: { trees }, weights: treeWeights(trees) };
  },
  predict: ({ trees }, x, context) => askTrees(trees, x, context),
  far: farForest("forestClassifier (ML_CN_7)"),
  additive: ({ trees }) => addedTrees(trees),
  onnx: ({ trees }, file) => treesOnnx(trees, file),
});
