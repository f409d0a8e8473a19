import type { Column } from "./frame.ts";
import type { Json } from "./record.ts";

/** A fitted model as an artifact: JSON that any program can read. */
export interface ModelFile {
  readonly format: "blocklab-model";
  readonly version: 1;
  readonly function_code: string;
  readonly helper: string;
  readonly model_name: string;
  readonly task: "regression" | "classification";
  /** Feature columns in the order of the parameters. */
  readonly features: readonly Column[];
  readonly targets: readonly Column[];
  /** Class labels in the order of the probabilities; null for regression. */
  readonly classes: readonly (string | number | boolean)[] | null;
  readonly args: Json;
  readonly trained: { readonly rows: number; readonly on: "train" | "all" };
  /** The algorithm's own numbers; arrays of numbers as JSON arrays. */
  readonly parameters: Json;
}

/** How a typed array is written into a model's JSON: short ones as numbers, long ones as little-endian bytes. */
type PackedArray =
  | { readonly dtype: Dtype; readonly data: readonly number[] }
  | { readonly dtype: Dtype; readonly base64: string };
type Dtype = "float64" | "int32";

/** Beyond this many numbers an array is written as base64, a third of the size and far faster to read. */
const longArray = 4096;

/** Replaces typed arrays inside a value by JSON, for writing a model. */
export function packArrays(value: unknown): Json {
  if (value instanceof Float64Array || value instanceof Int32Array) {
    const dtype: Dtype = value instanceof Float64Array ? "float64" : "int32";
    if (value.length <= longArray) return { dtype, data: [...value] };
    return { dtype, base64: Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("base64") };
  }
  if (Array.isArray(value)) return value.map(packArrays);
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, packArrays(inner)]));
  }
  return value as Json;
}

/** The inverse of packArrays. */
export function unpackArrays(value: Json | undefined): unknown {
  if (Array.isArray(value)) return value.map(unpackArrays);
  if (typeof value !== "object" || value === null) return value;
  if ("dtype" in value) return unpack(value as unknown as PackedArray);
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, unpackArrays(inner as Json)]));
}

function unpack(packed: PackedArray): Float64Array | Int32Array {
  const kind = packed.dtype === "float64" ? Float64Array : Int32Array;
  if ("data" in packed) return kind.from(packed.data);
  const bytes = Uint8Array.from(Buffer.from(packed.base64, "base64"));
  return new kind(bytes.buffer);
}
