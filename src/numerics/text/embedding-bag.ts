import { RandomState } from "../random.ts";
import { softmaxInPlace } from "../sparse/loss.ts";
import type { SparseRows } from "../sparse/rows.ts";
import { checkCancelled, type Hooks, quiet } from "../types.ts";

/** How a bag is trained. */
export type BagOptions = {
  /** Numbers that stand for one n-gram, and for one text. */
  readonly size: number;
  /** Lets little of a sum below 0 through (a leaky ReLU), which makes it a network with a hidden layer. */
  readonly relu: boolean;
  /** Share of a text's numbers that is left out at each step, below 1. */
  readonly dropout: number;
  /** Size of the first steps; they shrink to nothing over `epochs` passes. */
  readonly learningRate: number;
  /** Passes over the rows. */
  readonly epochs: number;
  readonly seed: number;
};

/** What `trainBag` needs to know. */
export type BagInput = BagOptions & {
  readonly x: SparseRows;
  /** n class codes, 0…classes−1. */
  readonly y: Int32Array;
  readonly classes: number;
  /** Ends after as many passes, as if more were to follow (default: all). */
  readonly stopAfter?: number;
  /** Rows that decide when to stop: once the loss on them has not fallen for `patience` passes. */
  readonly held?: { readonly x: SparseRows; readonly y: Int32Array; readonly patience: number };
};

/** A trained bag; weights of a column, or of a class, lie side by side. */
export type Bag = {
  /** d×size. */
  readonly embeddings: Float32Array;
  /** One number per hidden number. */
  readonly bias: Float32Array;
  /** classes×size. */
  readonly output: Float32Array;
  readonly intercept: Float32Array;
  readonly relu: boolean;
};

/**
 * A network that sums the embeddings of a text's n-grams, weighted by the row's values, and classifies the sum.
 *
 * One row at a time in shuffled order, by AdaGrad with one rate per n-gram and class, so that rare n-grams take large
 * steps. With `held` it answers the weights of its best pass. `epochs`: how many passes those took. O(values · size) a
 * pass. Sources: Joulin et al. (2016), Bag of Tricks for Efficient Text Classification; Duchi et al. (2011), Adaptive
 * Subgradient Methods; Srivastava et al. (2014), Dropout; Maas et al. (2013), Rectifier Nonlinearities, for the leak.
 */
export function trainBag(input: BagInput, hooks: Hooks = quiet): Bag & { readonly epochs: number } {
  const { x, held, epochs } = input;
  const random = new RandomState(input.seed);
  const net = newNet(input, random);
  const order = Int32Array.from({ length: x.n }, (_, i) => i);
  const passes = Math.min(epochs, input.stopAfter ?? epochs);
  let best: { loss: number; epochs: number; bag: Bag } | undefined;
  for (let epoch = 0; epoch < passes; epoch++) {
    random.shuffle(order);
    for (let s = 0; s < x.n; s++) {
      if (s % 128 === 0) checkCancelled(hooks);
      learnRow(input, net, order[s]!, input.learningRate * (1 - (epoch + s / x.n) / epochs), random);
    }
    hooks.progress(epoch + 1, passes);
    if (!held) continue;
    const loss = bagLoss(held.x, held.y, net, hooks);
    if (!Number.isFinite(loss)) throw new RangeError("the network's weights grew without end; its steps are too large");
    if (!best || loss < best.loss) best = { loss, epochs: epoch + 1, bag: copied(net) };
    else if (epoch + 1 - best.epochs >= held.patience) break;
  }
  return best ? { ...best.bag, epochs: best.epochs } : { ...copied(net), epochs: passes };
}

/** Every row's score of each class, row after row: n×classes, fresh. O(values · size). */
export function bagScores(x: SparseRows, bag: Bag, hooks: Hooks = quiet): Float64Array {
  const classes = bag.intercept.length;
  const hidden = new Float64Array(bag.bias.length);
  const out = new Float64Array(x.n * classes);
  if (bag.embeddings.length !== x.d * hidden.length) {
    throw new RangeError(`the model has ${bag.embeddings.length / hidden.length} columns, got ${x.d}`);
  }
  for (let i = 0; i < x.n; i++) {
    if (i % 512 === 0) checkCancelled(hooks);
    hide(x, i, bag, hidden);
    if (bag.relu) for (let h = 0; h < hidden.length; h++) if (hidden[h]! < 0) hidden[h] = leak * hidden[h]!;
    score(bag, hidden, out.subarray(i * classes, (i + 1) * classes));
  }
  return out;
}

/** What goes on of a hidden number below 0; with none of it, numbers once below 0 for all texts would stay there. */
const leak = 0.1;

/** A bag while it learns: its weights, the sums of squared gradients, and scratch. */
type Net = Bag & {
  readonly sums: {
    embeddings: Float32Array;
    bias: Float32Array;
    output: Float32Array;
    intercept: Float32Array;
  };
  readonly hidden: Float64Array;
  /** How much of each hidden number goes on: nothing where it is left out, little below 0. */
  readonly passed: Float64Array;
  readonly slope: Float64Array;
  readonly scores: Float64Array;
};

function newNet({ x, classes, size, relu }: BagInput, random: RandomState): Net {
  const embeddings = new Float32Array(x.d * size);
  const width = relu ? 1 / Math.sqrt(size) : 1 / size;
  for (let k = 0; k < embeddings.length; k++) embeddings[k] = width * (random.uint32() / 2 ** 31 - 1);
  return {
    embeddings,
    bias: new Float32Array(size),
    output: new Float32Array(classes * size),
    intercept: new Float32Array(classes),
    relu,
    sums: {
      embeddings: new Float32Array(x.d),
      bias: new Float32Array(size),
      output: new Float32Array(classes),
      intercept: new Float32Array(classes),
    },
    hidden: new Float64Array(size),
    passed: new Float64Array(size),
    slope: new Float64Array(size),
    scores: new Float64Array(classes),
  };
}

function copied({ embeddings, bias, output, intercept, relu }: Bag): Bag {
  return {
    embeddings: embeddings.slice(),
    bias: bias.slice(),
    output: output.slice(),
    intercept: intercept.slice(),
    relu,
  };
}

/** Writes row i's weighted sum of embeddings. */
function hide(x: SparseRows, i: number, { embeddings, bias }: Bag, hidden: Float64Array): void {
  const size = hidden.length;
  for (let h = 0; h < size; h++) hidden[h] = bias[h]!;
  for (let at = x.start[i]!; at < x.start[i + 1]!; at++) {
    const value = x.values[at]!;
    const from = x.columns[at]! * size;
    for (let h = 0; h < size; h++) hidden[h]! += value * embeddings[from + h]!;
  }
}

function score({ output, intercept }: Bag, hidden: Float64Array, scores: Float64Array): void {
  const size = hidden.length;
  for (let k = 0; k < scores.length; k++) {
    let sum = intercept[k]!;
    for (let h = 0; h < size; h++) sum += output[k * size + h]! * hidden[h]!;
    scores[k] = sum;
  }
}

/** One step on one row. */
function learnRow({ x, y, relu, dropout }: BagInput, net: Net, i: number, rate: number, random: RandomState): void {
  const { hidden, passed, slope, scores } = net;
  const size = hidden.length;
  hide(x, i, net, hidden);
  for (let h = 0; h < size; h++) {
    const isOut = dropout > 0 && random.uint32() < dropout * 2 ** 32;
    passed[h] = isOut ? 0 : (relu && hidden[h]! < 0 ? leak : 1) / (1 - dropout);
    hidden[h] = hidden[h]! * passed[h]!;
    slope[h] = 0;
  }
  score(net, hidden, scores);
  softmaxInPlace(scores);
  scores[y[i]!]! -= 1;
  learnOutput(net, rate);
  learnEmbeddings(x, i, net, rate);
}

/** Moves the output weights against the residuals in `scores`; leaves the hidden numbers' slopes in `slope`. */
function learnOutput({ output, intercept, sums, hidden, slope, scores }: Net, rate: number): void {
  const size = hidden.length;
  let square = 0;
  for (let h = 0; h < size; h++) square += hidden[h]! * hidden[h]!;
  for (let k = 0; k < scores.length; k++) {
    const residual = scores[k]!;
    if (Math.abs(residual) < 1e-6) continue;
    const at = k * size;
    sums.output[k]! += (residual * residual * square) / size;
    sums.intercept[k]! += residual * residual;
    const step = (rate * residual) / (Math.sqrt(sums.output[k]!) + tiny);
    for (let h = 0; h < size; h++) {
      slope[h]! += residual * output[at + h]!;
      output[at + h]! -= step * hidden[h]!;
    }
    intercept[k]! -= (rate * residual) / (Math.sqrt(sums.intercept[k]!) + tiny);
  }
}

const tiny = 1e-8;

function learnEmbeddings(x: SparseRows, i: number, net: Net, rate: number): void {
  const { embeddings, bias, relu, sums, passed, slope } = net;
  const size = slope.length;
  let square = 0;
  for (let h = 0; h < size; h++) {
    slope[h] = slope[h]! * passed[h]!;
    square += (slope[h]! * slope[h]!) / size;
  }
  if (square === 0) return;
  for (let at = x.start[i]!; at < x.start[i + 1]!; at++) {
    const value = x.values[at]!;
    const column = x.columns[at]!;
    sums.embeddings[column]! += value * value * square;
    const step = (rate * value) / (Math.sqrt(sums.embeddings[column]!) + tiny);
    const from = column * size;
    for (let h = 0; h < size; h++) embeddings[from + h]! -= step * slope[h]!;
  }
  if (!relu) return;
  for (let h = 0; h < size; h++) {
    sums.bias[h]! += slope[h]! * slope[h]!;
    bias[h]! -= (rate * slope[h]!) / (Math.sqrt(sums.bias[h]!) + tiny);
  }
}

/** Mean log loss. */
function bagLoss(x: SparseRows, y: Int32Array, bag: Bag, hooks: Hooks): number {
  const classes = bag.intercept.length;
  const all = bagScores(x, bag, hooks);
  let loss = 0;
  for (let i = 0; i < x.n; i++) {
    const scores = all.subarray(i * classes, (i + 1) * classes);
    const own = scores[y[i]!]!;
    loss += softmaxInPlace(scores) - own;
  }
  return loss / x.n;
}
