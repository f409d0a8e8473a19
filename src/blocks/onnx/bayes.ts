import type { ModelFile } from "../../core/model.ts";
import type { OnnxGraph } from "../../core/onnx.ts";
import type { NaiveBayes } from "../../numerics/naive-bayes.ts";
import { OnnxBuilder } from "./builder.ts";

/** Gaussian naive Bayes as ONNX: log densities of all features in all classes, added up, then shares. */
export function naiveBayesOnnx({ theta, variance, prior }: NaiveBayes, file: ModelFile): OnnxGraph {
  const graph = new OnnxBuilder(file);
  const d = graph.features;
  const base = Float64Array.from(prior, (p, k) => {
    const own = variance.subarray(k * d, (k + 1) * d);
    return own.reduce((sum, value) => sum - 0.5 * Math.log(2 * Math.PI * value), Math.log(p));
  });
  const rows = graph.add("Unsqueeze", ["x", graph.constant(Int32Array.of(1))]);
  const off = graph.add("Sub", [rows, graph.constant(theta, [prior.length, d])]);
  const rate = graph.constant(
    variance.map((value) => 1 / (2 * value)),
    [prior.length, d],
  );
  const parts = graph.add("Mul", [graph.add("Mul", [off, off]), rate]);
  const sums = graph.add("ReduceSum", [parts, graph.constant(Int32Array.of(2))], { keepdims: { int: 0 } });
  const scores = graph.add("Sub", [graph.constant(base), sums]);
  return graph.probabilities(graph.add("Softmax", [scores], { axis: { int: 1 } }));
}
