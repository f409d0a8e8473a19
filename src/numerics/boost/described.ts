import type { DescribedTree } from "../trees/described.ts";
import type { Boosted } from "./boosted.ts";

/** What `boostedOfDescribed` needs to know. */
export type DescribedBoosting = {
  /** Trees over numbers that lack no cell, in the order in which they were grown. */
  readonly trees: readonly DescribedTree[];
  readonly d: number;
  /** How much of each tree's answer is added; of the first one all of it. */
  readonly rate: number;
  /** Do they tell two classes apart? */
  readonly isClasses: boolean;
  /** How much each column matters, adding up to 1. */
  readonly importances: Float64Array;
};

/** A feature's numbers between bins at most. */
const mostEdges = 254;

/**
 * Trees boosted by Spark's ML library as those that are boosted here. O(nodes · log nodes).
 *
 * Their splits become the numbers between bins; of two classes a sum is half the logarithm of the odds there, and all of
 * it here. A RangeError where a column is split at more numbers than a model keeps.
 */
export function boostedOfDescribed({ trees, d, rate, isClasses, importances }: DescribedBoosting): Boosted {
  const splits = Array.from({ length: d }, () => new Set<number>());
  const offsets = new Int32Array(trees.length + 1);
  for (const [t, { feature, number }] of trees.entries()) {
    offsets[t + 1] = offsets[t]! + feature.length;
    for (const [node, j] of feature.entries()) if (j >= 0) splits[j]!.add(number[node]!);
  }
  const edges = splits.map((each) => Float64Array.from(each).sort());
  if (edges.some(({ length }) => length > mostEdges)) {
    throw new RangeError(`boosted trees split a column at more than ${mostEdges} numbers`);
  }
  const places = edges.map((own) => new Map(Array.from(own, (edge, k) => [edge, k])));
  const edgeStarts = new Int32Array(d + 1);
  for (const [j, own] of edges.entries()) edgeStarts[j + 1] = edgeStarts[j]! + own.length;
  const all = offsets[trees.length]!;
  const of = (make: (tree: DescribedTree) => Int32Array) => {
    const out = new Int32Array(all);
    for (const [t, tree] of trees.entries()) out.set(make(tree), offsets[t]!);
    return out;
  };
  const value = new Float64Array(all);
  for (const [t, { feature, number }] of trees.entries()) {
    const weight = (t === 0 ? 1 : rate) * (isClasses ? 2 : 1);
    for (const [node, j] of feature.entries()) if (j < 0) value[offsets[t]! + node] = number[node]! * weight;
  }
  return {
    loss: isClasses ? "log_loss" : "squared_error",
    ...{ d, width: 1, baseline: new Float64Array(1), edgeStarts, offsets, value, importances },
    edges: Float64Array.from(edges.flatMap((own) => [...own])),
    categories: new Int32Array(d),
    feature: of(({ feature }) => feature),
    bin: of(({ feature, number }) => feature.map((j, node) => (j < 0 ? 0 : places[j]!.get(number[node]!)!))),
    missing: new Int32Array(all),
    left: of(({ left }) => left),
    right: of(({ right }) => right),
    setAt: new Int32Array(all).fill(-1),
    sets: new Int32Array(0),
  };
}
