import type { ModelFile } from "../../core/model.ts";
import type { OnnxGraph } from "../../core/onnx.ts";
import type { Trees } from "../../numerics/trees/trees.ts";
import { OnnxBuilder } from "./builder.ts";
import { leafSums, leafValues } from "./tree-leaves.ts";

/** Trees as ONNX: the values of each tree's leaf are averaged. */
export function treesOnnx(trees: Trees, file: ModelFile): OnnxGraph {
  const graph = new OnnxBuilder(file);
  const mean = meanOfTrees(graph, trees);
  return trees.task === "regression" ? graph.numbers(mean) : graph.probabilities(mean);
}

/** What trees answer on average, rows×width. */
export function meanOfTrees(graph: OnnxBuilder, trees: Trees): string {
  const count = trees.offsets.length - 1;
  const { leaves } = trees;
  const sum = leaves
    ? leafSums(graph, { ...trees, leaves })
    : graph.add("ReduceSum", [leafValues(graph, trees), graph.constant(Int32Array.of(1))], { keepdims: { int: 0 } });
  return graph.add("Div", [sum, graph.constant(Float64Array.of(count), [])]);
}
