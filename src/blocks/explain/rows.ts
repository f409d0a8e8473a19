import type { BlockContext } from "../../core/block.ts";
import { ArgsError } from "../../core/errors.ts";
import type { Frame } from "../../core/frame.ts";
import type { ModelFile } from "../../core/model.ts";
import { count } from "../../core/names.ts";
import { refuseOtherPreparation } from "../models/at-hand.ts";
import { type Judged, rowsOfSubset } from "../models/new-rows.ts";

/** The rows of its own chain that a model is looked at with: the test rows, or all without a split. */
export function ownRows(frame: Frame, file: ModelFile, context: BlockContext, who: string): Judged {
  refuseOtherPreparation(frame, file, context, who);
  return rowsOfSubset(frame, frame.split ? "test" : "all");
}

/** So many rows, by where they come from: "12 test rows". */
export function rowsFrom(n: number, from: string): string {
  if (from === "test") return count(n, "test row");
  return from === "all" ? count(n, "row") : `${count(n, "row")} of ${from}`;
}

/** One row, by its number in the table, wherever it stands. */
export function refuseNoRow(row: number, rows: number, who: string): void {
  if (row < rows) return;
  throw new ArgsError(`${who}: row must be between 0 and ${rows - 1} (${count(rows, "row")}), got ${row}.`, {
    path: "row",
    got: row,
    expected: `0 to ${rows - 1}`,
  });
}
