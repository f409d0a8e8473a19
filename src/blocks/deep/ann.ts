import { z } from "zod";
import { defineBlock } from "../../core/block.ts";
import { ArgsError } from "../../core/errors.ts";
import { count } from "../../core/names.ts";
import { text } from "../../core/view.ts";
import { annEvaluate } from "./ann-evaluate.ts";
import { layerList, layersInWords, stackOf } from "./ann-layers.ts";
import { trainingShape } from "./ann-model.ts";
import { annPredict } from "./ann-predict.ts";
import { annTrain } from "./ann-train.ts";
import { explainAnn } from "./explain.ts";
import { besideArgs } from "./networks.ts";

const who = "ann (DL_ANN_S_I)";

/**
 * DL_ANN_S_I. Builds an artificial neural network of fully joined layers, from a list of them as in Keras.
 *
 * `.train()` (DL_ANN_T) trains it on the training rows, `.predict()` (DL_ANN_P) answers rows, `.evaluate()` (DL_ANN_E)
 * judges it. It learns numbers or classes, by the target. Where the last layer can't answer for the target, one that can
 * is added: one linear unit for numbers, one sigmoid unit for two classes, a softmax unit for each of more.
 */
export const ann = defineBlock({
  code: "DL_ANN_S_I",
  codes: ["DL_ANN_I"],
  name: "ann",
  args: {
    /** The name the model is trained under, unless the training gives another (default: the helper's name). */
    model_name: z.string().min(1).max(200).optional(),
    /** Layers from the first to the last: units, or `{ units, activation, rate }`, `{ type: "dropout", rate }`, `{ type: "activation", activation }`; relu unless said, and `rate` is the share of units that each step leaves out (default [64]). */
    layer_list: layerList.default([64]),
    /** How it will be trained, unless the training says otherwise: the arguments of train(). */
    hyp_params: z.strictObject(trainingShape).partial().optional(),
  },
  beside: besideArgs.filter((name) => name === "model_name" || name === "hyp_params"),
  aliases: { layers: "layer_list" },
  positional: ["layer_list"],
  example:
    'session.input("sample:iris").xy({ y: "species" }).split({ test_size: 0.2, random_state: 0 }).scale().ann([16, { type: "dropout", rate: 0.1 }]).train({ epochs: 100, validation_split: 0.2 }).evaluate()',
  derived: [annTrain, annPredict, annEvaluate],
  explain: explainAnn,
  async run(frame, args) {
    const stack = stackOf(args.layer_list, who);
    if (!frame.x || frame.x.length === 0 || !frame.y || frame.y.length === 0) {
      throw new ArgsError(
        `${who}: it is not said what to learn from what; assign X and Y first with xy (DP_FSP), as in xy({ y: "species" }).`,
        { code: "no_roles", hint: "xy" },
      );
    }
    const name = args.model_name ?? "ann";
    const layers = layersInWords(stack);
    const output = { [name]: { function_code: "DL_ANN_S_I", layers, trained: false } };
    return { frame, output, report: { name, layers, features: frame.x.length } };
  },
  view({ report }) {
    const { name, layers, features } = report as { name: string; layers: string; features: number };
    return text(
      `Neural network ${name}: ${count(features, "feature")}, then ${layers}. It has learnt nothing yet; call .train({ epochs: 50 }).`,
    );
  },
});
