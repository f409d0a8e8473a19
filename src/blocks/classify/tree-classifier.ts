import { z } from "zod";
import { addedTrees } from "../models/additive.ts";
import { classWeight, rowWeights } from "../models/class-weight.ts";
import { farForest } from "../models/far-trees.ts";
import { defineModel } from "../models/models.ts";
import { treeView } from "../models/tree-view.ts";
import { askTrees, growTree, maxFeatures, treeArgs, treeWeights } from "../models/trees.ts";
import { treesOnnx } from "../onnx/trees.ts";
import { matrixOf } from "../shared/row-parts.ts";

/**
 * ML_CN_6. Decision tree for classes: yes-or-no questions, then the shares of the rows that answer alike.
 *
 * Exact splits and scikit-learn's defaults, so the tree grows until it knows its rows by heart; limit it with
 * max_depth, min_samples_leaf or max_leaf_nodes.
 */
export const treeClassifier = defineModel({
  code: "ML_CN_6",
  name: "treeClassifier",
  task: "classification",
  why: "A tree asks one question after the other and can be read by anyone. Left to grow it learns its rows by heart; max_depth keeps it honest.",
  args: {
    /** What a split makes purer: "gini", "entropy" or "log_loss" (default "gini"). */
    criterion: z.literal(["gini", "entropy", "log_loss"]).default("gini"),
    ...treeArgs,
    /** Features looked at per split: a count, a share below 1, "sqrt" or "log2" (default: all). */
    max_features: maxFeatures().optional(),
    /** What a row of each class counts: "balanced", or weights by label (default: all the same). */
    class_weight: classWeight().optional(),
  },
  example:
    'session.input("sample:iris").xy({ y: "species" }).split({ test_size: 0.2, random_state: 0 }).treeClassifier({ max_depth: 3 }).metrics()',
  async fit({ x, classes }, args, context) {
    const data = {
      x: matrixOf(x),
      y: classes.codes,
      task: "classification" as const,
      classes: classes.labels.length,
      sampleWeight: rowWeights(args.class_weight, classes, "treeClassifier (ML_CN_6)"),
    };
    const trees = await growTree(data, args, context);
    const shown = treeView(trees, x.names, classes.labels.map(String));
    return { parameters: { trees }, weights: treeWeights(trees), shown };
  },
  predict: ({ trees }, x, context) => askTrees(trees, x, context),
  far: farForest("treeClassifier (ML_CN_6)"),
  additive: ({ trees }) => addedTrees(trees),
  onnx: ({ trees }, file) => treesOnnx(trees, file),
});
