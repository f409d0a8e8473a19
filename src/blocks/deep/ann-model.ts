import { z } from "zod";
import type { BlockContext } from "../../core/block.ts";
import { ArgsError, DataError } from "../../core/errors.ts";
import { columnOf } from "../../core/matrix.ts";
import { count, quoted } from "../../core/names.ts";
import type { TrainingData } from "../../core/training.ts";
import { stack, text, type View } from "../../core/view.ts";
import { fitAnn, type TrainedAnn } from "../../numerics/networks/ann.ts";
import { type Layers, predictLayers } from "../../numerics/networks/layers.ts";
import type { Loss, Optimizer } from "../../numerics/networks/learner.ts";
import type { Fitted } from "../models/model-types.ts";
import { searchedModelling } from "../models/models.ts";
import { computeRows, matrixOf } from "../shared/row-parts.ts";
import { type LayerList, layerList, layersText, shapeOf, stackOf } from "./ann-layers.ts";
import { hyperparameters, type NetworkKind } from "./networks.ts";
import { sparkline } from "./rbm-view.ts";

/** The function code of what trains a network, which its models carry. */
export const annCode = "DL_ANN_T";

/** Names of losses by what they make small; those of Keras mean the same. */
const losses = {
  cross_entropy: "log",
  categorical_crossentropy: "log",
  sparse_categorical_crossentropy: "log",
  binary_crossentropy: "log",
  mse: "squares",
  mean_squared_error: "squares",
  mae: "absolute",
  mean_absolute_error: "absolute",
  huber: "huber",
} as const satisfies Record<string, Loss>;

/** How a network is trained, as requests say it. */
export const trainingShape = {
  epochs: z.int().min(1).max(100_000),
  batch_size: z.int().min(1).max(1_000_000),
  validation_split: z.number().min(0).lt(1),
  patience: z.int().min(1).max(100_000),
  optimizer: z.literal(["adam", "sgd", "rmsprop"]),
  learning_rate: z.number().positive().max(1e6),
  momentum: z.number().min(0).lt(1),
  loss: z.literal(Object.keys(losses) as (keyof typeof losses)[]),
  task: z.literal(["classification", "regression"]),
  random_state: z.int().min(0).max(4294967295),
};

const { patience, learning_rate, loss, task, ...others } = trainingShape;

/** All that decides a training, with what holds where nothing is said. */
const whole = {
  layer_list: layerList.default([64]),
  epochs: others.epochs.default(50),
  batch_size: others.batch_size.default(32),
  validation_split: others.validation_split.default(0),
  optimizer: others.optimizer.default("adam"),
  momentum: others.momentum.default(0),
  random_state: others.random_state.default(0),
  patience: patience.optional(),
  learning_rate: learning_rate.optional(),
  loss: loss.optional(),
  task: task.optional(),
};

const schema = z.object(whole);

/** All that decides a training. */
export type AnnArgs = z.output<typeof schema>;

/** What was given, with what holds where nothing was said. */
export function annArgs(given: object): AnnArgs {
  // The blocks' schemas have checked it.
  return schema.parse(given);
}

/** All that decides a training: what the network was built with, and what the training itself was told, which wins. */
export function annTraining(built: Readonly<Record<string, unknown>>, told: Readonly<Record<string, unknown>>) {
  // A seed that it was built with wins, since the training always has one.
  const { add_dim: _, random_state, ...rest } = told;
  const { model_name, cv, ...given } = hyperparameters({ random_state }, built, rest);
  return { how: annArgs(given), model_name, cv };
}

/** Rows that are worth a thread. */
const fewest = 2000;

/** How networks of fully joined layers are trained and asked. */
export const annModelling = searchedModelling(
  {
    code: annCode,
    name: "ann",
    why: "Layers of simple units, laid out by hand, can bend to any shape the data has.",
    task: (args) => args.task ?? null,
    asNumbers: 'train({ task: "regression" })',
    args: whole,
    example: "…ann([16]).train()",
    fit,
    async predict(model: Layers, x, context) {
      const matrix = await computeRows(context, predictLayers, { x: matrixOf(x), model }, "predict", fewest);
      return model.classes === 0 ? { kind: "numbers", values: columnOf(matrix, 0) } : { kind: "probabilities", matrix };
    },
  },
  ["DL_ANN_S_I", "DL_ANN_I", "DL_ANN_S_T"],
);

/** How predictions and evaluations find a network. */
export const annKind: NetworkKind = { predictor: annModelling.predictor, built: "DL_ANN_S_I", noun: "network" };

async function fit({ x, y, classes }: TrainingData, args: AnnArgs, context: BlockContext): Promise<Fitted<Layers>> {
  const who = `train (${annCode})`;
  const kinds = classes.labels.length;
  const shape = shapeOf(stackOf(args.layer_list as LayerList, who), x.d, kinds, who);
  const curve = new Float64Array(new SharedArrayBuffer(8 * 3 * args.epochs)).fill(Number.NaN);
  const isJudged = args.validation_split > 0 && x.n > 1;
  const tell = (done: number, total: number) => context.progress(phaseOf(curve, args.epochs), done, total);
  tell(0, 1);
  const trained = await context.compute(
    fitAnn,
    {
      x: matrixOf(x),
      y: kinds > 0 ? classes.codes : columnOf(y, 0),
      classes: kinds,
      ...shape,
      loss: lossOf(args.loss, kinds, who),
      optimizer: optimizerOf(args),
      epochs: args.epochs,
      batch: args.batch_size,
      validation: isJudged ? args.validation_split : 0,
      ...(args.patience === undefined ? {} : { patience: args.patience }),
      seed: args.random_state,
      curve,
    },
    tell,
  );
  if (!trained.losses.every(Number.isFinite)) {
    throw new DataError(
      `${who}: the weights grew beyond all bounds. Scale the features with scale (DP_5) first, or take a smaller learning_rate.`,
      { code: "overflow", hint: "scale" },
    );
  }
  return { parameters: trained.model, shown: shownOf(trained, kinds > 0), found: foundOf(trained, kinds > 0) };
}

/** Which epoch it is, and how the loss went: what is told while it runs. */
function phaseOf(curve: Float64Array, epochs: number): string {
  const rows = Array.from({ length: epochs }, (_, k) => curve.subarray(3 * k, 3 * k + 3));
  const unknown = rows.findIndex(([first]) => Number.isNaN(first));
  const done = unknown < 0 ? epochs : unknown;
  if (done === 0) return `epoch 1 of ${epochs}`;
  const [own, apart] = rows[done - 1]!;
  const held = Number.isNaN(apart) ? "" : `, ${apart!.toPrecision(3)} held out`;
  const all = rows.slice(0, done).map(([first]) => first!);
  return `epoch ${Math.min(done + 1, epochs)} of ${epochs}, loss ${own!.toPrecision(3)}${held} ${sparkline(all, done)}`;
}

/** What a training makes small; ArgsError where that is not for such a target. */
export function lossOf(given: keyof typeof losses | undefined, classes: number, who: string): Loss {
  if (given === undefined) return classes > 0 ? "log" : "squares";
  const found = losses[given];
  if ((found === "log") === classes > 0) return found;
  throw new ArgsError(
    `${who}: loss ${quoted(given)} is for ${classes > 0 ? "numbers" : "classes"}, but the target is ${classes > 0 ? "classes, which take cross_entropy" : "numbers, which take mse, mae or huber"}.`,
    { path: "loss", got: given, expected: classes > 0 ? "cross_entropy" : "mse, mae or huber" },
  );
}

/** How a training steps. */
export function optimizerOf({ optimizer, learning_rate: given, momentum }: AnnArgs): Optimizer {
  const rate = given ?? (optimizer === "sgd" ? 0.01 : 0.001);
  if (optimizer === "sgd") return { kind: "sgd", rate, momentum, nesterov: false };
  if (optimizer === "rmsprop") return { kind: "rmsprop", rate, rho: 0.9, epsilon: 1e-7 };
  return { kind: "adam", rate, beta1: 0.9, beta2: 0.999, epsilon: 1e-7 };
}

/** What stands in the record: the last losses, or those of the epoch that was kept. */
function foundOf({ losses: own, heldLosses, heldScores, kept }: TrainedAnn, isClasses: boolean) {
  const score = isClasses ? "val_accuracy" : "val_r2";
  return {
    epochs: own.length,
    loss: own[kept - 1]!,
    ...(heldLosses.length > 0 ? { val_loss: heldLosses[kept - 1]!, [score]: heldScores[kept - 1]! } : {}),
    history: {
      loss: [...own],
      ...(heldLosses.length > 0 ? { val_loss: [...heldLosses], [score]: [...heldScores] } : {}),
    },
  };
}

/** The layers in words, and how the loss fell. */
function shownOf({ model, losses: own, heldLosses, heldScores, kept }: TrainedAnn, isClasses: boolean): View {
  const x = Array.from(own, (_, k) => k + 1);
  const lines = (title: string, series: readonly { name: string; y: number[] }[]): View => ({
    kind: "chart",
    chart: {
      kind: "lines",
      title,
      x: { title: "epoch", type: "number" },
      y: { title, type: "number" },
      series: series.map((each) => ({ ...each, x })),
    },
  });
  const digits = (value: number) => Number(value.toPrecision(4));
  const held = heldLosses.length > 0 ? `, ${digits(heldLosses[kept - 1]!)} on the rows held out` : "";
  const back = kept < own.length ? `; those of epoch ${kept}, the best, were kept` : "";
  const words = `Layers of ${layersText(model)} units; ${count(own.length, "epoch")}${back}. The loss is ${digits(own[kept - 1]!)}${held}.`;
  const both = heldLosses.length > 0 ? [{ name: "held out", y: [...heldLosses] }] : [];
  return stack(
    text(words),
    own.length > 1 && lines("loss", [{ name: both.length > 0 ? "learnt from" : "", y: [...own] }, ...both]),
    heldScores.length > 1 &&
      lines(`${isClasses ? "accuracy" : "r2"} on rows held out`, [{ name: "", y: [...heldScores] }]),
  );
}
