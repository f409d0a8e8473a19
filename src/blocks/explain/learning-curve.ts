import { z } from "zod";
import { type BlockContext, defineBlock } from "../../core/block.ts";
import type { Chart } from "../../core/chart.ts";
import { ArgsError, BlocklabError, CancelledError, DataError } from "../../core/errors.ts";
import { type BlockExplain, plain } from "../../core/explanation.ts";
import type { Finished } from "../../core/finished.ts";
import type { Frame } from "../../core/frame.ts";
import type { ModelFile } from "../../core/model.ts";
import { count, listed, quoted } from "../../core/names.ts";
import type { Json } from "../../core/record.ts";
import { modelColumns } from "../../core/training.ts";
import { stack, text, type View } from "../../core/view.ts";
import { RandomState } from "../../numerics/random.ts";
import { refuseOtherPreparation } from "../models/at-hand.ts";
import { losses, noticeFixed, partsOf } from "../models/cross-validate.ts";
import { foldsArg } from "../models/folds.ts";
import { allScores, scoringFor } from "../models/grid-search.ts";
import { judge } from "../models/metrics.ts";
import type { Learner } from "../models/model-types.ts";
import { numberColumns } from "./number-columns.ts";
import { subjectOf } from "./subject.ts";

const who = "learningCurve (BL_LEARNING)";

/** Scores of one fold's model, trained on some of its rows; null where it could not be trained. */
interface Fitted {
  readonly train: number | null;
  readonly validation: number | null;
}

/** Mean and population deviation over the folds; null where a fold has no score. */
interface Spread {
  readonly mean: number | null;
  readonly std: number | null;
  readonly folds: readonly (number | null)[];
}

interface Point {
  readonly rows: number;
  readonly train: Spread;
  readonly validation: Spread;
}

interface Report {
  readonly model: string;
  readonly scoring: string;
  readonly folds: number;
  readonly points: readonly Point[];
}

const explainLearning: BlockExplain = {
  why: "Before gathering more rows one would like to know whether they help. Where the score on held-out rows still rises with their number, they do; where it is flat and the score on training rows is no better, the model or its columns are the limit; a wide gap between both says that it learns by heart.",
  did({ report }: Finished) {
    const { model, scoring, folds, points } = report as Report;
    const known = points.filter(({ validation }) => validation.mean !== null);
    const [first, last] = [known[0], known[known.length - 1]];
    if (!first) return [`Model ${quoted(model)} could be trained on too few of ${count(folds, "fold")} to tell.`];
    return [
      `Model ${quoted(model)} was trained anew on ${listed(points.map(({ rows }) => plain(rows)))} rows of each of ${count(folds, "fold")}, with every step before fitted on those rows alone.`,
      `On held-out rows ${scoring} goes from ${plain(first.validation.mean)} with ${count(first.rows, "row")} to ${plain(last.validation.mean)} with ${plain(last.rows)}; on the rows that it learnt from it is ${plain(last.train.mean)} then.`,
    ];
  },
};

/**
 * BL_LEARNING. Shows how a model's score grows with the rows it learns from, on these and on rows held out.
 *
 * The model is trained anew, with its own arguments, on some of the training rows of each fold (all rows without a
 * split), and every block since the rows last changed is fitted on those rows alone; test rows stay out of it. Folds,
 * rows and scores are those of scikit-learn's learning_curve with the same random_state and `shuffle`. `rows` of the
 * result is a table of the scores, fold by fold.
 */
export const learningCurve = defineBlock({
  code: "BL_LEARNING",
  name: "learningCurve",
  args: {
    /** The name of the model (default: the last one of the chain). */
    model_name: z.string().min(1).max(200).optional(),
    /** How many rows to learn from: shares of a fold's training rows up to 1, or numbers of rows (default [0.1,0.325,0.55,0.775,1]). */
    train_sizes: z.array(z.number().gt(0).max(1e9)).min(1).max(100).default([0.1, 0.325, 0.55, 0.775, 1]),
    /** Folds; { kind: "time" } for folds that are judged on later rows (default 5). */
    cv: foldsArg.default(5),
    /** The score (default: accuracy, or r2 for numbers). */
    scoring: z.literal(allScores).optional(),
    /** Take any of a fold's training rows, drawn by random_state, and not the first ones, which a sorted table has of one kind (default true). */
    shuffle: z.boolean().default(true),
    /** Seed of what is drawn (default 0). */
    random_state: z.int().min(0).max(4294967295).default(0),
  },
  example:
    'session.input("sample:penguins").missing({ strategy: "drop" }).xy({ x: ["bill_length_mm", "bill_depth_mm"], y: "species" }).split({ test_size: 0.25, random_state: 0 }).knn().learningCurve()',
  explain: explainLearning,
  async run(frame, args, context) {
    const { predictor, file, chosen } = await subjectOf(args.model_name, context, who);
    refuseOtherPreparation(frame, file, context, who);
    refuseOtherColumns(frame, file);
    const task = file.task === "regression" ? "regression" : "classification";
    const scoring = scoringFor(task, args.scoring, who);
    const random = args.shuffle ? new RandomState(args.random_state) : null;
    const folds = (await partsOf(frame, args.cv, task, context, who)).map(({ train, test }) => ({
      train: random ? Int32Array.from(random.permutation(train.length), (i) => train[i]) : train,
      test,
    }));
    const sizes = sizesOf(args.train_sizes, folds[0].train.length);
    const trial: Trial = { predictor, file, scoring, context };
    const found: Fitted[][] = sizes.map(() => []);
    const reasons = new Map<string, number>();
    for (const [fold, { train, test }] of folds.entries()) {
      for (const [k, size] of sizes.entries()) {
        const at = fold * sizes.length + k;
        const part = () => fittedOn(trial, train.slice(0, size), test, at === 0, reasons);
        found[k].push(await context.within("learning curve", at, folds.length * sizes.length, part));
      }
    }
    const points = sizes.map(
      (size, k): Point => ({
        rows: size,
        train: spreadOf(found[k].map((each) => each.train)),
        validation: spreadOf(found[k].map((each) => each.validation)),
      }),
    );
    noticeFailures(reasons, folds.length * sizes.length, points, context);
    const all = found.flatMap((each, k) => each.map((scores, fold) => ({ rows: sizes[k], fold, ...scores })));
    const columns = numberColumns(
      all,
      {
        rows: (each) => each.rows,
        fold: (each) => each.fold,
        train: (each) => each.train,
        validation: (each) => each.validation,
      },
      ["rows", "fold"],
    );
    const artifact = await context.tables.writeColumns(columns);
    const report: Report = { model: file.model_name, scoring, folds: folds.length, points };
    return {
      frame,
      ...chosen,
      output: {
        ...{ model_name: file.model_name, scoring, folds: folds.length, sizes: points },
        curve_url: { $artifact: artifact },
      } as unknown as Json,
      report,
    };
  },
  view: ({ report }) => learningView(report as Report),
});

/** What a fold's model is trained and judged with. */
interface Trial {
  readonly predictor: Learner;
  readonly file: ModelFile;
  readonly scoring: string;
  readonly context: BlockContext;
}

/** The scores of a model of these rows alone, on them and on those held out; what the data refuses has none. */
async function fittedOn(
  { predictor, file, scoring, context }: Trial,
  train: Int32Array,
  test: Int32Array,
  isFirst: boolean,
  reasons: Map<string, number>,
): Promise<Fitted> {
  const score = async (frame: Frame, model: ModelFile, subset: "train" | "test") => {
    const value = (await judge(predictor, frame, model, subset, context, who, false)).metrics[scoring];
    return typeof value === "number" ? value : null;
  };
  const work = async (frame: Frame, fixed: readonly string[]) => {
    if (isFirst) noticeFixed(fixed, context, who);
    const model = await predictor.anew(file, frame, context, who);
    return { train: await score(frame, model, "train"), validation: await score(frame, model, "test") };
  };
  return await context.refit(train, test, work).catch((error: unknown) => {
    const isRefusal = error instanceof BlocklabError && !(error instanceof CancelledError) && error.status < 500;
    if (!isRefusal) throw error;
    reasons.set(error.message, (reasons.get(error.message) ?? 0) + 1);
    return { train: null, validation: null };
  });
}

/** Models that were not trained are told; where there is none at all, that is the answer. */
function noticeFailures(
  reasons: ReadonlyMap<string, number>,
  fits: number,
  points: readonly Point[],
  context: BlockContext,
): void {
  const [[reason] = [""]] = reasons;
  const failed = [...reasons.values()].reduce((sum, times) => sum + times, 0);
  if (failed === 0) return;
  if (points.every(({ validation }) => validation.folds.every((score) => score === null))) {
    throw new DataError(`${who}: no model could be trained on so few rows; the first says: ${reason}`, {
      path: "train_sizes",
    });
  }
  context.notice(
    `${who}: ${failed} of ${count(fits, "model")} could not be trained, and their sizes have no score; the first says: ${reason}`,
  );
}

/** The features and the target here must be those that the model learnt, or another one would be trained. */
function refuseOtherColumns(frame: Frame, file: ModelFile): void {
  const { features, target } = modelColumns(frame, who);
  const learnt = file.features.map(({ name }) => name);
  if (target === file.targets[0].name && features.join("\n") === learnt.join("\n")) return;
  throw new DataError(
    `${who}: model ${quoted(file.model_name)} learnt ${quoted(file.targets[0].name)} from ${listed(learnt)}, which are not the Y and X here. Ask right behind the block that trained it.`,
    { code: "other_columns", got: features.slice(0, 50), expected: learnt.slice(0, 50) },
  );
}

/** Numbers of rows, ascending, each once; shares where all are 1 at most. */
function sizesOf(asked: readonly number[], most: number): number[] {
  const isShares = asked.every((each) => each <= 1);
  const wrong = isShares ? undefined : asked.find((each) => !Number.isInteger(each) || each > most);
  if (wrong !== undefined) {
    throw new ArgsError(
      `${who}: train_sizes must be shares up to 1, or whole numbers of rows up to ${most}, the training rows of a fold; got ${wrong}.`,
      { path: "train_sizes", got: wrong, expected: `up to ${most}` },
    );
  }
  const sizes = asked.map((each) => (isShares ? Math.min(most, Math.max(1, Math.floor(each * most))) : each));
  return [...new Set(sizes)].sort((a, b) => a - b);
}

function spreadOf(folds: readonly (number | null)[]): Spread {
  const known = folds.filter((score) => score !== null);
  if (known.length < folds.length) return { mean: null, std: null, folds };
  const mean = known.reduce((sum, value) => sum + value, 0) / known.length;
  const std = Math.sqrt(known.reduce((sum, value) => sum + (value - mean) ** 2, 0) / known.length);
  return { mean, std, folds };
}

function learningView({ model, scoring, folds, points }: Report): View {
  const number = (name: string) => ({ name, type: "number" as const, digits: 4 });
  const table: View = {
    kind: "table",
    title: `${scoring}, mean and deviation over ${count(folds, "fold")}${losses.includes(scoring) ? "; the smaller the better" : ""}`,
    summary: true,
    columns: [
      { name: "rows", type: "integer" },
      ...[number("train"), number("± train"), number("validation"), number("± validation")],
    ],
    rows: points.map(({ rows, train, validation }) => [rows, train.mean, train.std, validation.mean, validation.std]),
  };
  return stack(text(`Model ${model}, trained anew on some of the rows of each of ${count(folds, "fold")}.`), table, {
    kind: "chart",
    chart: learningChart(scoring, points),
  });
}

function learningChart(scoring: string, points: readonly Point[]): Chart {
  const x = points.map(({ rows }) => rows);
  return {
    kind: "lines",
    title: `learning curve: ${scoring} by rows that were learnt from`,
    rows: x.reduce((most, rows) => Math.max(most, rows), 0),
    x: { title: "training rows", type: "number" },
    y: { title: scoring, type: "number" },
    series: [
      { name: "rows it learnt from", x, y: points.map(({ train }) => train.mean) },
      { name: "rows held out", x, y: points.map(({ validation }) => validation.mean) },
    ],
  };
}
