import type { RandomState } from "../random.ts";
import { checkCancelled, type Hooks, type Matrix, quiet } from "../types.ts";
import type { Loops } from "../wasm/loops.ts";
import { type Activation, forward, gather, type Layers, predictLayers, rowsAtOnce, slopeOf } from "./layers.ts";
import { Products, productBytes, Room } from "./room.ts";

/** What is made small: of classes the log loss, of numbers one of the others. */
export type Loss = "log" | "half_squares" | "squares" | "absolute" | "huber";

/** How a step follows from slopes. */
export type Optimizer =
  | {
      readonly kind: "adam";
      readonly rate: number;
      readonly beta1: number;
      readonly beta2: number;
      readonly epsilon: number;
    }
  | { readonly kind: "sgd"; readonly rate: number; readonly momentum: number; readonly nesterov: boolean }
  | { readonly kind: "rmsprop"; readonly rate: number; readonly rho: number; readonly epsilon: number };

/** What a `Learner` needs to know. */
export interface LearnerInput {
  readonly x: Matrix;
  /** n numbers, or class codes 0…classes−1. */
  readonly y: Float64Array | Int32Array;
  /** 0 for numbers. */
  readonly classes: number;
  /** Units of each layer, the features first; the last has one unit, or one for each class. */
  readonly sizes: readonly number[];
  readonly activations: Layers["activations"];
  /** Share of the units of each layer, the features first, that are left out of each step (default none). */
  readonly dropout?: readonly number[];
  readonly loss: Loss;
  /** Strength of the penalty on half the squares of the weights. */
  readonly alpha: number;
  readonly optimizer: Optimizer;
  /** Rows of a step at most. */
  readonly batch: number;
  /** Fills the weights and biases of a layer, row-major, to begin with. */
  readonly start: (part: Float64Array, which: "weights" | "biases", from: number, to: number) => void;
}

/** How rows are judged: the mean loss without any penalty, and r2 or the share that is right. */
export interface Judgement {
  readonly loss: number;
  readonly score: number;
}

/** Numbers that are worth a copy row by row: 256 MB. */
const copied = 2 ** 25;

/** Where the difference of a row counts by its square, and beyond by itself. */
const huberFrom = 1;

/** Fully joined layers while they learn: their parameters one behind the other, and room for a batch. */
export class Learner {
  readonly #input: LearnerInput;
  readonly #random: RandomState;
  readonly #loops: Loops;
  readonly #products: Products;
  readonly #parameters: Float64Array;
  readonly #gradient: Float64Array;
  readonly #first: Float64Array;
  readonly #second: Float64Array;
  readonly #weights: Float64Array[] = [];
  readonly #biases: Float64Array[] = [];
  readonly #weightSlopes: Float64Array[] = [];
  readonly #biasSlopes: Float64Array[] = [];
  /** The features row by row: a batch takes any rows, and columns would be read from all over the memory. */
  readonly #rows: Float64Array | undefined;
  /** Of each layer a batch of rows, and what is wrong with them. */
  readonly #values: Float64Array[];
  readonly #errors: Float64Array[];
  /** Of each layer with units left out, by how much each of a batch counts. */
  readonly #masks: (Float64Array | undefined)[];
  /** Rows that go through the layers together: a part of a batch, so that it can be cancelled in between. */
  readonly #most: number;
  #step = 0;

  /** `random` is what leaves units out; throws RangeError where it takes too much memory. */
  constructor(input: LearnerInput, random: RandomState) {
    const { sizes, optimizer, start } = input;
    this.#input = input;
    this.#random = random;
    this.#rows = input.x.data.length <= copied ? byRows(input.x) : undefined;
    const layers = sizes.length - 1;
    const total = sizes.slice(1).reduce((sum, units, k) => sum + (sizes[k]! + 1) * units, 0);
    const units = sizes.reduce((sum, each) => sum + each, 0);
    const batch = Math.min(input.batch, rowsAtOnce(total));
    this.#most = batch;
    const moments = optimizer.kind === "adam" ? 2 : 1;
    const room = new Room(
      productBytes + 8 * ((2 + moments) * (total + 2) + 2 * (batch * units + 2 * sizes.length)),
      "take fewer units, fewer rows of a batch, or fewer features",
    );
    this.#loops = room.loops;
    this.#products = new Products(room);
    this.#parameters = room.doubles(total);
    this.#gradient = room.doubles(total);
    this.#first = room.doubles(total);
    this.#second = moments === 2 ? room.doubles(total) : this.#first;
    let at = 0;
    for (let k = 0; k < layers; k++) {
      const [from, to] = [sizes[k]!, sizes[k + 1]!];
      const middle = at + from * to;
      this.#weights.push(this.#parameters.subarray(at, middle));
      this.#weightSlopes.push(this.#gradient.subarray(at, middle));
      this.#biases.push(this.#parameters.subarray(middle, middle + to));
      this.#biasSlopes.push(this.#gradient.subarray(middle, middle + to));
      at = middle + to;
      start(this.#weights[k]!, "weights", from, to);
      start(this.#biases[k]!, "biases", from, to);
    }
    this.#values = sizes.map((each) => room.doubles(batch * each));
    this.#errors = sizes.map((each) => room.doubles(batch * each));
    this.#masks = sizes.map((each, k) => (input.dropout?.[k] ? new Float64Array(batch * each) : undefined));
  }

  /** One step by some rows; answers their mean loss, the penalty among it. */
  learn(rows: Int32Array, hooks: Hooks = quiet): number {
    const m = rows.length;
    this.#gradient.fill(0);
    let loss = 0;
    for (let from = 0; from < m; from += this.#most) {
      checkCancelled(hooks);
      const part = rows.subarray(from, Math.min(m, from + this.#most));
      this.#read(part);
      loss += this.#lossOf(part);
      for (let k = this.#weights.length - 1; k >= 0; k--) this.#slopes(k, part.length);
    }
    const { alpha } = this.#input;
    let squares = 0;
    for (const [k, weights] of this.#weights.entries()) {
      const [slopes, bias, biasSlopes] = [this.#weightSlopes[k]!, this.#biases[k]!, this.#biasSlopes[k]!];
      squares += this.#loops.penalize(weights.byteOffset, slopes.byteOffset, weights.length, alpha, m);
      this.#loops.penalize(bias.byteOffset, biasSlopes.byteOffset, bias.length, 0, m);
    }
    this.#move();
    return (loss + 0.5 * alpha * squares) / m;
  }

  /** How it does on rows it may not have learnt from. */
  judge(rows: Int32Array, hooks: Hooks = quiet): Judgement {
    const { x, y, classes } = this.#input;
    const m = rows.length;
    const part = new Float64Array(m * x.d);
    for (let j = 0; j < x.d; j++) for (let i = 0; i < m; i++) part[j * m + i] = x.data[j * x.n + rows[i]!]!;
    const answers = predictLayers({ x: { n: m, d: x.d, data: part }, model: this.copy() }, silent(hooks));
    let loss = 0;
    if (classes > 0) {
      let right = 0;
      for (let i = 0; i < m; i++) {
        let best = 0;
        for (let c = 1; c < classes; c++) if (answers.data[c * m + i]! > answers.data[best * m + i]!) best = c;
        if (best === y[rows[i]!]) right++;
        loss -= safeLog(answers.data[y[rows[i]!]! * m + i]!);
      }
      return { loss: loss / m, score: right / m };
    }
    let mean = 0;
    for (const row of rows) mean += y[row]! / m;
    let [off, spread] = [0, 0];
    for (let i = 0; i < m; i++) {
      const difference = answers.data[i]! - y[rows[i]!]!;
      loss += this.#lossAt(difference);
      off += difference ** 2;
      spread += (y[rows[i]!]! - mean) ** 2;
    }
    return { loss: loss / m, score: spread > 0 ? 1 - off / spread : 0 };
  }

  copy(): Layers {
    return {
      classes: this.#input.classes,
      sizes: Int32Array.from(this.#input.sizes),
      activations: this.#input.activations,
      weights: this.#weights.map((each) => each.slice()),
      biases: this.#biases.map((each) => each.slice()),
    };
  }

  /** The layers' values for some rows. */
  #read(rows: Int32Array): void {
    const { x, activations } = this.#input;
    const m = rows.length;
    const first = this.#values[0]!;
    if (!this.#rows) gather(x, rows, first);
    else for (let i = 0; i < m; i++) first.set(this.#rows.subarray(rows[i]! * x.d, (rows[i]! + 1) * x.d), i * x.d);
    this.#leaveOut(0, m);
    for (const [k, activation] of activations.entries()) {
      const [weights, bias] = [this.#weights[k]!, this.#biases[k]!];
      const [from, to] = [this.#values[k]!, this.#values[k + 1]!];
      forward(from, weights, bias, to, m, activation, this.#products, this.#loops);
      this.#leaveOut(k + 1, m);
    }
  }

  /** Leaves some units out, and lets the others count for them (Srivastava et al. 2014). */
  #leaveOut(k: number, m: number): void {
    const mask = this.#masks[k];
    if (!mask) return;
    const share = this.#input.dropout![k]!;
    const values = this.#values[k]!;
    const drawn = mask.subarray(0, m * this.#input.sizes[k]!);
    this.#random.fillUniform(drawn);
    for (let i = 0; i < drawn.length; i++) {
      drawn[i] = drawn[i]! < share ? 0 : 1 / (1 - share);
      values[i]! *= drawn[i]!;
    }
  }

  /** The loss of some rows, added up; writes the slope of each output by what it received. */
  #lossOf(rows: Int32Array): number {
    const { y, loss: kind, activations } = this.#input;
    const last = activations.length;
    const width = this.#input.sizes[last]!;
    const [values, errors] = [this.#values[last]!, this.#errors[last]!];
    let loss = 0;
    for (let i = 0; i < rows.length; i++) {
      const truth = y[rows[i]!]!;
      for (let c = 0; c < width; c++) {
        const value = values[i * width + c]!;
        const wanted = width > 1 ? Number(c === truth) : truth;
        const difference = value - wanted;
        if (kind !== "log") {
          errors[i] = this.#slopeAt(difference);
          loss += this.#lossAt(difference);
          continue;
        }
        errors[i * width + c] = difference;
        if (width === 1) loss -= safeLog(wanted === 1 ? value : 1 - value);
        else if (wanted === 1) loss -= safeLog(value);
      }
    }
    // The log loss of softmax and logistic units has this slope already.
    const activation = activations[last - 1]!;
    if (kind !== "log" && activation !== "softmax") slopeOf(values, errors, rows.length, activation, this.#loops);
    return loss;
  }

  /** The loss of a number that is off by so much. */
  #lossAt(difference: number): number {
    const off = Math.abs(difference);
    switch (this.#input.loss) {
      case "absolute":
        return off;
      case "huber":
        return off > huberFrom ? huberFrom * (off - huberFrom / 2) : (off * off) / 2;
      case "squares":
        return off * off;
      default:
        return (off * off) / 2;
    }
  }

  #slopeAt(difference: number): number {
    switch (this.#input.loss) {
      case "absolute":
        return Math.sign(difference);
      case "huber":
        return Math.abs(difference) > huberFrom ? huberFrom * Math.sign(difference) : difference;
      case "squares":
        return 2 * difference;
      default:
        return difference;
    }
  }

  /** Adds the slopes of layer k by some rows, and tells what is wrong with the layer before. */
  #slopes(k: number, m: number): void {
    const { sizes, activations } = this.#input;
    const [from, to] = [sizes[k]!, sizes[k + 1]!];
    const [values, errors] = [this.#values[k]!, this.#errors[k + 1]!];
    this.#loops.addRows(errors.byteOffset, this.#biasSlopes[k]!.byteOffset, m, to);
    const slopes = this.#weightSlopes[k]!;
    const wrong = { data: errors, columns: to };
    this.#products.add(
      { data: values, columns: from, turned: true },
      wrong,
      { data: slopes, columns: to },
      from,
      to,
      m,
    );
    if (k === 0) return;
    const before = this.#errors[k]!.fill(0);
    const weights = { data: this.#weights[k]!, columns: to, turned: true };
    this.#products.add(wrong, weights, { data: before, columns: from }, m, from, to);
    this.#unmask(k, m);
    slopeOf(values, before, m * from, activations[k - 1] as Activation, this.#loops);
  }

  /** What is wrong with units that were left out is not theirs; the values of the others as they were before. */
  #unmask(k: number, m: number): void {
    const mask = this.#masks[k];
    if (!mask) return;
    const [values, before] = [this.#values[k]!, this.#errors[k]!];
    for (let i = 0, end = m * this.#input.sizes[k]!; i < end; i++) {
      before[i]! *= mask[i]!;
      if (mask[i]! > 0) values[i]! /= mask[i]!;
    }
  }

  #move(): void {
    const { optimizer } = this.#input;
    const [p, slopes, first] = [this.#parameters, this.#gradient, this.#first].map((part) => part.byteOffset) as [
      number,
      number,
      number,
    ];
    const length = this.#parameters.length + (this.#parameters.length & 1);
    this.#step++;
    if (optimizer.kind === "adam") {
      const { rate, beta1, beta2, epsilon } = optimizer;
      const by = (rate * Math.sqrt(1 - beta2 ** this.#step)) / (1 - beta1 ** this.#step);
      this.#loops.adam(p, slopes, first, this.#second.byteOffset, length, by, beta1, beta2, epsilon);
    } else if (optimizer.kind === "sgd") {
      this.#loops.descend(p, slopes, first, length, optimizer.rate, optimizer.momentum, optimizer.nesterov);
    } else {
      this.#loops.rmsprop(p, slopes, first, length, optimizer.rate, optimizer.rho, optimizer.epsilon);
    }
  }
}

/** A matrix row by row, some columns at a time so that lines of memory are written whole. */
function byRows({ n, d, data }: Matrix): Float64Array {
  const out = new Float64Array(n * d);
  for (let first = 0; first < d; first += 8) {
    const end = Math.min(d, first + 8);
    for (let i = 0; i < n; i++) for (let j = first; j < end; j++) out[i * d + j] = data[j * n + i]!;
  }
  return out;
}

/** Hooks of which only the question whether to stop goes on. */
function silent({ cancelled }: Hooks): Hooks {
  return { progress: () => undefined, cancelled };
}

/** The logarithm of a share, which rounding must not make infinite. */
function safeLog(share: number): number {
  return Math.log(Math.min(1 - Number.EPSILON, Math.max(Number.EPSILON, share)));
}
