import type { Data, DataType } from "apache-arrow";
import type { NumberArray } from "../core/column-values.ts";

/** Values of one type, one a row, on their way to a service. */
export interface GivenColumn {
  readonly name: string;
  readonly values: GivenValues;
}

/** Numbers as they lie in memory; texts, truths and whole numbers that may be missing; moments as milliseconds, NaN where missing. */
export type GivenValues =
  | { readonly kind: "numbers"; readonly items: NumberArray }
  | { readonly kind: "whole"; readonly items: readonly (number | bigint | null | undefined)[] }
  | { readonly kind: "tensors"; readonly items: readonly (Float32Array | null)[] }
  | { readonly kind: "texts"; readonly items: readonly (string | null)[] }
  | { readonly kind: "truths"; readonly items: readonly (boolean | null | undefined)[] }
  | { readonly kind: "moments" | "days"; readonly items: Float64Array };

/** Rows of one record batch: small enough to be read while others have their turn. */
const batchRows = 2 ** 18;

/** Columns as an Arrow IPC stream; `remarks`, sentences about their values, come back as notices of what reads it. */
export async function arrowStream(columns: readonly GivenColumn[], remarks: readonly string[]): Promise<Uint8Array> {
  const { RecordBatchStreamWriter } = await import("apache-arrow");
  const metadata: Record<string, string> = remarks.length > 0 ? { blocklab_remarks: JSON.stringify(remarks) } : {};
  return RecordBatchStreamWriter.writeAll(await batchesOf(columns, metadata)).toUint8Array(true);
}

/** Columns as an Arrow IPC file, in batches that are read one by one. */
export async function arrowFile(
  columns: readonly GivenColumn[],
  metadata: Readonly<Record<string, string>> = {},
): Promise<Uint8Array> {
  const { RecordBatchFileWriter } = await import("apache-arrow");
  return RecordBatchFileWriter.writeAll(await batchesOf(columns, metadata)).toUint8Array(true);
}

async function batchesOf(columns: readonly GivenColumn[], metadata: Readonly<Record<string, string>>) {
  const arrow = await import("apache-arrow");
  const types = columns.map(({ values }) => typeOf(arrow, values));
  const fields = columns.map(({ name }, k) => new arrow.Field(name, types[k], true));
  const schema = new arrow.Schema(fields, new Map(Object.entries(metadata)));
  const rows = columns[0]?.values.items.length ?? 0;
  const batches = [];
  for (let from = 0; from < rows || from === 0; from += batchRows) {
    const to = Math.min(rows, from + batchRows);
    const children = columns.map(({ values }, k) => dataOf(arrow, types[k], values, from, to));
    const data = arrow.makeData({ type: new arrow.Struct(fields), length: to - from, nullCount: 0, children });
    batches.push(new arrow.RecordBatch(schema, data as Data<never>));
  }
  return batches;
}

type Library = typeof import("apache-arrow");

function typeOf(arrow: Library, values: GivenValues): DataType {
  if (values.kind === "whole") return new arrow.Int64();
  if (values.kind === "texts") return new arrow.Utf8();
  if (values.kind === "truths") return new arrow.Bool();
  if (values.kind === "moments") return new arrow.TimestampMillisecond();
  if (values.kind === "days") return new arrow.DateDay();
  if (values.kind === "tensors") return new arrow.List(new arrow.Field("item", new arrow.Float32(), true));
  return arrow.vectorFromArray(values.items.slice(0, 0) as Float64Array).type;
}

function dataOf(arrow: Library, type: DataType, values: GivenValues, from: number, to: number): Data {
  const length = to - from;
  const make = (data: unknown, missing?: Missing, valueOffsets?: Int32Array): Data =>
    arrow.makeData({
      type,
      length,
      data,
      valueOffsets,
      nullCount: missing?.count ?? 0,
      nullBitmap: missing?.count ? missing.bits : undefined,
    } as never) as unknown as Data;
  const missing = new Missing(length);
  if (values.kind === "numbers") {
    const items = values.items.subarray(from, to);
    if (items instanceof Float64Array || items instanceof Float32Array) {
      for (let i = 0; i < length; i++) if (Number.isNaN(items[i])) missing.add(i);
    }
    return make(items, missing);
  }
  if (values.kind === "tensors") return arrow.vectorFromArray(values.items.slice(from, to) as never[], type).data[0];
  if (values.kind === "texts") {
    const { bytes, offsets } = textsOf(values.items, from, to, missing);
    return make(bytes, missing, offsets);
  }
  if (values.kind === "truths") {
    const bits = new Uint8Array(Math.ceil(length / 8));
    for (let i = 0; i < length; i++) {
      const value = values.items[from + i];
      if (value === null || value === undefined) missing.add(i);
      else if (value) bits[i >> 3] |= 1 << (i & 7);
    }
    return make(bits, missing);
  }
  if (values.kind === "days") {
    const days = Int32Array.from(values.items.subarray(from, to), (ms, i) => {
      if (Number.isNaN(ms)) missing.add(i);
      return ms / 86_400_000;
    });
    return make(days, missing);
  }
  const whole = new BigInt64Array(length);
  for (let i = 0; i < length; i++) {
    const value = values.items[from + i];
    if (value === null || value === undefined || Number.isNaN(value)) missing.add(i);
    else whole[i] = typeof value === "number" ? BigInt(Math.floor(value)) : value;
  }
  return make(whole, missing);
}

/** Which rows are missing, a bit a row: 1 where a value is there. */
class Missing {
  count = 0;
  readonly bits: Uint8Array;

  constructor(rows: number) {
    this.bits = new Uint8Array(Math.ceil(rows / 64) * 8).fill(0xff);
  }

  add(row: number): void {
    this.count++;
    this.bits[row >> 3] &= ~(1 << (row & 7));
  }
}

const encoder = new TextEncoder();

function textsOf(items: readonly (string | null)[], from: number, to: number, missing: Missing) {
  const offsets = new Int32Array(to - from + 1);
  let bytes = new Uint8Array(16 * (to - from) + 64);
  let length = 0;
  for (let i = from; i < to; i++) {
    const text = items[i];
    if (text === null) missing.add(i - from);
    else {
      // A letter takes three bytes at most, two of UTF-16 four.
      if (length + 3 * text.length > bytes.length) {
        const more = new Uint8Array(2 * bytes.length + 3 * text.length);
        more.set(bytes);
        bytes = more;
      }
      length += written(text, bytes, length);
    }
    offsets[i - from + 1] = length;
  }
  return { bytes: bytes.subarray(0, length), offsets };
}

/** The bytes of a text; short plain ones letter by letter, which takes a third of the time of a call. */
function written(text: string, bytes: Uint8Array, at: number): number {
  if (text.length <= 24) {
    let k = 0;
    for (; k < text.length; k++) {
      const letter = text.charCodeAt(k);
      if (letter > 0x7f) break;
      bytes[at + k] = letter;
    }
    if (k === text.length) return k;
  }
  return encoder.encodeInto(text, bytes.subarray(at)).written;
}
