import { quote } from "../../sql.ts";
import { nanMissing } from "../read/cells.ts";
import { isNumberText, isWholeText } from "./long-numbers.ts";

/** What one value of a column without a type of its own turned out to be. */
export type ValueKind = "integer" | "large" | "real" | "boolean" | "date" | "datetime" | "text";

/**
 * A column whose values each have a type of their own, as in SQLite and in workbooks.
 *
 * Values are held as text; when all were seen, they become the narrowest type that takes them all.
 */
export class MixedColumn {
  readonly #seen = new Set<ValueKind>();

  /** The value as text, noting its kind; null stays null. */
  take(value: string | null, kind: ValueKind): string | null {
    if (value !== null) this.#seen.add(kind);
    return value;
  }

  /** Has it values of a type other than text, and would it with one of this kind too? */
  isTyped(kind?: ValueKind): boolean {
    if (this.#seen.size === 0) return false;
    const seen = [...this.#seen, ...(kind ? [kind] : [])];
    return typeOf(seen) !== "VARCHAR" || areLarge(seen);
  }

  /** Are they integers, some of which 64 bits can't hold? */
  get holdsLarge(): boolean {
    return areLarge([...this.#seen]);
  }

  /** The SQL type that all values fit into; a wholly missing column is a number. */
  get type(): "BIGINT" | "DOUBLE" | "BOOLEAN" | "DATE" | "TIMESTAMP" | "VARCHAR" {
    return typeOf([...this.#seen]);
  }
}

function areLarge(seen: readonly ValueKind[]): boolean {
  return seen.includes("large") && seen.every((kind) => kind === "integer" || kind === "large");
}

function typeOf(seen: readonly ValueKind[]) {
  const only = (...kinds: ValueKind[]) => seen.every((kind) => kinds.includes(kind));
  if (seen.length === 0) return "DOUBLE";
  if (only("integer")) return "BIGINT";
  // As doubles, different ones would fall together.
  if (areLarge(seen)) return "VARCHAR";
  if (only("integer", "large", "real")) return "DOUBLE";
  if (only("boolean")) return "BOOLEAN";
  if (only("date")) return "DATE";
  return only("date", "datetime") ? "TIMESTAMP" : "VARCHAR";
}

/** SQL: can the text be read as the type? DuckDB's cast alone would round 2.5, and take 1_000 for a number. */
export function isHeldAs(text: string, type: string): string {
  if (type === "BIGINT") return `(${isWholeText(text)} AND TRY_CAST(${text} AS BIGINT) IS NOT NULL)`;
  return type === "DOUBLE" ? isNumberText(text) : `(TRY_CAST(${text} AS ${type}) IS NOT NULL)`;
}

/** SQL that reads the held column `k` as a type, under the name. */
export function heldAs(k: number, type: string, name: string): string {
  const value = type === "VARCHAR" ? `c${k}` : `TRY_CAST(c${k} AS ${type})`;
  const clean = type === "DOUBLE" ? nanMissing(value) : value;
  return `${clean} AS ${quote(name)}`;
}
