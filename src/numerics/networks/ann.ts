import { RandomState } from "../random.ts";
import { type Hooks, type Matrix, quiet } from "../types.ts";
import type { Layers } from "./layers.ts";
import { Learner, type Loss, type Optimizer } from "./learner.ts";

/** What `fitAnn` needs to know. */
export interface AnnInput {
  readonly x: Matrix;
  /** n numbers, or class codes 0…classes−1. */
  readonly y: Float64Array | Int32Array;
  /** 0 for numbers. */
  readonly classes: number;
  /** Units of each layer, the features first and the outputs last. */
  readonly sizes: readonly number[];
  /** Of each layer but the first. */
  readonly activations: Layers["activations"];
  /** Share of the units of each layer, the features first, that a step leaves out. */
  readonly dropout: readonly number[];
  readonly loss: Loss;
  readonly optimizer: Optimizer;
  readonly epochs: number;
  /** Rows of a step. */
  readonly batch: number;
  /** Share of rows that is held out to judge each epoch, 0 for none. */
  readonly validation: number;
  /** Epochs without a better loss after which it ends, and keeps the best; none where it goes on to the end. */
  readonly patience?: number;
  readonly seed: number;
  /** Three numbers per epoch, in shared memory, written as soon as they are known: loss, loss and score held out. */
  readonly curve: Float64Array;
}

/** A trained network, and how it went. */
export interface TrainedAnn {
  readonly model: Layers;
  /** The mean loss of each epoch, of the steps as they were made. */
  readonly losses: Float64Array;
  /** The loss of each epoch on held-out rows, and r2 or the share that is right; empty without. */
  readonly heldLosses: Float64Array;
  readonly heldScores: Float64Array;
  /** The epoch whose weights were kept, from 1. */
  readonly kept: number;
}

/**
 * Trains fully joined layers epoch by epoch, as Keras's `fit` does.
 *
 * Weights begin as Glorot and Bengio (2010) draw them, uniformly, biases at 0; rows come in another order in each
 * epoch; units are left out as by Srivastava et al. (2014). Held-out rows are drawn, not the last ones. All draws come
 * of `seed`. NaN spreads into the losses, which end it. O(epochs · n · weights).
 */
export function fitAnn(input: AnnInput, hooks: Hooks = quiet): TrainedAnn {
  const random = new RandomState(input.seed);
  const { n } = input.x;
  const order = random.permutation(n);
  const held = input.validation > 0 ? Math.max(1, Math.min(n - 1, Math.round(n * input.validation))) : 0;
  const judged = order.slice(0, held).sort();
  const rows = order.slice(held);
  const batch = Math.min(input.batch, rows.length);
  const net = learnerOf({ ...input, batch }, random);
  const [losses, heldLosses, heldScores]: number[][] = [[], [], []];
  let best = Number.POSITIVE_INFINITY;
  let kept: Layers | undefined;
  let epochKept = 0;
  for (let epoch = 0; epoch < input.epochs; epoch++) {
    random.shuffle(rows);
    let loss = 0;
    for (let from = 0; from < rows.length; from += batch) {
      const to = Math.min(rows.length, from + batch);
      loss += net.learn(rows.subarray(from, to), hooks) * (to - from);
      hooks.progress(epoch * rows.length + to, input.epochs * rows.length);
    }
    losses!.push(loss / rows.length);
    let now = loss / rows.length;
    if (held > 0) {
      const { loss: apart, score } = net.judge(judged, hooks);
      heldLosses!.push(apart);
      heldScores!.push(score);
      input.curve.set([apart, score], 3 * epoch + 1);
      now = apart;
    }
    input.curve[3 * epoch] = losses![epoch]!;
    if (!(now < best)) {
      if (Number.isNaN(now) || (input.patience !== undefined && epoch + 1 - epochKept >= input.patience)) break;
      continue;
    }
    best = now;
    epochKept = epoch + 1;
    if (input.patience !== undefined) kept = net.copy();
  }
  return {
    model: kept ?? net.copy(),
    losses: Float64Array.from(losses!),
    heldLosses: Float64Array.from(heldLosses!),
    heldScores: Float64Array.from(heldScores!),
    kept: kept ? epochKept : losses!.length,
  };
}

function learnerOf(input: AnnInput, random: RandomState): Learner {
  const { x, y, classes, sizes, activations, dropout, loss, optimizer, batch } = input;
  const start = (part: Float64Array, which: "weights" | "biases", from: number, to: number): void => {
    if (which === "biases") return;
    const bound = Math.sqrt(6 / (from + to));
    random.fillUniform(part);
    for (let i = 0; i < part.length; i++) part[i] = part[i]! * 2 * bound - bound;
  };
  return new Learner({ x, y, classes, sizes, activations, dropout, loss, alpha: 0, optimizer, batch, start }, random);
}
