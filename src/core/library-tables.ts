/** A table of Apache Arrow's, whichever copy of the library made it. */
export interface ArrowTable {
  readonly schema: { readonly fields: readonly unknown[] };
  readonly numRows: number;
  getChildAt(index: number): unknown;
}

/** A table of Arquero's. */
export interface ArqueroTable {
  columnNames(): string[];
  array(name: string): unknown;
}

/** A column's name and type in Arrow's words. */
export interface ArrowField {
  readonly name: string;
  readonly type: { readonly typeId: number; readonly scale?: number; readonly unit?: number };
}

/** Is it a table of Arrow's? */
export function isArrowTable(value: unknown): value is ArrowTable {
  const table = value as Partial<ArrowTable> | null;
  return typeof table?.getChildAt === "function" && Array.isArray(table.schema?.fields);
}

/** Is it a table of Arquero's? */
export function isArqueroTable(value: unknown): value is ArqueroTable {
  const table = value as Partial<ArqueroTable> | null;
  return typeof table?.columnNames === "function" && typeof table.array === "function";
}

/** Numbers of `Type` in Apache Arrow's format, which every copy of the library has. */
export const arrowTypes = { int: 2, float: 3, decimal: 7, date: 8, timestamp: 10 };

/** A cell of an Arrow column as JavaScript has it: days and moments as Dates, decimals as numbers, null where missing. */
export function arrowCell({ typeId, scale = 0 }: ArrowField["type"], cell: unknown): unknown {
  if (cell === null || cell === undefined) return null;
  if (typeId === arrowTypes.date || typeId === arrowTypes.timestamp) return new Date(Number(cell));
  return typeId === arrowTypes.decimal ? Number(`${String(cell)}e${-scale}`) : cell;
}
