import { z } from "zod";
import { defineBlock } from "../../core/block.ts";
import { ArgsError } from "../../core/errors.ts";
import { count } from "../../core/names.ts";
import { text } from "../../core/view.ts";
import { clusterFeatures } from "../cluster/clustering.ts";
import { addUnsearched } from "../models/models.ts";
import { explainSom } from "./explain.ts";
import { besideArgs, hyperparameters } from "./networks.ts";
import { somEvaluate } from "./som-evaluate.ts";
import { somArgs, somShape } from "./som-model.ts";
import { somPredict } from "./som-predict.ts";
import { somTrain } from "./som-train.ts";

const who = "som (DL_SOM_I)";

addUnsearched(["som", "DL_SOM_I"], "it learns a map and no target, by which folds could be judged");

/**
 * DL_SOM_I. Builds a self-organizing map: units in a plane, such that like rows come to lie near each other.
 *
 * Needs no target. X are the features; without roles, all columns of numbers; scale them first. `.train()` (DL_SOM_T)
 * trains it and draws it, `.predict()` (DL_SOM_P) gives rows their places, `.evaluate()` (DL_SOM_E) judges it.
 */
export const som = defineBlock({
  code: "DL_SOM_I",
  name: "som",
  args: {
    /** The name the model is trained under, unless the training gives another (default: the helper's name). */
    model_name: z.string().min(1).max(200).optional(),
    /** Units across (default 8). */
    x: somShape.x.default(8),
    /** Units down (default 8). */
    y: somShape.y.default(8),
    /** How many features there are, of clients that send it; another number is refused (default: as many as there are). */
    input_len: somShape.input_len.optional(),
    /** How units lie: as a honeycomb, "hexagonal", or side by side, "rectangular" (default "hexagonal"). */
    topology: somShape.topology.default("hexagonal"),
    /** How far around the nearest unit others learn as well to begin with, in units (default: a quarter of the longer side, 1 at least). */
    sigma: somShape.sigma.optional(),
    /** The share of the way to a row that the nearest unit goes to begin with (default 0.5). */
    learning_rate: somShape.learning_rate.default(0.5),
    /** Epochs: passes over the rows (default 10). */
    epochs: somShape.epochs.default(10),
    /** Seed of the first weights and of the order of rows (default 0). */
    random_state: somShape.random_state.default(0),
    /** The same numbers as an object, as clients send them; they win. */
    hyp_params: z.strictObject(somShape).partial().optional(),
  },
  beside: besideArgs.filter((name) => name === "model_name" || name === "hyp_params"),
  positional: ["x", "y"],
  example:
    'session.input("sample:iris").xy({ y: "species" }).scale().som({ x: 6, y: 6 }).train({ epochs: 20 }).predict()',
  derived: [somTrain, somPredict, somEvaluate],
  explain: explainSom,
  async run(frame, args) {
    const how = somArgs(hyperparameters(args));
    const features = clusterFeatures(frame);
    if (features.length === 0) {
      throw new ArgsError(
        `${who}: there are no features of numbers to learn from; assign X with xy (DP_FSP), as in xy({ y: "species" }).`,
        { code: "no_roles", hint: "xy" },
      );
    }
    const name = args.model_name ?? "som";
    const map = `${how.x} × ${how.y} units, ${how.topology}`;
    const output = { [name]: { function_code: "DL_SOM_I", x: how.x, y: how.y, trained: false } };
    return { frame, output, report: { name, map, features: features.length } };
  },
  view({ report }) {
    const { name, map, features } = report as { name: string; map: string; features: number };
    return text(
      `Self-organizing map ${name}: ${count(features, "feature")} onto ${map}. It has learnt nothing yet; call .train().`,
    );
  },
});
