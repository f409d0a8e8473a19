/** A constant or an attribute of many numbers or texts; int32 numbers are written as int64. */
export interface OnnxTensor {
  readonly dims: readonly number[];
  readonly values: Float64Array | Int32Array | readonly string[] | readonly boolean[];
}

/** Texts of which few differ: the different ones, and which of them each is. */
export interface OnnxWords {
  readonly words: readonly string[];
  readonly codes: Uint8Array;
}

/** The value of an operator's attribute. */
export type OnnxAttribute =
  | { readonly int: number }
  | { readonly text: string }
  | { readonly ints: Int32Array | readonly number[] }
  | { readonly floats: Float64Array }
  | { readonly texts: readonly string[] }
  | { readonly words: OnnxWords }
  | { readonly tensor: OnnxTensor };

/** One operator: what goes in and comes out, by name. `ml` marks the domain ai.onnx.ml. */
export interface OnnxNode {
  readonly op: string;
  readonly ml?: boolean;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attributes: Readonly<Record<string, OnnxAttribute>>;
}

/** What goes into a graph or comes out of it; "rows" stands for however many rows come in. */
export interface OnnxValue {
  readonly name: string;
  readonly type: "double" | "int64" | "string" | "bool";
  readonly dims: readonly ("rows" | number)[];
}

/** Operators in an order in which each finds what it takes, and the constants among what they take. */
export interface OnnxPart {
  readonly inputs: readonly OnnxValue[];
  readonly nodes: readonly OnnxNode[];
  readonly constants: Readonly<Record<string, OnnxTensor>>;
}

/** A graph as ONNX operators; the runner writes it to a file. Of a model alone the input is `x`, rows×features of doubles. */
export interface OnnxGraph extends OnnxPart {
  readonly outputs: readonly OnnxValue[];
}
