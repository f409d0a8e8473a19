import type { ColumnExpr } from "./expr.ts";
import type { ValueType } from "./types.ts";

/** What a column holds. Integers are numbers with `integer` set. */
export type ColumnType = "number" | "boolean" | "string" | "datetime" | "category" | "tensor";

/** A named, typed column. */
export interface Column {
  readonly name: string;
  readonly type: ColumnType;
  /** Whole numbers, stored as 64-bit integers. */
  readonly integer?: boolean;
  /** Shape of one cell of a tensor column, such as [64, 64, 3]. */
  readonly shape?: readonly number[];
}

/** The column's cell in a row, as an expression. */
export function cell(candidate: Column): ColumnExpr {
  return { column: candidate.name, type: valueType(candidate) };
}

/** The same where new rows may bring fractions to a column of whole numbers. */
export function wideCell(candidate: Column): ColumnExpr {
  return candidate.type === "number" ? { column: candidate.name, type: "number" } : cell(candidate);
}

/** What expressions take the column for. */
export function valueType({ type, integer }: Pick<Column, "type" | "integer">): Exclude<ValueType, "missing"> {
  if (type === "category") return "string";
  return type === "number" && integer ? "integer" : type;
}

/** A column of what an expression answers; of what is missing throughout, text. */
export function columnFor(name: string, type: ValueType): Column {
  if (type === "integer") return { name, type: "number", integer: true };
  return { name, type: type === "missing" ? "string" : type };
}
