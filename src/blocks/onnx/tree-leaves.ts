import type { OnnxBuilder } from "./builder.ts";

/** Trees, one behind the other, whose leaves answer `width` numbers each. */
interface Ensemble {
  readonly offsets: Int32Array;
  readonly feature: Int32Array;
  /** Numbers up to it go left. */
  readonly threshold: Float64Array;
  readonly left: Int32Array;
  readonly right: Int32Array;
  /** 1 where missing cells go left (default: nowhere). */
  readonly missing?: Int32Array;
  readonly value: Float64Array;
  readonly width: number;
}

/**
 * What each tree's leaf answers for each row, rows×trees×width: TreeEnsembleRegressor finds the leaves.
 *
 * The operator answers float32, too coarse for the values themselves, but exact for numbers of leaves below 2^24.
 */
export function leafValues(graph: OnnxBuilder, trees: Ensemble): string {
  const { offsets, feature, threshold, left, right, missing, width } = trees;
  const { node, tree, first, values } = leavesOf(trees);
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
  const [numbers] = graph.ml("TreeEnsembleRegressor", ["x"], {
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
  const at = graph.add("Add", [graph.add("Cast", [numbers], { to: { int: 7 } }), graph.constant(first)]);
  return graph.add("Gather", [graph.constant(values, [node.length, width]), at]);
}

/** The leaves of all trees, tree after tree: their nodes and trees, each tree's first, and what they answer. */
function leavesOf({ offsets, feature, value, width }: Ensemble) {
  const total = feature.reduce((sum, j) => sum + (j < 0 ? 1 : 0), 0);
  const node = new Int32Array(total);
  const tree = new Int32Array(total);
  const first = new Int32Array(offsets.length - 1);
  const values = new Float64Array(total * width);
  let leaf = 0;
  for (let t = 0; t < first.length; t++) {
    first[t] = leaf;
    for (let k = offsets[t]; k < offsets[t + 1]; k++) {
      if (feature[k] >= 0) continue;
      node[leaf] = k - offsets[t];
      tree[leaf] = t;
      for (let w = 0; w < width; w++) values[leaf * width + w] = value[k * width + w];
      leaf++;
    }
  }
  return { node, tree, first, values };
}
