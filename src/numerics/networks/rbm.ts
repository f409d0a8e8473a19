import { RandomState } from "../random.ts";
import { Cancelled, type Hooks, type Matrix } from "../types.ts";
import type { BatchProducts, BatchTables } from "./rbm-batch.ts";
import { DenseProducts, denseBytes } from "./rbm-dense.ts";
import { ListedProducts, listBytes } from "./rbm-listed.ts";
import { drawn, gatherRows, logistic, padded, type Rbm, roomOf, widthsOf } from "./rbm-room.ts";
import { scoreRbm } from "./rbm-score.ts";

/** What a training takes. */
export interface RbmInput {
  readonly x: Matrix;
  readonly hidden: number;
  /** The learning rate. */
  readonly rate: number;
  readonly epochs: number;
  /** Rows of a batch. */
  readonly batch: number;
  readonly seed: number;
  /** One number per epoch, in shared memory: the pseudo-likelihood is written here as soon as it is known. */
  readonly curve: Float64Array;
}

/** Rows are turned from columns into rows this many numbers at a time. */
const gathered = 1 << 18;
/** Rows by which the learning curve judges. */
const curveRows = 1000;
/** Batches of so many rows are worth what products of whole tables prepare. */
const largeBatch = 16;
/** The share of cells that are not zero from which on a product of all is faster than a list of these. */
const denseShare = 0.6;

/**
 * Trains a restricted Boltzmann machine by stochastic maximum likelihood, the same as scikit-learn's BernoulliRBM.
 *
 * Persistent contrastive divergence: T. Tieleman, Training Restricted Boltzmann Machines using Approximations to the
 * Likelihood Gradient, ICML 2008. x: values from 0 to 1. Draws are numpy's in scikit-learn's order, so a seed gives
 * the parameters that it gives there. O(epochs·n·d·hidden) time; throws Cancelled.
 */
export function fitRbm(input: RbmInput, hooks: Hooks): Rbm {
  const { x, batch, epochs, curve, seed } = input;
  const machine = new Machine(input);
  const batches = Math.ceil(x.n / batch);
  const atOnce = Math.max(1, Math.floor(gathered / Math.max(1, x.d * batch))) * batch;
  const rows = new Float64Array(Math.min(atOnce, x.n) * x.d);
  const judged = sampleRows(x, curveRows);
  for (let epoch = 0; epoch < epochs; epoch++) {
    for (let k = 0; k < batches; k++) {
      const from = k * batch;
      if (from % atOnce === 0) gatherRows(x, from, Math.min(from + atOnce, x.n), rows);
      if (hooks.cancelled()) throw new Cancelled();
      machine.learn(rows, from % atOnce, Math.min(batch, x.n - from));
      hooks.progress(epoch * batches + k + 1, epochs * batches + 1);
    }
    const scores = scoreRbm({ rbm: machine.parameters(), x: judged, seed }, hooks);
    curve[epoch] = scores.reduce((sum, score) => sum + score, 0) / scores.length;
    hooks.progress((epoch + 1) * batches, epochs * batches + 1);
  }
  hooks.progress(epochs * batches + 1, epochs * batches + 1);
  return machine.parameters();
}

/** Rows spread evenly over all. */
function sampleRows(x: Matrix, most: number): Matrix {
  const n = Math.min(x.n, most);
  const data = new Float64Array(n * x.d);
  for (let j = 0; j < x.d; j++) {
    for (let i = 0; i < n; i++) data[j * n + i] = x.data[j * x.n + Math.floor((i * x.n) / n)]!;
  }
  return { n, d: x.d, data };
}

/** Whether a product of all cells is faster than one of those that are not zero. */
function isDense({ data }: Matrix): boolean {
  let found = 0;
  for (let i = 0; i < data.length; i++) found += Number(data[i] !== 0);
  return found >= denseShare * data.length;
}

/** The machine while it learns: its parameters, the persistent chains, and room for a batch. */
class Machine {
  readonly #tables: BatchTables;
  readonly #products: BatchProducts;
  readonly #rate: number;
  readonly #random: RandomState;
  /** Random numbers of a row. */
  readonly #uniform: Float64Array;

  constructor({ x, hidden, rate, batch, seed }: RbmInput) {
    const { row, stride } = widthsOf(hidden);
    const isWhole = batch >= largeBatch && isDense(x);
    const [visible, chains] = [padded(x.d, 4), padded(batch, isWhole ? 4 : 2)];
    const fixed = visible * stride + row + visible + 1 + chains * (row + visible) + (batch + chains) * row;
    const room = roomOf(8 * (fixed + 3) + (isWhole ? denseBytes : listBytes)(batch, x.d));
    this.#tables = {
      room,
      d: x.d,
      hidden,
      batch,
      row,
      stride,
      visible,
      weights: room.doubles(visible * stride),
      hiddenBias: room.doubles(row),
      visibleBias: room.doubles(visible),
      step: room.doubles(1),
      chains: room.doubles(chains * row),
      on: room.doubles((batch + chains) * row),
      received: room.doubles(chains * visible),
    };
    this.#products = new (isWhole ? DenseProducts : ListedProducts)(this.#tables);
    this.#rate = rate;
    this.#uniform = new Float64Array(Math.max(x.d, hidden));
    this.#random = new RandomState(seed);
    const { weights } = this.#tables;
    for (let k = 0; k < hidden; k++) {
      for (let j = 0; j < x.d; j++) weights[j * stride + k] = 0.01 * this.#random.normal();
    }
  }

  /** One step of gradient ascent on `n` rows of d numbers each, from row `first` on. */
  learn(rows: Float64Array, first: number, n: number): void {
    const { d, batch, step } = this.#tables;
    step[0] = this.#rate / n;
    this.#products.receiveData(rows.subarray(first * d, (first + n) * d), n);
    this.#activate(n, 0);
    this.#products.receiveChains();
    this.#dream();
    this.#products.receiveDreams();
    this.#activate(batch, batch);
    this.#moveBiases(n);
    this.#sampleChains();
    this.#products.move(n);
  }

  /** Draws the chains' visible units. */
  #dream(): void {
    const { d, visible, batch, received } = this.#tables;
    const uniform = this.#uniform.subarray(0, d);
    for (let b = 0; b < batch; b++) {
      const dream = received.subarray(b * visible, b * visible + d);
      this.#random.fillUniform(uniform);
      for (let j = 0; j < d; j++) dream[j] = drawn(uniform[j]!, dream[j]!);
      this.#products.putDream(b, dream);
    }
  }

  /** Makes probabilities of what the hidden units received of `n` rows, from row `from` on. */
  #activate(n: number, from: number): void {
    const { row, hidden } = this.#tables;
    for (let b = from; b < from + n; b++) {
      const on = this.#tables.on.subarray(b * row, (b + 1) * row);
      for (let k = 0; k < hidden; k++) on[k] = logistic(on[k]!);
      on.fill(0, hidden);
    }
  }

  #moveBiases(n: number): void {
    const { d, hidden, batch, row, on, visibleBias, hiddenBias, ...tables } = this.#tables;
    const { data, dreams } = this.#products.sums;
    const step = tables.step[0]!;
    for (let j = 0; j < d; j++) visibleBias[j]! += step * (data[j]! - dreams[j]!);
    for (let k = 0; k < hidden; k++) {
      let more = 0;
      let less = 0;
      for (let b = 0; b < n; b++) more += on[b * row + k]!;
      for (let b = 0; b < batch; b++) less += on[(batch + b) * row + k]!;
      hiddenBias[k]! += step * (more - less);
    }
  }

  #sampleChains(): void {
    const { hidden, batch, row, chains, on } = this.#tables;
    const uniform = this.#uniform.subarray(0, hidden);
    for (let b = 0; b < batch; b++) {
      this.#random.fillUniform(uniform);
      for (let k = 0, at = b * row, from = (batch + b) * row; k < hidden; k++, at++, from++) {
        chains[at] = Number(uniform[k]! < on[from]!);
      }
    }
  }

  parameters(): Rbm {
    const { d: visible, hidden, stride, hiddenBias, visibleBias, ...tables } = this.#tables;
    const weights = new Float64Array(hidden * visible);
    for (let k = 0; k < hidden; k++) {
      for (let j = 0; j < visible; j++) weights[k * visible + j] = tables.weights[j * stride + k]!;
    }
    return {
      visible,
      hidden,
      weights,
      hiddenBias: hiddenBias.slice(0, hidden),
      visibleBias: visibleBias.slice(0, visible),
    };
  }
}
