import type { WriteColumn } from "../../core/tables.ts";

/** Columns of numbers from rows: what a cell of each is, by the column's name; those named in `whole` hold whole numbers. */
export function numberColumns<Row>(
  rows: readonly Row[],
  cells: Readonly<Record<string, (row: Row, place: number) => number | null>>,
  whole: readonly string[] = [],
): WriteColumn[] {
  return Object.entries(cells).map(([name, cell]) => ({
    column: { name, type: "number", ...(whole.includes(name) ? { integer: true } : {}) },
    values: rows.map(cell),
  }));
}
