import type { BlockContext } from "../../core/block.ts";
import type { Chart } from "../../core/chart.ts";
import { ArgsError } from "../../core/errors.ts";
import type { Frame, Subset } from "../../core/frame.ts";
import { columnOf } from "../../core/matrix.ts";
import type { ModelFile } from "../../core/model.ts";
import { quoted } from "../../core/names.ts";
import { modelColumns } from "../../core/training.ts";
import { regressionMetrics } from "../../numerics/evaluation/metrics.ts";
import { RandomState } from "../../numerics/random.ts";
import { createMatrix, gatherRows, type Matrix } from "../../numerics/types.ts";
import { kinOf } from "../../plan/lineage.ts";
import type { Prediction, Predictor } from "./model-types.ts";
import { rowsOfSubset } from "./new-rows.ts";
import { codesOf, judgedMatrix } from "./predict.ts";

/** How much a model's score falls when a column is shuffled: r2 of a regression, accuracy of a classification. */
export interface Importance {
  /** The column from which features come: the feature itself, or what dummies were made of. */
  readonly feature: string;
  readonly mean: number;
  readonly std: number;
}

/**
 * Permutation importance of every column from which features come, in the order of the model's.
 *
 * Features that come of one column, such as the dummies of a category, are shuffled together: a row gets all of
 * another's. The same draws as scikit-learn's permutation_importance for the same seed. A feature that others stand in
 * for looks unimportant. Source: Breiman, Random Forests (2001), §10.
 */
export async function permutationImportance(
  predictor: Predictor,
  frame: Frame,
  file: ModelFile,
  subset: Subset,
  { repeats, seed }: { readonly repeats: number; readonly seed: number },
  context: BlockContext,
  who: string,
): Promise<Importance[]> {
  const selection = { subset, split: frame.split };
  const all = await judgedMatrix(rowsOfSubset(frame, subset), file, context, who, predictor.isRaw);
  const { target } = modelColumns(frame, who);
  const { kept, score } =
    file.task === "regression"
      ? scoreOfNumbers(columnOf(await context.tables.numbers(frame.relation, { ...selection, columns: [target] }), 0))
      : scoreOfClasses(await context.tables.classes(frame.relation, target, selection), file);
  if (kept.length === 0) {
    throw new ArgsError(`${who}: importance needs rows whose ${quoted(target)} is known, and there are none.`, {
      path: "importance",
    });
  }
  const x = gatherRows(all, kept);
  const ask = async (rows: Matrix) => score(await predictor.predict(file, rows, context));
  const whole = await ask(x);
  // Each feature's shuffles begin with the same seed, and each goes on from the one before.
  const start = new RandomState(seed).randomInterval(0x7fffffff);
  const found: Importance[] = [];
  const columns = kinOf(
    frame.lineage,
    file.features.map(({ name }) => name),
  );
  const shuffled = createMatrix(x.n, x.d, true);
  shuffled.data.set(x.data);
  const columnIn = ({ data }: Matrix, j: number) => data.subarray(j * x.n, (j + 1) * x.n);
  for (const [at, { column: feature, places }] of columns.entries()) {
    const random = new RandomState(start);
    const order = Int32Array.from({ length: x.n }, (_, i) => i);
    const drops: number[] = [];
    for (let k = 0; k < repeats; k++) {
      context.progress("importance", at * repeats + k, columns.length * repeats);
      random.shuffle(order);
      for (const j of places) {
        const column = columnIn(shuffled, j);
        column.set(Float64Array.from(order, (row) => column[row]));
      }
      drops.push(whole - (await ask(shuffled)));
    }
    for (const j of places) columnIn(shuffled, j).set(columnIn(x, j));
    const mean = drops.reduce((sum, drop) => sum + drop, 0) / repeats;
    const std = Math.sqrt(drops.reduce((sum, drop) => sum + (drop - mean) ** 2, 0) / repeats);
    found.push({ feature, mean, std });
  }
  return found;
}

type Scored = { readonly kept: Int32Array; score(prediction: Prediction): number };

function scoreOfNumbers(y: Float64Array): Scored {
  const kept = Int32Array.from(Array.from(y.keys()).filter((i) => !Number.isNaN(y[i])));
  const truth = Float64Array.from(kept, (i) => y[i]);
  const score = (prediction: Prediction) =>
    prediction.kind === "numbers" ? (regressionMetrics({ y: truth, predicted: prediction.values }).r2 ?? 0) : 0;
  return { kept, score };
}

function scoreOfClasses(
  { codes, labels }: { readonly codes: Int32Array; readonly labels: readonly (string | number | boolean)[] },
  file: ModelFile,
): Scored {
  const kept = Int32Array.from(Array.from(codes.keys()).filter((i) => codes[i] >= 0));
  const known = file.classes ?? [];
  const truth = Int32Array.from(kept, (i) => known.indexOf(labels[codes[i]]));
  const score = (prediction: Prediction) =>
    codesOf(prediction).reduce((hits, code, i) => hits + (code === truth[i] ? 1 : 0), 0) / kept.length;
  return { kept, score };
}

/** The columns by how much they matter, at most 15. */
export function importanceChart(found: readonly Importance[], task: ModelFile["task"]): Chart {
  const sorted = found.toSorted((a, b) => b.mean - a.mean).slice(0, 15);
  const value = `fall of ${task === "regression" ? "r2" : "accuracy"}`;
  const title = `permutation importance: ${value} when a column is shuffled${found.length > 15 ? ", the 15 largest" : ""}`;
  return { kind: "bars", title, value, bars: sorted.map(({ feature, mean }) => ({ label: feature, value: mean })) };
}
