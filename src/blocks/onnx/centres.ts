import type { ModelFile } from "../../core/model.ts";
import type { OnnxGraph } from "../../core/onnx.ts";
import { OnnxBuilder } from "./builder.ts";

/**
 * The nearest of some centres as ONNX: the one for which x·c − ‖c‖²/2 is greatest.
 *
 * Rows and centres go less the centres' mean, so that what lies far from 0 keeps its digits.
 */
export function centresOnnx(centres: Float64Array, file: ModelFile): OnnxGraph {
  const graph = new OnnxBuilder(file);
  const d = graph.features;
  const k = centres.length / d;
  const mean = new Float64Array(d);
  for (const [at, value] of centres.entries()) mean[at % d] += value / k;
  const coef = centres.map((value, at) => value - mean[at % d]);
  const half = Float64Array.from(
    { length: k },
    (_, c) => -coef.subarray(c * d, (c + 1) * d).reduce((sum, value) => sum + value * value, 0) / 2,
  );
  const scores = graph.affine(graph.add("Sub", ["x", graph.constant(mean)]), coef, half);
  const nearest = graph.add("ArgMax", [scores], { axis: { int: 1 }, keepdims: { int: 0 } });
  return graph.numbers(graph.add("Cast", [nearest], { to: { int: 11 } }));
}
