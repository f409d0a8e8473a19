import type { LeafClasses } from "../../numerics/trees/trees.ts";
import type { OnnxBuilder } from "./builder.ts";

/** Trees, one behind the other. */
interface Shape {
  readonly offsets: Int32Array;
  readonly feature: Int32Array;
  /** Numbers up to it go left. */
  readonly threshold: Float64Array;
  readonly left: Int32Array;
  readonly right: Int32Array;
  /** 1 where missing cells go left (default: nowhere). */
  readonly missing?: Int32Array;
}

/** Those whose leaves answer `width` numbers each. */
interface Ensemble extends Shape {
  readonly value: Float64Array;
  readonly width: number;
}

/** What each tree's leaf answers for each row, rows×trees×width. */
export function leafValues(graph: OnnxBuilder, trees: Ensemble, x = "x"): string {
  const { value, width } = trees;
  const nodes = leafNodes(trees);
  const values = new Float64Array(nodes.length * width);
  for (const [leaf, k] of nodes.entries()) values.set(value.subarray(k * width, (k + 1) * width), leaf * width);
  return graph.add("Gather", [graph.constant(values, [nodes.length, width]), leafNumbers(graph, trees, x)]);
}

/** The sum of what all trees' leaves answer, rows×width, where leaves hold few of many classes. */
export function leafSums(graph: OnnxBuilder, trees: Shape & { width: number; leaves: LeafClasses }): string {
  const { width, leaves } = trees;
  const { start } = leaves;
  const nodes = leafNodes(trees);
  const most = nodes.reduce((max, k) => Math.max(max, start[k + 1] - start[k]), 0);
  // A leaf of fewer classes has a share of 0 in a class behind the last.
  const classes = new Int32Array(nodes.length * most).fill(width);
  const shares = new Float64Array(nodes.length * most);
  for (const [leaf, k] of nodes.entries()) {
    classes.set(leaves.classes.subarray(start[k], start[k + 1]), leaf * most);
    shares.set(leaves.shares.subarray(start[k], start[k + 1]), leaf * most);
  }
  const numbers = leafNumbers(graph, trees, "x");
  const flat = graph.constant(Int32Array.of(0, (trees.offsets.length - 1) * most));
  const looked = (table: Int32Array | Float64Array) => {
    const found = graph.add("Gather", [graph.constant(table, [nodes.length, most]), numbers]);
    return graph.add("Reshape", [found, flat]);
  };
  const own = looked(shares);
  const total = graph.add("ReduceSum", [own, graph.constant(Int32Array.of(1))], { keepdims: { int: 1 } });
  const zeros = graph.add("Mul", [total, graph.constant(new Float64Array(width + 1), [1, width + 1])]);
  const sums = graph.add("ScatterElements", [zeros, looked(classes), own], {
    axis: { int: 1 },
    reduction: { text: "add" },
  });
  const kept = graph.constant(Int32Array.from({ length: width }, (_, k) => k));
  return graph.add("Gather", [sums, kept], { axis: { int: 1 } });
}

/**
 * The number of each tree's leaf among all leaves for each row, rows×trees: TreeEnsembleRegressor finds the leaves.
 *
 * The operator answers float32, too coarse for the values themselves, but exact for numbers of leaves below 2^24.
 */
function leafNumbers(graph: OnnxBuilder, trees: Shape, x: string): string {
  const { offsets, feature, threshold, left, right, missing } = trees;
  const { node, tree, first } = leavesOf(trees);
  const owner = new Int32Array(feature.length);
  const id = new Int32Array(feature.length);
  for (let t = 0; t + 1 < offsets.length; t++) {
    for (let k = offsets[t]; k < offsets[t + 1]; k++) {
      owner[k] = t;
      id[k] = k - offsets[t];
    }
  }
  const known = (children: Int32Array) => children.map((child) => Math.max(child, 0));
  const weights = Float64Array.from(tree, (t, leaf) => leaf - first[t]);
  const [numbers] = graph.ml("TreeEnsembleRegressor", [x], {
    n_targets: { int: first.length },
    nodes_treeids: { ints: owner },
    nodes_nodeids: { ints: id },
    nodes_featureids: { ints: known(feature) },
    nodes_truenodeids: { ints: known(left) },
    nodes_falsenodeids: { ints: known(right) },
    ...(missing ? { nodes_missing_value_tracks_true: { ints: missing } } : {}),
    nodes_modes: {
      words: { words: ["BRANCH_LEQ", "LEAF"], codes: Uint8Array.from(feature, (j) => (j < 0 ? 1 : 0)) },
    },
    nodes_values_as_tensor: { tensor: { dims: [threshold.length], values: threshold } },
    target_treeids: { ints: tree },
    target_nodeids: { ints: node },
    target_ids: { ints: tree },
    target_weights_as_tensor: { tensor: { dims: [weights.length], values: weights } },
  });
  return graph.add("Add", [graph.add("Cast", [numbers], { to: { int: 7 } }), graph.constant(first)]);
}

/** The nodes of all trees that are leaves, in their order. */
function leafNodes({ feature }: Shape): Int32Array {
  return Int32Array.from(feature.keys()).filter((k) => feature[k] < 0);
}

/** The leaves of all trees, tree after tree: their nodes and trees, and each tree's first. */
function leavesOf({ offsets, feature }: Shape) {
  const total = feature.reduce((sum, j) => sum + (j < 0 ? 1 : 0), 0);
  const node = new Int32Array(total);
  const tree = new Int32Array(total);
  const first = new Int32Array(offsets.length - 1);
  let leaf = 0;
  for (let t = 0; t < first.length; t++) {
    first[t] = leaf;
    for (let k = offsets[t]; k < offsets[t + 1]; k++) {
      if (feature[k] >= 0) continue;
      node[leaf] = k - offsets[t];
      tree[leaf] = t;
      leaf++;
    }
  }
  return { node, tree, first };
}
