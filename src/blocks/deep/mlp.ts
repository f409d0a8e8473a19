import { z } from "zod";
import type { BlockContext } from "../../core/block.ts";
import type { Chart } from "../../core/chart.ts";
import { DataError } from "../../core/errors.ts";
import { columnOf, type NumberColumns } from "../../core/matrix.ts";
import { count } from "../../core/names.ts";
import type { TrainingData } from "../../core/training.ts";
import { stack, text } from "../../core/view.ts";
import { fitMlp, layersOf, predictMlp, type TrainedMlp } from "../../numerics/networks/mlp.ts";
import { defineModel } from "../models/models.ts";
import { layersOnnx } from "../onnx/layers.ts";
import { computeRows, matrixOf } from "../shared/row-parts.ts";

/** More weights than this take minutes for each pass over a large table. */
const mostWeights = 20_000_000;

/** Rows that are worth a thread. */
const fewest = 2000;

/**
 * BL_MLP. A neural network of fully joined layers: a multi-layer perceptron, as scikit-learn's.
 *
 * Learns numbers or classes, by the target, as MLPRegressor or MLPClassifier does, with the same draws for the same
 * random_state. Scale the features first. A pass goes over all training rows, batch by batch.
 */
export const mlp = defineModel({
  code: "BL_MLP",
  name: "mlp",
  why: "Layers of simple units can bend to any shape the data has, given rows enough. Scale the features first; trees and boost mostly need less care on tables.",
  task: ({ task }) => task ?? null,
  asNumbers: 'task: "regression"',
  args: {
    /** What it learns: "classification" or "regression" (default: by the target). */
    task: z.literal(["classification", "regression"]).optional(),
    /** Units of each hidden layer (default [100]). */
    hidden_layer_sizes: z
      .union([z.int().min(1).max(100_000), z.array(z.int().min(1).max(100_000)).min(1).max(20)])
      .default([100]),
    /** What a unit makes of what it receives: "relu", "tanh", "logistic" or "identity" (default "relu"). */
    activation: z.literal(["relu", "tanh", "logistic", "identity"]).default("relu"),
    /** How it steps: "adam", or "sgd", plain steps with momentum (default "adam"). */
    solver: z.literal(["adam", "sgd"]).default("adam"),
    /** Strength of the penalty on the squares of the weights (default 0.0001). */
    alpha: z.number().min(0).default(0.0001),
    /** Rows of a step; "auto" is 200, or all where there are fewer (default "auto"). */
    batch_size: z.union([z.int().min(1).max(1_000_000), z.literal("auto")]).default("auto"),
    /** How far a step goes (default 0.001). */
    learning_rate_init: z.number().positive().default(0.001),
    /** Passes at most (default 200). */
    max_iter: z.int().min(1).max(100_000).default(200),
    /** Take the rows in another order in each pass (default true). */
    shuffle: z.boolean().default(true),
    /** A smaller gain than this is none (default 0.0001). */
    tol: z.number().min(0).default(0.0001),
    /** Passes without a gain after which it ends (default 10). */
    n_iter_no_change: z.int().min(1).default(10),
    /** Judge gains on rows that are held out, and keep the best pass (default false). */
    early_stopping: z.boolean().default(false),
    /** Share of the training rows that is held out for that, between 0 and 1 (default 0.1). */
    validation_fraction: z.number().gt(0).lt(1).default(0.1),
    /** Of "sgd": how much of a step goes on in the next (default 0.9). */
    momentum: z.number().min(0).max(1).default(0.9),
    /** Of "adam": how slowly it forgets slopes (default 0.9). */
    beta_1: z.number().min(0).lt(1).default(0.9),
    /** Of "adam": how slowly it forgets their squares (default 0.999). */
    beta_2: z.number().min(0).lt(1).default(0.999),
    /** Of "adam": keeps steps finite (default 1e-8). */
    epsilon: z.number().positive().default(1e-8),
    /** Seed of the first weights and of the order of rows (default 0). */
    random_state: z.int().min(0).max(4294967295).default(0),
  },
  example:
    'session.input("sample:iris").xy({ y: "species" }).split({ test_size: 0.2, random_state: 0 }).scale().mlp({ hidden_layer_sizes: [20], max_iter: 400 }).metrics()',
  async fit({ x, y, classes }: TrainingData & { x: NumberColumns }, args, context: BlockContext) {
    const hidden = typeof args.hidden_layer_sizes === "number" ? [args.hidden_layer_sizes] : args.hidden_layer_sizes;
    const kinds = classes.labels.length;
    refuseMany([x.d, ...hidden, Math.max(1, kinds)]);
    const trained = await context.compute(
      fitMlp,
      {
        x: matrixOf(x),
        y: kinds > 0 ? classes.codes : columnOf(y, 0),
        classes: kinds,
        hidden: [...hidden],
        activation: args.activation,
        solver: args.solver,
        alpha: args.alpha,
        batch: args.batch_size === "auto" ? 200 : args.batch_size,
        rate: args.learning_rate_init,
        maxIter: args.max_iter,
        shuffle: args.shuffle,
        seed: args.random_state,
        tol: args.tol,
        patience: args.n_iter_no_change,
        ...(args.early_stopping ? { heldOut: args.validation_fraction } : {}),
        beta1: args.beta_1,
        beta2: args.beta_2,
        epsilon: args.epsilon,
        momentum: args.momentum,
      },
      "passes",
    );
    if (!trained.losses.every(Number.isFinite))
      throw new DataError(
        "mlp (BL_MLP): the weights grew beyond all bounds. Scale the features with scale (DP_5) first, or take a smaller learning_rate_init.",
        { code: "overflow", hint: "scale" },
      );
    const late = `it had not converged after ${count(args.max_iter, "pass", "passes")}; scale the features with scale (DP_5), or raise max_iter.`;
    return {
      parameters: trained.model,
      shown: shownOf(trained, x.n),
      notices: trained.converged ? [] : [late],
    };
  },
  async predict(model, x, context) {
    const matrix = await computeRows(context, predictMlp, { x: matrixOf(x), model }, "predict", fewest);
    return model.out === "identity"
      ? { kind: "numbers", values: columnOf(matrix, 0) }
      : { kind: "probabilities", matrix };
  },
  onnx: (model, file) => layersOnnx(layersOf(model), file),
});

function refuseMany(sizes: readonly number[]): void {
  const weights = sizes.slice(1).reduce((sum, units, k) => sum + (sizes[k] + 1) * units, 0);
  if (weights <= mostWeights) return;
  throw new DataError(
    `mlp (BL_MLP): layers of ${sizes.join(", ")} units have ${weights.toLocaleString("en-US")} weights, more than ${mostWeights.toLocaleString("en-US")}. Take smaller hidden_layer_sizes, or fewer features with pca (DP_PCA).`,
    { path: "hidden_layer_sizes", got: weights, expected: `at most ${mostWeights} weights` },
  );
}

/** The layers in words, and how the loss fell. */
function shownOf({ model, losses, scores }: TrainedMlp, rows: number) {
  const layers = Array.from(model.sizes).join(" → ");
  const curve = (name: string, y: readonly number[]): Chart => ({
    kind: "lines",
    title: `${name} of each pass`,
    x: { title: "pass", type: "number" },
    y: { title: name, type: "number" },
    series: [{ name: "", x: y.map((_, k) => k + 1), y }],
    rows,
  });
  return stack(
    text(
      `Layers of ${layers} units; ${count(losses.length, "pass", "passes")}, the loss at last ${Number(losses[losses.length - 1].toPrecision(4))}.`,
    ),
    losses.length > 1 && { kind: "chart", chart: curve("loss", [...losses]) },
    scores.length > 1 && { kind: "chart", chart: curve("score on held-out rows", [...scores]) },
  );
}
