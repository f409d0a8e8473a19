import { DataError } from "../../core/errors.ts";
import type { ModelFile } from "../../core/model.ts";
import { listed, quoted } from "../../core/names.ts";
import type { OnnxGraph } from "../../core/onnx.ts";
import type { Boosted } from "../../numerics/boost/boosted.ts";
import { OnnxBuilder } from "./builder.ts";
import { leafValues } from "./tree-leaves.ts";

/** Boosted trees as ONNX: the values of each tree's leaf are added up as doubles. Missing cells are NaN. */
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
  const values = leafValues(graph, { ...model, threshold: thresholdsOf(model), width: 1 });
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

/** Behind the last edge all numbers go left, and what is missing goes right. */
function thresholdsOf({ feature, bin, edges, edgeStarts }: Boosted): Float64Array {
  return Float64Array.from(feature, (j, k) =>
    j < 0 ? 0 : edgeStarts[j] + bin[k] < edgeStarts[j + 1] ? edges[edgeStarts[j] + bin[k]] : Number.MAX_VALUE,
  );
}
