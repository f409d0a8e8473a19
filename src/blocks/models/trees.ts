import { z } from "zod";
import type { Computing } from "../../core/block.ts";
import { columnOf } from "../../core/matrix.ts";
import { fitTrees, type TreesInput, treeSeeds } from "../../numerics/trees/forest.ts";
import { importances, joiningTrees, predictForest, type Trees } from "../../numerics/trees/trees.ts";
import type { Matrix } from "../../numerics/types.ts";
import { computeRows, matrixOf } from "../shared/row-parts.ts";
import { refuseHuge } from "./model-size.ts";
import type { Prediction } from "./model-types.ts";

function countOrShare(least: number) {
  const isOne = (value: number) => (value > 0 && value < 1) || (Number.isInteger(value) && value >= least);
  return z.number().refine(isOne, `a count from ${least} on, or a share between 0 and 1`);
}

/** Features looked at per split: a count, a share below 1, "sqrt" or "log2". */
export function maxFeatures() {
  return z.union([countOrShare(1), z.literal(["sqrt", "log2"])]);
}

/** The arguments that all trees and forests share, with scikit-learn's names and defaults. */
export const treeArgs = {
  /** Levels of a tree at most (default: until leaves are pure). */
  max_depth: z.int().min(1).optional(),
  /** Rows a node needs to be split: a count from 2, or a share below 1 (default 2). */
  min_samples_split: countOrShare(2).default(2),
  /** Rows on either side of a split: a count, or a share below 1 (default 1). */
  min_samples_leaf: countOrShare(1).default(1),
  /** Leaves of a tree at most, the best splits first (default: no limit). */
  max_leaf_nodes: z.int().min(2).optional(),
  /** Least impurity that a split takes away, weighted by its share of rows (default 0). */
  min_impurity_decrease: z.number().min(0).default(0),
  /** Seed of all draws (default 0). */
  random_state: z.int().min(0).max(4294967295).default(0),
};

/** The arguments of `treeArgs` as a block gets them. */
export type TreeArgs = z.output<z.ZodObject<typeof treeArgs>> & {
  readonly max_features?: number | "sqrt" | "log2";
  readonly criterion?: TreesInput["criterion"];
};

/** What trees are grown on: features and numbers, or class codes. */
export type TreeData = Pick<TreesInput, "x" | "y" | "task" | "classes" | "sampleWeight">;

/** Grows one tree. */
export async function growTree(data: TreeData, args: TreeArgs, context: Computing): Promise<Trees> {
  const seeds = Int32Array.of(args.random_state | 0);
  return await context.compute(fitTrees, { ...treeInput(data, args), seeds }, "nodes");
}

/** Grows a forest, one chunk of trees per thread: a chunk sorts the columns once, however many trees it grows. */
export async function growForest(
  data: TreeData,
  args: TreeArgs & { readonly n_estimators: number; readonly bootstrap: boolean },
  context: Computing,
): Promise<Trees> {
  const seeds = treeSeeds(args.random_state, args.n_estimators);
  // Counts and impurities of each node would be a third of the model, and nothing reads them.
  const input = { ...treeInput(data, args), bootstrap: args.bootstrap, details: false };
  const chunks = Math.min(context.threads, seeds.length);
  const chunk = (k: number) =>
    seeds.slice(Math.floor((k * seeds.length) / chunks), Math.floor(((k + 1) * seeds.length) / chunks));
  const done = new Array<number>(chunks).fill(0);
  const parts = await Promise.all(
    done.map((_, k) =>
      context.compute(fitTrees, { ...input, seeds: chunk(k) }, (grown) => {
        done[k] = grown;
        context.progress(
          "trees",
          done.reduce((sum, each) => sum + each, 0),
          seeds.length,
        );
      }),
    ),
  );
  // Before there are two of it.
  refuseHuge(parts, `${context.block.name} (${context.block.code})`);
  const joining = joiningTrees(parts);
  for (;;) {
    const { done: isJoined, value } = joining.next();
    if (isJoined) return value;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function treeInput(data: TreeData, args: TreeArgs): Omit<TreesInput, "seeds"> {
  return {
    ...data,
    criterion: args.criterion,
    maxFeatures: args.max_features,
    maxDepth: args.max_depth,
    minSamplesSplit: args.min_samples_split,
    minSamplesLeaf: args.min_samples_leaf,
    maxLeafNodes: args.max_leaf_nodes,
    minImpurityDecrease: args.min_impurity_decrease,
  };
}

/** What trees answer for rows, on all threads. */
export async function askTrees(trees: Trees, x: Matrix, context: Computing): Promise<Prediction> {
  const matrix = await computeRows(context, predictForest, { x: matrixOf(x), trees }, "predict");
  return trees.task === "regression"
    ? { kind: "numbers", values: columnOf(matrix, 0) }
    : { kind: "probabilities", matrix };
}

/** How much each feature took away of the impurity, for the view. */
export function treeWeights(trees: Trees): { title: string; values: readonly number[] } {
  return { title: "feature importances", values: [...importances(trees)] };
}
