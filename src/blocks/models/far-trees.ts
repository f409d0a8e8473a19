import type { BlockContext } from "../../core/block.ts";
import { DataError, InternalError } from "../../core/errors.ts";
import { type Column, cell } from "../../core/frame.ts";
import { count, freshNames } from "../../core/names.ts";
import type { TreesAsked, TreesGrown } from "../../core/tables.ts";
import { describedTrees, leafPoints, treesOfDescribed } from "../../numerics/trees/described.ts";
import { resolveMaxFeatures } from "../../numerics/trees/forest.ts";
import type { Trees } from "../../numerics/trees/trees.ts";
import { call, type Expr, numberList, value } from "../../plan/expr.ts";
import { addStep, type Output, type Relation } from "../../plan/node.ts";
import { numberOf } from "../shared/far-products.ts";
import { onlyHere } from "../shared/only-here.ts";
import type { FarTraining } from "./far-training.ts";
import { refuseHuge } from "./model-size.ts";
import type { AskedTrees, FarModel } from "./model-types.ts";
import { type TreeArgs, treeWeights } from "./trees.ts";

/** Spark's ML library grows trees of so many levels at most. */
export const mostDepth = 30;

/** So many leaves of all trees stand in one plan at most. */
const mostLeaves = 20_000;

/** What forests and trees on a cluster are asked for. */
export type FarTreeArgs = TreeArgs & {
  readonly n_estimators?: number;
  readonly bootstrap?: boolean;
  readonly class_weight?: unknown;
};

/** How a kind of trees learns and answers where no row comes into memory; who refuses goes by `who`. */
export function farForest(who: string): FarModel<FarTreeArgs, { readonly trees: Trees }> {
  return {
    async fit(data, args, context) {
      const trees = await growFar(data, args, who, context);
      return { parameters: { trees }, weights: treeWeights(trees) };
    },
    answer: ({ trees }) => ({ kind: "trees", trees }),
  };
}

/** Grows trees by the ML library of the cluster, and brings them here as those that are grown here. */
async function growFar(data: FarTraining, args: FarTreeArgs, who: string, context: BlockContext): Promise<Trees> {
  refuseOthers(args, who);
  const { classes, x } = data;
  const leaf = args.min_samples_leaf;
  const asked = {
    trees: args.n_estimators ?? 1,
    depth: args.max_depth ?? mostDepth,
    leastRows: leaf < 1 ? Math.ceil(leaf * x.n) : leaf,
    triedFeatures: resolveMaxFeatures(args.max_features, x.d),
    isDrawn: args.bootstrap ?? false,
    criterion: args.criterion === "entropy" || args.criterion === "log_loss" ? ("entropy" as const) : ("gini" as const),
    seed: args.random_state,
  };
  return await growThere(data, asked, who, context, async ({ text, importances, weights }) => {
    const trees = describedTrees(text);
    const counts = classes.labels.length > 0 ? await weights(trees.map((tree) => leafPoints(tree, x.d))) : undefined;
    const grown = treesOfDescribed({
      ...{ trees, d: x.d, classes: classes.labels.length, importances },
      ...(counts ? { counts } : {}),
    });
    refuseHuge(grown, who);
    return grown;
  });
}

/** Has the ML library of a cluster grow trees on training rows, and reads them; of each feature it says how much it matters. */
export async function growThere<T>(
  { far, classes, x }: FarTraining,
  how: Omit<TreesAsked, "features" | "target" | "isClasses" | "rows">,
  who: string,
  { tables: { library } }: BlockContext,
  read: (grown: TreesGrown) => Promise<T>,
): Promise<T> {
  if (!library) throw new InternalError(`${who}: no library for trees is known.`);
  const isClasses = classes.labels.length > 0;
  const target = isClasses ? placeOfClass(classes) : numberOf(far.columns[x.d]);
  const asked = { ...how, features: far.columns.slice(0, x.d).map(numberOf), target, isClasses, rows: x.n };
  return await library.growTrees(far.relation, far.rows, asked, async (grown) => {
    const importances = Float64Array.from({ length: x.d }, (_, j) => grown.importances[j] ?? 0);
    return await read({ ...grown, importances });
  });
}

/** The place of a row's class among all. */
function placeOfClass({ name, labels }: FarTraining["classes"]): Expr {
  return call("placeOf", { column: name, type: typeOfLabel(labels[0]) }, { list: labels });
}

function typeOfLabel(label: string | number | boolean): "string" | "integer" | "boolean" {
  return typeof label === "number" ? "integer" : typeof label === "boolean" ? "boolean" : "string";
}

/** Refuses what the library has no word for. */
function refuseOthers(args: FarTreeArgs, who: string): void {
  const { max_depth: depth } = args;
  if (depth === undefined || depth > mostDepth)
    throw libraryRefusal(
      who,
      "max_depth",
      `max_depth must be said, from 1 to ${mostDepth}, such as 5: until leaves are pure they would not end`,
    );
  const unknown = [
    ...(args.min_samples_split !== 2 ? ["min_samples_split"] : []),
    ...(args.max_leaf_nodes !== undefined ? ["max_leaf_nodes"] : []),
    ...(args.min_impurity_decrease !== 0 ? ["min_impurity_decrease"] : []),
    ...(args.class_weight !== undefined ? ["class_weight"] : []),
  ];
  if (unknown.length > 0) throw unknownToLibrary(who, unknown[0]);
}

/** What Spark's ML library can't do for a model of trees, and the way out. */
export function libraryRefusal(who: string, path: string, why: string): DataError {
  return new DataError(
    `${who}: its rows lie on Spark, whose ML library grows the trees, and ${why}; or take the rows out first by collect(), or fewer of them: sample(), and then collect().`,
    { code: "on_cluster", path },
  );
}

/** The library has no word for an argument. */
export function unknownToLibrary(who: string, path: string): DataError {
  return libraryRefusal(
    who,
    path,
    `it knows no ${path}; leave it out, and limit trees by max_depth and min_samples_leaf`,
  );
}

/** What trees answer for rows of a cluster, behind the columns of their plan: a number, or a share for each class; of a sum all of it. */
export function answersOfTrees(
  trees: AskedTrees,
  {
    relation,
    columns,
    x,
  }: { readonly relation: Relation; readonly columns: readonly Column[]; readonly x: readonly Expr[] },
  who: string,
  { block: { id, name } }: Pick<BlockContext, "block">,
  isSum = false,
): { readonly relation: Relation; readonly answers: readonly Column[] } {
  const { offsets, feature, threshold, left, right, width } = trees;
  const number = offsets.length - 1;
  const leaves = feature.reduce((sum, each) => sum + (each < 0 ? 1 : 0), 0);
  if (leaves > mostLeaves || trees.leaves) {
    throw onlyHere(who, `trees of ${count(leaves, "leaf", "leaves")} are too large to be asked there`);
  }
  const called = freshNames(
    [
      ...Array.from({ length: width }, (_, k) => `share ${k}`),
      ...Array.from({ length: number }, (_, t) => `leaf ${t}`),
    ],
    columns.map((each) => each.name),
  );
  const answers = called.slice(0, width).map((own): Column => ({ name: own, type: "number" }));
  const ends = called.slice(width).map((own): Column => ({ name: own, type: "number", integer: true }));
  // Of each tree the leaf's place, and what the leaves answer in that order.
  const places = ends.map((_, t) => {
    const from = offsets[t];
    const found: number[] = [];
    const walk = (node: number): Expr => {
      const j = feature[from + node];
      if (j < 0) {
        found.push(from + node);
        return value(found.length - 1, "integer");
      }
      const isLeft = call("lessEqual", x[j], value(threshold[from + node], "number"));
      return call("choose", isLeft, walk(left[from + node]), walk(right[from + node]));
    };
    return { expr: walk(0), found };
  });
  const passed = columns.map((column): Output => ({ column }));
  const step = (outputs: readonly Output[]) => ({ block: id, name, outputs });
  const ended = addStep(
    relation,
    step([...passed, ...ends.map((column, t): Output => ({ column, expr: places[t].expr }))]),
  );
  const sums = answers.map((_, k) => {
    const parts = places.map(({ found }, t) =>
      call("itemAt", cell(ends[t]), numberList(Float64Array.from(found, (node) => trees.value[node * width + k]))),
    );
    const sum = parts.slice(1).reduce<Expr>((all, part) => call("add", all, part), parts[0]);
    return isSum ? sum : call("divide", sum, value(number, "number"));
  });
  const made = answers.map((column, k): Output => ({ column, expr: sums[k] }));
  return { relation: addStep(ended, step([...passed, ...made])), answers };
}
