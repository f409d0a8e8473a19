import type { ModelFile } from "../../core/model.ts";
import type { OnnxAttribute, OnnxGraph } from "../../core/onnx.ts";
import type { Trees } from "../../numerics/trees/trees.ts";
import { OnnxBuilder } from "./builder.ts";

/**
 * Trees as ONNX: TreeEnsembleRegressor finds each tree's leaf, and the leaves' values are averaged.
 *
 * The operator answers float32, too coarse for the values themselves, but exact for numbers of leaves below 2^24.
 */
export function treesOnnx(trees: Trees, file: ModelFile): OnnxGraph {
  const graph = new OnnxBuilder(file);
  const count = trees.offsets.length - 1;
  const leaves = leavesOf(trees);
  const numbers = graph.ml("TreeEnsembleRegressor", ["x"], ensemble(trees, leaves))[0];
  const first = graph.constant(leaves.first);
  const at = graph.add("Add", [graph.add("Cast", [numbers], { to: { int: 7 } }), first]);
  const values = graph.add("Gather", [graph.constant(leaves.values, [leaves.node.length, trees.width]), at]);
  const sum = graph.add("ReduceSum", [values, graph.constant(Int32Array.of(1))], { keepdims: { int: 0 } });
  const mean = graph.add("Div", [sum, graph.constant(Float64Array.of(count), [])]);
  return trees.task === "regression" ? graph.numbers(mean) : graph.probabilities(mean);
}

/** The leaves of all trees, tree after tree: their nodes and trees, each tree's first, and what they answer. */
interface Leaves {
  readonly node: Int32Array;
  readonly tree: Int32Array;
  readonly first: Int32Array;
  readonly values: Float64Array;
}

function leavesOf({ offsets, feature, value, width }: Trees): Leaves {
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

function ensemble(trees: Trees, { node, tree, first }: Leaves): Record<string, OnnxAttribute> {
  const { offsets, feature, threshold, left, right } = trees;
  const owner = new Int32Array(feature.length);
  const id = new Int32Array(feature.length);
  for (let t = 0; t + 1 < offsets.length; t++) {
    for (let k = offsets[t]; k < offsets[t + 1]; k++) {
      owner[k] = t;
      id[k] = k - offsets[t];
    }
  }
  const known = (values: Int32Array) => values.map((value) => Math.max(value, 0));
  const weights = Float64Array.from(tree, (t, leaf) => leaf - first[t]);
  return {
    n_targets: { int: first.length },
    nodes_treeids: { ints: owner },
    nodes_nodeids: { ints: id },
    nodes_featureids: { ints: known(feature) },
    nodes_truenodeids: { ints: known(left) },
    nodes_falsenodeids: { ints: known(right) },
    nodes_modes: {
      words: { words: ["BRANCH_LEQ", "LEAF"], codes: Uint8Array.from(feature, (j) => (j < 0 ? 1 : 0)) },
    },
    nodes_values_as_tensor: { tensor: { dims: [threshold.length], values: threshold } },
    target_treeids: { ints: tree },
    target_nodeids: { ints: node },
    target_ids: { ints: tree },
    target_weights_as_tensor: { tensor: { dims: [weights.length], values: weights } },
  };
}
