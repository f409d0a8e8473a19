import type { Table, Vector } from "apache-arrow";
import { type ColumnValues, wholeValues } from "../core/column-values.ts";

export type { Table as ArrowTable } from "apache-arrow";
export { arrowStream, type GivenColumn, type GivenValues } from "../service/arrow-file.ts";

/** The table in the bytes of an Arrow file. */
export async function arrowTable(bytes: Uint8Array): Promise<Table> {
  const arrow = await import("apache-arrow");
  return arrow.tableFromIPC(bytes);
}

/** The columns of an Arrow file of a service, each in the form of its type. */
export async function arrowColumns(bytes: Uint8Array): Promise<ColumnValues[]> {
  const { DataType } = await import("apache-arrow");
  const table = await arrowTable(bytes);
  return table.schema.fields.map(({ type }, k) => {
    const vector = table.getChildAt(k) as Vector;
    if (DataType.isFloat(type)) return numbersOf(vector);
    if (DataType.isInt(type)) return wholeOf(vector);
    if (DataType.isTimestamp(type)) return Array.from(vector, (ms) => (ms === null ? null : new Date(ms as number)));
    if (!DataType.isList(type)) return Array.from(vector) as (string | null)[];
    return Array.from(vector, (list) => (list === null ? null : Float32Array.from(list as Iterable<number>)));
  });
}

/** The places of a vector's missing rows. */
function missingOf(vector: Vector): number[] {
  if (vector.nullCount === 0) return [];
  const places: number[] = [];
  for (let i = 0; i < vector.length; i++) if (!vector.isValid(i)) places.push(i);
  return places;
}

function numbersOf(vector: Vector): Float64Array {
  const numbers = new Float64Array(vector.length);
  let at = 0;
  for (const { values, length } of vector.data) {
    numbers.set((values as Float64Array).subarray(0, length), at);
    at += length;
  }
  for (const place of missingOf(vector)) numbers[place] = Number.NaN;
  return numbers;
}

function wholeOf(vector: Vector): ColumnValues {
  const runs = vector.data.map(({ values, length }) => (values as BigInt64Array).subarray(0, length));
  return wholeValues(runs, missingOf(vector));
}
