import {
  BIGINT,
  BLOB,
  BOOLEAN,
  blobValue,
  DATE,
  DECIMAL,
  DOUBLE,
  type DuckDBDataChunk,
  DuckDBDecimalValue,
  type DuckDBType,
  type DuckDBValue,
  FLOAT,
  INTEGER,
  LIST,
  SMALLINT,
  TIME,
  TIMESTAMP,
  TINYINT,
  UBIGINT,
  UINTEGER,
  USMALLINT,
  UTINYINT,
  VARCHAR,
} from "@duckdb/node-api";
import type * as Arrow from "apache-arrow";
import type { NumberArray } from "../../../core/column-values.ts";
import { listed } from "../../../core/names.ts";
import { itemsIn, listOf } from "../read/chunks.ts";

/** Puts rows start…end−1 of a vector into column `k` of an empty chunk. */
type Fill = (chunk: DuckDBDataChunk, k: number, start: number, end: number) => void;

/** A column of an Arrow file as it goes into DuckDB. */
export interface ArrowColumn {
  readonly name: string;
  readonly type: DuckDBType;
  /** The shape of its lists, where all have one. */
  readonly shape?: readonly number[];
  /** What is worth saying of it. */
  readonly remark?: string;
  /** Reads a batch's vector. */
  readonly reading: (vector: Arrow.Vector) => Fill;
}

type Library = typeof Arrow;
type Landing = Omit<ArrowColumn, "name">;

/** How a field of an Arrow schema is read; what no column here can hold becomes text, nested values JSON. */
export function columnOf(arrow: Library, { name, type }: Arrow.Field): ArrowColumn {
  return { name, ...landing(arrow, type, name) };
}

function landing(arrow: Library, type: Arrow.DataType, name: string): Landing {
  const { DataType } = arrow;
  if (DataType.isDictionary(type)) {
    const inner = landing(arrow, type.dictionary as Arrow.DataType, name);
    return { ...inner, reading: (vector) => inner.reading(unpacked(arrow, vector)) };
  }
  return (
    numbersOf(arrow, type) ?? momentsOf(arrow, type, name) ?? listsOf(arrow, type) ?? valuesOf(arrow, type) ?? nested
  );
}

/** Columns whose numbers DuckDB holds as they lie there. */
function numbersOf({ DataType, Precision }: Library, type: Arrow.DataType): Landing | null {
  const plain = (to: DuckDBType): Landing => ({ type: to, reading: (vector) => numbers(vector, rawOf(vector)) });
  if (DataType.isInt(type)) {
    const signed = { 8: TINYINT, 16: SMALLINT, 32: INTEGER, 64: BIGINT };
    const unsigned = { 8: UTINYINT, 16: USMALLINT, 32: UINTEGER, 64: UBIGINT };
    return plain((type.isSigned ? signed : unsigned)[type.bitWidth]);
  }
  if (!DataType.isFloat(type) || type.precision === Precision.HALF) return null;
  return plain(type.precision === Precision.SINGLE ? FLOAT : DOUBLE);
}

const unitNames = ["seconds", "milliseconds", "microseconds", "nanoseconds"];

/** Days, moments, times of the day and durations; moments with a zone are those of UTC already. */
function momentsOf({ DataType, DateUnit }: Library, type: Arrow.DataType, name: string): Landing | null {
  if (DataType.isDate(type)) {
    const days = type.unit === DateUnit.DAY ? rawOf : daysOf;
    return { type: DATE, reading: (vector) => numbers(vector, days(vector)) };
  }
  if (DataType.isTimestamp(type) || DataType.isTime(type)) {
    const to = DataType.isTime(type) ? TIME : TIMESTAMP;
    return { type: to, reading: (vector) => numbers(vector, microsOf(vector, type.unit)) };
  }
  if (!DataType.isDuration(type)) return null;
  return {
    type: BIGINT,
    remark: `input (DP_1): column ${listed([name])} is of durations and was read as ${unitNames[type.unit]}.`,
    reading: (vector) => numbers(vector, rawOf(vector)),
  };
}

/** Lists of numbers: those of one length are tensors. */
function listsOf({ DataType }: Library, type: Arrow.DataType): Landing | null {
  const isFixed = DataType.isFixedSizeList(type);
  if (!isFixed && !DataType.isList(type) && !DataType.isLargeList(type)) return null;
  const item = type.children[0]?.type;
  if (DataType.isFloat(item)) {
    const to = isFixed || item.precision < 2 ? FLOAT : DOUBLE;
    const as = (value: unknown) => listOf(Array.from(value as Iterable<number>, (each) => each ?? Number.NaN));
    return { type: LIST(to), ...(isFixed ? { shape: [type.listSize] } : {}), reading: (vector) => values(vector, as) };
  }
  if (!DataType.isInt(item) || (item.bitWidth === 64 && !item.isSigned)) return null;
  const whole = (each: number | bigint | null) => (each === null ? null : BigInt(each));
  const as = (value: unknown) => listOf(Array.from(value as Iterable<number>, whole) as never);
  return { type: LIST(BIGINT), reading: (vector) => values(vector, as) };
}

/** Columns that are handed over value by value. */
function valuesOf({ DataType }: Library, type: Arrow.DataType): Landing | null {
  const each = (to: DuckDBType, as?: (value: never) => DuckDBValue): Landing => ({
    type: to,
    reading: (vector) => values(vector, as as (value: unknown) => DuckDBValue),
  });
  if (DataType.isUtf8(type) || DataType.isLargeUtf8(type) || DataType.isUtf8View(type)) return each(VARCHAR);
  if (DataType.isNull(type)) return each(VARCHAR);
  if (DataType.isBool(type)) return each(BOOLEAN);
  if (DataType.isFloat(type)) return each(DOUBLE);
  if (DataType.isBinary(type) || DataType.isLargeBinary(type) || DataType.isBinaryView(type)) {
    return each(BLOB, (bytes: Uint8Array) => blobValue(bytes));
  }
  if (DataType.isFixedSizeBinary(type)) return each(BLOB, (bytes: Uint8Array) => blobValue(bytes));
  if (!DataType.isDecimal(type)) return null;
  const { precision, scale } = type;
  if (precision <= 38 && scale >= 0 && scale <= precision) {
    return each(DECIMAL(precision, scale), (words: Uint32Array) => {
      return new DuckDBDecimalValue(wholeOf(words), precision, scale);
    });
  }
  return each(DOUBLE, (words: Uint32Array) => Number(`${wholeOf(words)}e${-scale}`));
}

/** Structs, maps, unions, and lists of others, as the JSON of them. */
const nested: Landing = {
  type: VARCHAR,
  reading: (vector) => values(vector, (value) => JSON.stringify(plain(value))),
};

/** The numbers of a batch's vector as they lie there. */
function rawOf(vector: Arrow.Vector): NumberArray {
  return (vector.data[0]?.values ?? new Int32Array(0)) as NumberArray;
}

const dayMs = 86_400_000n;

function daysOf(vector: Arrow.Vector): Int32Array {
  return Int32Array.from(rawOf(vector) as BigInt64Array, (ms) => Number(floored(ms, dayMs)));
}

/** Microseconds of times in a unit, the coarsest 0. */
function microsOf(vector: Arrow.Vector, unit: number): BigInt64Array {
  const raw = rawOf(vector);
  if (unit === 2 && raw instanceof BigInt64Array) return raw;
  const times = [1_000_000n, 1000n, 1n][unit];
  const micros = new BigInt64Array(raw.length);
  for (let i = 0; i < raw.length; i++) {
    micros[i] = times === undefined ? floored(BigInt(raw[i]), 1000n) : BigInt(raw[i]) * times;
  }
  return micros;
}

/** A quotient of whole numbers, never above the true one: a moment before 1970 is no later than it was. */
function floored(all: bigint, by: bigint): bigint {
  return all / by - (all < 0n && all % by !== 0n ? 1n : 0n);
}

/** Numbers in the form of DuckDB's own vectors. */
function numbers(vector: Arrow.Vector, items: NumberArray): Fill {
  const { nullCount } = vector;
  return (chunk, k, start, end) => {
    const target = chunk.getColumnVector(k);
    // Setting values one by one is 20 times slower.
    itemsIn<Int32Array>(target).set(items.subarray(start, end) as Int32Array);
    if (nullCount > 0) {
      for (let i = start; i < end; i++) if (!vector.isValid(i)) target.setItem(i - start, null);
    }
    target.flush();
  };
}

function values(vector: Arrow.Vector, as: (value: unknown) => DuckDBValue = (value) => value as DuckDBValue): Fill {
  return (chunk, k, start, end) => {
    const target = chunk.getColumnVector(k);
    for (let i = start; i < end; i++) {
      const value: unknown = vector.get(i);
      target.setItem(i - start, value === null || value === undefined ? null : as(value));
    }
    target.flush();
  };
}

/** A dictionary's vector as one of plain values: each of them is read once. */
function unpacked(arrow: Library, vector: Arrow.Vector): Arrow.Vector {
  const { DataType } = arrow;
  const dictionary = vector.data[0]?.dictionary;
  if (!dictionary || !DataType.isUtf8(dictionary.type)) return plainVector(arrow, vector);
  const words = Array.from({ length: dictionary.length }, (_, i) => dictionary.get(i) as string | null);
  const codes = rawOf(vector);
  const isGapless = vector.nullCount === 0;
  return {
    get: (i: number) => (isGapless || vector.isValid(i) ? words[Number(codes[i])] : null),
  } as unknown as Arrow.Vector;
}

function plainVector(arrow: Library, vector: Arrow.Vector): Arrow.Vector {
  const found = Array.from({ length: vector.length }, (_, i) => vector.get(i) as unknown);
  const inner = (vector.type as Arrow.Dictionary).dictionary as Arrow.DataType;
  return arrow.vectorFromArray(found as never[], inner) as Arrow.Vector;
}

/** The whole number in little-endian words of two's complement. */
function wholeOf(words: Uint32Array): bigint {
  let whole = 0n;
  for (let k = words.length - 1; k >= 0; k--) whole = (whole << 32n) | BigInt(words[k]);
  return BigInt.asIntN(32 * words.length, whole);
}

/** A nested value as JSON holds it; whole numbers keep all their digits. */
function plain(value: unknown): unknown {
  if (typeof value === "bigint") return rawJson(String(value));
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Date) return value.toISOString();
  const each = value as { toJSON?: () => unknown } & Partial<Iterable<unknown>>;
  if (ArrayBuffer.isView(value) || Array.isArray(value))
    return Array.from(value as unknown as Iterable<unknown>, plain);
  const inner = each.toJSON?.() ?? value;
  if (Array.isArray(inner)) return inner.map(plain);
  return Object.fromEntries(Object.entries(inner as object).map(([name, cell]) => [name, plain(cell)]));
}

/** V8 has it from Node 22 on; TypeScript's library does not know it yet. */
const { rawJSON: rawJson } = JSON as unknown as { rawJSON(text: string): unknown };
