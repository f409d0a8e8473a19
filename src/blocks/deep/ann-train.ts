import { z } from "zod";
import { defineBlock } from "../../core/block.ts";
import type { Layers } from "../../numerics/networks/layers.ts";
import { type ModelReport, modelView } from "../models/model-view.ts";
import { layersOnnx } from "../onnx/layers.ts";
import { annCode, annModelling, annTraining, trainingShape } from "./ann-model.ts";
import { explainAnnTraining } from "./explain.ts";
import { besideArgs, builtBefore } from "./networks.ts";

const who = `train (${annCode})`;

/**
 * DL_ANN_T. Trains a neural network on the training rows, epoch by epoch, and saves it under a name.
 *
 * Weights begin as Glorot and Bengio (2010) draw them; rows come in another order in each epoch. The output names the
 * model's file and has the loss of each epoch, with `val_loss` and `val_accuracy` or `val_r2` where rows are held out.
 */
export const annTrain = defineBlock({
  code: annCode,
  codes: ["DL_ANN_S_T"],
  name: "ann.train",
  args: {
    /** The name to save under (default: the one it was built with, else the helper's). */
    model_name: z.string().min(1).max(200).optional(),
    /** Passes over the rows (default: 50, unless it was built with others). */
    epochs: trainingShape.epochs.optional(),
    /** Rows of a step (default: 32). */
    batch_size: trainingShape.batch_size.optional(),
    /** Share of the training rows, drawn by the seed, that is held out to judge each epoch (default: none). */
    validation_split: trainingShape.validation_split.optional(),
    /** Epochs without a better loss, on rows held out where there are any, after which it ends and keeps the best (default: it goes on to the end). */
    patience: trainingShape.patience.optional(),
    /** How it steps: "adam", "sgd" or "rmsprop" (default: "adam"). */
    optimizer: trainingShape.optimizer.optional(),
    /** How far a step goes (default: 0.001, of "sgd" 0.01). */
    learning_rate: trainingShape.learning_rate.optional(),
    /** Of "sgd": how much of a step goes on in the next (default: none). */
    momentum: trainingShape.momentum.optional(),
    /** What is made small: "cross_entropy" of classes; "mse", "mae" or "huber" of numbers; Keras' names mean the same (default: by the target). */
    loss: trainingShape.loss.optional(),
    /** What it learns: "classification" or "regression" (default: by the target). */
    task: trainingShape.task.optional(),
    /** Seed of the first weights, of the order of rows, of rows held out and of units left out; one that it was built with wins (default 0). */
    random_state: trainingShape.random_state.default(0),
    /** Folds of a cross-validation on the training rows, every step before fitted anew for each (default: none). */
    cv: z.int().min(2).max(1000).optional(),
    /** The same numbers as an object, as clients send them; they win. */
    hyp_params: z.strictObject(trainingShape).partial().optional(),
    /** Taken from clients that send it: rows are flat, so no dimension is added (default: no). */
    add_dim: z.boolean().optional(),
  },
  beside: besideArgs.filter((name) => name !== "test_data"),
  task: annModelling.predictor.task,
  example: "…ann([16]).train({ epochs: 100 })",
  explain: explainAnnTraining,
  onnx: (file) => layersOnnx(file.parameters as Layers, file),
  async run(frame, args, context) {
    const built = builtBefore(context, "DL_ANN_S_I", "ann()", who);
    const { how: own, model_name, cv } = annTraining(built.args, args);
    const how = {
      ...own,
      ...(model_name === undefined ? {} : { model_name }),
      ...(cv === undefined ? {} : { cv }),
    };
    return await annModelling.train(frame, how, context, { who, name: "ann" });
  },
  view({ report, output }) {
    return modelView(Object.keys(output as object)[0], report as ModelReport);
  },
});
