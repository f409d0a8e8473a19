import { RandomState } from "../random.ts";
import { checkCancelled, type Hooks, quiet } from "../types.ts";
import type { SparseLinear, SparseRows } from "./rows.ts";

/** What `fitSparseSvm` needs to know. */
export type SparseSvmInput = {
  readonly x: SparseRows;
  /** n class codes, 0…classes−1. */
  readonly y: Int32Array;
  /** Number of classes, at least 2. */
  readonly classes: number;
  /** Price of a row on the wrong side, above 0 (default 1). */
  readonly c?: number;
  /** Passes over the rows at most (default 200). */
  readonly maxIter?: number;
  /** Stops when the projected gradients of a pass differ by no more than this (default 0.1). */
  readonly tol?: number;
  /** Decides in which order the rows are visited (default 0). */
  readonly seed?: number;
};

/**
 * Linear support vector machines on sparse rows with squared hinge loss, as scikit-learn's LinearSVC.
 *
 * One machine against the others per class; two classes have one, for class 1. The intercept is penalised like a
 * weight of a column of ones. Dual coordinate descent with shrinking: O(values of the rows that are not shrunk) a pass.
 * Source: Hsieh et al. (2008), A Dual Coordinate Descent Method for Large-scale Linear SVM, Algorithm 3 with L2 loss.
 */
export function fitSparseSvm(input: SparseSvmInput, hooks: Hooks = quiet): SparseLinear {
  const { x, y, classes } = input;
  if (classes < 2) throw new RangeError(`a support vector machine needs at least 2 classes, got ${classes}`);
  if (x.n < 1) throw new RangeError("a support vector machine needs at least one row");
  const rows = classes === 2 ? 1 : classes;
  const coef = new Float64Array(x.d * rows);
  const intercept = new Float64Array(rows);
  const squares = rowSquares(x);
  const signs = new Int8Array(x.n);
  for (let k = 0; k < rows; k++) {
    const own = rows === 1 ? 1 : k;
    for (let i = 0; i < x.n; i++) signs[i] = y[i] === own ? 1 : -1;
    const random = new RandomState(((input.seed ?? 0) + k) % 2 ** 32);
    const w = oneMachine(input, signs, squares, random, hooks);
    for (let j = 0; j < x.d; j++) coef[j * rows + k] = w[j]!;
    intercept[k] = w[x.d]!;
    hooks.progress(k + 1, rows);
  }
  return { coef, intercept };
}

/** ‖x‖² of each row, its one for the intercept counted. */
function rowSquares(x: SparseRows): Float64Array {
  const squares = new Float64Array(x.n).fill(1);
  for (let i = 0; i < x.n; i++) {
    for (let at = x.start[i]!; at < x.start[i + 1]!; at++) squares[i]! += x.values[at]! ** 2;
  }
  return squares;
}

/** The weights that part the rows of sign 1 from those of −1, the intercept last. */
function oneMachine(
  { x, c = 1, maxIter = 200, tol = 0.1 }: SparseSvmInput,
  signs: Int8Array,
  squares: Float64Array,
  random: RandomState,
  hooks: Hooks,
): Float64Array {
  const { n, d, start, columns, values } = x;
  const diagonal = 0.5 / c;
  const w = new Float64Array(d + 1);
  const alpha = new Float64Array(n);
  const index = Int32Array.from({ length: n }, (_, i) => i);
  let active = n;
  let above = Infinity;
  for (let pass = 0; pass < maxIter; pass++) {
    random.shuffle(index.subarray(0, active));
    let most = -Infinity;
    let least = Infinity;
    for (let s = 0; s < active; s++) {
      if (s % 1024 === 0) checkCancelled(hooks);
      const i = index[s]!;
      const to = start[i + 1]!;
      let margin = w[d]!;
      for (let at = start[i]!; at < to; at++) margin += w[columns[at]!]! * values[at]!;
      const gradient = signs[i]! * margin - 1 + diagonal * alpha[i]!;
      if (alpha[i] === 0 && gradient > above) {
        // Far on the right side: it need not be looked at again until the others have settled.
        active--;
        index[s] = index[active]!;
        index[active] = i;
        s--;
        continue;
      }
      const projected = alpha[i] === 0 ? Math.min(gradient, 0) : gradient;
      if (projected > most) most = projected;
      if (projected < least) least = projected;
      if (Math.abs(projected) < 1e-12) continue;
      const before = alpha[i]!;
      alpha[i] = Math.max(before - gradient / (squares[i]! + diagonal), 0);
      const step = (alpha[i]! - before) * signs[i]!;
      w[d]! += step;
      for (let at = start[i]!; at < to; at++) w[columns[at]!]! += step * values[at]!;
    }
    if (most - least <= tol) {
      if (active === n) break;
      active = n;
      above = Infinity;
      continue;
    }
    above = most <= 0 ? Infinity : most;
  }
  return w;
}
