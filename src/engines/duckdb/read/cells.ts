import {
  DuckDBDateValue,
  DuckDBDecimalValue,
  DuckDBListValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  type DuckDBValue,
} from "@duckdb/node-api";
import type { Column } from "../../../core/frame.ts";
import type { Cell } from "../../../core/view.ts";

/**
 * A DuckDB value as a cell: datetimes as "2026-08-03 22:15:00", integers beyond 2^53 as text.
 *
 * NaN counts as missing; infinities stay numbers.
 */
export function toCell(value: DuckDBValue): Cell {
  if (value === null || value === undefined) return null;
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      return Number.isNaN(value) ? null : value;
    case "bigint":
      return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : String(value);
    default:
      return objectCell(value);
  }
}

function objectCell(value: object): Cell {
  if (value instanceof DuckDBTimestampValue || value instanceof DuckDBTimestampTZValue) {
    return String(value).replace(/\.0+$/, "");
  }
  if (value instanceof DuckDBDateValue) return String(value);
  if (value instanceof DuckDBDecimalValue) return value.toDouble();
  if (value instanceof DuckDBListValue) return `[${value.items.map((item) => shortest(item as number)).join(", ")}]`;
  return String(value);
}

/** The fewest digits that give the same 32-bit float again. */
function shortest(value: number): string {
  for (let digits = 6; digits < 9; digits++) {
    const text = Number(value).toPrecision(digits);
    if (Math.fround(Number(text)) === value) return String(Number(text));
  }
  return String(value);
}

/** The column that a DuckDB type becomes, and how a value of it is cast when it is read in. */
export function columnFor(name: string, duckType: string): { column: Column; cast: string | null } {
  const type = duckType.toUpperCase();
  if (/^(TINYINT|SMALLINT|INTEGER|UTINYINT|USMALLINT|UINTEGER)$/.test(type)) {
    return { column: { name, type: "number", integer: true }, cast: "BIGINT" };
  }
  if (type === "BIGINT") return { column: { name, type: "number", integer: true }, cast: null };
  if (type === "DOUBLE") return { column: { name, type: "number" }, cast: null };
  if (/^(FLOAT|DECIMAL.*|HUGEINT|UBIGINT|UHUGEINT)$/.test(type)) {
    return { column: { name, type: "number" }, cast: "DOUBLE" };
  }
  if (type === "BOOLEAN") return { column: { name, type: "boolean" }, cast: null };
  if (type === "DATE" || type === "TIMESTAMP") return { column: { name, type: "datetime" }, cast: null };
  if (type.startsWith("TIMESTAMP")) return { column: { name, type: "datetime" }, cast: "TIMESTAMP" };
  if (type.startsWith("ENUM")) return { column: { name, type: "category" }, cast: "VARCHAR" };
  return { column: { name, type: "string" }, cast: type === "VARCHAR" ? null : "VARCHAR" };
}

/** The DuckDB type in which a column is stored. */
export function duckType(column: Column): string {
  if (column.type === "number") return column.integer ? "BIGINT" : "DOUBLE";
  if (column.type === "boolean") return "BOOLEAN";
  if (column.type === "datetime") return "TIMESTAMP";
  if (column.type === "tensor") return "FLOAT[]";
  return "VARCHAR";
}

/** SQL for a number that is missing where it is NaN. A comparison with NaN would not do: DuckDB answers it by a Parquet file's statistics, which leave NaN out. */
export function nanMissing(value: string): string {
  return `CASE WHEN isnan(${value}) THEN NULL ELSE ${value} END`;
}
