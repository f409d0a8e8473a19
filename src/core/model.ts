import type { Column } from "./frame.ts";
import type { Json } from "./record.ts";

/** A fitted model as an artifact: JSON that any program can read. */
export interface ModelFile {
  readonly format: "blocklab-model";
  readonly version: 1;
  readonly function_code: string;
  readonly helper: string;
  readonly model_name: string;
  /** "features": it learns no target, but other features from those it is given. */
  readonly task: "regression" | "classification" | "clustering" | "features";
  /** Feature columns in the order of the parameters. */
  readonly features: readonly Column[];
  readonly targets: readonly Column[];
  /** Labels of text features in the order of their codes, where the model takes text as it is. */
  readonly categories?: Readonly<Record<string, readonly (string | number | boolean)[]>>;
  /** Class labels in the order of the probabilities; null for regression. */
  readonly classes: readonly (string | number | boolean)[] | null;
  readonly args: Json;
  readonly trained: { readonly rows: number; readonly on: "train" | "all" };
  /** The algorithm's own numbers, with typed arrays; `modelText` says how they are written. */
  readonly parameters: unknown;
}

type Numbers = Float64Array | Float32Array | Int32Array;

function isNumbers(value: unknown): value is Numbers {
  return value instanceof Float64Array || value instanceof Float32Array || value instanceof Int32Array;
}

/** How a typed array is written into a model's JSON: short ones as numbers, long ones as little-endian bytes. */
interface PackedArray {
  readonly dtype: "float64" | "float32" | "int32";
  readonly data?: readonly number[];
  /** While a file is being read: which of its texts holds the bytes. */
  readonly base64?: number;
}

/** Beyond this many numbers an array is written as base64, a third of the size and far faster to read. */
const longArray = 4096;

/** Bytes of an array in one piece of text; a multiple of 3, so that pieces of base64 can be joined. */
const pieceBytes = 3 << 20;

const mark = '"base64":"';

/**
 * A value with typed arrays as JSON, piece by piece: the text of a large forest is longer than a string can be.
 *
 * Numbers that JSON can't say (NaN, infinity) are written as bytes in an array of any length.
 */
export function* modelText(value: unknown): Generator<string> {
  if (isNumbers(value)) yield* arrayText(value);
  else if (!holdsNumbers(value)) yield JSON.stringify(value) ?? "null";
  else if (Array.isArray(value)) {
    yield "[";
    for (const [k, item] of value.entries()) {
      if (k > 0) yield ",";
      yield* modelText(item);
    }
    yield "]";
  } else {
    const entries = Object.entries(value as object).filter(([, inner]) => inner !== undefined);
    yield "{";
    for (const [k, [name, inner]] of entries.entries()) {
      yield `${k > 0 ? "," : ""}${JSON.stringify(name)}:`;
      yield* modelText(inner);
    }
    yield "}";
  }
}

/** Is there a typed array in a value? What has none, as a wide table's columns, is one piece of text. */
function holdsNumbers(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return isNumbers(value) || Object.values(value).some(holdsNumbers);
}

function* arrayText(values: Numbers): Generator<string> {
  const dtype = values instanceof Float64Array ? "float64" : values instanceof Float32Array ? "float32" : "int32";
  if (values.length <= longArray && values.every(Number.isFinite)) {
    yield JSON.stringify({ dtype, data: [...values] });
    return;
  }
  yield `{"dtype":"${dtype}",${mark}`;
  for (let at = 0; at < values.byteLength; at += pieceBytes) {
    const length = Math.min(pieceBytes, values.byteLength - at);
    yield Buffer.from(values.buffer, values.byteOffset + at, length).toString("base64");
  }
  yield '"}';
}

/** How many bytes the typed arrays inside a value take as text, about. */
export function textBytes(value: unknown): number {
  if (isNumbers(value)) return (value.byteLength * 4) / 3;
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce<number>((sum, inner) => sum + textBytes(inner), 0);
}

/**
 * The model that `modelText` wrote. Long arrays lie in shared memory, so that workers take them without a copy.
 *
 * They are cut out before the rest is parsed, since together they may be longer than a string can be.
 */
export function readModel(bytes: Buffer): ModelFile {
  const texts: Buffer[] = [];
  const rest: string[] = [];
  let from = 0;
  // Quotes inside a text are escaped, so the mark is found where arrays are and nowhere else.
  for (let at = bytes.indexOf(mark); at >= 0; at = bytes.indexOf(mark, from)) {
    const start = at + mark.length;
    const end = bytes.indexOf('"', start);
    rest.push(bytes.toString("utf8", from, start - 1), String(texts.length));
    texts.push(bytes.subarray(start, end));
    from = end + 1;
  }
  rest.push(bytes.toString("utf8", from));
  const file = JSON.parse(rest.join("")) as ModelFile;
  return { ...file, parameters: revived(file.parameters as Json, texts) };
}

function revived(value: Json | undefined, texts: readonly Buffer[]): unknown {
  if (Array.isArray(value)) return value.map((item) => revived(item, texts));
  if (typeof value !== "object" || value === null) return value;
  if ("dtype" in value) return numbersOf(value as unknown as PackedArray, texts);
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, revived(inner as Json, texts)]));
}

function numbersOf({ dtype, data, base64 }: PackedArray, texts: readonly Buffer[]): Numbers {
  // A cast because all three are made alike, which TypeScript can't tell of their union.
  const make = { float64: Float64Array, float32: Float32Array, int32: Int32Array }[dtype] as Float64ArrayConstructor;
  if (data) return make.from(data);
  const text = texts[base64 as number];
  const padding = text.subarray(-2).filter((byte) => byte === 61).length;
  const shared = new SharedArrayBuffer((text.length * 3) / 4 - padding);
  const bytes = new Uint8Array(shared);
  const pieceText = (pieceBytes * 4) / 3;
  for (let at = 0, to = 0; at < text.length; at += pieceText, to += pieceBytes) {
    bytes.set(Buffer.from(text.toString("latin1", at, Math.min(text.length, at + pieceText)), "base64"), to);
  }
  return new make(shared);
}
