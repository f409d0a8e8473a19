import type { ModelFile } from "../../core/model.ts";
import type { OnnxGraph } from "../../core/onnx.ts";
import { type Activation, type Layers, leak, selu } from "../../numerics/networks/layers.ts";
import { OnnxBuilder } from "./builder.ts";

/** Fully joined layers as ONNX: a product and an activation for each. */
export function layersOnnx({ classes, sizes, weights, biases, activations }: Layers, file: ModelFile): OnnxGraph {
  const graph = new OnnxBuilder(file);
  let values = "x";
  for (const [k, table] of weights.entries()) {
    values = graph.affine(values, turned(table, sizes[k], sizes[k + 1]), biases[k]);
    const activation = activations[k];
    if (activation === "softmax") return graph.probabilities(graph.add("Softmax", [values], { axis: { int: 1 } }));
    if (k < weights.length - 1 || classes === 0) values = activated(graph, values, activation);
  }
  if (classes === 0) return graph.numbers(values);
  const both = [graph.add("Sigmoid", [graph.add("Neg", [values])]), graph.add("Sigmoid", [values])];
  return graph.probabilities(graph.add("Concat", both, { axis: { int: 1 } }));
}

/** An activation by operators that take doubles, which Elu and its kin don't everywhere. */
function activated(graph: OnnxBuilder, x: string, activation: Activation): string {
  const number = (value: number) => graph.constant(Float64Array.of(value));
  const below = () => graph.add("Sub", [graph.add("Exp", [graph.add("Min", [x, number(0)])]), number(1)]);
  switch (activation) {
    case "identity":
      return x;
    case "logistic":
      return graph.add("Sigmoid", [x]);
    case "tanh":
      return graph.add("Tanh", [x]);
    case "relu":
      return graph.add("Relu", [x]);
    case "leaky_relu":
      return graph.add("Max", [x, graph.add("Mul", [x, number(leak)])]);
    case "elu":
      return graph.add("Add", [graph.add("Relu", [x]), below()]);
    case "selu": {
      const low = graph.add("Mul", [below(), number(selu.alpha)]);
      return graph.add("Mul", [graph.add("Add", [graph.add("Relu", [x]), low]), number(selu.scale)]);
    }
    case "softsign":
      return graph.add("Div", [x, graph.add("Add", [graph.add("Abs", [x]), number(1)])]);
    case "softplus": {
      const tail = graph.add("Exp", [graph.add("Neg", [graph.add("Abs", [x])])]);
      return graph.add("Add", [graph.add("Relu", [x]), graph.add("Log", [graph.add("Add", [tail, number(1)])])]);
    }
  }
}

/** inputs×units as units×inputs. */
function turned(table: Float64Array, inputs: number, units: number): Float64Array {
  const out = new Float64Array(table.length);
  for (let i = 0; i < inputs; i++) for (let j = 0; j < units; j++) out[j * inputs + i] = table[i * units + j];
  return out;
}
