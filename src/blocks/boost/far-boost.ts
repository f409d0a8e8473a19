import type { BlockContext } from "../../core/block.ts";
import type { Boosted } from "../../numerics/boost/boosted.ts";
import { boostedOfDescribed } from "../../numerics/boost/described.ts";
import { describedTrees } from "../../numerics/trees/described.ts";
import type { FarTraining } from "../models/far-training.ts";
import { growThere, libraryRefusal, mostDepth, unknownToLibrary } from "../models/far-trees.ts";
import { refuseHuge } from "../models/model-size.ts";
import type { AskedTrees, FarModel } from "../models/model-types.ts";
import type { BoostArgs } from "./boost-fit.ts";

const who = "boost (MS_XGBOOST)";

/** Levels of a tree where nothing else is said: 32 leaves at most. */
const usualDepth = 5;

/** Leaves of a tree where nothing else is said; the library counts levels alone. */
const usualLeaves = 31;

/** How boosted trees learn and answer where no row comes into memory. */
export const farBoost: FarModel<BoostArgs, Boosted> = {
  async fit(data, args, context) {
    refuseOthers(data, args);
    const model = await grow(data, args, context);
    refuseHuge(model, who);
    return {
      parameters: model,
      weights: { title: "feature importances", values: [...model.importances] },
      notices: [
        ...(args.max_depth === undefined
          ? [
              `its trees have ${usualDepth} levels, ${2 ** usualDepth} leaves at most, since Spark's ML library counts levels alone; say max_depth for others.`,
            ]
          : []),
        ...(args.early_stopping === "auto"
          ? [
              "no rows are held out on Spark, so it takes all of its rounds; say early_stopping: false, and max_iter for fewer.",
            ]
          : []),
      ],
    };
  },
  answer(model) {
    const sums = Array.from(model.baseline, (baseline, k) => ({ baseline, trees: treesOf(model, k) }));
    return { kind: "sums", sums, ...(model.loss === "poisson" ? { link: "exp" as const } : {}) };
  },
};

/** The trees of one column of answers, which ask for numbers in place of bins. */
function treesOf(
  { edges, edgeStarts, offsets, feature, bin, left, right, value, width }: Boosted,
  k: number,
): AskedTrees {
  const own = Array.from({ length: (offsets.length - 1) / width }, (_, round) => round * width + k);
  const starts = Int32Array.of(0, ...own.map((t) => offsets[t + 1] - offsets[t]));
  for (let t = 1; t < starts.length; t++) starts[t] += starts[t - 1];
  const of = <T extends Int32Array | Float64Array>(all: T) => {
    const out = new (all.constructor as new (length: number) => T)(starts[own.length]);
    for (const [at, t] of own.entries()) out.set(all.subarray(offsets[t], offsets[t + 1]), starts[at]);
    return out;
  };
  // What is above all edges has a bin of its own, the last one.
  const edgeAt = (j: number, b: number) =>
    edgeStarts[j] + b < edgeStarts[j + 1] ? edges[edgeStarts[j] + b] : Infinity;
  const threshold = Float64Array.from(feature, (j, node) => (j < 0 ? 0 : edgeAt(j, bin[node])));
  return {
    ...{ offsets: starts, feature: of(feature), threshold: of(threshold), left: of(left), right: of(right) },
    ...{ value: of(value), width: 1 },
  };
}

/** Boosts trees by the ML library of the cluster, and brings them here as those that are boosted here. */
async function grow(data: FarTraining, args: BoostArgs, context: BlockContext): Promise<Boosted> {
  const { classes, x } = data;
  const rate = args.learning_rate;
  const asked = {
    ...{ trees: args.max_iter, depth: args.max_depth ?? usualDepth, leastRows: args.min_samples_leaf },
    ...{ triedFeatures: x.d, isDrawn: false, criterion: "gini" as const, seed: args.random_state },
    boosting: { rate, bins: args.max_bins },
  };
  return await growThere(data, asked, who, context, async ({ text, importances }) =>
    boostedOfDescribed({
      ...{ trees: describedTrees(text), d: x.d, rate, importances },
      isClasses: classes.labels.length > 0,
    }),
  );
}

/** Refuses what the library has no word for. */
function refuseOthers({ classes: { labels } }: FarTraining, args: BoostArgs): void {
  const refuse = (path: string, why: string) => {
    throw libraryRefusal(who, path, why);
  };
  if (labels.length > 2)
    refuse("y", `it tells two classes apart, not ${labels.length}; take forestClassifier (ML_CN_7)`);
  if (args.loss !== undefined && args.loss !== "squared_error" && args.loss !== "log_loss")
    refuse("loss", `it makes no ${args.loss} small; leave loss out`);
  if (args.learning_rate > 1) refuse("learning_rate", "its learning_rate is at most 1");
  if (args.max_depth !== undefined && args.max_depth > mostDepth)
    refuse("max_depth", `its max_depth is at most ${mostDepth}`);
  if (args.early_stopping === true) refuse("early_stopping", "it holds no rows out; leave early_stopping out");
  const unknown = [
    ...(args.max_leaf_nodes !== usualLeaves ? ["max_leaf_nodes"] : []),
    ...(args.l2_regularization !== 0 ? ["l2_regularization"] : []),
    ...(Object.values(args.monotonic_cst ?? {}).some((way) => way !== 0) ? ["monotonic_cst"] : []),
    ...(["class_weight", "sample_weight", "warm_start"] as const).filter((name) => args[name] !== undefined),
  ];
  if (unknown.length > 0) throw unknownToLibrary(who, unknown[0]);
}
