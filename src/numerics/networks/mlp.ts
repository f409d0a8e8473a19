import { RandomState } from "../random.ts";
import { checkCancelled, type Hooks, type Matrix, quiet } from "../types.ts";

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
  const net = new Network(input, random);
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
      loss += net.learn(rows.subarray(from, to)) * (to - from);
      hooks.progress(pass * rows.length + to, input.maxIter * rows.length);
    }
    losses.push(loss / rows.length);
    if (held > 0) scores.push(net.score(judged));
    const now = held > 0 ? -scores[pass]! : losses[pass]!;
    idle = now > best - input.tol ? idle + 1 : 0;
    if (now < best) {
      best = now;
      if (held > 0) kept = net.copy();
    }
    if (idle > input.patience || Number.isNaN(now)) break;
  }
  return {
    model: kept ?? net.copy(),
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

/** A network while it learns: its parameters one behind the other, and room for a batch. */
class Network {
  readonly #input: MlpInput;
  readonly #sizes: Int32Array;
  readonly #out: Mlp["out"];
  readonly #parameters: Float64Array;
  readonly #gradient: Float64Array;
  readonly #first: Float64Array;
  readonly #second: Float64Array;
  readonly #weights: Float64Array[] = [];
  readonly #biases: Float64Array[] = [];
  readonly #weightSlopes: Float64Array[] = [];
  readonly #biasSlopes: Float64Array[] = [];
  /** Of each layer a batch of rows, and what is wrong with them. */
  readonly #values: Float64Array[];
  readonly #errors: Float64Array[];
  #step = 0;

  constructor(input: MlpInput, random: RandomState) {
    const { x, classes, hidden, activation, batch } = input;
    const outputs = classes > 2 ? classes : 1;
    this.#input = input;
    this.#sizes = Int32Array.of(x.d, ...hidden, outputs);
    this.#out = classes === 0 ? "identity" : classes === 2 ? "logistic" : "softmax";
    const layers = this.#sizes.length - 1;
    const count = (k: number) => (this.#sizes[k]! + 1) * this.#sizes[k + 1]!;
    const total = Array.from({ length: layers }, (_, k) => count(k)).reduce((a, b) => a + b, 0);
    const room = () => new Float64Array(total);
    [this.#parameters, this.#gradient, this.#first, this.#second] = [room(), room(), room(), room()];
    let at = 0;
    for (let k = 0; k < layers; k++) {
      const [from, to] = [this.#sizes[k]!, this.#sizes[k + 1]!];
      const middle = at + from * to;
      this.#weights.push(this.#parameters.subarray(at, middle));
      this.#weightSlopes.push(this.#gradient.subarray(at, middle));
      this.#biases.push(this.#parameters.subarray(middle, middle + to));
      this.#biasSlopes.push(this.#gradient.subarray(middle, middle + to));
      at = middle + to;
      const bound = Math.sqrt((activation === "logistic" ? 2 : 6) / (from + to));
      for (const part of [this.#weights[k]!, this.#biases[k]!]) {
        random.fillUniform(part);
        for (let i = 0; i < part.length; i++) part[i] = part[i]! * 2 * bound - bound;
      }
    }
    const most = Math.min(batch, x.n);
    this.#values = Array.from(this.#sizes, (units) => new Float64Array(most * units));
    this.#errors = Array.from(this.#sizes, (units) => new Float64Array(most * units));
  }

  /** One step by some rows; answers their mean loss. */
  learn(rows: Int32Array): number {
    const { alpha } = this.#input;
    const m = rows.length;
    this.#read(rows);
    forward(this.#values, this.#weights, this.#biases, this.#sizes, this.#input.activation, this.#out, m);
    let loss = this.#lossOf(rows);
    let squares = 0;
    for (let k = this.#weights.length - 1; k >= 0; k--) {
      this.#slopes(k, m);
      const [weights, slopes] = [this.#weights[k]!, this.#weightSlopes[k]!];
      for (let i = 0; i < weights.length; i++) {
        squares += weights[i]! * weights[i]!;
        slopes[i] = (slopes[i]! + alpha * weights[i]!) / m;
      }
    }
    loss += (0.5 * alpha * squares) / m;
    if (this.#input.solver === "adam") this.#adam();
    else this.#descend();
    return loss;
  }

  /** Of rows that were held out: r2, or the share that is right. */
  score(rows: Int32Array): number {
    const { x, y, classes } = this.#input;
    const part = Float64Array.from({ length: rows.length * x.d }, (_, at) => {
      const [j, i] = [Math.floor(at / rows.length), at % rows.length];
      return x.data[j * x.n + rows[i]!]!;
    });
    const answers = predictMlp({ x: { n: rows.length, d: x.d, data: part }, model: this.copy() });
    const m = rows.length;
    if (classes > 0) {
      let right = 0;
      for (let i = 0; i < m; i++) {
        let best = 0;
        for (let c = 1; c < classes; c++) if (answers.data[c * m + i]! > answers.data[best * m + i]!) best = c;
        if (best === y[rows[i]!]) right++;
      }
      return right / m;
    }
    let mean = 0;
    for (const row of rows) mean += y[row]! / m;
    let [off, spread] = [0, 0];
    for (let i = 0; i < m; i++) {
      off += (y[rows[i]!]! - answers.data[i]!) ** 2;
      spread += (y[rows[i]!]! - mean) ** 2;
    }
    return spread > 0 ? 1 - off / spread : 0;
  }

  copy(): Mlp {
    return {
      activation: this.#input.activation,
      out: this.#out,
      sizes: this.#sizes.slice(),
      weights: this.#weights.map((each) => each.slice()),
      biases: this.#biases.map((each) => each.slice()),
    };
  }

  #read(rows: Int32Array): void {
    const { n, d, data } = this.#input.x;
    const out = this.#values[0]!;
    for (let j = 0; j < d; j++) for (let i = 0; i < rows.length; i++) out[i * d + j] = data[j * n + rows[i]!]!;
  }

  /** The mean loss of the batch; writes what is wrong with each output. */
  #lossOf(rows: Int32Array): number {
    const { y } = this.#input;
    const last = this.#sizes.length - 1;
    const width = this.#sizes[last]!;
    const [values, errors] = [this.#values[last]!, this.#errors[last]!];
    let loss = 0;
    for (let i = 0; i < rows.length; i++) {
      const truth = y[rows[i]!]!;
      for (let c = 0; c < width; c++) {
        const value = values[i * width + c]!;
        const wanted = width > 1 ? (c === truth ? 1 : 0) : truth;
        errors[i * width + c] = value - wanted;
        if (this.#out === "identity") loss += (value - wanted) ** 2 / 2;
        else if (width === 1) loss -= wanted === 1 ? safeLog(value) : safeLog(1 - value);
        else if (wanted === 1) loss -= safeLog(value);
      }
    }
    return loss / rows.length;
  }

  /** The slopes of layer k, and what is wrong with the layer before. */
  #slopes(k: number, m: number): void {
    const [from, to] = [this.#sizes[k]!, this.#sizes[k + 1]!];
    const [values, errors, weights] = [this.#values[k]!, this.#errors[k + 1]!, this.#weights[k]!];
    const [slopes, bias] = [this.#weightSlopes[k]!.fill(0), this.#biasSlopes[k]!.fill(0)];
    const before = this.#errors[k]!;
    const { activation } = this.#input;
    for (let i = 0; i < m; i++) {
      const at = i * to;
      for (let j = 0; j < to; j++) bias[j]! += errors[at + j]! / m;
      for (let u = 0; u < from; u++) {
        const value = values[i * from + u]!;
        const row = u * to;
        // A unit that is off neither learns nor is to blame.
        if (value === 0 && (k === 0 || activation === "relu")) {
          if (k > 0) before[i * from + u] = 0;
          continue;
        }
        let blame = 0;
        if (k === 0) for (let j = 0; j < to; j++) slopes[row + j]! += value * errors[at + j]!;
        else {
          for (let j = 0; j < to; j++) {
            const error = errors[at + j]!;
            slopes[row + j]! += value * error;
            blame += weights[row + j]! * error;
          }
          before[i * from + u] = blame * slopeOf(activation, value);
        }
      }
    }
  }

  #adam(): void {
    const { rate, beta1, beta2, epsilon } = this.#input;
    this.#step++;
    const by = (rate * Math.sqrt(1 - beta2 ** this.#step)) / (1 - beta1 ** this.#step);
    const [p, g, first, second] = [this.#parameters, this.#gradient, this.#first, this.#second];
    for (let i = 0; i < p.length; i++) {
      const slope = g[i]!;
      first[i] = beta1 * first[i]! + (1 - beta1) * slope;
      second[i] = beta2 * second[i]! + (1 - beta2) * slope * slope;
      p[i]! -= (by * first[i]!) / (Math.sqrt(second[i]!) + epsilon);
    }
  }

  #descend(): void {
    const { rate, momentum } = this.#input;
    const [p, g, speed] = [this.#parameters, this.#gradient, this.#first];
    for (let i = 0; i < p.length; i++) {
      speed[i] = momentum * speed[i]! - rate * g[i]!;
      p[i]! += momentum * speed[i]! - rate * g[i]!;
    }
  }
}

/** The logarithm of a share, which rounding must not make infinite. */
function safeLog(share: number): number {
  return Math.log(Math.min(1 - Number.EPSILON, Math.max(Number.EPSILON, share)));
}

/** The slope of an activation, by what came out. */
function slopeOf(activation: Activation, value: number): number {
  if (activation === "relu" || activation === "identity") return 1;
  return activation === "tanh" ? 1 - value * value : value * (1 - value);
}

/** Fills the layers behind the first, m rows each. */
function forward(
  values: readonly Float64Array[],
  weights: readonly Float64Array[],
  biases: readonly Float64Array[],
  sizes: Int32Array,
  activation: Activation,
  out: Mlp["out"],
  m: number,
): void {
  for (let k = 0; k < weights.length; k++) {
    const [from, to] = [sizes[k]!, sizes[k + 1]!];
    const [input, output, table] = [values[k]!, values[k + 1]!, weights[k]!];
    for (let i = 0; i < m; i++) {
      const row = output.subarray(i * to, (i + 1) * to);
      row.set(biases[k]!);
      for (let u = 0; u < from; u++) {
        const value = input[i * from + u]!;
        if (value === 0) continue;
        const at = u * to;
        for (let j = 0; j < to; j++) row[j]! += value * table[at + j]!;
      }
      if (k < weights.length - 1) activate(row, activation);
      else if (out === "logistic") activate(row, "logistic");
      else if (out === "softmax") softmax(row);
    }
  }
}

function activate(row: Float64Array, activation: Activation): void {
  if (activation === "relu")
    for (let j = 0; j < row.length; j++) row[j] = row[j]! > 0 ? row[j]! : row[j]! <= 0 ? 0 : Number.NaN;
  else if (activation === "tanh") for (let j = 0; j < row.length; j++) row[j] = Math.tanh(row[j]!);
  else if (activation === "logistic") for (let j = 0; j < row.length; j++) row[j] = 1 / (1 + Math.exp(-row[j]!));
}

function softmax(row: Float64Array): void {
  const most = row.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  let sum = 0;
  for (let j = 0; j < row.length; j++) {
    row[j] = Math.exp(row[j]! - most);
    sum += row[j]!;
  }
  for (let j = 0; j < row.length; j++) row[j]! /= sum;
}

/** What `predictMlp` needs to know. */
export type MlpPredictInput = {
  readonly x: Matrix;
  readonly model: Mlp;
  /** Only the rows from…to−1 (default all). */
  readonly from?: number;
  readonly to?: number;
};

/** Rows that go through the layers together. */
const BLOCK = 256;

/** A number for every row, or the share of each class: rows×classes, fresh. NaN spreads along its row. */
export function predictMlp({ x, model, from = 0, to = x.n }: MlpPredictInput, hooks: Hooks = quiet): Matrix {
  const { sizes, weights, biases, activation, out } = model;
  if (sizes[0] !== x.d) throw new RangeError(`the network has ${sizes[0]} features, got ${x.d}`);
  const n = to - from;
  const width = sizes[sizes.length - 1]!;
  const d = out === "logistic" ? 2 : width;
  const data = new Float64Array(n * d);
  const values = Array.from(sizes, (units) => new Float64Array(BLOCK * units));
  for (let start = 0; start < n; start += BLOCK) {
    checkCancelled(hooks);
    hooks.progress(start, n);
    const m = Math.min(BLOCK, n - start);
    for (let j = 0; j < x.d; j++) {
      for (let i = 0; i < m; i++) values[0]![i * x.d + j] = x.data[j * x.n + from + start + i]!;
    }
    forward(values, weights, biases, sizes, activation, out, m);
    const answers = values[values.length - 1]!;
    for (let i = 0; i < m; i++) {
      for (let c = 0; c < width; c++) data[(d > width ? 1 : c) * n + start + i] = answers[i * width + c]!;
      if (d > width) data[start + i] = 1 - answers[i]!;
    }
  }
  return { n, d, data };
}
