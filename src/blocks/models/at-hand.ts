import type { BlockContext } from "../../core/block.ts";
import { DataError } from "../../core/errors.ts";
import type { Frame, Subset } from "../../core/frame.ts";
import type { ModelFile } from "../../core/model.ts";
import { count, listed, quoted } from "../../core/names.ts";
import { comparePreparation } from "../../core/recipes.ts";
import { readSplit } from "../../core/split.ts";
import { isSameTable } from "../../plan/node.ts";

/**
 * Refuses rows whose features are prepared otherwise than those that the model learnt from: its answers mean nothing.
 *
 * By what the project knows of the block that trained it. That the same steps have other fitted numbers here, or that
 * the rows come from another input, is told alone.
 */
export function refuseOtherPreparation(frame: Frame, file: ModelFile, context: BlockContext, who: string): void {
  const { model_name: name } = file;
  const trained = context.trainedOn(name);
  if (!trained) return;
  const { otherwise, refitted } = comparePreparation(
    frame,
    trained.frame,
    file.features.map((each) => each.name),
  );
  const model = `model ${quoted(name)} (block ${trained.block})`;
  if (otherwise.length > 0 && trained.isSameInput) {
    throw new DataError(
      `${who}: ${listed(otherwise)} ${otherwise.length === 1 ? "is" : "are"} prepared otherwise here than where ${model} learnt, so what it says of these rows would mean nothing. Ask it behind block ${trained.block}, as from session.at(${trained.block}), or train a model here.`,
      {
        code: "other_preparation",
        path: "model_name",
        got: otherwise.slice(0, 50),
        expected: `block ${trained.block}`,
      },
    );
  }
  if (otherwise.length > 0) {
    context.notice(
      `${who}: ${listed(otherwise)} ${otherwise.length === 1 ? "comes" : "come"} from another input, and not by the steps by which ${model} had ${otherwise.length === 1 ? "it" : "them"}; it is right only if they were prepared alike before.`,
    );
  }
  if (refitted.length > 0) {
    context.notice(
      `${who}: ${listed(refitted)} ${refitted.length === 1 ? "was" : "were"} prepared with other fitted values than those by which ${model} learnt, as behind another split; ask it behind block ${trained.block} for its own.`,
    );
  }
}

/** Says that rows which are to judge a model are among those that it learnt from, as behind another split. */
export async function noticeSeenRows(
  frame: Frame,
  file: ModelFile,
  subset: Subset,
  context: BlockContext,
  who: string,
): Promise<void> {
  const trained = context.trainedOn(file.model_name);
  if (subset !== "test" || !frame.split || !trained?.isSameInput || trained.isSameSplit) return;
  const there = trained.frame;
  const model = `model ${quoted(file.model_name)} (block ${trained.block})`;
  const way = there.split ? "learnt behind another split" : "learnt from all rows, before the split";
  const cure = `Judge it behind block ${trained.block}, or train it anew here`;
  if (context.tables.isFar || !isSameTable(frame.relation, there.relation)) {
    context.notice(`${who}: ${model} ${way}, so it may know some of these test rows, and scores flatter. ${cure}.`);
    return;
  }
  const known = new Uint8Array(there.rows);
  for (const row of (await readSplit(there, context.tables)).train) known[row] = 1;
  const { test } = await readSplit(frame, context.tables);
  const seen = test.reduce((sum, row) => sum + known[row], 0);
  if (seen === 0) return;
  context.notice(
    `${who}: ${model} ${way}, and has learnt from ${seen.toLocaleString("en-US")} of these ${count(test.length, "test row")}, so scores flatter. ${cure}.`,
  );
}
