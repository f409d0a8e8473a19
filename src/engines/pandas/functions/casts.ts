import type { FunctionName } from "../../../plan/functions.ts";
import { atom, binding, chained, cutOff, forEach, infix, type Write, within } from "./writing.ts";

const asText: Write = ([x], _, type, writer) =>
  x.type === "string" ? x.piece : forEach(writer, type, writer.helper("text"), [x]);

const asNumber: Write = ([x], _, type, writer) => {
  if (x.type === "number") return x.piece;
  if (x.type === "string") return forEach(writer, type, writer.helper("number"), [x]);
  if (x.type === "datetime") return chained(x, (column) => `pd.Series(pd.NA, index=${column}.index, dtype="Float64")`);
  return chained(x, (column) => `${column}.astype("Float64")`);
};

const asInteger: Write = ([x], _, type, writer) => {
  if (x.type === "integer") return x.piece;
  if (x.type === "string") return forEach(writer, type, writer.helper("integer"), [x]);
  if (x.type === "datetime") return chained(x, (column) => `pd.Series(pd.NA, index=${column}.index, dtype="Int64")`);
  return chained(x, (column) => (x.type === "boolean" ? `${column}.astype("Int64")` : cutOff(column)));
};

const asBoolean: Write = ([x], _, type, writer) => {
  if (x.type === "boolean") return x.piece;
  if (x.type === "string") return forEach(writer, type, writer.helper("boolean"), [x]);
  if (x.type === "datetime") return chained(x, (column) => `pd.Series(pd.NA, index=${column}.index, dtype="boolean")`);
  return infix("!=", binding.compare, x.piece, atom("0"));
};

/** Values in other types. */
export const casts = {
  isMissing: ([x]) => atom(x.isColumn ? `${within(x.piece, binding.atom)}.isna()` : `pd.isna(${x.piece.text})`),
  number: asNumber,
  integer: asInteger,
  text: asText,
  boolean: asBoolean,
  written: ([x], _, type, writer) => forEach(writer, type, writer.helper("written"), [x]),
} satisfies Partial<Record<FunctionName, Write>>;
