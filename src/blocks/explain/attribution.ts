import type { BlockContext } from "../../core/block.ts";
import { type Frame, fitSubset } from "../../core/frame.ts";
import type { ModelFile } from "../../core/model.ts";
import { type Attribution, attribute, coalitionsOf } from "../../numerics/explain/kernel-shap.ts";
import { linearShap } from "../../numerics/explain/linear-shap.ts";
import { treeBase, treeCovers, treeShap } from "../../numerics/explain/tree-shap.ts";
import { RandomState } from "../../numerics/random.ts";
import { columnOf, createMatrix, gatherRows, type Matrix } from "../../numerics/types.ts";
import type { Kin } from "../../plan/lineage.ts";
import type { Additive } from "../models/additive.ts";
import type { Prediction, Predictor } from "../models/model-types.ts";
import { rowsOfSubset } from "../models/new-rows.ts";
import { codesOf, judgedMatrix } from "../models/predict.ts";
import { computeRows, matrixOf } from "../shared/row-parts.ts";

/** How shares are worked out: exactly of trees and of linear models, else by asking. */
export type Method = "trees" | "linear" | "kernel";

/** How the answers of some rows are made up. */
export interface Attributed {
  /** Shares of the columns, output after output: rows×(outputs · columns). */
  readonly values: Matrix;
  /** What the model answers where nothing is known of a row, for each output. */
  readonly base: Float64Array;
  readonly scale: Additive["scale"];
  readonly method: Method;
  /** Training rows by which what is not known is told. */
  readonly background: number;
  /** The standard error of a share, on average; 0 where all is exact. */
  readonly error: number;
}

/** What an attribution is asked for. */
export interface Asked {
  readonly predictor: Predictor;
  readonly file: ModelFile;
  readonly frame: Frame;
  /** The rows to explain. */
  readonly x: Matrix;
  readonly columns: readonly Kin[];
  readonly seed: number;
  /** Training rows to go by, and coalitions to ask at most. */
  readonly background?: number | undefined;
  readonly samples: number;
}

/** Background rows where none are asked for: of sums, which look at each once, and of other models. */
const usual = { sum: 100_000, asked: 50 };

/** Rows below which another thread gains nothing. */
const fewestRows = 128;

/** Numbers of rows that a model is asked for at a time. */
const mostNumbers = 4_000_000;

/** Each column's share in the answers: exact where the model is a sum, else of the coalitions that were asked. */
export async function attributed(asked: Asked, context: BlockContext, who: string): Promise<Attributed> {
  const { predictor, file, frame, background, seed } = asked;
  const sum = predictor.additive?.(file);
  const known = await backgroundRows(
    predictor,
    file,
    frame,
    background ?? (sum ? usual.sum : usual.asked),
    seed,
    context,
    who,
  );
  if (!sum) return await byAsking(asked, known, context);
  const { x, columns } = asked;
  const groups = new Int32Array(x.d);
  for (const [group, { places }] of columns.entries()) for (const place of places) groups[place] = group;
  const input = { x: matrixOf(x), groups, groupCount: columns.length };
  const { scale } = sum;
  if (sum.kind === "line") {
    const { coef, intercept } = sum;
    const mean = Float64Array.from({ length: x.d }, (_, j) => meanOf(columnOf(known, j)));
    const base = intercept.map((start, k) =>
      mean.reduce((total, value, j) => total + coef[k * x.d + j] * value, start),
    );
    const values = await computeRows(context, linearShap, { ...input, coef, mean }, "shap");
    return { values, base, scale, method: "linear", background: known.n, error: 0 };
  }
  const { trees } = sum;
  const covers = await context.compute(treeCovers, { x: matrixOf(known), trees }, "covers");
  const values = await computeRows(context, treeShap, { ...input, trees, covers }, "shap", fewestRows);
  return { values, base: treeBase(trees, covers), scale, method: "trees", background: known.n, error: 0 };
}

/** The training rows as the model's matrix; of more than `most` so many, drawn by the seed. */
async function backgroundRows(
  predictor: Predictor,
  file: ModelFile,
  frame: Frame,
  most: number,
  seed: number,
  context: BlockContext,
  who: string,
): Promise<Matrix> {
  const all = await judgedMatrix(rowsOfSubset(frame, fitSubset(frame)), file, context, who, predictor.isRaw);
  return all.n <= most ? all : gatherRows(all, drawnRows(all.n, most, seed), true);
}

/** So many of n rows, drawn by the seed, in their order. */
export function drawnRows(n: number, wanted: number, seed: number): Int32Array {
  return new RandomState(seed).permutation(n).subarray(0, wanted).sort();
}

function meanOf(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** What a model says of rows, as numbers: row after row, one for each output; of two classes the second's. */
export function answersOf(prediction: Prediction, file: ModelFile): { outputs: number; data: Float64Array } {
  if (prediction.kind === "numbers") return { outputs: 1, data: prediction.values };
  const classes = file.classes?.length ?? 0;
  const first = classes === 2 ? 1 : 0;
  const outputs = classes - first;
  const matrix = "matrix" in prediction ? prediction.matrix : undefined;
  const codes = matrix ? null : codesOf(prediction);
  const n = matrix?.n ?? codes?.length ?? 0;
  const data = new Float64Array(n * outputs);
  for (let i = 0; i < n; i++) {
    for (let k = 0; k < outputs; k++) {
      data[i * outputs + k] = matrix ? matrix.data[(k + first) * n + i] : codes?.[i] === k + first ? 1 : 0;
    }
  }
  return { outputs, data };
}

/** Kernel SHAP: the model is asked for rows of which a coalition of columns is known and the others are a training row's. */
async function byAsking(
  { predictor, file, x, columns, samples, seed }: Asked,
  known: Matrix,
  context: BlockContext,
): Promise<Attributed> {
  const ask = async (rows: Matrix) => answersOf(await predictor.predict(file, rows, context), file);
  const whole = await ask(x);
  const { outputs } = whole;
  const nothing = await ask(known);
  const base = Float64Array.from({ length: outputs }, (_, k) =>
    meanOf(Float64Array.from({ length: known.n }, (_, i) => nothing.data[i * outputs + k])),
  );
  const coalitions = coalitionsOf(columns.length, samples, seed);
  const { count } = coalitions;
  const worth = new Float64Array(x.n * count * outputs);
  const total = x.n * count;
  const atOnce = Math.max(1, Math.floor(mostNumbers / (known.n * x.d)));
  for (let from = 0; from < total; from += atOnce) {
    const to = Math.min(total, from + atOnce);
    const { data } = await ask(mixed(x, known, columns, coalitions.masks, count, from, to));
    for (let at = from; at < to; at++) {
      for (let b = 0; b < known.n; b++) {
        for (let k = 0; k < outputs; k++) {
          worth[at * outputs + k] += data[((at - from) * known.n + b) * outputs + k] / known.n;
        }
      }
    }
    context.progress("shap", to, total);
  }
  const values = createMatrix(x.n, outputs * columns.length);
  let error = 0;
  for (let i = 0; i < x.n; i++) {
    for (let k = 0; k < outputs; k++) {
      const own = Float64Array.from({ length: count }, (_, c) => worth[(i * count + c) * outputs + k]);
      const found: Attribution = attribute(coalitions, own, base[k], whole.data[i * outputs + k]);
      for (const [j, value] of found.values.entries()) values.data[(k * columns.length + j) * x.n + i] = value;
      error += meanOf(found.error) / (x.n * outputs);
    }
  }
  return { values, base, scale: "answer", method: "kernel", background: known.n, error };
}

/** Rows of coalitions from…to−1, row after row of `x`: each with all background rows, in which what is known is put. */
function mixed(
  x: Matrix,
  known: Matrix,
  columns: readonly Kin[],
  masks: Uint8Array,
  count: number,
  from: number,
  to: number,
): Matrix {
  const out = createMatrix((to - from) * known.n, x.d, true);
  for (const [player, { places }] of columns.entries()) {
    for (const j of places) {
      const others = columnOf(known, j);
      const column = columnOf(out, j);
      for (let at = from; at < to; at++) {
        const start = (at - from) * known.n;
        if (masks[(at % count) * columns.length + player] === 1) {
          column.fill(x.data[j * x.n + Math.floor(at / count)], start, start + known.n);
        } else column.set(others, start);
      }
    }
  }
  return out;
}
