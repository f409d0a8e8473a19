import { z } from "zod";
import type { BlockContext, Outcome } from "../../core/block.ts";
import { ArgsError, DataError } from "../../core/errors.ts";
import type { Frame } from "../../core/frame.ts";
import { columnOf } from "../../core/matrix.ts";
import type { ModelFile } from "../../core/model.ts";
import { count, listed, quoted } from "../../core/names.ts";
import { type TextView, text } from "../../core/view.ts";
import { noticeSeenRows } from "../models/at-hand.ts";
import { labelledRows } from "../models/metrics.ts";
import { askModel, probabilitiesOf } from "../models/predict.ts";
import { ownRows, rowsFrom } from "./rows.ts";
import { classAsked, type Label } from "./shares.ts";
import { subjectOf } from "./subject.ts";

/** What blocks take that judge a classifier by its probabilities. */
export const scoredArgs = {
  /** The name of the model (default: the last one of the chain). */
  model_name: z.string().min(1).max(200).optional(),
  /** Rows to judge by, target included: a file or URL, or the name of one of the record's URLs such as "x_train_url" (default: the test rows, or all without a split). */
  test_data: z.string().optional(),
};

/** Rows whose class is known, with the probability of each class. */
export interface Scored {
  readonly file: ModelFile;
  readonly labels: readonly Label[];
  readonly chosen: Pick<Outcome, "chosen">;
  /** "test", "all", or what the rows are in words. */
  readonly from: string;
  readonly n: number;
  /** A 1 for each row of this class. */
  positive(label: number): Uint8Array;
  /** The probability of this class, row by row. */
  score(label: number): Float64Array;
}

/** The rows by which a classifier is judged; a model without probabilities is refused. */
export async function scoredRows(
  frame: Frame,
  { model_name, test_data }: { readonly model_name?: string | undefined; readonly test_data?: string | undefined },
  context: BlockContext,
  who: string,
): Promise<Scored> {
  const { predictor, file, chosen } = await subjectOf(model_name, context, who);
  const target = file.targets[0].name;
  const labels = file.classes;
  if (!labels) {
    throw new ArgsError(
      `${who}: it is for models of classes, and ${quoted(file.model_name)} answers numbers of ${quoted(target)}.`,
      { path: "model_name", got: file.task, expected: "classification" },
    );
  }
  if (test_data === undefined) await noticeSeenRows(frame, file, frame.split ? "test" : "all", context, who);
  const judged =
    test_data === undefined
      ? ownRows(frame, file, context, who)
      : await labelledRows(frame, test_data, file, context, who);
  const matrix = probabilitiesOf(await askModel(predictor, judged, file, context, who));
  if (!matrix) {
    throw new DataError(
      `${who}: model ${quoted(file.model_name)} tells classes without probabilities. Train it with probability: true, or take another, such as logistic (ML_CN_1).`,
      { code: "no_probabilities", path: "model_name" },
    );
  }
  const { subset, split } = judged.selection;
  const found = await context.tables.classes(judged.relation, target, { subset, split });
  const places = found.labels.map((label) => labels.indexOf(label));
  // A class that the model has not learnt is none of its own.
  const truth = found.codes.map((code) => (code < 0 ? -2 : places[code]));
  const kept = Int32Array.from(Array.from(truth.keys()).filter((i) => truth[i] > -2));
  if (kept.length === 0) {
    throw new DataError(`${who}: the true ${quoted(target)} is missing in all rows, so none can be judged.`, {
      code: "missing_target",
      got: 0,
    });
  }
  return {
    ...{ file, labels, chosen, from: judged.from, n: kept.length },
    positive: (label) => Uint8Array.from(kept, (i) => (truth[i] === label ? 1 : 0)),
    score(label) {
      const column = columnOf(matrix, label);
      return Float64Array.from(kept, (i) => column[i]);
    },
  };
}

/** A class that is looked for among rows. */
export interface Sought {
  readonly label: Label;
  /** A 1 for each row that is of it. */
  readonly positive: Uint8Array;
  /** Its probability, row by row. */
  readonly score: Float64Array;
}

/** The class that is looked for: of two the second unless told, of more the one that is asked for. */
export function soughtIn(scored: Scored, wanted: Label | undefined, who: string): Sought {
  const place = classSought(scored, wanted, who);
  const label = scored.labels[place];
  const positive = scored.positive(place);
  refuseOneSided(positive, label, who);
  return { label, positive, score: scored.score(place) };
}

function classSought({ file, labels }: Scored, wanted: Label | undefined, who: string): number {
  const asked = classAsked(wanted, file, who);
  if (asked !== null) return asked;
  if (labels.length === 2) return 1;
  const known = labels.map(String);
  throw new ArgsError(
    `${who}: ${quoted(file.targets[0].name)} has ${count(labels.length, "class", "classes")}, so say which is looked for, as in class: ${quoted(known[0])}. Classes: ${listed(known, 50)}.`,
    { path: "class", expected: known.slice(0, 50) },
  );
}

/** Nothing can be found where there is nothing, and nothing missed where there is nothing else. */
function refuseOneSided(positive: Uint8Array, label: Label, who: string): void {
  const hits = positive.reduce((sum, each) => sum + each, 0);
  if (hits > 0 && hits < positive.length) return;
  throw new DataError(
    `${who}: ${hits === 0 ? "none" : "each"} of the ${count(positive.length, "row")} is ${quoted(String(label))}, so there is nothing to tell apart.`,
    { code: "one_class", got: hits },
  );
}

/** On which rows a model was judged, as a sentence; a warning where it has learnt from them. */
export function judgedOn(model: string, what: string, n: number, from: string): TextView {
  const rows = from === "all" ? `all ${rowsFrom(n, from)}, which it was trained on` : rowsFrom(n, from);
  return text(`Model ${model}, ${what}, judged on ${rows}.`, from === "all" ? "warning" : "plain");
}
