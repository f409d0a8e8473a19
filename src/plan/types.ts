/** What an expression answers. `missing` is the type of `null` alone; it fits where any other does. */
export type ValueType = "integer" | "number" | "boolean" | "string" | "datetime" | "tensor" | "missing";

/** The columns an expression may read, and what they hold. */
export type Schema = ReadonlyMap<string, ValueType>;

/** A type as people read it in a sentence: "units is a whole number". */
export const typeWords: Readonly<Record<ValueType, string>> = {
  integer: "a whole number",
  number: "a number",
  boolean: "true or false",
  string: "text",
  datetime: "a date",
  tensor: "an array",
  missing: "missing",
};

/** Can arithmetic take it? True counts as 1, false as 0. */
export function isNumeric(type: ValueType): boolean {
  return type === "integer" || type === "number" || type === "boolean";
}

/** The one type that holds values of both; null where there is none. */
export function common(a: ValueType, b: ValueType): ValueType | null {
  if (a === b || b === "missing") return a;
  if (a === "missing") return b;
  const both = new Set([a, b]);
  return both.has("integer") && both.has("number") ? "number" : null;
}
