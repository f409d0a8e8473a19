import type { SparseRows } from "./rows.ts";

/**
 * The log loss of row i, which counts `share` times, and whose part is added to the gradient.
 *
 * `w` and the gradient hold the weights of a column of x side by side, column after column, and the intercepts at the
 * end. There is one of each per score in `scores`, which is scratch: one for two classes, else one per class.
 */
export function rowLoss(
  x: SparseRows,
  y: Int32Array | Float64Array,
  i: number,
  w: Float64Array,
  gradient: Float64Array,
  scores: Float64Array,
  share = 1,
): number {
  return scores.length === 1
    ? twoClasses(x, y, i, w, gradient, share)
    : severalClasses(x, y, i, w, gradient, scores, share);
}

function twoClasses(
  x: SparseRows,
  y: Int32Array | Float64Array,
  i: number,
  w: Float64Array,
  gradient: Float64Array,
  share: number,
): number {
  const { start, columns, values, d } = x;
  const to = start[i + 1]!;
  let score = w[d]!;
  for (let at = start[i]!; at < to; at++) score += values[at]! * w[columns[at]!]!;
  const e = Math.exp(-Math.abs(score));
  const p = score >= 0 ? 1 / (1 + e) : e / (1 + e);
  const isOne = y[i] === 1;
  const residual = share * (isOne ? p - 1 : p);
  for (let at = start[i]!; at < to; at++) gradient[columns[at]!]! += residual * values[at]!;
  gradient[d]! += residual;
  return share * (Math.max(isOne ? -score : score, 0) + Math.log1p(e));
}

function severalClasses(
  x: SparseRows,
  y: Int32Array | Float64Array,
  i: number,
  w: Float64Array,
  gradient: Float64Array,
  scores: Float64Array,
  share: number,
): number {
  const { start, columns, values, d } = x;
  const rows = scores.length;
  const to = start[i + 1]!;
  for (let k = 0; k < rows; k++) scores[k] = w[d * rows + k]!;
  for (let at = start[i]!; at < to; at++) {
    const value = values[at]!;
    const from = columns[at]! * rows;
    for (let k = 0; k < rows; k++) scores[k]! += value * w[from + k]!;
  }
  const own = scores[y[i]!]!;
  const total = softmaxInPlace(scores);
  scores[y[i]!]! -= 1;
  for (let k = 0; k < rows; k++) {
    scores[k]! *= share;
    gradient[d * rows + k]! += scores[k]!;
  }
  for (let at = start[i]!; at < to; at++) {
    const value = values[at]!;
    const from = columns[at]! * rows;
    for (let k = 0; k < rows; k++) gradient[from + k]! += value * scores[k]!;
  }
  return share * (total - own);
}

/** The Poisson loss of row i, exp(score) − y·score, whose part is added to the gradient; the rest as for `rowLoss`. */
export function poissonRowLoss(
  x: SparseRows,
  y: Float64Array | Int32Array,
  i: number,
  w: Float64Array,
  gradient: Float64Array,
): number {
  const { start, columns, values, d } = x;
  const to = start[i + 1]!;
  let score = w[d]!;
  for (let at = start[i]!; at < to; at++) score += values[at]! * w[columns[at]!]!;
  const expected = Math.exp(score);
  const residual = expected - y[i]!;
  for (let at = start[i]!; at < to; at++) gradient[columns[at]!]! += residual * values[at]!;
  gradient[d]! += residual;
  return expected - y[i]! * score;
}

/** Turns scores into probabilities; answers the log of the sum of their exponentials. */
export function softmaxInPlace(scores: Float64Array): number {
  let top = -Infinity;
  for (let k = 0; k < scores.length; k++) if (scores[k]! > top) top = scores[k]!;
  let sum = 0;
  for (let k = 0; k < scores.length; k++) {
    const e = Math.exp(scores[k]! - top);
    scores[k] = e;
    sum += e;
  }
  for (let k = 0; k < scores.length; k++) scores[k] = scores[k]! / sum;
  return top + Math.log(sum);
}
