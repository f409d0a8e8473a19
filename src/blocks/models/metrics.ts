import { z } from "zod";
import { type BlockContext, defineBlock } from "../../core/block.ts";
import type { Chart } from "../../core/chart.ts";
import { ArgsError, DataError, InternalError } from "../../core/errors.ts";
import { type Frame, type Subset, subsetSize } from "../../core/frame.ts";
import { columnOf } from "../../core/matrix.ts";
import type { ModelFile } from "../../core/model.ts";
import { didYouMean, listed, quoted } from "../../core/names.ts";
import type { Json } from "../../core/record.ts";
import type { Selection } from "../../core/selection.ts";
import { modelColumns, refuseTarget } from "../../core/training.ts";
import { classCurves } from "../../numerics/evaluation/curves.ts";
import { classificationMetrics, regressionMetrics } from "../../numerics/evaluation/metrics.ts";
import type { Matrix } from "../../numerics/types.ts";
import type { Relation } from "../../plan/node.ts";
import { onlyHere } from "../shared/only-here.ts";
import { noticeSeenRows, refuseOtherPreparation } from "./at-hand.ts";
import { explainMetrics } from "./explain-models.ts";
import { judgeFar } from "./far-answers.ts";
import {
  confusionChart,
  curveCharts,
  drawnClasses,
  fitCharts,
  type MetricsReport,
  metricsView,
  reportByLabel,
} from "./metrics-view.ts";
import type { Prediction, Predictor, RowPredictor } from "./model-types.ts";
import { type Judged, rowsOfSubset, rowsToJudge } from "./new-rows.ts";
import { importanceChart, permutationImportance } from "./permutation.ts";
import { askModel, codesOf, modelOf, probabilitiesOf } from "./predict.ts";
import { noticeZeros, zerosIn } from "./zero-targets.ts";

/** The block that judges a model of this kind; its code is the model's with `_M`. */
export function metricsBlock(predictor: Predictor) {
  const code = `${predictor.code}_M`;
  const who = `metrics (${code})`;
  return defineBlock({
    code,
    name: `${predictor.name}.metrics`,
    task: predictor.task,
    args: {
      /** The name under which the model was trained. */
      model_name: z.string(),
      /** One metric alone, such as "accuracy" or "r2" (default: all). */
      metric: z.string().optional(),
      /** Rows to judge by, target included: a file or URL whose cells are read as the chain's were (default: the test rows). */
      test_data: z.string().optional(),
      /** Shuffles of each column, to see how much the score falls without it; all features made of one column are shuffled together (default: none). */
      importance: z.int().min(1).max(1000).optional(),
      /** Seed of the shuffles (default 0). */
      random_state: z.int().min(0).max(4294967295).default(0),
    },
    files: ["test_data"],
    example: `…${predictor.name}().metrics()`,
    explain: explainMetrics,
    async run(frame, args, context) {
      refuseImportanceElsewhere(args, context, who);
      const { file } = await modelOf(predictor, args.model_name, context, who);
      return { frame, ...(await judgeWithImportance(predictor, frame, file, args, context, who)) };
    },
    view: ({ report }) => metricsView(report as MetricsReport),
  });
}

/** What rows a model is judged on, by what, and how often columns are shuffled. */
interface JudgeArgs {
  readonly metric?: string | undefined;
  readonly test_data?: string | undefined;
  readonly importance?: number | undefined;
  readonly random_state: number;
}

/** Refuses shuffles of rows that are not the model's own, or not here. */
export function refuseImportanceElsewhere({ importance, test_data }: JudgeArgs, context: BlockContext, who: string) {
  if (importance === undefined) return;
  if (test_data !== undefined) {
    throw new ArgsError(
      `${who}: importance is worked out on the model's own rows, so it can't stand beside test_data. Leave one out.`,
      { path: "importance", got: importance, expected: "nothing beside test_data" },
    );
  }
  if (context.tables.isFar) throw onlyHere(who, "importance shuffles columns in memory");
}

/** Judges a model as `judgeModel` does, and how much its score falls without each column where that is asked. */
export async function judgeWithImportance(
  predictor: Predictor,
  frame: Frame,
  file: ModelFile,
  { metric, test_data, importance: repeats, random_state: seed }: JudgeArgs,
  context: BlockContext,
  who: string,
): ReturnType<typeof judgeModel> {
  const judged = await judgeModel(predictor, frame, file, { metric, test_data }, context, who);
  if (repeats === undefined) return judged;
  const subset: Subset = frame.split ? "test" : "all";
  const fallen = await permutationImportance(predictor, frame, file, subset, { repeats, seed }, context, who);
  const { output, report } = judged;
  const charts = [...report.charts, importanceChart(fallen, file.task)];
  return {
    output: { ...output, importance: fallen.map((each) => ({ ...each })) },
    report: { ...report, charts },
  };
}

/** Judges a model on the test rows, where there is a split: what a metrics block answers and shows. */
export async function judgeModel(
  predictor: Predictor | RowPredictor,
  frame: Frame,
  file: ModelFile,
  { metric, test_data }: { readonly metric?: string | undefined; readonly test_data?: string | undefined },
  context: BlockContext,
  who: string,
): Promise<{ readonly output: Readonly<Record<string, Json>>; readonly report: MetricsReport }> {
  refuseOtherTarget(frame, file, who);
  const subset = frame.split ? "test" : "all";
  if (test_data === undefined) {
    refuseOtherPreparation(frame, file, context, who);
    await noticeSeenRows(frame, file, subset, context, who);
  }
  const given = test_data === undefined ? null : await labelledRows(frame, test_data, file, context, who);
  const found = await (given
    ? judgeRows(predictor, given, file, context, who, true)
    : judge(predictor, frame, file, subset, context, who));
  const on = given?.from ?? subset;
  if (found.unseen.length > 0) {
    context.notice(
      `${who}: model ${quoted(file.model_name)} has never seen ${listed(found.unseen)} of "${file.targets[0].name}", so it is wrong on those rows.`,
    );
  }
  const n = given ? found.rows : subsetSize(frame, subset);
  if (metric === undefined || metric === "mape") noticeZeros(found.zeros ?? 0, n, context, who);
  const all = { ...found.metrics, n, on };
  return {
    output: metric === undefined ? all : pick(all, metric, who),
    report: { model: file.model_name, on, n, metrics: found.metrics, charts: found.charts },
  };
}

/** The rows that `testData` means, which must have the target. */
export async function labelledRows(
  frame: Frame,
  testData: string,
  file: ModelFile,
  context: BlockContext,
  who: string,
): Promise<Judged> {
  const judged = await rowsToJudge(frame, testData, file, context, who);
  const target = file.targets[0].name;
  if (judged.columns.some((each) => each.name === target)) return judged;
  throw new DataError(`${who}: the given rows lack ${quoted(target)}, by which they would be judged.`, {
    path: "test_data",
    got: judged.columns.map((each) => each.name).slice(0, 50),
    expected: target,
  });
}

/** How good a model is on some rows. */
export interface Found {
  /** How many rows were judged. */
  readonly rows: number;
  readonly metrics: Record<string, Json>;
  readonly charts: readonly Chart[];
  /** Classes among the rows that the model has not learnt. */
  readonly unseen: readonly string[];
  /** Rows whose target is 0, where the target is numbers (default: none). */
  readonly zeros?: number;
}

/** Judges a model on a subset of a frame; without `drawn` no charts are made. */
export async function judge(
  predictor: Predictor | RowPredictor,
  frame: Frame,
  file: ModelFile,
  subset: Subset,
  context: BlockContext,
  who: string,
  drawn = true,
): Promise<Found> {
  return await judgeRows(predictor, rowsOfSubset(frame, subset), file, context, who, drawn);
}

async function judgeRows(
  predictor: Predictor | RowPredictor,
  judged: Judged,
  file: ModelFile,
  context: BlockContext,
  who: string,
  drawn: boolean,
): Promise<Found> {
  if (context.tables.isFar) return await judgeFar(predictor, judged, file, context, who);
  const { relation, selection } = judged;
  const target = file.targets[0].name;
  const prediction = await askModel(predictor, judged, file, context, who);
  if (prediction.kind === "labels") throw new InternalError(`${who}: a clustering has metrics of its own.`);
  return prediction.kind === "numbers"
    ? await judgeNumbers(prediction.values, target, relation, selection, context, who, drawn)
    : await judgeClasses(prediction, target, relation, selection, file, context, drawn);
}

function pick(all: Record<string, Json>, metric: string, who: string): Record<string, Json> {
  const known = Object.keys(all).filter((name) => name !== "n" && name !== "on");
  if (!known.includes(metric)) {
    throw new ArgsError(
      `${who}: there is no metric ${quoted(metric)}.${didYouMean(metric, known)} Metrics: ${known.join(", ")}.`,
      {
        path: "metric",
        got: metric,
        expected: known,
      },
    );
  }
  return { [metric]: all[metric], n: all.n, on: all.on };
}

function refuseOtherTarget(frame: Frame, file: ModelFile, who: string): void {
  const { target } = modelColumns(frame, who);
  const learnt = file.targets[0].name;
  if (target === learnt) return;
  throw new DataError(
    `${who}: model ${quoted(file.model_name)} predicts ${quoted(learnt)}, but Y is ${quoted(target)} here. Judge it where Y is what it learnt, or train it anew.`,
    { code: "other_target", got: target, expected: learnt },
  );
}

async function judgeNumbers(
  predicted: Float64Array,
  target: string,
  relation: Relation,
  selection: Selection,
  context: BlockContext,
  who: string,
  drawn: boolean,
): Promise<Found> {
  const y = columnOf(await context.tables.numbers(relation, { ...selection, columns: [target] }), 0);
  refuseTarget(target, { missing: 0, isInfinite: y.some((value) => Math.abs(value) === Infinity) }, who);
  // Rows without a true value can't be judged.
  const kept = Array.from(y.keys()).filter((i) => !Number.isNaN(y[i]));
  const truth = Float64Array.from(kept, (i) => y[i]);
  const answers = Float64Array.from(kept, (i) => predicted[i]);
  const { n: _, ...metrics } = await context.compute(regressionMetrics, { y: truth, predicted: answers });
  return {
    metrics: { ...metrics },
    charts: drawn ? fitCharts(target, truth, answers) : [],
    unseen: [],
    rows: y.length,
    zeros: zerosIn(truth),
  };
}

async function judgeClasses(
  prediction: Exclude<Prediction, { kind: "numbers" | "labels" }>,
  target: string,
  relation: Relation,
  selection: Selection,
  file: ModelFile,
  context: BlockContext,
  drawn: boolean,
): Promise<Found> {
  const present = await context.tables.classes(relation, target, selection);
  const known = file.classes ?? [];
  // A class that only test rows have counts against the model: it could not have been predicted.
  const unseen = present.labels.filter((label) => !known.includes(label));
  const labels = [...known, ...unseen];
  const y = Int32Array.from(present.codes, (code) => (code < 0 ? -1 : labels.indexOf(present.labels[code])));
  const matrix = probabilitiesOf(prediction);
  const wide = matrix && widen(matrix, labels.length);
  const predicted = codesOf(prediction);
  const kept = Array.from(y.keys()).filter((i) => y[i] >= 0);
  const truth = Int32Array.from(kept, (i) => y[i]);
  const probability = wide && rowsOfMatrix(wide, kept);
  const all = await context.compute(classificationMetrics, {
    y: truth,
    predicted: Int32Array.from(kept, (i) => predicted[i]),
    classes: labels.length,
    ...(probability ? { probability } : {}),
  });
  const confusion = labels.map((_, i) => [...all.confusion.subarray(i * labels.length, (i + 1) * labels.length)]);
  const report = reportByLabel(labels, all.report);
  const { accuracy, precision, recall, f1, rocAuc, logLoss } = all;
  return {
    metrics: {
      accuracy,
      precision,
      recall,
      f1,
      roc_auc: rocAuc,
      log_loss: logLoss,
      confusion: { labels, matrix: confusion },
      report,
    },
    charts: drawn ? await classCharts(truth, probability, labels.map(String), confusion, context) : [],
    unseen: unseen.map(String),
    rows: y.length,
  };
}

async function classCharts(
  y: Int32Array,
  probability: Matrix | undefined,
  labels: readonly string[],
  confusion: readonly (readonly number[])[],
  context: BlockContext,
): Promise<Chart[]> {
  const curves = probability
    ? await context.compute(classCurves, { y, probability, classes: drawnClasses(rowsOfClasses(y, labels.length)) })
    : [];
  return [confusionChart(labels, confusion), ...curveCharts(labels, curves, y.length)];
}

function rowsOfClasses(y: Int32Array, classes: number): Int32Array {
  const rows = new Int32Array(classes);
  for (const code of y) rows[code]++;
  return rows;
}

function widen(matrix: Matrix, classes: number): Matrix {
  const data = new Float64Array(matrix.n * classes);
  data.set(matrix.data);
  return { n: matrix.n, d: classes, data };
}

function rowsOfMatrix(matrix: Matrix, rows: readonly number[]): Matrix {
  const data = new Float64Array(rows.length * matrix.d);
  for (let k = 0; k < matrix.d; k++) {
    for (const [i, row] of rows.entries()) data[k * rows.length + i] = matrix.data[k * matrix.n + row];
  }
  return { n: rows.length, d: matrix.d, data };
}
