import { DataType, type RecordBatch } from "apache-arrow";
import type { Cell } from "../../core/view.ts";

/** A batch's rows as cells: dates as "2026-08-03 22:15:00", integers beyond 2^53 as text, NaN as missing. */
export function rowsOf(batch: RecordBatch): Cell[][] {
  const columns = batch.schema.fields.map(({ type }, k) => {
    const cells = batch.getChildAt(k);
    const stamps = DataType.isTimestamp(type) ? (cells?.data[0].values as BigInt64Array) : null;
    return (i: number): Cell => {
      const value: unknown = cells?.get(i);
      if (value === null || value === undefined) return null;
      return stamps ? momentOf(stamps[i]) : cellOf(value);
    };
  });
  return Array.from({ length: batch.numRows }, (_, i) => columns.map((cell) => cell(i)));
}

function cellOf(value: unknown): Cell {
  switch (typeof value) {
    case "bigint":
      return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
    case "number":
      return Number.isNaN(value) ? null : value;
    case "string":
    case "boolean":
      return value;
    default:
      return `[${[...(value as Iterable<number>)].join(", ")}]`;
  }
}

/** Microseconds since 1970 as people write them. */
function momentOf(microseconds: bigint): string {
  const rest = ((microseconds % 1_000_000n) + 1_000_000n) % 1_000_000n;
  const text = new Date(Number((microseconds - rest) / 1000n)).toISOString().replace("T", " ").slice(0, 19);
  return rest === 0n
    ? text
    : `${text}.${String(rest)
        .padStart(6, "0")
        .replace(/(?<!0)0+$/, "")}`;
}
