import type { BlockContext } from "../../core/block.ts";
import { ArgsError } from "../../core/errors.ts";
import type { Frame } from "../../core/frame.ts";
import type { ModelFile } from "../../core/model.ts";
import { count } from "../../core/names.ts";
import { readSplit } from "../../core/split.ts";
import { refuseOtherPreparation } from "../models/at-hand.ts";
import { type Judged, rowsOfSubset, rowsToJudge } from "../models/new-rows.ts";

/** The rows that a model is looked at with: those that `testData` means, else the test rows, or all without a split. */
export async function rowsAsked(
  frame: Frame,
  testData: string | undefined,
  file: ModelFile,
  context: BlockContext,
  who: string,
): Promise<Judged> {
  if (testData !== undefined) return await rowsToJudge(frame, testData, file, context, who);
  refuseOtherPreparation(frame, file, context, who);
  return rowsOfSubset(frame, frame.split ? "test" : "all");
}

/** The numbers of judged rows in their table, from 0. */
export async function rowNumbers(frame: Frame, judged: Judged, n: number, context: BlockContext): Promise<Int32Array> {
  const { subset } = judged.selection;
  if (judged.relation !== frame.relation || !frame.split || subset === "all" || subset === undefined) {
    return Int32Array.from({ length: n }, (_, i) => i);
  }
  return (await readSplit(frame, context.tables))[subset];
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
