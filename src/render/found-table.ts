import { inspect, types } from "node:util";
import type { Cell } from "../core/cell.ts";
import {
  type ArqueroTable,
  type ArrowField,
  type ArrowTable,
  arrowCell,
  isArqueroTable,
  isArrowTable,
} from "../core/library-tables.ts";
import { count } from "../core/names.ts";
import type { TableView, ViewColumn } from "../core/view.ts";

/** A table of a few more rows than a head is shown whole. */
const mostRows = 20;
const headRows = 10;

/** So many rows of an array are asked for their columns; a table of a million takes no longer. */
const rowsAsked = 1_000;

/** So many columns are shown, as of a block's table. */
const mostColumns = 200;

/** Longer texts, and longer words for objects and lists in cells, are cut. */
const longestText = 1_000;
const longestNested = 60;

/** The first rows of a table that a program holds. */
interface Head {
  readonly names: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
  /** Rows of the whole. */
  readonly total: number;
}

/** The table that a value is, by its first rows: an array of plain objects, a table of Arrow's or Arquero's; null for all else. */
export function foundTable(value: unknown): TableView | null {
  const head = typeof value === "object" && value !== null && !types.isProxy(value) ? headOf(value) : null;
  if (head === null || head.names.length === 0) return null;
  const names = head.names.slice(0, mostColumns);
  const cut = head.names.length - names.length;
  return {
    kind: "table",
    ...(cut > 0 ? { title: `${count(names.length, "column")} of ${head.names.length.toLocaleString("en-US")}` } : {}),
    columns: names.map((name, k) => ({ name, type: typeOf(head.rows.map((row) => row[k])) })),
    rows: head.rows.map((row) => names.map((_, k) => cellOf(row[k]))),
    total: head.total,
  };
}

function headOf(value: object): Head | null {
  if (Array.isArray(value)) return objectsHead(value);
  try {
    if (isArrowTable(value)) return arrowHead(value);
    return isArqueroTable(value) ? arqueroHead(value as ArqueroTable & Partial<ArqueroRows>) : null;
  } catch {
    // It looks like such a table and is none.
    return null;
  }
}

function shownRows(total: number): number {
  return total <= mostRows ? total : headRows;
}

function objectsHead(items: readonly unknown[]): Head | null {
  const names = new Set<string>();
  const shown: object[] = [];
  const asked = Math.min(items.length, rowsAsked);
  const most = shownRows(items.length);
  for (let i = 0; i < asked; i++) {
    const item = items[i];
    if (!isPlain(item)) return null;
    if (shown.length < most) shown.push(item);
    if (names.size <= mostColumns) for (const name of Object.keys(item)) names.add(name);
  }
  const all = [...names];
  const rows = shown.map((item) => all.slice(0, mostColumns).map((name) => ownValue(item, name)));
  return { names: all, rows, total: items.length };
}

/** An object of no class, made in whichever realm. */
function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null || types.isProxy(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.hasOwn(prototype as object, "isPrototypeOf");
}

/** A getter of a program's may do anything, so it is named and not run. */
class Getter {
  [inspect.custom](): string {
    return "[Getter]";
  }
}

function ownValue(item: object, name: string): unknown {
  const property = Object.getOwnPropertyDescriptor(item, name);
  return property?.get || property?.set ? new Getter() : property?.value;
}

function arrowHead(table: ArrowTable): Head {
  const fields = table.schema.fields as readonly ArrowField[];
  const most = shownRows(table.numRows);
  const columns = fields.slice(0, mostColumns).map(({ type }, k) => {
    const vector = table.getChildAt(k) as { get(row: number): unknown };
    return Array.from({ length: most }, (_, i) => nested(arrowCell(type, vector.get(i))));
  });
  return {
    names: fields.map(({ name }) => name),
    rows: Array.from({ length: most }, (_, i) => columns.map((column) => column[i])),
    total: table.numRows,
  };
}

/** Arrow's lists and structs as lists and objects. */
function nested(cell: unknown): unknown {
  const toJson = typeof cell === "object" && !types.isDate(cell) && (cell as { toJSON?: unknown } | null)?.toJSON;
  return typeof toJson === "function" ? toJson.call(cell) : cell;
}

/** What Arquero's tables answer besides, in the order and with the filter that they have. */
interface ArqueroRows {
  numRows(): number;
  objects(options: { limit: number }): readonly object[];
}

function arqueroHead(table: ArqueroTable & Partial<ArqueroRows>): Head | null {
  const total = table.numRows?.() ?? 0;
  const rows = table.objects?.({ limit: shownRows(total) });
  const names = table.columnNames();
  return rows ? { names, rows: rows.map((row) => names.map((name) => ownValue(row, name))), total } : null;
}

function typeOf(cells: readonly unknown[]): ViewColumn["type"] {
  const known = cells.filter((cell) => cell !== null && cell !== undefined);
  const are = (test: (cell: unknown) => boolean) => known.length > 0 && known.every(test);
  if (are((cell) => Number.isInteger(cell) || typeof cell === "bigint")) return "integer";
  if (are((cell) => typeof cell === "number" || typeof cell === "bigint")) return "number";
  if (are((cell) => typeof cell === "string")) return "string";
  if (are((cell) => typeof cell === "boolean")) return "boolean";
  return are(types.isDate) ? "datetime" : "text";
}

function cellOf(value: unknown): Cell {
  switch (typeof value) {
    case "string":
      return short(value, longestText);
    case "number":
    case "boolean":
      return value;
    case "bigint":
      return String(value);
    case "undefined":
      return null;
    default:
      if (value === null) return null;
      return types.isDate(value) && !Number.isNaN(value.getTime())
        ? value.toISOString()
        : short(words(value), longestNested);
  }
}

/** An object or a list in a few words; one of many fields would take as long as it is large. */
function words(value: unknown): string {
  const fields = isPlain(value) ? Object.keys(value).length : 0;
  if (fields > longestNested) return `{ ${count(fields, "field")} }`;
  return inspect(value, { depth: 1, compact: true, breakLength: Infinity, maxArrayLength: 6, maxStringLength: 40 });
}

function short(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}
