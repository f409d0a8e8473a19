import { RandomState } from "../random.ts";
import { checkCancelled, type Hooks, type Matrix, quiet } from "../types.ts";
import { type Layers, predictLayers } from "./layers.ts";
import { Learner } from "./learner.ts";

/** What a unit makes of what it receives. */
export type Activation = "identity" | "logistic" | "tanh" | "relu";

/** A network of layers, each fully joined to the one before. */
export type Mlp = {
  readonly activation: Activation;
  /** "identity" for numbers, "logistic" for two classes, "softmax" for more. */
  readonly out: "identity" | "logistic" | "softmax";
  /** Units of each layer, the features first. */
  readonly sizes: Int32Array;
  /** Of each layer but the first: inputs×units, row-major. */
  readonly weights: readonly Float64Array[];
  readonly biases: readonly Float64Array[];
};

/** What `fitMlp` needs to know. */
export type MlpInput = {
  readonly x: Matrix;
  /** n numbers, or class codes 0…classes−1. */
  readonly y: Float64Array | Int32Array;
  /** 0 for numbers. */
  readonly classes: number;
  /** Units of each hidden layer. */
  readonly hidden: readonly number[];
  readonly activation: Activation;
  readonly solver: "adam" | "sgd";
  /** Strength of the L2 penalty. */
  readonly alpha: number;
  /** Rows of a step. */
  readonly batch: number;
  readonly rate: number;
  readonly maxIter: number;
  readonly shuffle: boolean;
  readonly seed: number;
  readonly tol: number;
  /** Passes without a gain of `tol` after which it ends. */
  readonly patience: number;
  /** Share of rows that is held out to judge each pass; none learns from all (default none). */
  readonly heldOut?: number;
  readonly beta1: number;
  readonly beta2: number;
  readonly epsilon: number;
  /** How much of the step before goes on in each step of "sgd", ahead of it by Nesterov. */
  readonly momentum: number;
};

/** A trained network, and how it went. */
export type TrainedMlp = {
  readonly model: Mlp;
  /** The mean loss of each pass. */
  readonly losses: Float64Array;
  /** Of each pass on held-out rows r2, or the share of rows that is right; empty without. */
  readonly scores: Float64Array;
  readonly converged: boolean;
};

/**
 * Trains a multi-layer perceptron, as scikit-learn's MLPClassifier and MLPRegressor, by the same draws.
 *
 * Squared error of numbers, log loss of classes, with an L2 penalty; steps of Adam or of gradient descent. NaN spreads
 * into the losses. O(passes · n · weights). Sources: Glorot and Bengio (2010); Kingma and Ba (2015).
 */
export function fitMlp(input: MlpInput, hooks: Hooks = quiet): TrainedMlp {
  const random = new RandomState(input.seed);
  const net = learnerOf(input, random);
  const { n } = input.x;
  const all = Int32Array.from({ length: n }, (_, i) => i);
  const held = input.heldOut === undefined ? 0 : Math.min(n - 1, Math.ceil(n * input.heldOut));
  const order = held > 0 ? random.permutation(n) : all;
  const judged = order.slice(0, held);
  let rows: Int32Array = order.slice(held);
  const batch = Math.min(input.batch, rows.length);
  const losses: number[] = [];
  const scores: number[] = [];
  let best = Number.POSITIVE_INFINITY;
  let kept: Mlp | undefined;
  let idle = 0;
  for (let pass = 0; pass < input.maxIter; pass++) {
    if (input.shuffle) rows = shuffled(rows, random);
    let loss = 0;
    for (let from = 0; from < rows.length; from += batch) {
      checkCancelled(hooks);
      const to = Math.min(rows.length, from + batch);
      loss += net.learn(rows.subarray(from, to), hooks) * (to - from);
      hooks.progress(pass * rows.length + to, input.maxIter * rows.length);
    }
    losses.push(loss / rows.length);
    if (held > 0) scores.push(net.judge(judged, hooks).score);
    const now = held > 0 ? -scores[pass]! : losses[pass]!;
    idle = now > best - input.tol ? idle + 1 : 0;
    if (now < best) {
      best = now;
      if (held > 0) kept = mlpOf(net.copy());
    }
    if (idle > input.patience || Number.isNaN(now)) break;
  }
  return {
    model: kept ?? mlpOf(net.copy()),
    losses: Float64Array.from(losses),
    scores: Float64Array.from(scores),
    converged: idle > input.patience,
  };
}

/** The rows in another order. */
function shuffled(rows: Int32Array, random: RandomState): Int32Array {
  const order = random.shuffle(Int32Array.from({ length: rows.length }, (_, i) => i));
  return order.map((at) => rows[at]!);
}

/** The layers before they learn, drawn as scikit-learn draws them. */
function learnerOf(input: MlpInput, random: RandomState): Learner {
  const { x, y, classes, hidden, activation, solver, alpha, rate, beta1, beta2, epsilon, momentum } = input;
  const start = (part: Float64Array, _: string, from: number, to: number): void => {
    const bound = Math.sqrt((activation === "logistic" ? 2 : 6) / (from + to));
    random.fillUniform(part);
    for (let i = 0; i < part.length; i++) part[i] = part[i]! * 2 * bound - bound;
  };
  const out = classes === 0 ? "identity" : classes === 2 ? "logistic" : "softmax";
  return new Learner(
    {
      ...{ x, y, classes, alpha, start },
      sizes: [x.d, ...hidden, classes > 2 ? classes : 1],
      activations: [...hidden.map(() => activation), out],
      loss: classes > 0 ? "log" : "half_squares",
      optimizer:
        solver === "adam"
          ? { kind: "adam", rate, beta1, beta2, epsilon }
          : { kind: "sgd", rate, momentum, nesterov: true },
      batch: Math.min(input.batch, x.n),
    },
    random,
  );
}

function mlpOf({ sizes, activations, weights, biases }: Layers): Mlp {
  // `learnerOf` gives no others.
  const out = activations[activations.length - 1] as Mlp["out"];
  return {
    activation: activations.length > 1 ? (activations[0] as Activation) : "identity",
    out,
    sizes,
    weights,
    biases,
  };
}

/** A perceptron as layers. */
export function layersOf({ activation, out, sizes, weights, biases }: Mlp): Layers {
  const classes = out === "identity" ? 0 : out === "logistic" ? 2 : sizes[sizes.length - 1]!;
  const activations = weights.map((_, k) => (k < weights.length - 1 ? activation : out));
  return { classes, sizes, activations, weights, biases };
}

/** What `predictMlp` needs to know. */
export type MlpPredictInput = {
  readonly x: Matrix;
  readonly model: Mlp;
  /** Only the rows from…to−1 (default all). */
  readonly from?: number;
  readonly to?: number;
};

/** A number for every row, or the share of each class: rows×classes, fresh. NaN spreads along its row. */
export function predictMlp({ model, ...rest }: MlpPredictInput, hooks: Hooks = quiet): Matrix {
  return predictLayers({ ...rest, model: layersOf(model) }, hooks);
}
