import type { ModelFile } from "../../core/model.ts";
import type { OnnxAttribute, OnnxGraph, OnnxTensor, OnnxValue } from "../../core/onnx.ts";
import { OnnxNodes } from "../../core/onnx-nodes.ts";

/**
 * Puts a model's operators together. All numbers are doubles, so that the answers are ours to the last digits.
 *
 * The input is `x`, rows×features; the outputs are `y_pred`, one per row, and for classes `y_proba`, rows×classes.
 */
export class OnnxBuilder extends OnnxNodes {
  readonly #classes: ModelFile["classes"];
  readonly #features: number;
  readonly #outputs: OnnxValue[] = [];

  constructor(file: ModelFile) {
    super();
    this.#classes = file.classes;
    this.#features = file.features.length;
  }

  get features(): number {
    return this.#features;
  }

  /** x·coef + intercept, with `coef` outputs×inputs row-major: rows×outputs. */
  affine(x: string, coef: Float64Array, intercept: Float64Array): string {
    const outputs = intercept.length;
    const weights = this.constant(coef, [outputs, coef.length / outputs]);
    const bias = this.constant(intercept);
    return this.add("Gemm", [x, weights, bias], { transB: { int: 1 } });
  }

  /** The graph of a model that answers a number: `values` is rows×1. */
  numbers(values: string): OnnxGraph {
    this.#output("Reshape", [values, this.constant(Int32Array.of(-1))], {
      name: "y_pred",
      type: "double",
      dims: ["rows"],
    });
    return this.#graph();
  }

  /** The graph of a clustering that answers clusters, rows, by their probabilities, rows×clusters. */
  clusters(probabilities: string, clusters: number): OnnxGraph {
    const likeliest = this.add("ArgMax", [probabilities], { axis: { int: 1 }, keepdims: { int: 0 } });
    this.#output("Cast", [likeliest], { name: "y_pred", type: "double", dims: ["rows"] }, { to: { int: 11 } });
    this.#output("Identity", [probabilities], { name: "y_proba", type: "double", dims: ["rows", clusters] });
    return this.#graph();
  }

  /** The graph of a model that answers classes by probabilities, rows×classes. */
  probabilities(values: string): OnnxGraph {
    return this.classes(this.add("ArgMax", [values], { axis: { int: 1 }, keepdims: { int: 0 } }), values);
  }

  /** The graph of a model that answers class codes, and perhaps probabilities. */
  classes(codes: string, probabilities?: string): OnnxGraph {
    const labels = this.#classes ?? [];
    const { type, values } = labelTensor(labels);
    this.#output("Gather", [this.constant(values), codes], { name: "y_pred", type, dims: ["rows"] });
    if (probabilities) {
      this.#output("Identity", [probabilities], { name: "y_proba", type: "double", dims: ["rows", labels.length] });
    }
    return this.#graph();
  }

  #output(
    op: string,
    inputs: readonly string[],
    output: OnnxValue,
    attributes: Readonly<Record<string, OnnxAttribute>> = {},
  ): void {
    this.nodes.push({ op, inputs, outputs: [output.name], attributes });
    this.#outputs.push(output);
  }

  #graph(): OnnxGraph {
    const x: OnnxValue = { name: "x", type: "double", dims: ["rows", this.#features] };
    return { inputs: [x], nodes: this.nodes, constants: this.constants, outputs: this.#outputs };
  }
}

function labelTensor(labels: NonNullable<ModelFile["classes"]>): {
  type: OnnxValue["type"];
  values: OnnxTensor["values"];
} {
  if (labels.every((label) => typeof label === "boolean")) return { type: "bool", values: labels };
  if (!labels.every((label) => typeof label === "number")) return { type: "string", values: labels.map(String) };
  // Codes such as 20261121 are whole, and so are years; beyond 32 bits they stay exact as doubles.
  if (labels.every((label) => Number.isInteger(label) && Math.abs(label) < 2 ** 31)) {
    return { type: "int64", values: Int32Array.from(labels) };
  }
  return { type: "double", values: Float64Array.from(labels) };
}
