import type { NumberArray } from "../../core/column-values.ts";
import { ArgsError } from "../../core/errors.ts";
import {
  type ArqueroTable,
  type ArrowField,
  type ArrowTable,
  arrowCell,
  arrowTypes,
  isArqueroTable,
  isArrowTable,
} from "../../core/library-tables.ts";
import { count, quoted } from "../../core/names.ts";
import type { RawColumn } from "./columns.ts";

/** Rows as objects. */
export type GivenRows = readonly object[] | Iterable<object>;

/** Columns by name: lists and typed arrays. */
export type GivenColumns = Readonly<Record<string, readonly unknown[] | ArrayBufferView>>;

/** A table that a program holds. */
export type GivenTable = GivenRows | GivenColumns | ArrowTable | ArqueroTable;

/** Is it a table in a form that no other argument has: rows, or one of a library's? */
export function isRows(value: unknown): value is GivenRows | ArrowTable | ArqueroTable {
  if (typeof value !== "object" || value === null) return false;
  return isArrowTable(value) || isArqueroTable(value) || Symbol.iterator in value;
}

/** Is it an object of columns: each a list or a typed array? */
export function isColumns(value: unknown): value is GivenColumns {
  if (typeof value !== "object" || value === null || Symbol.iterator in value) return false;
  const columns = Object.values(value);
  return columns.length > 0 && columns.every((each) => Array.isArray(each) || ArrayBuffer.isView(each));
}

/** The columns of any table that a program holds. */
export function columnsIn(value: GivenTable): RawColumn[] {
  if (isArrowTable(value)) return arrowColumns(value);
  if (isArqueroTable(value)) {
    return value.columnNames().map((name) => ({ name, values: listOf(value.array(name)) }));
  }
  if (isColumns(value)) return Object.entries(value).map(([name, each]) => ({ name, values: listOf(each) }));
  return rowColumns(Array.isArray(value) ? value : Array.from(value as Iterable<unknown>));
}

function listOf(value: unknown): RawColumn["values"] {
  if (Array.isArray(value)) return value;
  const isNumbers =
    ArrayBuffer.isView(value) && !/DataView|Float16Array|Clamped/.test(Object.prototype.toString.call(value));
  return isNumbers ? (value as NumberArray) : Array.from(value as Iterable<unknown>);
}

/** Rows as columns, in the order in which their keys first come; a key that a row lacks is missing there. */
function rowColumns(rows: readonly unknown[]): RawColumn[] {
  const times = new Map<string, number>();
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i];
    if (typeof row !== "object" || row === null || ArrayBuffer.isView(row) || row instanceof Map) throw noRow(row, i);
    for (const key of Object.keys(row)) times.set(key, (times.get(key) ?? 0) + 1);
  }
  if (times.size === 0) {
    throw new ArgsError(
      rows.length === 0
        ? "input (DP_1): there are no rows, so there are no columns; an empty table names them, as in input({ age: [], city: [] })."
        : `input (DP_1): ${rows.length === 1 ? "the row has" : `the ${count(rows.length, "row")} have`} no fields, so there are no columns.`,
      { path: "dburl" },
    );
  }
  const isList = Array.isArray(rows[0]);
  return [...times].map(([key, n]) => {
    const values = new Array<unknown>(rows.length);
    // A row that lacks the key would answer "constructor" with its prototype's.
    const isEverywhere = n === rows.length;
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i] as Record<string, unknown>;
      values[i] = isEverywhere || Object.hasOwn(row, key) ? row[key] : undefined;
    }
    return { name: isList ? `column_${Number(key) + 1}` : key, values };
  });
}

function noRow(row: unknown, at: number): ArgsError {
  const got =
    row === null ? "null" : typeof row === "object" ? Object.prototype.toString.call(row).slice(8, -1) : typeof row;
  const shown = typeof row === "string" || typeof row === "number" ? ` ${quoted(String(row))}` : "";
  return new ArgsError(
    `input (DP_1): rows must be objects, but row ${at + 1} is ${got}${shown}; one column alone is an object of it, as in input({ value: [1, 2, 3] }).`,
    { path: "dburl" },
  );
}

interface ArrowVector extends Iterable<unknown> {
  readonly nullCount: number;
  toArray(): unknown;
}

function arrowColumns(table: ArrowTable): RawColumn[] {
  return (table.schema.fields as readonly ArrowField[]).map(({ name, type }, k) => {
    const vector = table.getChildAt(k) as ArrowVector;
    const { typeId } = type;
    const isNumber = typeId === arrowTypes.int || (typeId === arrowTypes.float && type.unit !== 0);
    if (isNumber && vector.nullCount === 0) return { name, values: listOf(vector.toArray()) };
    return { name, values: Array.from(vector, (cell) => arrowCell(type, cell)) };
  });
}
