import { fittingLogistic, type Logistic, type LogisticColumns, type LogisticInput } from "./logistic.ts";
import { addSums, chunksOf, type LogisticSums, type LogisticSumsInput } from "./logistic-loss.ts";
import type { SparseRows } from "./sparse.ts";
import { softmaxInPlace } from "./sparse-logistic.ts";
import { checkCancelled, type Hooks, type Matrix, quiet } from "./types.ts";

/** Rows whose sums are added up before they join those of others; as many as with dense rows. */
const CHUNK = 65_536;

/** What a logistic regression on sparse rows needs to know: as on dense ones. */
export type SparseRowsLogisticInput = Omit<LogisticInput, "x"> & { readonly x: SparseRows };

/**
 * `fitLogistic` on sparse rows, with the same objective, path and answer up to rounding.
 *
 * Columns are centred and scaled implicitly as there, which fills no row. O(values · rows + d · rows) a step.
 */
export function fitLogisticRows(input: SparseRowsLogisticInput, hooks: Hooks = quiet): Logistic {
  const { x, y, sampleWeight: weight, ...rest } = input;
  const fit = fittingLogistic(rest, sparseColumns(input), hooks.progress);
  let next = fit.next();
  while (!next.done) {
    next = fit.next(addSums(sparseSums({ x, y, ...(weight ? { weight } : {}), ...next.value }, hooks)));
  }
  return next.value;
}

/** `logisticColumns` of sparse rows. O(values + d). */
export function sparseColumns(
  { x, c = 1, intercept, sampleWeight: weight }: Omit<SparseRowsLogisticInput, "y" | "classes">,
  hooks: Hooks = quiet,
): LogisticColumns {
  if (x.n < 1) throw new RangeError("logistic regression needs at least one row");
  checkCancelled(hooks);
  const total = weight ? weight.reduce((sum, value) => sum + value, 0) : x.n;
  const mean = new Float64Array(x.d);
  const scale = new Float64Array(x.d);
  // The weight of the rows that have a column.
  const held = new Float64Array(x.d);
  for (let i = 0; i < x.n; i++) {
    const share = weight ? weight[i]! : 1;
    for (let at = x.start[i]!; at < x.start[i + 1]!; at++) {
      const j = x.columns[at]!;
      held[j]! += share;
      if (intercept !== false) mean[j]! += share * x.values[at]!;
    }
  }
  for (let j = 0; j < x.d; j++) mean[j]! /= total;
  for (let i = 0; i < x.n; i++) {
    const share = weight ? weight[i]! : 1;
    for (let at = x.start[i]!; at < x.start[i + 1]!; at++) {
      const j = x.columns[at]!;
      scale[j]! += share * (x.values[at]! - mean[j]!) ** 2;
    }
  }
  for (let j = 0; j < x.d; j++) {
    const square = scale[j]! + (total - held[j]!) * mean[j]! ** 2;
    scale[j] = Math.sqrt(square / total + 4 / (c * total));
  }
  return { mean, scale, total };
}

/** `logisticSums` of sparse rows: the loss and its gradient, chunk by chunk. O(values · rows + d · rows). */
export function sparseSums(
  input: Omit<LogisticSumsInput, "x"> & { readonly x: SparseRows },
  hooks: Hooks = quiet,
): LogisticSums[] {
  const { x, coef, intercept, chunks = { from: 0, to: chunksOf(x.n) } } = input;
  const rows = intercept.length;
  const w = turned(coef, rows, x.d);
  return Array.from({ length: chunks.to - chunks.from }, (_, k) => {
    checkCancelled(hooks);
    const from = (chunks.from + k) * CHUNK;
    const to = Math.min(x.n, from + CHUNK);
    const gradient = new Float64Array(rows * x.d);
    const sums = new Float64Array(rows);
    const loss = rows === 1 ? twoClasses(input, w, gradient, sums, from, to) : more(input, w, gradient, sums, from, to);
    return { loss, coef: turned(gradient, x.d, rows), intercept: sums };
  });
}

/** A matrix of a×b numbers as b×a; the weights of one column of x side by side are looked up once. */
function turned(data: Float64Array, a: number, b: number): Float64Array {
  if (a === 1 || b === 1) return data;
  const out = new Float64Array(data.length);
  for (let i = 0; i < a; i++) for (let j = 0; j < b; j++) out[j * a + i] = data[i * b + j]!;
  return out;
}

type SumsInput = Omit<LogisticSumsInput, "x"> & { readonly x: SparseRows };

function twoClasses(
  { x: { start, columns, values }, y, weight, intercept }: SumsInput,
  w: Float64Array,
  gradient: Float64Array,
  sums: Float64Array,
  from: number,
  to: number,
): number {
  let loss = 0;
  let sum = 0;
  for (let i = from; i < to; i++) {
    const end = start[i + 1]!;
    let score = intercept[0]!;
    for (let at = start[i]!; at < end; at++) score += values[at]! * w[columns[at]!]!;
    const e = Math.exp(-Math.abs(score));
    const p = score >= 0 ? 1 / (1 + e) : e / (1 + e);
    const isOne = y[i] === 1;
    const share = weight ? weight[i]! : 1;
    const residual = share * (isOne ? p - 1 : p);
    for (let at = start[i]!; at < end; at++) gradient[columns[at]!]! += residual * values[at]!;
    sum += residual;
    loss += share * (Math.max(isOne ? -score : score, 0) + Math.log1p(e));
  }
  sums[0] = sum;
  return loss;
}

function more(
  { x: { start, columns, values }, y, weight, intercept }: SumsInput,
  w: Float64Array,
  gradient: Float64Array,
  sums: Float64Array,
  from: number,
  to: number,
): number {
  const rows = intercept.length;
  const scores = new Float64Array(rows);
  let loss = 0;
  for (let i = from; i < to; i++) {
    const end = start[i + 1]!;
    scores.set(intercept);
    for (let at = start[i]!; at < end; at++) {
      const value = values[at]!;
      const first = columns[at]! * rows;
      for (let k = 0; k < rows; k++) scores[k]! += value * w[first + k]!;
    }
    const own = scores[y[i]!]!;
    const share = weight ? weight[i]! : 1;
    loss += share * (softmaxInPlace(scores) - own);
    scores[y[i]!]! -= 1;
    for (let k = 0; k < rows; k++) {
      scores[k]! *= share;
      sums[k]! += scores[k]!;
    }
    for (let at = start[i]!; at < end; at++) {
      const value = values[at]!;
      const first = columns[at]! * rows;
      for (let k = 0; k < rows; k++) gradient[first + k]! += value * scores[k]!;
    }
  }
  return loss;
}

/** `predictLogistic` of sparse rows: the probability of each class for every row, rows×classes. O(values · classes). */
export function predictLogisticRows(
  {
    x,
    coef,
    intercept,
    classes,
  }: {
    readonly x: SparseRows;
    readonly coef: Float64Array;
    readonly intercept: Float64Array;
    readonly classes: number;
  },
  hooks: Hooks = quiet,
): Matrix {
  const rows = intercept.length;
  if (coef.length !== rows * x.d) throw new RangeError(`the model has ${coef.length / rows} columns, got ${x.d}`);
  const w = turned(coef, rows, x.d);
  const data = new Float64Array(x.n * classes);
  const scores = new Float64Array(rows);
  for (let i = 0; i < x.n; i++) {
    if (i % 16_384 === 0) checkCancelled(hooks);
    scores.set(intercept);
    for (let at = x.start[i]!; at < x.start[i + 1]!; at++) {
      const first = x.columns[at]! * rows;
      for (let k = 0; k < rows; k++) scores[k]! += x.values[at]! * w[first + k]!;
    }
    if (rows === 1) {
      data[x.n + i] = 1 / (1 + Math.exp(-scores[0]!));
      data[i] = 1 / (1 + Math.exp(scores[0]!));
      continue;
    }
    softmaxInPlace(scores);
    for (let k = 0; k < classes; k++) data[k * x.n + i] = scores[k]!;
  }
  return { n: x.n, d: classes, data };
}
