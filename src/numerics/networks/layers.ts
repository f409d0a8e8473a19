import { checkCancelled, type Hooks, type Matrix, quiet } from "../types.ts";
import type { Loops } from "../wasm/loops.ts";
import { Products, productBytes, Room } from "./room.ts";

/** What a unit makes of what it receives. */
export type Activation =
  | "identity"
  | "logistic"
  | "tanh"
  | "relu"
  | "leaky_relu"
  | "elu"
  | "selu"
  | "softplus"
  | "softsign";

/** Fully joined layers, one behind the other. */
export interface Layers {
  /** Classes that it tells apart, 0 where it answers numbers; of two, one logistic unit may give the share of the second. */
  readonly classes: number;
  /** Units of each layer, the features first. */
  readonly sizes: Int32Array;
  /** Of each layer but the first; "softmax" for the last alone. */
  readonly activations: readonly (Activation | "softmax")[];
  /** Of each layer but the first: inputs×units, row-major. */
  readonly weights: readonly Float64Array[];
  readonly biases: readonly Float64Array[];
}

/** What leaky_relu lets through of what is below 0, as Keras does. */
export const leak = 0.2;
/** The constants of selu (Klambauer et al. 2017). */
export const selu = { scale: 1.0507009873554805, alpha: 1.6732632423543772 } as const;

type Formula = { readonly value: (z: number) => number; readonly slope: (value: number) => number };

/** Each activation, and its slope by what came out. */
const formulas: Readonly<Record<Exclude<Activation, "identity" | "relu">, Formula>> = {
  logistic: { value: (z) => 1 / (1 + Math.exp(-z)), slope: (value) => value * (1 - value) },
  tanh: { value: Math.tanh, slope: (value) => 1 - value * value },
  leaky_relu: { value: (z) => (z < 0 ? leak * z : z), slope: (value) => (value < 0 ? leak : 1) },
  elu: { value: (z) => (z < 0 ? Math.expm1(z) : z), slope: (value) => (value < 0 ? value + 1 : 1) },
  selu: {
    value: (z) => selu.scale * (z < 0 ? selu.alpha * Math.expm1(z) : z),
    slope: (value) => (value < 0 ? value + selu.scale * selu.alpha : selu.scale),
  },
  softplus: {
    value: (z) => Math.max(z, 0) + Math.log1p(Math.exp(-Math.abs(z))),
    slope: (value) => -Math.expm1(-value),
  },
  softsign: { value: (z) => z / (1 + Math.abs(z)), slope: (value) => (1 - Math.abs(value)) ** 2 },
};

/** The first `length` values through an activation, in place. */
export function activate(values: Float64Array, length: number, activation: Activation, loops: Loops): void {
  if (activation === "identity") return;
  if (activation === "relu") {
    loops.relu(values.byteOffset, even(length));
    return;
  }
  const { value } = formulas[activation];
  for (let i = 0; i < length; i++) values[i] = value(values[i]!);
}

/** errors *= the activation's slope, by what came out. */
export function slopeOf(
  values: Float64Array,
  errors: Float64Array,
  length: number,
  activation: Activation,
  loops: Loops,
): void {
  if (activation === "identity") return;
  if (activation === "relu") {
    loops.reluSlopes(values.byteOffset, errors.byteOffset, even(length));
    return;
  }
  const { slope } = formulas[activation];
  for (let i = 0; i < length; i++) errors[i]! *= slope(values[i]!);
}

/** A length that the loops take; rooms leave a zero behind odd numbers of doubles. */
function even(length: number): number {
  return length + (length & 1);
}

/** Rows of shares that add up to 1, in place. */
export function softmax(values: Float64Array, rows: number, width: number): void {
  for (let at = 0, end = rows * width; at < end; at += width) {
    let most = Number.NEGATIVE_INFINITY;
    for (let j = at; j < at + width; j++) most = Math.max(most, values[j]!);
    let sum = 0;
    for (let j = at; j < at + width; j++) {
      values[j] = Math.exp(values[j]! - most);
      sum += values[j]!;
    }
    for (let j = at; j < at + width; j++) values[j]! /= sum;
  }
}

/** What a layer makes of `m` rows of the layer before. */
export function forward(
  from: Float64Array,
  weights: Float64Array,
  bias: Float64Array,
  to: Float64Array,
  m: number,
  activation: Activation | "softmax",
  by: Products,
  loops: Loops,
): void {
  const units = bias.length;
  const inputs = weights.length / units;
  loops.fillRows(bias.byteOffset, to.byteOffset, m, units);
  const [left, right] = [
    { data: from, columns: inputs },
    { data: weights, columns: units },
  ];
  by.add(left, right, { data: to, columns: units }, m, units, inputs);
  if (activation === "softmax") softmax(to, m, units);
  else activate(to, m * units, activation, loops);
}

/** Rows `rows` of a matrix, row by row. */
export function gather({ n, d, data }: Matrix, rows: ArrayLike<number>, out: Float64Array): void {
  const m = rows.length;
  for (let j = 0; j < d; j++)
    for (let i = 0, at = j, from = j * n; i < m; i++, at += d) out[at] = data[from + rows[i]!]!;
}

/** Rows that go through the layers together at most. */
const mostRows = 4096;
/** Products that take some hundredths of a second. */
const products = 2 ** 27;

/** How many rows go through so many weights before somebody is asked whether to go on. */
export function rowsAtOnce(weights: number): number {
  return Math.max(8, Math.min(mostRows, Math.floor(products / Math.max(1, weights))));
}

/** What `predictLayers` needs to know. */
export interface LayersInput {
  readonly x: Matrix;
  readonly model: Layers;
  /** Only the rows from…to−1 (default all). */
  readonly from?: number;
  readonly to?: number;
}

/**
 * What the last layer answers for each row: rows×units, fresh; of one logistic unit the shares of both classes.
 *
 * NaN spreads along its row. A row's numbers don't depend on which rows it is asked with. O(rows · weights).
 */
export function predictLayers({ x, model, from = 0, to = x.n }: LayersInput, hooks: Hooks = quiet): Matrix {
  const { sizes, activations, weights, biases } = model;
  if (sizes[0] !== x.d) throw new RangeError(`the network has ${sizes[0]} features, got ${x.d}`);
  const n = to - from;
  const width = sizes[sizes.length - 1]!;
  const d = answersOf(model);
  const data = new Float64Array(n * d);
  const all = [...weights, ...biases];
  const blockRows = Math.min(256, rowsAtOnce(all.reduce((sum, part) => sum + part.length, 0)));
  const most = Math.min(blockRows, n);
  const held = all.reduce((sum, part) => sum + part.length + 2, 0);
  const units = sizes.reduce((sum, each) => sum + each + 2, 0);
  const room = new Room(productBytes + 8 * (held + (most + 2) * units), "take a smaller network");
  const by = new Products(room);
  const parts = all.map((part) => {
    const kept = room.doubles(part.length);
    kept.set(part);
    return kept;
  });
  const values = Array.from(sizes, (units) => room.doubles(most * units));
  for (let start = 0; start < n; start += blockRows) {
    checkCancelled(hooks);
    hooks.progress(start, n);
    const m = Math.min(blockRows, n - start);
    const rows = Array.from({ length: m }, (_, i) => from + start + i);
    gather(x, rows, values[0]!);
    for (let k = 0; k < weights.length; k++) {
      const [table, bias] = [parts[k]!, parts[weights.length + k]!];
      forward(values[k]!, table, bias, values[k + 1]!, m, activations[k]!, by, room.loops);
    }
    const answers = values[values.length - 1]!;
    for (let i = 0; i < m; i++) {
      for (let c = 0; c < width; c++) data[(d > width ? 1 : c) * n + start + i] = answers[i * width + c]!;
      if (d > width) data[start + i] = 1 - answers[i]!;
    }
  }
  return { n, d, data };
}

/** Columns of the answers: two shares for one logistic unit. */
function answersOf({ sizes, classes }: Layers): number {
  return Math.max(classes, sizes[sizes.length - 1]!);
}
