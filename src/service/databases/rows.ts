/** What a database's column holds, as far as its server says; `any` when each value may be of another type. */
export type FieldKind =
  | "integer"
  | "unsigned"
  | "number"
  | "decimal"
  | "boolean"
  | "text"
  | "date"
  | "timestamp"
  | "any";

/** A column of an answer. */
export interface Field {
  readonly name: string;
  readonly kind: FieldKind;
  /** The type as declared, where values decide for themselves (SQLite). */
  readonly declared?: string;
}

/** An open query. Values come as their kind wants them: bigint, number, boolean, text, null; exact numbers as text. */
export interface RowStream {
  readonly fields: readonly Field[];
  /** The next rows, column by column; null after the last. */
  next(): Promise<readonly (readonly unknown[])[] | null>;
  /** Ends the connection, whatever state it is in. */
  close(): void;
}

/** About how many bytes of rows are held at a time. */
export const batchBytes = 4 * 2 ** 20;

/** Rows as columns. */
export function transposed(rows: readonly (readonly unknown[])[], width: number): unknown[][] {
  return Array.from({ length: width }, (_, k) => rows.map((row) => row[k]));
}

/** A value in text as its kind wants it. */
export function fromText(text: string | null, kind: FieldKind): unknown {
  if (text === null) return null;
  if (kind === "integer") return BigInt(text);
  if (kind === "decimal") return text === "NaN" ? null : text;
  if (kind === "number") {
    const value = text === "Infinity" ? Infinity : text === "-Infinity" ? -Infinity : Number(text);
    return Number.isNaN(value) ? null : value;
  }
  return kind === "boolean" ? text === "t" : text;
}
