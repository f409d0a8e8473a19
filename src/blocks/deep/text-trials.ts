import type { BlockContext } from "../../core/block.ts";
import { DataError } from "../../core/errors.ts";
import { count } from "../../core/names.ts";
import type { Json } from "../../core/record.ts";
import { stack, text, type View } from "../../core/view.ts";
import { textsKey } from "../../numerics/text/key.ts";
import { generationOf, propose, ranking } from "../../numerics/text/search.ts";
import { type Candidate, keyOf } from "../../numerics/text/space.ts";
import { judgings, type TextScore, trialText } from "../../numerics/text/trial.ts";
import type { Texts } from "../../numerics/text/units.ts";

/** A candidate that was tried: how good it is on held-out texts, or why it failed. */
export interface Trial {
  readonly candidate: Candidate;
  readonly score: TextScore | null;
  readonly seconds: number;
  readonly reason?: string;
}

/** What a search is to find. */
export interface SearchTask {
  readonly texts: Texts;
  /** A class code per text. */
  readonly y: Int32Array;
  readonly classes: number;
  readonly maxTrials: number;
  readonly epochs: number;
  readonly seed: number;
}

/** What a search found: all trials in their order, and how many an earlier search had made before it was interrupted. */
export interface Searched {
  readonly trials: readonly Trial[];
  readonly takenUp: number;
}

/**
 * Tries different candidates, each on the same held-out texts.
 *
 * Trials of one generation run side by side, and results do not depend on how many do. Each is written down when it
 * ends, so that an interrupted search over the same texts, passes and seed goes on where it stopped, with what it had.
 */
export async function searchTexts(task: SearchTask, context: BlockContext, who: string): Promise<Searched> {
  const split = judgings(task.y, task.seed);
  if (split.length === 0) {
    throw new DataError(
      `${who}: a class needs at least 2 texts for one of them to be held out, but all ${count(task.classes, "class", "classes")} have one.`,
      { code: "no_held_out", got: task.y.length },
    );
  }
  const { texts, y, classes, epochs, seed, maxTrials } = task;
  const key = await context.compute(textsKey, { texts, y });
  const notes = context.notes(`text search ${key} ${classes} classes ${epochs} epochs seed ${seed}`);
  // A cast because what is read is what this function wrote.
  const known = { ...(notes.read() as unknown as Record<string, Trial> | null) };
  const trials: Trial[] = [];
  let takenUp = 0;
  let ended = 0;
  while (trials.length < maxTrials) {
    const { from, to } = generationOf(trials.length);
    const planned: Candidate[] = [];
    for (let index = from; index < Math.min(to, maxTrials); index++) {
      const candidate = propose(trials, planned, index, seed);
      if (candidate) planned.push(candidate);
    }
    if (planned.length === 0) break;
    const found = await atOnce(context.threads, planned, async (candidate, k) => {
      const index = from + k;
      const before = known[index];
      if (before && keyOf(before.candidate) === keyOf(candidate)) {
        takenUp++;
        ended++;
        return before;
      }
      const phase = `trial ${index + 1} of ${maxTrials}, ${candidate.family}`;
      const input = { texts, y, classes, candidate, epochs, seed, judgings: split };
      const trial = await tried(candidate, () => context.compute(trialText, input, phase));
      known[index] = trial;
      notes.write(known as unknown as Json);
      context.progress("trials", ++ended, maxTrials);
      return trial;
    });
    trials.push(...found);
  }
  return { trials, takenUp };
}

/** Works on all items, `width` of them at a time; the first failure comes out when all have ended. */
async function atOnce<T, R>(
  width: number,
  items: readonly T[],
  work: (item: T, k: number) => Promise<R>,
): Promise<R[]> {
  const out = new Array<R>(items.length);
  let next = 0;
  const lane = async () => {
    for (let k = next++; k < items.length; k = next++) out[k] = await work(items[k], k);
  };
  const ends = await Promise.allSettled(Array.from({ length: Math.min(width, items.length) }, lane));
  const failed = ends.find((end) => end.status === "rejected");
  if (failed) throw failed.reason;
  return out;
}

/** One trial. A candidate that can't learn from these texts, or not in the memory there is, is a failed trial. */
async function tried(candidate: Candidate, run: () => Promise<TextScore>): Promise<Trial> {
  const start = performance.now();
  const seconds = () => Math.round(performance.now() - start) / 1000;
  try {
    return { candidate, score: await run(), seconds: seconds() };
  } catch (error) {
    const isItsOwn = error instanceof DataError || (error instanceof Error && /^the worker died/.test(error.message));
    if (!isItsOwn) throw error;
    return { candidate, score: null, seconds: seconds(), reason: error.message };
  }
}

/** The best trial; texts from which no candidate could learn are refused with the first one's reason. */
export function bestTrial(trials: readonly Trial[], who: string): { trial: Trial; score: TextScore; number: number } {
  const [trial] = ranking(trials);
  if (!trial?.score) {
    throw new DataError(
      `${who}: ${count(trials.length, "trial")} failed, all there were; the first said: ${trials[0]?.reason ?? "nothing"}`,
      { code: "no_trial", got: trials.length },
    );
  }
  return { trial, score: trial.score, number: trials.indexOf(trial) + 1 };
}

/** A trial as a row of the board. */
export function boardRow({ candidate, score, seconds, reason }: Trial, index: number) {
  return {
    trial: index + 1,
    candidate: candidate.family,
    parameters: candidate.parameters,
    accuracy: score?.accuracy ?? null,
    log_loss: score?.logLoss ?? null,
    ...(score?.epochs === undefined ? {} : { epochs: score.epochs }),
    seconds,
    ...(reason === undefined ? {} : { error: reason }),
  };
}

/** The board of trials, the best first; below it why others failed. */
export function boardView(board: readonly ReturnType<typeof boardRow>[]): View {
  const sorted = board
    .filter(({ accuracy }) => accuracy !== null)
    .sort((a, b) => Number(b.accuracy) - Number(a.accuracy) || Number(a.log_loss) - Number(b.log_loss));
  const failed = board.filter(({ error }) => error !== undefined);
  const table: View = {
    kind: "table",
    title: "trials, the best first",
    summary: true,
    columns: [
      { name: "trial", type: "integer" },
      { name: "candidate", type: "text" },
      { name: "accuracy", type: "number", tint: "share", digits: 4 },
      { name: "log loss", type: "number", digits: 3 },
      { name: "seconds", type: "number", digits: 2 },
      { name: "parameters", type: "text" },
    ],
    rows: sorted.map((row) => [
      row.trial,
      row.candidate,
      row.accuracy,
      row.log_loss,
      row.seconds,
      parametersText(row.parameters, row.epochs),
    ]),
  };
  const reasons = failed.map(({ trial, candidate, error }) =>
    text(`Trial ${trial}, ${candidate}, failed: ${error}`, "warning"),
  );
  return stack(table, ...reasons);
}

/** Parameters in words: "words, tf-idf, vocabulary, min_df 1, C 3". */
export function parametersText(parameters: Candidate["parameters"], epochs?: number): string {
  const parts = Object.entries(parameters).map(([name, value]) =>
    typeof value === "number" ? `${name} ${value}` : value,
  );
  return [...parts, ...(epochs === undefined ? [] : [`best after ${count(epochs, "epoch")}`])].join(", ");
}
