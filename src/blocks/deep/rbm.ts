import { z } from "zod";
import { defineBlock } from "../../core/block.ts";
import { ArgsError } from "../../core/errors.ts";
import type { Frame } from "../../core/frame.ts";
import { count } from "../../core/names.ts";
import { stack, text } from "../../core/view.ts";
import { addUnsearched } from "../models/models.ts";
import { explainRbm } from "./explain.ts";
import { besideArgs, hyperparameters } from "./networks.ts";
import { rbmEvaluate } from "./rbm-evaluate.ts";
import { type Hyper, hyperShape, modelFile, seedArg } from "./rbm-model.ts";
import { rbmPredict } from "./rbm-predict.ts";
import { rbmTrain } from "./rbm-train.ts";

const who = "rbm (DL_RBM_I)";

addUnsearched(["rbm", "DL_RBM_I"], "it learns features and no target, by which folds could be judged");

/**
 * DL_RBM_I. Builds a restricted Boltzmann machine, which learns features from values between 0 and 1.
 *
 * `.train()` (DL_RBM_T) trains it on the features, training rows alone once there is a split; `.predict()` (DL_RBM_P)
 * puts its hidden activations in their place; `.evaluate()` (DL_RBM_E) judges it. The same as scikit-learn's
 * BernoulliRBM: with one random_state, both learn the same parameters.
 */
export const rbm = defineBlock({
  code: "DL_RBM_I",
  name: "rbm",
  args: {
    /** The name the model is trained under, unless the training gives another (default: the helper's name). */
    model_name: z.string().min(1).max(200).optional(),
    /** Binary hidden units: how many features come out (default 256). */
    n_components: hyperShape.n_components.default(256),
    /** How far each step goes; scikit-learn advises to try powers of ten from 1 to 0.001 (default 0.1). */
    learning_rate: hyperShape.learning_rate.default(0.1),
    /** Epochs: passes over the rows (default 10). */
    n_iter: hyperShape.n_iter.default(10),
    /** Rows of a batch; each makes one step (default 10). */
    batch_size: hyperShape.batch_size.default(10),
    /** Seed of the weights to begin with and of all that is drawn (default: a new one, which is recorded). */
    random_state: seedArg.optional(),
    /** The same numbers as an object, as the interface names them; they win. */
    hyp_params: z.strictObject(hyperShape).partial().optional(),
  },
  beside: besideArgs.filter((name) => name === "model_name" || name === "hyp_params"),
  aliases: { epochs: "n_iter" },
  positional: ["n_components"],
  example:
    'session.input("sample:iris").xy({ y: "species" }).scale("minmax").rbm({ n_components: 8, random_state: 0 }).train().predict()',
  derived: [rbmTrain, rbmPredict, rbmEvaluate],
  explain: explainRbm,
  async run(frame, args, context) {
    const hyper = hyperparameters(args) as unknown as Hyper;
    const features = featuresOf(frame, who);
    const name = hyper.model_name ?? "rbm";
    const artifact = await context.tables.writeJson(modelFile(frame, features, name, "DL_RBM_I", hyper, null));
    const built = { function_code: "DL_RBM_I", model_url: { $artifact: artifact } };
    return { frame, output: { [name]: built }, report: { name, hyper, features: features.length } };
  },
  view({ report }) {
    const { name, hyper, features } = report as { name: string; hyper: Hyper; features: number };
    const words = `Restricted Boltzmann machine ${name}: ${count(features, "feature")} to ${count(hyper.n_components, "hidden unit")}. It has learnt nothing yet; call .train().`;
    const items = (["learning_rate", "n_iter", "batch_size", "random_state"] as const).map((label) => ({
      label,
      value: hyper[label],
    }));
    return stack(text(words), { kind: "facts", items });
  },
});

/** The features; without any there is nothing to learn from. */
function featuresOf(frame: Frame, who: string): readonly string[] {
  if (frame.x && frame.x.length > 0) return frame.x;
  throw new ArgsError(
    `${who}: there are no features to learn from; assign X with xy (DP_FSP), as in xy({ y: "digit" }).`,
    { code: "no_roles", hint: "xy" },
  );
}
