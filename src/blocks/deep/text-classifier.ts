import { z } from "zod";
import { type Block, defineBlock } from "../../core/block.ts";
import { count } from "../../core/names.ts";
import { text } from "../../core/view.ts";
import { addUnsearched } from "../models/models.ts";
import { explainTextClassifier } from "./explain.ts";
import { textColumns } from "./text-data.ts";
import { textEvaluate } from "./text-evaluate.ts";
import { textPredict } from "./text-predict.ts";
import { searchOptions } from "./text-predictor.ts";
import { textTrain } from "./text-train.ts";

addUnsearched(["textClassifier", "A_DL_TXC_I"], "it searches models of texts itself, as many as max_trials says");

/**
 * A_DL_TXC_I. Builds an automated text classifier: which models to try is left to a search.
 *
 * X is one column of texts, Y one column of labels. train() then tries up to max_trials different models and keeps the
 * best: words or letters, counted or weighted, into naive Bayes, logistic regression, a linear SVM or small networks.
 */
export const textClassifier = defineBlock({
  code: "A_DL_TXC_I",
  name: "textClassifier",
  args: {
    /** The name under which the trained model is kept in the project (default: the helper's name). */
    model_name: z.string().min(1).max(200).optional(),
    /** The arguments below, as an object, in which the interface has them. */
    hyp_params: z
      .strictObject({
        max_trials: z.int().min(1).max(1000).optional(),
        random_state: z.int().min(0).max(4294967295).optional(),
      })
      .optional(),
    /** How many different models are tried at most (default 10). */
    max_trials: z.int().min(1).max(1000).optional(),
    /** Seed of the search and of the networks (default: drawn and recorded). */
    random_state: z.int().min(0).max(4294967295).optional(),
  },
  beside: ["model_name", "hyp_params"],
  example:
    'session.input("sample:birdstrikes").xy({ x: ["wildlife_species"], y: "wildlife_size" }).split({ random_state: 0 }).textClassifier({ max_trials: 5, random_state: 0 }).train({ epochs: 3 }).predict()',
  // Each has arguments of its own, which a list can't tell.
  derived: [textTrain, textPredict, textEvaluate] as unknown as readonly Block[],
  explain: explainTextClassifier,
  async run(frame, args) {
    const { feature, target } = textColumns(frame, "textClassifier (A_DL_TXC_I)");
    const { maxTrials } = searchOptions(args);
    const name = args.model_name ?? "textClassifier";
    return {
      frame,
      output: { [name]: { function_code: "A_DL_TXC_I", max_trials: maxTrials, trained: false } },
      report: { name, maxTrials, feature: feature.name, target },
    };
  },
  view({ report }) {
    const { name, maxTrials, feature, target } = report as Report;
    const trials = count(maxTrials, "model");
    return text(
      `Text classifier ${name}: ${target} from ${feature}, up to ${trials} to try. Train it with train({ epochs: 10 }).`,
    );
  },
});

interface Report {
  readonly name: string;
  readonly maxTrials: number;
  readonly feature: string;
  readonly target: string;
}
