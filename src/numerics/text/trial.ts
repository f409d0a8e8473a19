import { stratifiedFolds } from "../evaluation/k-folds.ts";
import { RandomState } from "../random.ts";
import { softmaxInPlace } from "../sparse/loss.ts";
import { type Hooks, quiet } from "../types.ts";
import { learnFeatures, makeRows } from "./features.ts";
import { classScores, fitRows, type TextTask } from "./model.ts";
import { featuresOf } from "./space.ts";

/** Rows to learn from, and rows held out to judge by. */
export type Judging = { readonly train: Int32Array; readonly held: Int32Array };

/** Below so many texts a single held-out fifth says little, so each fifth is held out once. */
const fewTexts = 1000;

/**
 * How candidates are judged: on a fifth of the texts, of few texts on each fifth in turn; classes keep their shares.
 *
 * The only text of a class is never held out.
 */
export function judgings(y: Int32Array, seed: number): Judging[] {
  const folds = Math.min(5, y.length);
  const fold = stratifiedFolds(y, folds, new RandomState(seed));
  const sizes = new Map<number, number>();
  for (const code of y) sizes.set(code, (sizes.get(code) ?? 0) + 1);
  const rows = Array.from(y.keys());
  const isHeld = (row: number, k: number) => fold[row] === k && sizes.get(y[row]!)! > 1;
  return Array.from({ length: y.length < fewTexts ? folds : 1 }, (_, k) => ({
    train: Int32Array.from(rows.filter((row) => !isHeld(row, k))),
    held: Int32Array.from(rows.filter((row) => isHeld(row, k))),
  })).filter(({ held }) => held.length > 0);
}

/** What `trialText` needs to know. */
export type TextTrialInput = TextTask & { readonly judgings: readonly Judging[] };

/** How good a candidate is on held-out texts. */
export type TextScore = {
  readonly accuracy: number;
  /** Mean log loss of the probabilities. */
  readonly logLoss: number;
  /** What scores are divided by to become these probabilities. */
  readonly temperature: number;
  /** Passes after which it was best; none where there are no passes. */
  readonly epochs?: number;
};

/** Trains a candidate without the held-out texts and judges it on them. The same input gives the same score. */
export function trialText(input: TextTrialInput, hooks: Hooks = quiet): TextScore {
  const { texts, classes, candidate } = input;
  const scores: Float64Array[] = [];
  const codes: number[] = [];
  const epochs: number[] = [];
  for (const [k, { train, held }] of input.judgings.entries()) {
    const features = learnFeatures(texts, train, featuresOf(candidate, classes), hooks);
    const of = (rows: Int32Array) => ({
      x: makeRows(texts, rows, features, hooks),
      y: Int32Array.from(rows, (row) => input.y[row]!),
    });
    const [learnt, asked] = [of(train), of(held)];
    const parts = input.judgings.length;
    const scorer = fitRows(
      input,
      learnt.x,
      learnt.y,
      { held: asked },
      {
        cancelled: hooks.cancelled,
        progress: (done, total) => hooks.progress(k * total + done, parts * total),
      },
    );
    scores.push(classScores(scorer, asked.x, classes, hooks));
    for (const code of asked.y) codes.push(code);
    if (scorer.epochs !== undefined) epochs.push(scorer.epochs);
  }
  const all = new Float64Array(scores.reduce((sum, each) => sum + each.length, 0));
  let at = 0;
  for (const each of scores) {
    all.set(each, at);
    at += each.length;
  }
  const found = judged(all, Int32Array.from(codes), classes);
  // The median, so that one odd fifth does not decide.
  const middle = epochs.sort((a, b) => a - b)[Math.floor(epochs.length / 2)];
  return { ...found, ...(middle === undefined ? {} : { epochs: middle }) };
}

/** Accuracy, and log loss at the temperature at which it is least. */
function judged(scores: Float64Array, y: Int32Array, classes: number): TextScore {
  if (scores.some((score) => !Number.isFinite(score))) throw new RangeError("its scores are not finite");
  let right = 0;
  for (let i = 0; i < y.length; i++) {
    let best = 0;
    for (let k = 1; k < classes; k++) if (scores[i * classes + k]! > scores[i * classes + best]!) best = k;
    if (best === y[i]) right++;
  }
  const temperature = bestTemperature(scores, y, classes);
  return { accuracy: right / y.length, logLoss: lossAt(temperature, scores, y, classes), temperature };
}

/** Mean log loss where each text is of its own class but for `others`, the share of all other classes together. */
function lossAt(temperature: number, scores: Float64Array, y: Int32Array, classes: number, others = 0): number {
  const row = new Float64Array(classes);
  let loss = 0;
  for (let i = 0; i < y.length; i++) {
    let sum = 0;
    for (let k = 0; k < classes; k++) {
      row[k] = scores[i * classes + k]! / temperature;
      sum += row[k]!;
    }
    const own = row[y[i]!]!;
    const meant = (1 - others) * own + (others * (sum - own)) / (classes - 1);
    loss += softmaxInPlace(row) - meant;
  }
  return loss / y.length;
}

/**
 * What scores are best divided by to be probabilities, 0.001 to 1000, by golden sections of its logarithm.
 *
 * Each text counts as one of another class too, by 1 of n + 2 parts, so that n right answers don't make a model certain
 * of everything. The loss is convex in 1/temperature. Sources: Guo et al. (2017), On Calibration of Modern Neural
 * Networks, §4.2; Platt (1999), Probabilistic Outputs for Support Vector Machines, §2.1, for the parts.
 */
function bestTemperature(scores: Float64Array, y: Int32Array, classes: number): number {
  const ratio = (Math.sqrt(5) - 1) / 2;
  const others = 1 / (y.length + 2);
  const at = (log: number) => lossAt(Math.exp(log), scores, y, classes, others);
  let [low, high] = [Math.log(0.001), Math.log(1000)];
  let [a, b] = [high - ratio * (high - low), low + ratio * (high - low)];
  let [lossA, lossB] = [at(a), at(b)];
  for (let k = 0; k < 30; k++) {
    if (lossA < lossB) {
      [high, b, lossB] = [b, a, lossA];
      a = high - ratio * (high - low);
      lossA = at(a);
    } else {
      [low, a, lossA] = [a, b, lossB];
      b = low + ratio * (high - low);
      lossB = at(b);
    }
  }
  return Math.exp((low + high) / 2);
}
