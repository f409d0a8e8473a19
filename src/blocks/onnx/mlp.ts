import type { ModelFile } from "../../core/model.ts";
import type { OnnxGraph } from "../../core/onnx.ts";
import type { Mlp } from "../../numerics/networks/mlp.ts";
import { OnnxBuilder } from "./builder.ts";

const operators = { identity: null, logistic: "Sigmoid", tanh: "Tanh", relu: "Relu" } as const;

/** A multi-layer perceptron as ONNX: a product and an activation for each layer. */
export function mlpOnnx({ sizes, weights, biases, activation, out }: Mlp, file: ModelFile): OnnxGraph {
  const graph = new OnnxBuilder(file);
  let values = "x";
  for (const [k, table] of weights.entries()) {
    values = graph.affine(values, turned(table, sizes[k], sizes[k + 1]), biases[k]);
    const operator = operators[activation];
    if (k < weights.length - 1 && operator) values = graph.add(operator, [values]);
  }
  if (out === "identity") return graph.numbers(values);
  if (out === "softmax") return graph.probabilities(graph.add("Softmax", [values], { axis: { int: 1 } }));
  const both = [graph.add("Sigmoid", [graph.add("Neg", [values])]), graph.add("Sigmoid", [values])];
  return graph.probabilities(graph.add("Concat", both, { axis: { int: 1 } }));
}

/** inputs×units as units×inputs. */
function turned(table: Float64Array, inputs: number, units: number): Float64Array {
  const out = new Float64Array(table.length);
  for (let i = 0; i < inputs; i++) for (let j = 0; j < units; j++) out[j * inputs + i] = table[i * units + j];
  return out;
}
