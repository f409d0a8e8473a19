import type { BlockContext, Outcome } from "../../core/block.ts";
import { ArgsError } from "../../core/errors.ts";
import type { ModelFile } from "../../core/model.ts";
import { quoted } from "../../core/names.ts";
import type { Learner } from "../models/model-types.ts";
import { modelCodes, predictorOf, usualName } from "../models/models.ts";

/** A model that is looked into. */
export interface Subject {
  readonly predictor: Learner;
  readonly file: ModelFile;
  /** Its name, for the outcome of a block that was not given one. */
  readonly chosen: Pick<Outcome, "chosen">;
}

/** The model of that name; without one the last that the chain trained. Models that learn no columns are refused. */
export async function subjectOf(given: string | undefined, context: BlockContext, who: string): Promise<Subject> {
  const name = given ?? lastModel(context, who);
  const { file } = await context.model(name);
  const predictor = predictorOf(file.function_code);
  if (predictor) return { predictor, file, chosen: given === undefined ? { chosen: { model_name: name } } : {} };
  throw new ArgsError(
    `${who}: it looks into models that learn numbers or classes from columns, and ${quoted(name)} was made by ${file.helper} (${file.function_code}).`,
    { path: "model_name", got: file.function_code, expected: "a model of numbers or classes" },
  );
}

function lastModel(context: BlockContext, who: string): string {
  const trained = context.before(modelCodes());
  const name = trained?.args.model_name ?? (trained && usualName(trained.code));
  if (typeof name === "string") return name;
  throw new ArgsError(
    `${who}: there is no model of numbers or classes in this chain yet; train one first, as in forestClassifier(), or give model_name.`,
    { path: "model_name" },
  );
}
