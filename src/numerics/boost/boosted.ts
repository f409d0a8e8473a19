import type { BoostLoss } from "./losses.ts";

/** Trees that add up, grown one after the other; they ask for bins, not for values. */
export type Boosted = {
  readonly loss: BoostLoss;
  /** Columns that the trees were grown on. */
  readonly d: number;
  /** Trees of a round: the classes where there are more than two, else 1. */
  readonly width: number;
  /** What a round's trees begin with. */
  readonly baseline: Float64Array;
  /** The numbers between the bins of all features, one feature behind the other; feature j has edgeStarts[j]…edgeStarts[j + 1] − 1. */
  readonly edges: Float64Array;
  readonly edgeStarts: Int32Array;
  /** How many categories each feature has; 0 for numbers. */
  readonly categories: Int32Array;
  /** Where each tree's nodes begin; tree t belongs to column t % width. */
  readonly offsets: Int32Array;
  /** The feature a node asks for; -1 for a leaf. */
  readonly feature: Int32Array;
  /** The last bin that goes left, where the feature has numbers. */
  readonly bin: Int32Array;
  /** 1 where missing cells go left. */
  readonly missing: Int32Array;
  /** Children, counted from the tree's first node. */
  readonly left: Int32Array;
  readonly right: Int32Array;
  /** What a leaf adds, the learning rate in it. */
  readonly value: Float64Array;
  /** Which 256 bits of `sets` say which categories go left, 8 words each; -1 where the feature has numbers. */
  readonly setAt: Int32Array;
  readonly sets: Int32Array;
  /** What splits by each feature took away of the loss, as shares of 1. */
  readonly importances: Float64Array;
  /** What all splits together took away of it; files of older models lack it. */
  readonly gain?: number;
};

/** Bins of each feature, with the one of missing cells, which is the last. */
export function slotsOf({ edgeStarts }: Pick<Boosted, "edgeStarts">): Int32Array {
  return Int32Array.from({ length: edgeStarts.length - 1 }, (_, j) => edgeStarts[j + 1]! - edgeStarts[j]! + 2);
}

/** A tree as it grows: numbers that are put behind one another. */
export interface GrowingTree {
  readonly feature: number[];
  readonly bin: number[];
  readonly missing: number[];
  readonly left: number[];
  readonly right: number[];
  readonly value: number[];
  readonly gain: number[];
  /** 8 words for a node by categories, null for others. */
  readonly set: (Int32Array | null)[];
}

/** The bins that go left at a node: 256 bits in 8 words. */
export function goesLeft(
  into: Int32Array,
  bin: number,
  missing: boolean,
  slots: number,
  set: Int32Array | null,
): Int32Array {
  if (set) into.set(set);
  else {
    // Bits 0 to bin.
    for (let word = 0; word < 8; word++) {
      const bits = bin + 1 - 32 * word;
      into[word] = bits >= 32 ? -1 : bits <= 0 ? 0 : 2 ** bits - 1;
    }
  }
  const last = slots - 1;
  if (missing) into[last >> 5]! |= 1 << (last & 31);
  else into[last >> 5]! &= ~(1 << (last & 31));
  return into;
}

/**
 * Grown trees behind one another, and behind those of an earlier model with the same edges.
 *
 * Where an older file does not say what its splits took away of the loss, importances are those of the new trees.
 */
export function joinGrown(
  trees: readonly GrowingTree[],
  d: number,
  earlier: Boosted | null = null,
): Pick<
  Boosted,
  "offsets" | "feature" | "bin" | "missing" | "left" | "right" | "value" | "setAt" | "sets" | "importances" | "gain"
> {
  const grown = joinTrees(trees, d);
  if (!earlier) return grown;
  const ints = (field: "feature" | "bin" | "missing" | "left" | "right" | "sets") =>
    Int32Array.from([...earlier[field], ...grown[field]]);
  const nodes = earlier.feature.length;
  const known = earlier.sets.length / 8;
  const before = earlier.gain ?? 0;
  const gain = before + grown.gain;
  return {
    offsets: Int32Array.from([...earlier.offsets, ...grown.offsets.subarray(1).map((at) => at + nodes)]),
    feature: ints("feature"),
    bin: ints("bin"),
    missing: ints("missing"),
    left: ints("left"),
    right: ints("right"),
    value: Float64Array.from([...earlier.value, ...grown.value]),
    setAt: Int32Array.from([...earlier.setAt, ...grown.setAt.map((at) => (at < 0 ? at : at + known))]),
    sets: ints("sets"),
    importances: grown.importances.map((share, j) =>
      gain > 0 ? (earlier.importances[j]! * before + share * grown.gain) / gain : 0,
    ),
    gain,
  };
}

function joinTrees(trees: readonly GrowingTree[], d: number) {
  const offsets = new Int32Array(trees.length + 1);
  for (const [t, tree] of trees.entries()) offsets[t + 1] = offsets[t]! + tree.feature.length;
  const ints = (field: (tree: GrowingTree) => readonly number[]) => Int32Array.from(trees.flatMap(field));
  const sets = trees.flatMap((tree) => tree.set);
  let count = 0;
  const setAt = Int32Array.from(sets, (set) => (set ? count++ : -1));
  const words = new Int32Array(8 * count);
  for (const [node, set] of sets.entries()) if (set) words.set(set, 8 * setAt[node]!);
  const importances = new Float64Array(d);
  for (const { feature, gain } of trees) {
    for (const [node, j] of feature.entries()) if (j >= 0) importances[j]! += gain[node]!;
  }
  const total = importances.reduce((sum, value) => sum + value, 0);
  return {
    offsets,
    feature: ints((tree) => tree.feature),
    bin: ints((tree) => tree.bin),
    missing: ints((tree) => tree.missing),
    left: ints((tree) => tree.left),
    right: ints((tree) => tree.right),
    value: Float64Array.from(trees.flatMap((tree) => tree.value)),
    setAt,
    sets: words,
    importances: total > 0 ? importances.map((value) => value / total) : importances,
    gain: total,
  };
}
