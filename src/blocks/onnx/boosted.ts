import { DataError } from "../../core/errors.ts";
import type { ModelFile } from "../../core/model.ts";
import { listed, quoted } from "../../core/names.ts";
import type { OnnxAttribute, OnnxGraph } from "../../core/onnx.ts";
import type { Boosted } from "../../numerics/boost/boosted.ts";
import { OnnxBuilder } from "./builder.ts";

/**
 * Boosted trees as ONNX: TreeEnsembleRegressor finds each tree's leaf, and the leaves' values are added up as doubles.
 *
 * The operator answers float32, exact for numbers of leaves alone. Missing cells are NaN.
 */
export function boostedOnnx(model: Boosted, file: ModelFile): OnnxGraph {
  const texts = file.features.filter((_, j) => model.categories[j] > 0).map(({ name }) => name);
  if (texts.length > 0) {
    throw new DataError(
      `Model ${quoted(file.model_name)} of boost (MS_XGBOOST) takes ${listed(texts)} as text, which has no ONNX form here; encode it with encode (DP_3) before, or take the model as JSON.`,
      { code: "no_onnx", path: "format", got: "onnx", expected: ["json"] },
    );
  }
  const graph = new OnnxBuilder(file);
  const { width, baseline, loss } = model;
  const trees = model.offsets.length - 1;
  const leaves = leavesOf(model);
  const numbers = graph.ml("TreeEnsembleRegressor", ["x"], ensemble(model, leaves))[0];
  const at = graph.add("Add", [graph.add("Cast", [numbers], { to: { int: 7 } }), graph.constant(leaves.first)]);
  const values = graph.add("Gather", [graph.constant(leaves.values), at]);
  const rounds = graph.add("Reshape", [values, graph.constant(Int32Array.of(-1, trees / width, width))]);
  const sum = graph.add("ReduceSum", [rounds, graph.constant(Int32Array.of(1))], { keepdims: { int: 0 } });
  const raw = graph.add("Add", [sum, graph.constant(baseline, [1, width])]);
  if (loss === "poisson") return graph.numbers(graph.add("Exp", [raw]));
  if (loss !== "log_loss") return graph.numbers(raw);
  if (width > 1) return graph.probabilities(graph.add("Softmax", [raw], { axis: { int: 1 } }));
  const second = graph.add("Sigmoid", [raw]);
  const first = graph.add("Sub", [graph.constant(Float64Array.of(1), []), second]);
  return graph.probabilities(graph.add("Concat", [first, second], { axis: { int: 1 } }));
}

/** The leaves of all trees, tree after tree: their nodes and trees, each tree's first, and what they add. */
interface Leaves {
  readonly node: Int32Array;
  readonly tree: Int32Array;
  readonly first: Int32Array;
  readonly values: Float64Array;
}

function leavesOf({ offsets, feature, value }: Boosted): Leaves {
  const total = feature.reduce((sum, j) => sum + (j < 0 ? 1 : 0), 0);
  const leaves = {
    node: new Int32Array(total),
    tree: new Int32Array(total),
    first: new Int32Array(offsets.length - 1),
    values: new Float64Array(total),
  };
  let leaf = 0;
  for (let t = 0; t < leaves.first.length; t++) {
    leaves.first[t] = leaf;
    for (let k = offsets[t]; k < offsets[t + 1]; k++) {
      if (feature[k] >= 0) continue;
      leaves.node[leaf] = k - offsets[t];
      leaves.tree[leaf] = t;
      leaves.values[leaf++] = value[k];
    }
  }
  return leaves;
}

function ensemble(model: Boosted, { node, tree, first }: Leaves): Record<string, OnnxAttribute> {
  const { offsets, feature, bin, left, right, missing, edges, edgeStarts } = model;
  const owner = new Int32Array(feature.length);
  const id = new Int32Array(feature.length);
  for (let t = 0; t + 1 < offsets.length; t++) {
    for (let k = offsets[t]; k < offsets[t + 1]; k++) {
      owner[k] = t;
      id[k] = k - offsets[t];
    }
  }
  // Behind the last edge all numbers go left, and what is missing goes right.
  const threshold = Float64Array.from(feature, (j, k) =>
    j < 0 ? 0 : edgeStarts[j] + bin[k] < edgeStarts[j + 1] ? edges[edgeStarts[j] + bin[k]] : Number.MAX_VALUE,
  );
  const known = (values: Int32Array) => values.map((value) => Math.max(value, 0));
  const weights = Float64Array.from(tree, (t, leaf) => leaf - first[t]);
  return {
    n_targets: { int: first.length },
    nodes_treeids: { ints: owner },
    nodes_nodeids: { ints: id },
    nodes_featureids: { ints: known(feature) },
    nodes_truenodeids: { ints: known(left) },
    nodes_falsenodeids: { ints: known(right) },
    nodes_missing_value_tracks_true: { ints: missing },
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
