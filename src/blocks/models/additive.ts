import type { Boosted } from "../../numerics/boost/boosted.ts";
import type { AddedTrees } from "../../numerics/explain/tree-shap.ts";
import { nodeValues, type Trees } from "../../numerics/trees/trees.ts";

/** What a model's answer is a sum of, so that each column's share in it can be worked out exactly. */
export type Additive = {
  /** What the sum is: the answer or a probability itself, or its logarithm or log odds. */
  readonly scale: "answer" | "log" | "log odds";
} & (
  | { readonly kind: "trees"; readonly trees: AddedTrees }
  | {
      readonly kind: "line";
      /** outputs×d row-major; of two classes those of the second. */
      readonly coef: Float64Array;
      readonly intercept: Float64Array;
    }
);

/** A linear model as a sum. */
export function addedLine(
  { coef, intercept }: { readonly coef: Float64Array; readonly intercept: Float64Array },
  scale: Additive["scale"] = "answer",
): Additive {
  return { kind: "line", scale, coef, intercept };
}

/** A tree or a forest as a sum; of two classes the probability of the second. */
export function addedTrees(trees: Trees): Additive {
  const { d, width, offsets, feature, threshold, left, right } = trees;
  const isTwo = trees.task === "classification" && width === 2;
  const value = isTwo ? trees.value.filter((_, at) => at % 2 === 1) : nodeValues(trees);
  const outputs = isTwo ? 1 : width;
  return {
    kind: "trees",
    scale: "answer",
    trees: {
      ...{ d, outputs, width: outputs, offsets, feature, threshold, left, right, value },
      missing: new Int32Array(feature.length),
      setAt: new Int32Array(feature.length).fill(-1),
      sets: new Int32Array(0),
      scale: 1 / (offsets.length - 1),
      baseline: new Float64Array(outputs),
    },
  };
}

/** Boosted trees as a sum: before what makes probabilities or counts of it. */
export function addedBoosted(model: Boosted): Additive {
  const { d, loss, width, baseline, offsets, feature, missing, left, right, value, setAt, sets, edges, edgeStarts } =
    model;
  // Behind the last edge all numbers go left.
  const threshold = Float64Array.from(feature, (j, node) => {
    const at = j < 0 ? 0 : edgeStarts[j] + model.bin[node];
    return j >= 0 && at < edgeStarts[j + 1] ? edges[at] : Infinity;
  });
  return {
    kind: "trees",
    scale: loss === "log_loss" ? "log odds" : loss === "poisson" ? "log" : "answer",
    trees: {
      ...{ d, outputs: width, width: 1, offsets, feature, threshold, left, right, value, missing, setAt, sets },
      scale: 1,
      baseline,
    },
  };
}
