import type { BlockContext } from "../../core/block.ts";
import type { ModelFile } from "../../core/model.ts";
import { predictText, type TextModel } from "../../numerics/text/model.ts";
import type { RowPredictor } from "../models/models.ts";
import { hyperparameters, trainedNetwork } from "./networks.ts";
import { noticeEmpty, readTexts, refuseOtherType } from "./text-data.ts";

/** The function code of what trains a text classifier, which its models carry. */
export const trainCode = "A_DL_TXC_T";

/** How prediction and evaluation ask a text classifier. */
export const textPredictor: RowPredictor = {
  code: trainCode,
  name: "textClassifier",
  async ask(file, judged, context, who) {
    const [{ name }] = file.features;
    const found = judged.columns.find((each) => each.name === name);
    if (found) refuseOtherType(found, who);
    const read = await readTexts(judged.relation, name, judged.selection, context);
    noticeEmpty(read, name, context, who);
    // A cast because a model of this code is what its training wrote.
    const model = file.parameters as TextModel;
    const matrix = await context.compute(predictText, { texts: read.texts, model }, "predict");
    return { kind: "probabilities", matrix };
  },
};

/** The trained text classifier of that name; without a name the last one built in this chain. */
export async function trainedModel(
  given: string | undefined,
  context: BlockContext,
  who: string,
): Promise<{ file: ModelFile }> {
  return await trainedNetwork(
    { predictor: textPredictor, built: "A_DL_TXC_I", noun: "classifier" },
    given,
    context,
    who,
  );
}

/** How many different models are tried unless said otherwise. */
const usualTrials = 10;

/** What decides a search, from the arguments of building and training; those given last win. */
export function searchOptions(...given: readonly Readonly<Record<string, unknown>>[]): {
  readonly maxTrials: number;
  readonly seed: number;
} {
  // The blocks' schemas have checked them.
  const { max_trials = usualTrials, random_state = 0 } = hyperparameters(...given) as Record<string, number>;
  return { maxTrials: max_trials, seed: random_state };
}
