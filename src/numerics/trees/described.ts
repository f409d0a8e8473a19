import type { Trees } from "./walk.ts";

/** A tree as Spark's ML library describes it: node after node, the root first, each split's left side before its right one. */
export type DescribedTree = {
  /** The column that a node splits on, −1 in a leaf. */
  readonly feature: Int32Array;
  /** Rows with a value ≤ this go left; in a leaf its answer. */
  readonly number: Float64Array;
  /** Children, −1 in a leaf. */
  readonly left: Int32Array;
  readonly right: Int32Array;
};

/**
 * Reads trees out of what `toDebugString` says, in which numbers have all their digits. O(nodes).
 *
 * A line that is not understood is a RangeError.
 */
export function describedTrees(text: string): DescribedTree[] {
  const lines = text
    .split("\n")
    .slice(1)
    .map((line) => line.trim())
    .filter((line) => line !== "");
  let at = 0;
  const found: DescribedTree[] = [];
  while (at < lines.length) {
    if (lines[at]!.startsWith("Tree ")) at++;
    const [feature, number, left, right]: [number[], number[], number[], number[]] = [[], [], [], []];
    const node = (): number => {
      const own = feature.length;
      const line = lines[at++] ?? "";
      const leaf = /^Predict: (\S+)$/.exec(line);
      const split = /^If \(feature (\d+) <= (\S+)\)$/.exec(line);
      if (!leaf && !split) throw new RangeError(`a tree is described by "${line.slice(0, 80)}"`);
      feature.push(split ? Number(split[1]) : -1);
      number.push(Number(split ? split[2] : leaf![1]));
      left.push(-1);
      right.push(-1);
      if (!split) return own;
      left[own] = node();
      if (!lines[at++]?.startsWith("Else ")) throw new RangeError("a tree is described without one side of a split");
      right[own] = node();
      return own;
    };
    node();
    found.push({
      feature: Int32Array.from(feature),
      number: Float64Array.from(number),
      left: Int32Array.from(left),
      right: Int32Array.from(right),
    });
  }
  return found;
}

/** A row of d numbers for each leaf that ends there, leaf after leaf in the order of the nodes. O(leaves · (depth + d)). */
export function leafPoints({ feature, number, left, right }: DescribedTree, d: number): Float64Array {
  const points: number[] = [];
  const [above, upTo] = [new Float64Array(d).fill(-Infinity), new Float64Array(d).fill(Infinity)];
  const walk = (node: number): void => {
    const j = feature[node]!;
    if (j < 0) {
      for (let k = 0; k < d; k++) points.push(between(above[k]!, upTo[k]!));
      return;
    }
    const [low, high, by] = [above[j]!, upTo[j]!, number[node]!];
    upTo[j] = Math.min(high, by);
    walk(left[node]!);
    upTo[j] = high;
    above[j] = Math.max(low, by);
    walk(right[node]!);
    above[j] = low;
  };
  walk(0);
  return Float64Array.from(points);
}

/** A number above one and no more than the other. */
function between(above: number, upTo: number): number {
  if (Number.isFinite(upTo)) return upTo;
  return Number.isFinite(above) ? above + Math.max(1, Math.abs(above)) : 0;
}

/** What `treesOfDescribed` needs to know. */
export type DescribedInput = {
  readonly trees: readonly DescribedTree[];
  readonly d: number;
  /** Of classes: how much each weighs in each leaf, leaves × classes row-major, tree by tree. */
  readonly counts?: readonly Float64Array[];
  readonly classes: number;
  /** How much each column matters, adding up to 1. */
  readonly importances: Float64Array;
};

/** The trees as those that are grown here, without details. O(nodes · classes). */
export function treesOfDescribed({ trees, d, counts, classes, importances }: DescribedInput): Trees {
  const width = counts ? classes : 1;
  const offsets = new Int32Array(trees.length + 1);
  for (const [t, { feature }] of trees.entries()) offsets[t + 1] = offsets[t]! + feature.length;
  const all = offsets[trees.length]!;
  const value = new Float64Array(all * width);
  const trunk = {
    feature: new Int32Array(all),
    threshold: new Float64Array(all),
    left: new Int32Array(all),
    right: new Int32Array(all),
  };
  for (const [t, tree] of trees.entries()) {
    const from = offsets[t]!;
    trunk.feature.set(tree.feature, from);
    trunk.left.set(tree.left, from);
    trunk.right.set(tree.right, from);
    trunk.threshold.set(
      tree.number.map((own, k) => (tree.feature[k]! < 0 ? 0 : own)),
      from,
    );
    value.set(valuesOf(tree, counts?.[t], width), from * width);
  }
  return {
    task: counts ? "classification" : "regression",
    ...{ d, width, offsets, ...trunk, value },
    nSamples: new Int32Array(0),
    impurity: new Float64Array(0),
    importances: Float64Array.from({ length: trees.length * d }, (_, at) => importances[at % d]!),
  };
}

/** The answer of each node: that of a split is the weight of its leaves', of numbers their mean. */
function valuesOf(
  { feature, number, left, right }: DescribedTree,
  counts: Float64Array | undefined,
  width: number,
): Float64Array {
  const value = new Float64Array(feature.length * width);
  let leaf = 0;
  for (let node = 0; node < feature.length; node++) {
    if (feature[node]! >= 0) continue;
    if (counts) value.set(counts.subarray(leaf * width, (leaf + 1) * width), node * width);
    else value[node] = number[node]!;
    leaf++;
  }
  // Children stand behind their parents.
  for (let node = feature.length - 1; node >= 0; node--) {
    if (feature[node]! < 0) continue;
    for (let k = 0; k < width; k++) {
      const sum = value[left[node]! * width + k]! + value[right[node]! * width + k]!;
      value[node * width + k] = counts ? sum : sum / 2;
    }
  }
  if (!counts) return value;
  for (let node = 0; node < feature.length; node++) {
    const own = value.subarray(node * width, (node + 1) * width);
    const total = own.reduce((sum, each) => sum + each, 0);
    for (let k = 0; k < width; k++) own[k] = own[k]! / total;
  }
  return value;
}
