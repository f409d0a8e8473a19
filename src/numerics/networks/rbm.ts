import { RandomState } from "../random.ts";
import { Cancelled, type Hooks, type Matrix } from "../types.ts";
import { Lists } from "./rbm-lists.ts";
import {
  drawn,
  gatherRows,
  logistic,
  padded,
  type Rbm,
  roomOf,
  rowsAtOnce,
  stripOf,
  weightStrip,
  widthsOf,
} from "./rbm-room.ts";
import { Receiver, scoreRows } from "./rbm-score.ts";
import type { Room } from "./room.ts";

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
  const receiver = new Receiver(x.d, input.hidden);
  for (let epoch = 0; epoch < epochs; epoch++) {
    for (let k = 0; k < batches; k++) {
      const from = k * batch;
      if (from % atOnce === 0) gatherRows(x, from, Math.min(from + atOnce, x.n), rows);
      if (hooks.cancelled()) throw new Cancelled();
      machine.learn(rows, from % atOnce, Math.min(batch, x.n - from));
      hooks.progress(epoch * batches + k + 1, epochs * batches + 1);
    }
    const scores = scoreRows(machine.parameters(), judged, seed, hooks, receiver);
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

/** The machine while it learns: its parameters, the persistent chains, and room for a batch. */
class Machine {
  readonly #d: number;
  readonly #hidden: number;
  readonly #rate: number;
  readonly #batch: number;
  readonly #random: RandomState;
  readonly #room: Room;
  readonly #row: number;
  readonly #stride: number;
  /** A row of weights per feature. */
  readonly #weights: Float64Array;
  readonly #hiddenBias: Float64Array;
  readonly #visibleBias: Float64Array;
  /** The learning rate over the rows of the batch. */
  readonly #step: Float64Array;
  /** The hidden units of the persistent chains, 0 or 1. */
  readonly #chains: Float64Array;
  /** Hidden probabilities: of the batch's rows, then of the chains'. */
  readonly #on: Float64Array;
  /** What the visible units of the chains receive. */
  readonly #received: Float64Array;
  /** Random numbers of a row. */
  readonly #uniform: Float64Array;
  readonly #data: Lists;
  readonly #dreams: Lists;

  constructor({ x, hidden, rate, batch, seed }: RbmInput) {
    const { row, stride } = widthsOf(hidden);
    const [d, chains] = [padded(x.d, 4), padded(batch, 2)];
    const fixed = d * stride + row + d + 1 + chains * (row + d) + 2 * batch * row;
    const room = roomOf(8 * (fixed + 3) + (12 + 12 + 4 + 4) * batch * x.d + 64);
    this.#d = x.d;
    this.#hidden = hidden;
    this.#rate = rate;
    this.#batch = batch;
    this.#row = row;
    this.#stride = stride;
    this.#room = room;
    this.#weights = room.doubles(d * stride);
    this.#hiddenBias = room.doubles(row);
    this.#visibleBias = room.doubles(d);
    this.#step = room.doubles(1);
    this.#chains = room.doubles(chains * row);
    this.#on = room.doubles(2 * batch * row);
    this.#received = room.doubles(chains * d);
    this.#data = new Lists(room, batch, x.d, true);
    this.#dreams = new Lists(room, batch, x.d, false);
    this.#uniform = new Float64Array(Math.max(x.d, hidden));
    this.#random = new RandomState(seed);
    for (let k = 0; k < hidden; k++) {
      for (let j = 0; j < x.d; j++) this.#weights[j * stride + k] = 0.01 * this.#random.normal();
    }
  }

  /** One step of gradient ascent on `n` rows of d numbers each, from row `first` on. */
  learn(rows: Float64Array, first: number, n: number): void {
    this.#step[0] = this.#rate / n;
    this.#data.clear();
    for (let b = 0; b < n; b++) {
      const at = (first + b) * this.#d;
      this.#data.put(b, rows.subarray(at, at + this.#d), 8 * this.#stride, 8 * this.#row * b);
    }
    this.#hiddenOf(this.#data, n, 0);
    this.#dream();
    this.#hiddenOf(this.#dreams, this.#batch, this.#batch);
    this.#move();
    this.#moveBiases(n);
    this.#sampleChains();
  }

  /** Draws the chains' visible units from their hidden ones. */
  #dream(): void {
    const { loops } = this.#room;
    const [d, row] = [this.#received.length / padded(this.#batch, 2), this.#row];
    const [table, stride] = [this.#weights.byteOffset, 8 * this.#stride];
    const block = rowsAtOnce(stride);
    for (let j = 0; j < d; j += block) {
      const [from, end] = [table + j * stride, table + Math.min(j + block, d) * stride];
      for (let b = 0; b < this.#batch; b += 2) {
        const [a, out] = [this.#chains.byteOffset + 8 * b * row, this.#received.byteOffset + 8 * (b * d + j)];
        const bias = this.#visibleBias.byteOffset + 8 * j;
        loops.rowDots(a, 8 * row, from, end, stride, bias, out, 8 * d, 8 * row);
      }
    }
    this.#dreams.clear();
    for (let b = 0; b < this.#batch; b++) {
      const received = this.#received.subarray(b * d, b * d + this.#d);
      const uniform = this.#uniform.subarray(0, this.#d);
      this.#random.fillUniform(uniform);
      for (let j = 0; j < received.length; j++) received[j] = drawn(uniform[j]!, received[j]!);
      this.#dreams.putDrawn(b, received, stride, 8 * row * (this.#batch + b));
    }
  }

  /** Hidden probabilities of the listed rows. */
  #hiddenOf(lists: Lists, n: number, to: number): void {
    const { loops } = this.#room;
    const multiply = lists.values ? loops.weightedRows : loops.sumOfRows;
    const [width, table, bias] = [8 * this.#row, this.#weights.byteOffset, this.#hiddenBias.byteOffset];
    const strip = weightStrip(this.#d, width);
    for (let k = 0; k < width; k += strip) {
      for (let b = 0; b < n; b++) {
        const from = lists.byRow.byteOffset + 4 * b * this.#d;
        const values = (lists.values?.byteOffset ?? 0) + 8 * b * this.#d;
        const out = this.#on.byteOffset + (to + b) * width + k;
        const end = from + 4 * lists.inRow[b]!;
        multiply(from, end, values, table + k, bias + k, out, Math.min(strip, width - k));
      }
    }
    for (let b = 0; b < n; b++) {
      const on = this.#on.subarray((to + b) * this.#row, (to + b + 1) * this.#row);
      for (let k = 0; k < this.#hidden; k++) on[k] = logistic(on[k]!);
      on.fill(0, this.#hidden);
    }
  }

  /** weights += step · (data·hidden − dreams·hidden), feature by feature. */
  #move(): void {
    const { loops } = this.#room;
    const [width, step, table] = [8 * this.#row, this.#step.byteOffset, this.#on.byteOffset];
    const [data, dreams] = [this.#data, this.#dreams];
    const strip = stripOf(2 * this.#batch, width);
    for (let k = 0; k < width; k += strip) {
      for (let j = 0; j < this.#d; j++) {
        const slot = j * this.#batch;
        const added = data.byColumn.byteOffset + 4 * slot;
        const taken = dreams.byColumn.byteOffset + 4 * slot;
        loops.moveRow(
          this.#weights.byteOffset + 8 * j * this.#stride + k,
          Math.min(strip, width - k),
          step,
          added,
          added + 4 * data.inColumn[j]!,
          data.columnValues!.byteOffset + 8 * slot,
          taken,
          taken + 4 * dreams.inColumn[j]!,
          table + k,
        );
      }
    }
  }

  #moveBiases(n: number): void {
    const step = this.#step[0]!;
    for (let j = 0; j < this.#d; j++) {
      this.#visibleBias[j]! += step * (this.#data.sums[j]! - this.#dreams.sums[j]!);
    }
    for (let k = 0; k < this.#hidden; k++) {
      let more = 0;
      let less = 0;
      for (let b = 0; b < n; b++) more += this.#on[b * this.#row + k]!;
      for (let b = 0; b < this.#batch; b++) less += this.#on[(this.#batch + b) * this.#row + k]!;
      this.#hiddenBias[k]! += step * (more - less);
    }
  }

  #sampleChains(): void {
    const from = this.#batch * this.#row;
    const uniform = this.#uniform.subarray(0, this.#hidden);
    for (let b = 0; b < this.#batch; b++) {
      this.#random.fillUniform(uniform);
      for (let k = 0, at = b * this.#row; k < this.#hidden; k++, at++) {
        this.#chains[at] = Number(uniform[k]! < this.#on[from + at]!);
      }
    }
  }

  parameters(): Rbm {
    const [hidden, visible] = [this.#hidden, this.#d];
    const weights = new Float64Array(hidden * visible);
    for (let k = 0; k < hidden; k++) {
      for (let j = 0; j < visible; j++) weights[k * visible + j] = this.#weights[j * this.#stride + k]!;
    }
    return {
      visible,
      hidden,
      weights,
      hiddenBias: this.#hiddenBias.slice(0, hidden),
      visibleBias: this.#visibleBias.slice(0, visible),
    };
  }
}
