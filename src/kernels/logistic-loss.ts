import { checkCancelled, type Hooks, type Matrix } from "./types.ts";

/** Rows that are worked on together, so that their scores stay in the cache. */
export const BLOCK = 512;

/** The function that logistic regression minimises, and the units in which it is minimised. */
export type Model = {
  x: Matrix;
  /** Class codes. */
  y: Int32Array;
  /** Rows of coefficients: 1 for two classes, else one per class. */
  rows: number;
  /** Half of it times ‖coef‖² is added to the mean loss. */
  penalty: number;
  /** False keeps the intercept where it is. */
  free: boolean;
  /** Each row's share of the total weight. */
  share: Float64Array;
  /** Column j enters as (x − mean[j]) / scale[j]. */
  mean: Float64Array;
  scale: Float64Array;
  work: { z: Float64Array; v: Float64Array; b: Float64Array; sums: Float64Array };
};

/** Scratch arrays for one fit. */
export function workspace(x: Matrix, rows: number): Model["work"] {
  return {
    z: new Float64Array(rows * BLOCK),
    v: new Float64Array(rows * x.d),
    b: new Float64Array(rows),
    sums: new Float64Array(rows),
  };
}

/**
 * The penalised mean log loss at `w`, and its gradient.
 *
 * w, gradient: per row of coefficients d numbers in scaled units, then the intercept for centred columns.
 * O(n·d·rows), block by block, so that each block of x is read once from memory.
 */
export function loss(model: Model, w: Float64Array, gradient: Float64Array, hooks: Hooks): number {
  const { x, rows, mean, scale, penalty } = model;
  const { z, v, b, sums } = model.work;
  const { d } = x;
  v.set(unscaledRows(model, w, b));
  gradient.fill(0);
  sums.fill(0);
  let value = 0;
  for (let start = 0; start < x.n; start += BLOCK) {
    if (start % (BLOCK * 64) === 0) checkCancelled(hooks);
    const count = Math.min(BLOCK, x.n - start);
    scores(z, x, v, b, start, count);
    value += rows === 1 ? binaryResiduals(model, start, count) : residuals(model, start, count);
    for (let k = 0; k < rows; k++) addGradient(gradient, model, k, start, count);
  }
  for (let k = 0; k < rows; k++) {
    const at = k * (d + 1);
    gradient[at + d] = model.free ? sums[k]! : 0;
    for (let j = 0; j < d; j++) {
      const coef = v[k * d + j]!;
      value += (penalty / 2) * coef * coef;
      gradient[at + j] = (gradient[at + j]! - mean[j]! * sums[k]! + penalty * coef) / scale[j]!;
    }
  }
  return value;
}

function unscaledRows(model: Model, w: Float64Array, b: Float64Array): Float64Array {
  const { rows, mean, scale, work } = model;
  const d = mean.length;
  for (let k = 0; k < rows; k++) {
    let bias = w[k * (d + 1) + d]!;
    for (let j = 0; j < d; j++) {
      const value = w[k * (d + 1) + j]! / scale[j]!;
      work.v[k * d + j] = value;
      bias -= value * mean[j]!;
    }
    b[k] = bias;
  }
  return work.v;
}

/** Writes z[k·BLOCK + i] = row i's score for class k; four columns at a time, so that z is loaded once for four. */
export function scores(
  z: Float64Array,
  x: Matrix,
  v: Float64Array,
  b: Float64Array,
  start: number,
  count: number,
): void {
  const { n, d, data } = x;
  for (let k = 0; k < b.length; k++) {
    const to = k * BLOCK;
    z.fill(b[k]!, to, to + count);
    let j = 0;
    for (; j + 3 < d; j += 4) {
      const at = j * n + start;
      const v0 = v[k * d + j]!;
      const v1 = v[k * d + j + 1]!;
      const v2 = v[k * d + j + 2]!;
      const v3 = v[k * d + j + 3]!;
      for (let i = 0; i < count; i++) {
        const p = at + i;
        z[to + i]! += v0 * data[p]! + v1 * data[p + n]! + v2 * data[p + 2 * n]! + v3 * data[p + 3 * n]!;
      }
    }
    for (; j < d; j++) for (let i = 0; i < count; i++) z[to + i]! += v[k * d + j]! * data[j * n + start + i]!;
  }
}

function addGradient(gradient: Float64Array, model: Model, k: number, start: number, count: number): void {
  const { n, d, data } = model.x;
  const { z, sums } = model.work;
  const from = k * BLOCK;
  const to = k * (d + 1);
  let sum = 0;
  for (let i = 0; i < count; i++) sum += z[from + i]!;
  sums[k]! += sum;
  let j = 0;
  for (; j + 3 < d; j += 4) {
    const at = j * n + start;
    let g0 = 0;
    let g1 = 0;
    let g2 = 0;
    let g3 = 0;
    for (let i = 0; i < count; i++) {
      const r = z[from + i]!;
      const p = at + i;
      g0 += r * data[p]!;
      g1 += r * data[p + n]!;
      g2 += r * data[p + 2 * n]!;
      g3 += r * data[p + 3 * n]!;
    }
    gradient[to + j]! += g0;
    gradient[to + j + 1]! += g1;
    gradient[to + j + 2]! += g2;
    gradient[to + j + 3]! += g3;
  }
  for (; j < d; j++) for (let i = 0; i < count; i++) gradient[to + j]! += z[from + i]! * data[j * n + start + i]!;
}

/** Turns scores into weighted residuals p − y; returns the block's loss. */
function binaryResiduals(model: Model, start: number, count: number): number {
  const { z } = model.work;
  const { y } = model;
  let value = 0;
  for (let i = 0; i < count; i++) {
    const share = model.share[start + i]!;
    const one = y[start + i]! === 1;
    const score = z[i]!;
    const e = Math.exp(-Math.abs(score));
    const p = score >= 0 ? 1 / (1 + e) : e / (1 + e);
    const wrong = one ? -score : score;
    value += share * (Math.max(wrong, 0) + Math.log1p(e));
    z[i] = share * (one ? p - 1 : p);
  }
  return value;
}

function residuals(model: Model, start: number, count: number): number {
  const { z } = model.work;
  const { rows, share, y } = model;
  let value = 0;
  for (let i = 0; i < count; i++) {
    const own = y[start + i]! * BLOCK + i;
    const score = z[own]!;
    const weight = share[start + i]!;
    value += weight * (softmax(z, i, rows) - score);
    for (let k = 0; k < rows; k++) z[k * BLOCK + i] = z[k * BLOCK + i]! * weight;
    z[own] = z[own]! - weight;
  }
  return value;
}

/** Turns row i's scores into probabilities in place; returns the log of the sum of their exponentials. */
export function softmax(z: Float64Array, i: number, rows: number): number {
  let top = -Infinity;
  for (let k = 0; k < rows; k++) top = Math.max(top, z[k * BLOCK + i]!);
  let sum = 0;
  for (let k = 0; k < rows; k++) {
    const e = Math.exp(z[k * BLOCK + i]! - top);
    z[k * BLOCK + i] = e;
    sum += e;
  }
  for (let k = 0; k < rows; k++) z[k * BLOCK + i] = z[k * BLOCK + i]! / sum;
  return top + Math.log(sum);
}
