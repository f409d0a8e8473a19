import type { ModelFile } from "../../core/model.ts";
import type { OnnxGraph } from "../../core/onnx.ts";
import type { Trees } from "../../numerics/trees/trees.ts";
import { OnnxBuilder } from "./builder.ts";
import { meanOfTrees } from "./trees.ts";

/** An isolation forest as ONNX: -1 for outliers and 1 for others, by how many cuts of its trees isolate a row. */
export function isolationOnnx(
  { trees, average, offset }: { readonly trees: Trees; readonly average: number; readonly offset: number },
  file: ModelFile,
): OnnxGraph {
  const graph = new OnnxBuilder(file);
  const number = (value: number) => graph.constant(Float64Array.of(value), []);
  const cuts = meanOfTrees(graph, trees);
  // Trees that each took a single row tell nothing of any: all scores are -0.5.
  const power =
    average > 0
      ? graph.add("Div", [cuts, number(-average)])
      : graph.add("Sub", [graph.add("Mul", [cuts, number(0)]), number(1)]);
  const scores = graph.add("Neg", [graph.add("Pow", [number(2), power])]);
  const isLow = graph.add("Cast", [graph.add("Less", [scores, number(offset)])], { to: { int: 11 } });
  return graph.numbers(graph.add("Sub", [number(1), graph.add("Mul", [isLow, number(2)])]));
}
