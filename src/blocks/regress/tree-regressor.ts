import { addedTrees } from "../models/additive.ts";
import { farForest } from "../models/far-trees.ts";
import { defineModel } from "../models/models.ts";
import { treeView } from "../models/tree-view.ts";
import { askTrees, growTree, maxFeatures, treeArgs, treeWeights } from "../models/trees.ts";
import { treesOnnx } from "../onnx/trees.ts";
import { matrixOf } from "../shared/row-parts.ts";

/**
 * ML_R_5. Decision tree for numbers: yes-or-no questions, then the mean of the rows that answer alike.
 *
 * Exact splits and scikit-learn's defaults, so the tree grows until it knows its rows by heart; limit it with
 * max_depth, min_samples_leaf or max_leaf_nodes.
 */
export const treeRegressor = defineModel({
  code: "ML_R_5",
  name: "treeRegressor",
  task: "regression",
  why: "A tree answers with the mean of rows that answer its questions alike, and can be read by anyone. Left to grow it learns its rows by heart; max_depth keeps it honest.",
  args: {
    ...treeArgs,
    /** Features looked at per split: a count, a share below 1, "sqrt" or "log2" (default: all). */
    max_features: maxFeatures().optional(),
  },
  example:
    'session.input("sample:iris").drop("species").xy({ y: "petal_width" }).split({ test_size: 0.2, random_state: 0 }).treeRegressor({ max_depth: 3 }).metrics()',
  async fit({ x, y }, args, context) {
    const trees = await growTree({ x: matrixOf(x), y: y.data, task: "regression" }, args, context);
    return { parameters: { trees }, weights: treeWeights(trees), shown: treeView(trees, x.names, []) };
  },
  predict: ({ trees }, x, context) => askTrees(trees, x, context),
  far: farForest("treeRegressor (ML_R_5)"),
  additive: ({ trees }) => addedTrees(trees),
  onnx: ({ trees }, file) => treesOnnx(trees, file),
});
