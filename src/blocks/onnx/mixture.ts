import type { ModelFile } from "../../core/model.ts";
import type { OnnxGraph } from "../../core/onnx.ts";
import { logBases, type Mixture, whiteningOf } from "../../numerics/cluster/mixture.ts";
import { OnnxBuilder } from "./builder.ts";

/** A mixture of normal distributions as ONNX: each row's probabilities of the components, and the likeliest one. */
export function mixtureOnnx(mixture: Mixture, file: ModelFile): OnnxGraph {
  const graph = new OnnxBuilder(file);
  const d = graph.features;
  const bases = logBases(mixture, d);
  const logs = Array.from(bases, (base, c) => {
    const off = graph.add("Sub", ["x", graph.constant(mixture.means.slice(c * d, (c + 1) * d))]);
    const white = graph.affine(off, whiteningOf(mixture, c, d), new Float64Array(d));
    const square = graph.add("ReduceSumSquare", [white, graph.constant(Int32Array.of(1))]);
    const half = graph.add("Mul", [square, graph.constant(Float64Array.of(-0.5), [])]);
    return graph.add("Add", [half, graph.constant(Float64Array.of(base), [])]);
  });
  const all = logs.length === 1 ? logs[0] : graph.add("Concat", logs, { axis: { int: 1 } });
  return graph.clusters(graph.add("Softmax", [all], { axis: { int: 1 } }), logs.length);
}
