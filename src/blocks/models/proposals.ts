import type { BlockContext, Task } from "../../core/block.ts";
import { DataError } from "../../core/errors.ts";
import type { Frame } from "../../core/frame.ts";
import { count } from "../../core/names.ts";
import type { Json } from "../../core/record.ts";
import { inFold, type TrialResult, type Validation, validationOf, withFolds } from "./cross-validate.ts";
import type { Folds } from "./folds.ts";
import { type GridResult, type GridRow, refused, scoringFor, worth } from "./grid-search.ts";

/** What proposes a model's arguments one after another, by how those before did. */
export interface Proposals {
  /** The score that the best has; undefined for the task's usual one. */
  readonly scoring: string | undefined;
  /** Trials at most. */
  readonly trials: number;
  /** Ends a trial whose first folds score worse than the median of the others there. */
  readonly prune: boolean;
  /** The next arguments to try; null where nothing new is left. `ranking` holds those before, the best first. */
  next(ranking: readonly GridRow[]): Readonly<Record<string, Json>> | null;
  /** All of the model's arguments with these; ArgsError where they don't go together. */
  whole(values: Readonly<Record<string, Json>>): object;
}

/** How a fold's rows are read, and how a model of some arguments does on them. */
export interface Trials<Data> {
  read(frame: Frame): Promise<Data>;
  /** How many numbers these hold in memory. */
  sizeOf(data: Data): number;
  judge(frame: Frame, data: Data, args: object): Promise<TrialResult>;
}

/** Trials that come to their end before any is ended early. */
const fewest = 5;

/** Numbers of all folds that are held in memory at most. */
const mostNumbers = 500_000_000;

/** Tries what is proposed on all folds, and answers the best. */
export async function proposed<Data>(
  frame: Frame,
  folds: Folds,
  task: Task,
  proposals: Proposals,
  trials: Trials<Data>,
  context: BlockContext,
  who: string,
): Promise<{ readonly args: object; readonly validation: Validation; readonly search: GridResult }> {
  const scoring = scoringFor(task, proposals.scoring, who);
  return await withFolds(frame, folds, task, context, who, async (frames) => {
    const parts: Part<Data>[] = [];
    for (const [fold, anew] of frames.entries()) {
      const data = await trials.read(anew).catch((error: unknown) => {
        throw inFold(error, fold, frames.length, who);
      });
      refuseLarge(trials.sizeOf(data) * frames.length, frames.length, who);
      parts.push({ frame: anew, data });
    }
    const tried: Tried[] = [];
    for (let k = 0; k < proposals.trials; k++) {
      const ranking = rankedOf(tried, scoring);
      const values = proposals.next(ranking.map(({ row }) => row));
      if (values === null) break;
      const whole = () => triedOn(parts, { k, values }, tried, proposals, scoring, trials, context);
      tried.push(await context.within(phaseOf(k, proposals.trials, ranking[0], scoring), k, proposals.trials, whole));
    }
    const ranking = rankedOf(tried, scoring);
    const [best] = ranking;
    if (best.row.mean === null) {
      throw new DataError(`${who}: no trial could be judged; the first says: ${tried[0].row.failure}`, {
        path: "space",
      });
    }
    const search = { scoring, folds: parts.length, ranking: ranking.map(({ row }) => row) };
    const validation = {
      ...validationOf(best.results),
      ...(typeof folds === "number" ? {} : { byTime: true as const }),
    };
    return { args: proposals.whole(best.row.values), validation, search };
  });
}

/** A fold's frame with the rows it learns from. */
interface Part<Data> {
  readonly frame: Frame;
  readonly data: Data;
}

/** A trial as it ended, with the metrics of the folds that it came to. */
interface Tried {
  readonly row: GridRow;
  readonly results: readonly TrialResult[];
}

/**
 * How some arguments do, fold by fold, until one refuses them or there is no hope.
 *
 * A trial ends early by the median rule of Golovin et al., Google Vizier (KDD 2017): where its mean over the folds so far
 * is worse than the median of the whole trials' means over the same folds.
 */
async function triedOn<Data>(
  parts: readonly Part<Data>[],
  { k, values }: Pick<GridRow, "k" | "values">,
  before: readonly Tried[],
  { prune, whole }: Proposals,
  scoring: string,
  { judge }: Trials<Data>,
  context: BlockContext,
): Promise<Tried> {
  const complete = before.filter(({ row }) => row.mean !== null).map(({ row }) => row.scores);
  const results: TrialResult[] = [];
  const scores: number[] = [];
  const ended = (failure: string): Tried => ({ row: { k, values, mean: null, std: null, scores, failure }, results });
  for (const [fold, { frame, data }] of parts.entries()) {
    const judged = async () => judge(frame, data, whole(values));
    const result = await context.within("fold", fold, parts.length, () => judged().catch(refused));
    if (result.failure !== undefined) return ended(result.failure);
    const score = result.metrics[scoring];
    if (typeof score !== "number") return ended(`not every fold has ${scoring}.`);
    results.push(result);
    scores.push(score);
    const isLast = fold === parts.length - 1;
    if (isLast || !prune || complete.length < fewest) continue;
    const others = complete.map((each) => worth({ mean: meanOf(each.slice(0, fold + 1)) }, scoring));
    if (worth({ mean: meanOf(scores) }, scoring) < medianOf(others)) {
      return ended(`ended after ${count(fold + 1, "fold")}, where it was worse than the median.`);
    }
  }
  const mean = meanOf(scores);
  const std = Math.sqrt(meanOf(scores.map((score) => (score - mean) ** 2)));
  return { row: { k, values, mean, std, scores }, results };
}

/** The trials from the best to the worst: whole ones by their score, then by how many folds they came to. */
function rankedOf(tried: readonly Tried[], scoring: string): Tried[] {
  const partial = ({ row: { scores } }: Tried) => (scores.length === 0 ? 0 : worth({ mean: meanOf(scores) }, scoring));
  const own = ({ row }: Tried) => worth(row, scoring);
  return [...tried].sort(
    (a, b) =>
      Number(b.row.mean !== null) - Number(a.row.mean !== null) ||
      (a.row.mean === null ? b.row.scores.length - a.row.scores.length || partial(b) - partial(a) : own(b) - own(a)) ||
      a.row.k - b.row.k,
  );
}

/** Who leads, while it runs. */
function phaseOf(k: number, trials: number, best: Tried | undefined, scoring: string): string {
  const mean = best?.row.mean ?? null;
  return `trial ${k + 1} of ${trials}${mean === null ? "" : `, best ${scoring} ${mean.toPrecision(4)}`}`;
}

function refuseLarge(numbers: number, folds: number, who: string): void {
  if (numbers <= mostNumbers) return;
  throw new DataError(
    `${who}: the training rows of ${folds} folds don't fit in memory together. Take fewer folds, or search on fewer rows, as of sample (BL_SAMPLE).`,
    { code: "too_large", got: numbers, expected: `at most ${mostNumbers} numbers` },
  );
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
