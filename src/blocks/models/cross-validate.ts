import type { BlockContext } from "../../core/block.ts";
import { ArgsError, DataError } from "../../core/errors.ts";
import { type Frame, fitSubset } from "../../core/frame.ts";
import { count, listed, quoted } from "../../core/names.ts";
import type { Json } from "../../core/record.ts";
import { readSplit } from "../../core/split.ts";
import { modelColumns } from "../../core/training.ts";
import type { View } from "../../core/view.ts";
import { kFolds, stratifiedFolds } from "../../numerics/evaluation/k-folds.ts";
import type { RandomState } from "../../numerics/random.ts";
import { countOf, type Folds, foldsByTime } from "./folds.ts";

/** Metrics that are the better the smaller they are. */
export const losses: readonly string[] = ["mae", "mse", "rmse", "mape", "log_loss"];

/** A metric over the folds: mean, population deviation, and each fold's own. */
export interface Spread {
  readonly mean: number;
  readonly std: number;
  readonly folds: readonly number[];
}

/** What cross-validation found of one model; `failure` when a fold refused it. */
export interface Validation {
  readonly folds: number;
  /** Each fold was judged on rows behind those it learnt from. */
  readonly byTime?: true;
  readonly metrics: Readonly<Record<string, Spread>>;
  readonly failure?: string;
}

/** The metrics of a fold, or why there are none. */
export type TrialResult =
  | { readonly metrics: Readonly<Record<string, Json>>; readonly failure?: undefined }
  | { readonly failure: string };

/** Trains models on a frame's training rows and answers how each does on its test rows. */
export type Trial = (frame: Frame) => Promise<readonly TrialResult[]>;

/**
 * K-fold cross-validation on the training rows (all rows without a split); test rows stay out of it.
 *
 * The models of one trial are judged side by side on the same folds. Every block since the rows last changed is fitted anew for each fold, on its training rows alone. Folds are those of
 * scikit-learn's cross_val_score: runs of rows for numbers, the classes' shares kept for classes; nothing is drawn,
 * unless rows are to be shuffled by `random`. Those by time are its TimeSeriesSplit's.
 */
export async function crossValidate(
  frame: Frame,
  folds: Folds,
  task: "regression" | "classification",
  context: BlockContext,
  who: string,
  trial: Trial,
  phase = "cross-validation",
  random?: RandomState,
): Promise<Validation[]> {
  const parts = await partsOf(frame, folds, task, context, who, random);
  const found: (readonly TrialResult[])[] = [];
  for (const [fold, { train, test }] of parts.entries()) {
    const refitted = () =>
      context.refit(train, test, async (anew, fixed) => {
        if (fold === 0) noticeFixed(fixed, context, who);
        return await trial(anew).catch((error: unknown) => {
          throw inFold(error, fold, parts.length, who);
        });
      });
    found.push(await context.within(phase, fold, parts.length, refitted));
  }
  return found[0].map((_, k) => ({
    ...validationOf(found.map((results) => results[k])),
    ...(typeof folds === "number" ? {} : { byTime: true }),
  }));
}

/** Works with the frames of all folds at once, each with every block since the rows last changed fitted anew. */
export async function withFolds<T>(
  frame: Frame,
  folds: Folds,
  task: "regression" | "classification",
  context: BlockContext,
  who: string,
  work: (frames: readonly Frame[]) => Promise<T>,
): Promise<T> {
  const parts = await partsOf(frame, folds, task, context, who);
  // A frame is gone when its refit ends, so each is made inside of the one before.
  const open = async (frames: readonly Frame[]): Promise<T> => {
    if (frames.length === parts.length) return await work(frames);
    const { train, test } = parts[frames.length];
    context.progress("preparing folds", frames.length, parts.length);
    return await context.refit(train, test, async (anew, fixed) => {
      if (frames.length === 0) noticeFixed(fixed, context, who);
      return await open([...frames, anew]);
    });
  };
  return await open([]);
}

/** The rows that a fold learns from, and those that it is judged on. */
export interface Part {
  readonly train: Int32Array;
  readonly test: Int32Array;
}

/**
 * The folds' rows, of the training rows (all rows without a split).
 *
 * Folds are those of scikit-learn's cross_val_score; what makes scores flatter is told.
 */
export async function partsOf(
  frame: Frame,
  folds: Folds,
  task: "regression" | "classification",
  context: BlockContext,
  who: string,
  random?: RandomState,
): Promise<Part[]> {
  const { train: rows, test } = await readSplit(frame, context.tables);
  if (rows.length < 2) {
    throw new DataError(
      `${who}: cross-validation needs at least 2 training rows, and there ${rows.length === 1 ? "is 1" : "are none"}.`,
      { code: "too_few_rows", got: rows.length, expected: "at least 2" },
    );
  }
  if (countOf(folds) > rows.length) {
    throw new ArgsError(`${who}: cv must be between 2 and ${rows.length} (training rows), got ${countOf(folds)}.`, {
      path: "cv",
      got: countOf(folds),
      expected: `2 to ${rows.length}`,
    });
  }
  const resampled = context.before(["DP_RES"]);
  if (resampled) {
    context.notice(
      `${who}: resample (${resampled.code}, block ${resampled.id}) came before, so folds of the cross-validation hold relatives of each other's rows and its scores flatter. Cross-validate before it.`,
    );
  }
  if (typeof folds !== "number") {
    const inTime = rows.toSorted();
    if (test.length > 0 && test.some((row) => row < inTime[inTime.length - 1])) {
      context.notice(
        `${who}: the folds go by time, but split (DP_4) shuffled the rows, so test rows lie between those of the folds. Split with shuffle: false.`,
      );
    }
    const runs = foldsByTime(inTime.length, folds, who);
    return runs.map((run) => ({ train: inTime.slice(...run.train), test: inTime.slice(...run.test) }));
  }
  const held =
    task === "regression" ? kFolds(rows.length, folds, random) : await classFolds(frame, folds, context, who, random);
  return Array.from({ length: folds }, (_, fold) => ({
    train: rows.filter((_, i) => held[i] !== fold),
    test: rows.filter((_, i) => held[i] === fold),
  }));
}

/** Tells which blocks could not be fitted anew in each fold. */
export function noticeFixed(fixed: readonly string[], context: BlockContext, who: string): void {
  if (fixed.length === 0) return;
  context.notice(
    `${who}: cross-validation leaves ${fixed.join(", ")} as fitted on all training rows, since rows were dropped after; drop rows first for scores without that leak.`,
  );
}

/** What this data can't take, said of the fold: where the table at hand can take it, its own would puzzle. */
export function inFold(error: unknown, fold: number, folds: number, who: string): unknown {
  if (!(error instanceof DataError) || !error.message.startsWith(`${who}: `)) return error;
  const said = error.message.slice(who.length + 2);
  return new DataError(
    `${who}: ${said} That is so in fold ${fold + 1} of ${folds} of the cross-validation, where what was learnt of the columns is learnt from that fold's training rows alone.`,
    error.detail,
    { cause: error },
  );
}

/** What the folds' results come to. */
export function validationOf(results: readonly TrialResult[]): Validation {
  const folds = results.length;
  const failed = results.find((result) => result.failure !== undefined);
  if (failed) return { folds, metrics: {}, failure: failed.failure };
  return {
    folds,
    metrics: spreads(results.flatMap((result) => (result.failure === undefined ? [result.metrics] : []))),
  };
}

async function classFolds(
  frame: Frame,
  folds: number,
  context: BlockContext,
  who: string,
  random?: RandomState,
): Promise<Int32Array> {
  const { target } = modelColumns(frame, who);
  const { codes, labels } = await context.tables.classes(frame.relation, target, {
    subset: fitSubset(frame),
    split: frame.split,
  });
  const counts = new Int32Array(labels.length);
  for (const code of codes) counts[code]++;
  const most = counts.reduce((max, rows) => Math.max(max, rows), 0);
  if (most < 2) {
    throw new DataError(
      `${who}: cross-validation needs a class of at least 2 rows, and no class of ${quoted(target)} has more than one.`,
      { code: "too_few_rows", got: most, expected: "at least 2" },
    );
  }
  if (folds > most) {
    throw new ArgsError(
      `${who}: cv must be at most ${most}, the rows of the largest class of ${quoted(target)}, got ${folds}.`,
      { path: "cv", got: folds, expected: `2 to ${most}` },
    );
  }
  const few = labels.filter((_, k) => counts[k] < folds);
  if (few.length > 0) {
    context.notice(
      `${who}: ${listed(few.map(String))} of ${quoted(target)} ${few.length === 1 ? "has" : "have"} fewer than ${count(folds, "row")}, so some folds are judged without.`,
    );
  }
  return stratifiedFolds(codes, folds, random);
}

/** Numbers that every fold has, over the folds. */
function spreads(found: readonly Readonly<Record<string, Json>>[]): Record<string, Spread> {
  const names = Object.keys(found[0]).filter((name) => found.every((each) => typeof each[name] === "number"));
  return Object.fromEntries(
    names.map((name) => {
      const folds = found.map((each) => each[name] as number);
      const mean = folds.reduce((sum, value) => sum + value, 0) / folds.length;
      const std = Math.sqrt(folds.reduce((sum, value) => sum + (value - mean) ** 2, 0) / folds.length);
      return [name, { mean, std, folds }];
    }),
  );
}

/** A table of the metrics over the folds. */
export function validationView({ folds, byTime, metrics }: Validation, on: "train" | "all"): View {
  const names = ["mean", "std", "worst", "best"];
  return {
    kind: "table",
    title: `${byTime ? `Cross-validation in ${folds} folds by time` : `${folds}-fold cross-validation`} on ${on === "train" ? "the training rows" : "all rows"}`,
    summary: true,
    columns: [{ name: "metric", type: "text" }, ...names.map((name) => ({ name, type: "number" as const, digits: 4 }))],
    rows: Object.entries(metrics).map(([name, spread]) => {
      const isLoss = losses.includes(name);
      const [low, high] = [Math.min(...spread.folds), Math.max(...spread.folds)];
      return [name, spread.mean, spread.std, isLoss ? high : low, isLoss ? low : high];
    }),
  };
}
