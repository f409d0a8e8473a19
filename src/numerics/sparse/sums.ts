import { fittingLogistic, type Logistic, type LogisticInput, logisticUnits } from "../linear/logistic.ts";
import { addSums, CHUNK, chunksOf, type LossSums, type LossSumsInput } from "../linear/loss-sums.ts";
import { fittingPoisson, type PoissonInput, poissonUnits } from "../linear/poisson.ts";
import type { ScaledColumns, ScaledColumnsInput, ScoreFit } from "../linear/score-descent.ts";
import { checkCancelled, type Hooks, type Matrix, quiet } from "../types.ts";
import { poissonRowLoss, rowLoss, softmaxInPlace } from "./loss.ts";
import { type SparseRows, sparseScores } from "./rows.ts";

/** What a logistic regression on sparse rows needs to know: as on dense ones. */
export type SparseRowsLogisticInput = Omit<LogisticInput, "x"> & { readonly x: SparseRows };

/**
 * `fitLogistic` on sparse rows, with the same objective, and the same answer up to rounding.
 *
 * Columns are centred and scaled implicitly, never turned, which fills no row. O(values · rows + d · rows) a step.
 */
export function fitLogisticRows(input: SparseRowsLogisticInput, hooks: Hooks = quiet): Logistic {
  const { x, y, sampleWeight: weight, ...rest } = input;
  const fit = fittingLogistic(rest, sparseColumns({ ...input, ...logisticUnits(input, x.n) }), hooks.progress);
  let next = fit.next();
  while (!next.done) {
    next = fit.next(addSums(sparseSums({ x, y, ...(weight ? { weight } : {}), ...next.value }, hooks)));
  }
  return next.value;
}

/** What a Poisson regression on sparse rows needs to know: as on dense ones. */
export type SparseRowsPoissonInput = Omit<PoissonInput, "x"> & { readonly x: SparseRows };

/** `fitPoisson` on sparse rows, with the same objective, and the same answer up to rounding. */
export function fitPoissonRows(input: SparseRowsPoissonInput, hooks: Hooks = quiet): ScoreFit {
  const { x, y, ...rest } = input;
  const fit = fittingPoisson({ ...rest, y }, sparseColumns({ ...input, ...poissonUnits(input) }), hooks.progress);
  let next = fit.next();
  while (!next.done) next = fit.next(addSums(sparseSums({ x, y, loss: "poisson", ...next.value }, hooks)));
  return next.value;
}

/** `scaledColumns` of sparse rows. O(values + d). */
export function sparseColumns(
  { x, ridge, intercept, sampleWeight: weight }: Omit<ScaledColumnsInput, "x"> & { readonly x: SparseRows },
  hooks: Hooks = quiet,
): ScaledColumns {
  if (x.n < 1) throw new RangeError("a linear model needs at least one row");
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
    const variance = Math.sqrt(square / total) > 1e-12 * Math.abs(mean[j]!) ? square / total : 0;
    scale[j] = Math.sqrt(variance + ridge) || 1;
  }
  return { mean, scale, total };
}

/** `lossSums` of sparse rows: the loss and its gradient, chunk by chunk. O(values · rows + d · rows). */
export function sparseSums(
  input: Omit<LossSumsInput, "x"> & { readonly x: SparseRows },
  hooks: Hooks = quiet,
): LossSums[] {
  const { x, y, loss: kind, weight, coef, intercept, chunks = { from: 0, to: chunksOf(x.n) } } = input;
  const rows = intercept.length;
  const size = rows * x.d;
  const w = new Float64Array(size + rows);
  w.set(turned(coef, rows, x.d));
  w.set(intercept, size);
  const scores = new Float64Array(rows);
  return Array.from({ length: chunks.to - chunks.from }, (_, k) => {
    checkCancelled(hooks);
    const from = (chunks.from + k) * CHUNK;
    const to = Math.min(x.n, from + CHUNK);
    const gradient = new Float64Array(size + rows);
    let loss = 0;
    if (kind === "poisson") for (let i = from; i < to; i++) loss += poissonRowLoss(x, y, i, w, gradient);
    else for (let i = from; i < to; i++) loss += rowLoss(x, y, i, w, gradient, scores, weight ? weight[i]! : 1);
    // Slices, since a view would take all of it along to another thread.
    return { loss, coef: turned(gradient.slice(0, size), x.d, rows), intercept: gradient.slice(size) };
  });
}

/** A matrix of a×b numbers as b×a; the weights of one column of x side by side are looked up once. */
function turned(data: Float64Array, a: number, b: number): Float64Array {
  if (a === 1 || b === 1) return data;
  const out = new Float64Array(data.length);
  for (let i = 0; i < a; i++) for (let j = 0; j < b; j++) out[j * a + i] = data[i * b + j]!;
  return out;
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
  const all = sparseScores(x, { coef: turned(coef, rows, x.d), intercept });
  const data = new Float64Array(x.n * classes);
  for (let i = 0; i < x.n; i++) {
    if (i % 16_384 === 0) checkCancelled(hooks);
    if (rows === 1) {
      data[x.n + i] = 1 / (1 + Math.exp(-all[i]!));
      data[i] = 1 / (1 + Math.exp(all[i]!));
      continue;
    }
    const scores = all.subarray(i * rows, (i + 1) * rows);
    softmaxInPlace(scores);
    for (let k = 0; k < classes; k++) data[k * x.n + i] = scores[k]!;
  }
  return { n: x.n, d: classes, data };
}

/** `predictLinear` of sparse rows, for one target: rows×1. O(values). */
export function predictLinearRows(
  { x, coef, intercept }: { readonly x: SparseRows; readonly coef: Float64Array; readonly intercept: Float64Array },
  hooks: Hooks = quiet,
): Matrix {
  checkCancelled(hooks);
  return { n: x.n, d: 1, data: sparseScores(x, { coef, intercept }) };
}
