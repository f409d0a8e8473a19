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

/** An answer of the graph; "rows" stands for however many rows come in. */
export interface OnnxOutput {
  readonly name: string;
  readonly type: "double" | "int64" | "string" | "bool";
  readonly dims: readonly ("rows" | number)[];
}

/** A model as ONNX operators over one input `x`, rows×features of doubles; the runner writes it to a file. */
export interface OnnxGraph {
  readonly features: number;
  readonly nodes: readonly OnnxNode[];
  readonly constants: Readonly<Record<string, OnnxTensor>>;
  readonly outputs: readonly OnnxOutput[];
}
