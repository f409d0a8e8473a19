import { z } from "zod";
import type { BlockContext } from "../../core/block.ts";
import { fitTrees, type TreesInput, treeSeeds } from "../../kernels/forest.ts";
import { importances, joinTrees, predictForest, type Trees } from "../../kernels/trees.ts";
import { defineModel } from "../models.ts";

/**
 * ML_CN_7. Random forest: many trees, each grown on rows drawn anew, vote by their class shares.
 *
 * Exact splits and scikit-learn's defaults. The same random_state gives the same forest on any number of threads.
 */
export const forestClassifier = defineModel({
  code: "ML_CN_7",
  name: "forestClassifier",
  task: "classification",
  args: {
    /** Trees in the forest (default 100). */
    n_estimators: z.int().min(1).max(100_000).default(100),
    /** What a split makes purer: "gini", "entropy" or "log_loss" (default "gini"). */
    criterion: z.literal(["gini", "entropy", "log_loss"]).default("gini"),
    /** Levels of a tree at most (default: until leaves are pure). */
    max_depth: z.int().min(1).optional(),
    /** Rows a node needs to be split: a count, or a share below 1 (default 2). */
    min_samples_split: z.number().positive().default(2),
    /** Rows on either side of a split: a count, or a share below 1 (default 1). */
    min_samples_leaf: z.number().positive().default(1),
    /** Features looked at per split: a count, a share below 1, "sqrt" or "log2" (default "sqrt"). */
    max_features: z.union([z.number().positive(), z.literal(["sqrt", "log2"])]).default("sqrt"),
    /** Leaves of a tree at most (default: no limit). */
    max_leaf_nodes: z.int().min(2).optional(),
    /** Grow each tree on rows drawn with replacement (default true). */
    bootstrap: z.boolean().default(true),
    /** Seed of all draws (default 0). */
    random_state: z.int().min(0).max(4294967295).default(0),
  },
  example: 'session.input("sample:iris").xy({ y: "species" }).split({ test_size: 0.2 }).forestClassifier().metrics()',
  async fit({ x, classes }, args, context) {
    const seeds = treeSeeds(args.random_state, args.n_estimators);
    const input = {
      x: { n: x.n, d: x.d, data: x.data },
      y: classes.codes,
      task: "classification" as const,
      classes: classes.labels.length,
      criterion: args.criterion,
      bootstrap: args.bootstrap,
      maxFeatures: args.max_features,
      maxDepth: args.max_depth,
      minSamplesSplit: args.min_samples_split,
      minSamplesLeaf: args.min_samples_leaf,
      maxLeafNodes: args.max_leaf_nodes,
      // Counts and impurities of each node would be a third of the model, and nothing reads them.
      details: false,
    };
    const parts = await growChunks(input, seeds, context);
    const trees = joinTrees(parts);
    return { parameters: { trees }, weights: { title: "feature importances", values: [...importances(trees)] } };
  },
  async predict({ trees }, x, context) {
    const matrix = await context.compute(predictForest, { x: { n: x.n, d: x.d, data: x.data }, trees }, "predict");
    return { kind: "probabilities", matrix };
  },
});

/** One chunk of trees per thread: a chunk sorts the columns once, however many trees it grows. */
async function growChunks(
  input: Omit<TreesInput, "seeds">,
  seeds: Int32Array,
  context: BlockContext,
): Promise<Trees[]> {
  const chunks = Math.min(context.threads, seeds.length);
  const size = Math.ceil(seeds.length / chunks);
  const done = new Array<number>(chunks).fill(0);
  return await Promise.all(
    done.map((_, k) =>
      context.compute(fitTrees, { ...input, seeds: seeds.slice(k * size, (k + 1) * size) }, (grown) => {
        done[k] = grown;
        context.progress(
          "trees",
          done.reduce((sum, each) => sum + each, 0),
          seeds.length,
        );
      }),
    ),
  );
}
