import type { BlockContext } from "../../core/block.ts";
import { DataError } from "../../core/errors.ts";
import { type Column, column, type Frame } from "../../core/frame.ts";
import { count, listed, quoted } from "../../core/names.ts";
import type { Selection } from "../../core/selection.ts";
import { modelColumns } from "../../core/training.ts";
import { packing, type Texts } from "../../numerics/text/units.ts";
import type { Relation } from "../../plan/node.ts";

/** The one column of texts that X is, and the target. */
export function textColumns(frame: Frame, who: string): { readonly feature: Column; readonly target: string } {
  const { features, target } = modelColumns(frame, who);
  if (features.length > 1) {
    throw new DataError(
      `${who}: X must be one column of texts, got ${features.length} (${listed(features)}). Choose one, as in xy({ x: [${quoted(features[0])}], y: ${quoted(target)} }).`,
      { code: "many_features", got: features.length, expected: 1, hint: "xy" },
    );
  }
  const feature = column(frame, features[0]);
  refuseOtherType(feature, who);
  return { feature, target };
}

/** A column of anything but texts is refused, with what to do. */
export function refuseOtherType({ name, type }: Column, who: string): void {
  if (type === "string" || type === "category") return;
  const cure =
    type === "tensor"
      ? "Choose a column of texts with xy (DP_FSP)"
      : 'Choose another with xy (DP_FSP), cast it with astype (DP_ASP) to "str" if its cells are texts, or use a classifier of numbers such as logistic (ML_CN_1)';
  throw new DataError(`${who}: X must be texts, but column ${quoted(name)} is ${type}. ${cure}.`, {
    code: "no_texts",
    got: type,
    expected: "string",
    hint: "astype",
  });
}

/** Texts of a table in shared memory, and how many of them are empty. */
export interface ReadTexts {
  readonly texts: Texts;
  readonly rows: number;
  /** Missing cells, and texts of blanks alone. */
  readonly empty: number;
}

/** Reads a column of texts; a missing cell counts as an empty text. */
export async function readTexts(
  relation: Relation,
  name: string,
  { subset, split }: Selection,
  context: BlockContext,
): Promise<ReadTexts> {
  const [cells] = await context.tables.cells(relation, { subset, split, columns: [name] });
  const texts = cells.map((cell) => String(cell ?? ""));
  const steps = packing(texts);
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) {
      const empty = texts.filter((text) => text.trim() === "").length;
      return { texts: step.value, rows: texts.length, empty };
    }
    context.progress("texts", Math.round(step.value * texts.length), texts.length);
    // Others, such as a cancellation, get their turn.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Texts without a word are learnt from and predicted like any other, which the caller should know. */
export function noticeEmpty({ empty, rows }: ReadTexts, name: string, context: BlockContext, who: string): void {
  if (rows === 0) throw new DataError(`${who}: there are no rows to work on.`, { got: 0, expected: "at least 1 row" });
  if (empty === 0) return;
  const n = count(empty, "text");
  context.notice(`${who}: ${n} of ${quoted(name)} ${empty === 1 ? "is" : "are"} empty and can only be guessed.`);
}
