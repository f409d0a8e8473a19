import type { OnnxAttribute, OnnxNode, OnnxPart, OnnxTensor } from "./onnx.ts";

/** Operators and constants, put together one by one under names of their own. */
export class OnnxNodes {
  readonly nodes: OnnxNode[] = [];
  readonly constants: Record<string, OnnxTensor> = {};

  /** Adds an operator with one output and answers the output's name. */
  add(op: string, inputs: readonly string[], attributes: Readonly<Record<string, OnnxAttribute>> = {}): string {
    const output = `${op.toLowerCase()}_${this.nodes.length}`;
    this.nodes.push({ op, inputs, outputs: [output], attributes });
    return output;
  }

  /** Adds an operator of the domain ai.onnx.ml and answers its outputs' names (default: one). */
  ml(
    op: string,
    inputs: readonly string[],
    attributes: Readonly<Record<string, OnnxAttribute>>,
    count = 1,
  ): readonly string[] {
    const outputs = Array.from({ length: count }, (_, k) => `${op.toLowerCase()}_${this.nodes.length}_${k}`);
    this.nodes.push({ op, ml: true, inputs, outputs, attributes });
    return outputs;
  }

  /** Adds a constant and answers its name. */
  constant(values: OnnxTensor["values"], dims: readonly number[] = [values.length]): string {
    const name = `constant_${Object.keys(this.constants).length}`;
    this.constants[name] = { dims, values };
    return name;
  }
}

/** The same operators with other names between them. */
export function renamed({ inputs, nodes, constants }: OnnxPart, rename: (name: string) => string): OnnxPart {
  return {
    inputs,
    nodes: nodes.map((node) => ({ ...node, inputs: node.inputs.map(rename), outputs: node.outputs.map(rename) })),
    constants: Object.fromEntries(Object.entries(constants).map(([name, tensor]) => [rename(name), tensor])),
  };
}
