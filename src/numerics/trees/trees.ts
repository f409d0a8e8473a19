import { checkCancelled, type Hooks, type Matrix, quiet } from "../types.ts";
import { addLeaf, isWorthWalking, type LeafClasses, type Trees, walkTrees } from "./walk.ts";

export type { LeafClasses, Trees } from "./walk.ts";

/** One forest out of several chunks of trees, in the order given; copies. O(nodes). */
export function joinTrees(parts: readonly Trees[]): Trees {
  const joining = joiningTrees(parts);
  for (;;) {
    const { done, value } = joining.next();
    if (done) return value;
  }
}

/** `joinTrees` a few megabytes a step: a forest may have gigabytes, and a thread that serves others has to look up meanwhile. */
export function* joiningTrees(parts: readonly Trees[]): Generator<void, Trees> {
  const first = parts[0];
  if (!first) throw new RangeError("there are no trees to join");
  const trees = parts.reduce((sum, part) => sum + part.offsets.length - 1, 0);
  const offsets = new Int32Array(trees + 1);
  let tree = 0;
  for (const part of parts) {
    for (let t = 1; t < part.offsets.length; t++) {
      offsets[tree + 1] = offsets[tree]! + part.offsets[t]! - part.offsets[t - 1]!;
      tree++;
    }
  }
  const leaves = first.leaves ? yield* joinedLeaves(parts) : undefined;
  return {
    task: first.task,
    d: first.d,
    width: first.width,
    offsets,
    feature: yield* joined(Int32Array, parts, (part) => part.feature),
    threshold: yield* joined(Float64Array, parts, (part) => part.threshold),
    left: yield* joined(Int32Array, parts, (part) => part.left),
    right: yield* joined(Int32Array, parts, (part) => part.right),
    value: yield* joined(Float64Array, parts, (part) => part.value),
    nSamples: yield* joined(Int32Array, parts, (part) => part.nSamples),
    impurity: yield* joined(Float64Array, parts, (part) => part.impurity),
    importances: yield* joined(Float64Array, parts, (part) => part.importances),
    ...(leaves ? { leaves } : {}),
  };
}

function* joinedLeaves(parts: readonly Trees[]): Generator<void, LeafClasses> {
  const start = new Int32Array(parts.reduce((sum, part) => sum + part.feature.length, 1));
  let node = 0;
  let entries = 0;
  for (const { leaves } of parts) {
    // Trees of one forest are kept alike.
    const own = (leaves as LeafClasses).start;
    for (let k = 1; k < own.length; k++) start[++node] = entries + own[k]!;
    entries = start[node]!;
    yield;
  }
  return {
    start,
    classes: yield* joined(Int32Array, parts, (part) => (part.leaves as LeafClasses).classes),
    shares: yield* joined(Float64Array, parts, (part) => (part.leaves as LeafClasses).shares),
  };
}

/** A tree's values, of which those that leaves hold are kept alone. */
export function leafClasses({ feature, value, width }: Pick<Trees, "feature" | "value" | "width">): LeafClasses {
  const start = new Int32Array(feature.length + 1);
  const entry = (node: number, k: number) => (feature[node]! < 0 ? value[node * width + k]! : 0);
  for (let node = 0; node < feature.length; node++) {
    start[node + 1] = start[node]!;
    for (let k = 0; k < width; k++) if (entry(node, k) > 0) start[node + 1]!++;
  }
  const classes = new Int32Array(start[feature.length]!);
  const shares = new Float64Array(classes.length);
  let at = 0;
  for (let node = 0; node < feature.length; node++) {
    for (let k = 0; k < width; k++) {
      if (entry(node, k) === 0) continue;
      classes[at] = k;
      shares[at++] = entry(node, k);
    }
  }
  return { start, classes, shares };
}

/** What each node answers, `width` numbers each; zeros of nodes that are no leaves where leaves alone are kept. */
export function nodeValues({ feature, value, width, leaves }: Trees): Float64Array {
  if (!leaves) return value;
  const out = new Float64Array(feature.length * width);
  for (let node = 0; node < feature.length; node++) addLeaf(out, leaves, node, node * width, 1);
  return out;
}

/** Numbers that are copied in a step: 8 MB at most, some milliseconds where memory is touched for the first time. */
const step = 2 ** 20;

function* joined<T extends Int32Array | Float64Array>(
  make: new (length: number) => T,
  parts: readonly Trees[],
  field: (part: Trees) => T,
): Generator<void, T> {
  const out = new make(parts.reduce((sum, part) => sum + field(part).length, 0));
  let at = 0;
  for (const part of parts) {
    const numbers = field(part);
    for (let from = 0; from < numbers.length; from += step) {
      out.set(numbers.subarray(from, from + step), at + from);
      if (numbers.length > step) yield;
    }
    at += numbers.length;
  }
  return out;
}

/** What `predictForest` needs to know. */
export type ForestInput = {
  /** n×d, the columns the trees were grown on. */
  x: Matrix;
  trees: Trees;
  /** Judge only the rows from…to−1 (default all), so that workers can share the rows. */
  from?: number;
  to?: number;
};

/**
 * The mean of all trees' answers: a number per row, or a probability per row and class.
 *
 * Returns rows×width. Missing values go right at every split. O(rows · trees · depth), tree by tree so that
 * one tree at a time stays in the cache. Progress per tree.
 */
export function predictForest(input: ForestInput, hooks: Hooks = quiet): Matrix {
  const { x, trees } = input;
  if (x.d !== trees.d) throw new RangeError(`the trees were grown on ${trees.d} columns, got ${x.d}`);
  const from = input.from ?? 0;
  const to = input.to ?? x.n;
  const n = to - from;
  const { width, offsets } = trees;
  const data = new Float64Array(n * width);
  const count = offsets.length - 1;
  if (isWorthWalking(trees.feature.length / count, n)) walkTrees(data, trees, { x, from, to }, hooks);
  else {
    for (let t = 0; t < count; t++) {
      for (let start = from; start < to; start += 8192) {
        checkCancelled(hooks);
        addTree(data, input, offsets[t]!, start, Math.min(to, start + 8192));
      }
      hooks.progress(t + 1, count);
    }
  }
  for (let i = 0; i < data.length; i++) data[i] = data[i]! / count;
  return { n, d: width, data };
}

function addTree(out: Float64Array, input: ForestInput, root: number, start: number, end: number): void {
  const { feature, threshold, left, right, value, width, leaves } = input.trees;
  const { data, n } = input.x;
  const from = input.from ?? 0;
  const rows = out.length / width;
  for (let i = start; i < end; i++) {
    let node = root;
    for (let j = feature[node]!; j >= 0; j = feature[node]!) {
      node = root + (data[j * n + i]! <= threshold[node]! ? left[node]! : right[node]!);
    }
    if (leaves) addLeaf(out, leaves, node, i - from, rows);
    else for (let k = 0; k < width; k++) out[k * rows + i - from]! += value[node * width + k]!;
  }
}

/** Mean over all trees of each column's share of impurity taken away: d numbers adding up to 1. */
export function importances(trees: Trees): Float64Array {
  const out = new Float64Array(trees.d);
  let total = 0;
  for (let i = 0; i < trees.importances.length; i++) {
    out[i % trees.d]! += trees.importances[i]!;
    total += trees.importances[i]!;
  }
  return total > 0 ? out.map((value) => value / total) : out;
}
