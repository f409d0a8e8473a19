import type { Frame } from "../../core/frame.ts";
import { chosen } from "../../core/scope.ts";
import type { Slice } from "../../core/slices.ts";

/** The columns by which rows are compared: those named, else all. */
export function columnsCompared(frame: Frame, wanted: Slice): readonly string[] {
  const names = frame.columns.map((column) => column.name);
  if (Array.isArray(wanted) && wanted.length === 0) return names;
  return chosen(frame, wanted, { names, where: "the table" });
}
