import { ArgsError } from "../../core/errors.ts";
import { didYouMean, listed } from "../../core/names.ts";
import type { Resampler } from "../../numerics/sampling/resample.ts";

type Labels = readonly (string | number | boolean)[];
type Strategy = string | number | Readonly<Record<string, number>>;

const words = ["auto", "minority", "not minority", "not majority", "majority", "all"] as const;

/** What a resampler shall reach. */
interface Sampling {
  /** How many rows of each class there shall be. */
  readonly wanted: Float64Array;
  /** The classes that are sampled, in order. */
  readonly sampled: readonly number[];
}

/** How many rows of which classes a resampler shall reach, by imbalanced-learn's sampling_strategy. */
export function samplingOf(
  resampler: Resampler,
  strategy: Strategy,
  before: Float64Array,
  labels: Labels,
  who: string,
): Sampling {
  if (resampler === "TomekLinks") return cleanedClasses(strategy, before, who);
  const isOver = resampler !== "RandomUnderSampler" && resampler !== "NearMiss";
  if (typeof strategy === "number") return byRatio(isOver, strategy, before, who);
  if (typeof strategy === "object") return byLabel(isOver, strategy, before, labels, who);
  const sampled = classesOf(strategy, isOver ? "not majority" : "not minority", before, who);
  const goal = isOver ? Math.max(...before) : Math.min(...before);
  return { wanted: before.map((rows, code) => (sampled.includes(code) ? goal : rows)), sampled };
}

/** The classes from which links are cleaned. */
function cleanedClasses(strategy: Strategy, before: Float64Array, who: string): Sampling {
  if (typeof strategy !== "string") {
    throw new ArgsError(`${who}: TomekLinks cleans whole classes; sampling_strategy must be one of ${listed(words)}.`, {
      path: "details.sampling_strategy",
      got: strategy as never,
      expected: words,
    });
  }
  return { wanted: before, sampled: classesOf(strategy, "not minority", before, who) };
}

function classesOf(strategy: string, auto: string, before: Float64Array, who: string): number[] {
  const least = before.indexOf(Math.min(...before));
  const most = before.indexOf(Math.max(...before));
  const all = Array.from(before.keys());
  switch (strategy === "auto" ? auto : strategy) {
    case "minority":
      return [least];
    case "majority":
      return [most];
    case "not minority":
      return all.filter((code) => code !== least);
    case "not majority":
      return all.filter((code) => code !== most);
    case "all":
      return all;
    default:
      throw new ArgsError(
        `${who}: sampling_strategy ${JSON.stringify(strategy)} is not known.${didYouMean(strategy, words)} Words: ${listed(words)}; or a ratio, or rows per class.`,
        { path: "details.sampling_strategy", got: strategy, expected: words },
      );
  }
}

/** The ratio of the rarer class to the more frequent one of two. */
function byRatio(isOver: boolean, ratio: number, before: Float64Array, who: string): Sampling {
  const [least, most] = [Math.min(...before), Math.max(...before)];
  if (before.length !== 2) {
    throw new ArgsError(
      `${who}: sampling_strategy as a ratio is for two classes, and there are ${before.length}. Give rows per class, as in { "a": 100 }.`,
      { path: "details.sampling_strategy", got: ratio },
    );
  }
  const goal = isOver ? Math.trunc(most * ratio) : Math.trunc(least / ratio);
  if (ratio > 1 || (isOver ? goal < least : goal > most)) {
    throw new ArgsError(
      `${who}: the ratio of the classes is ${(least / most).toPrecision(3)} already; sampling_strategy must lie between that and 1, got ${ratio}.`,
      { path: "details.sampling_strategy", got: ratio },
    );
  }
  const changed = isOver ? before.lastIndexOf(least) : before.lastIndexOf(most);
  return { wanted: before.map((rows, code) => (code === changed ? goal : rows)), sampled: [changed] };
}

function byLabel(
  isOver: boolean,
  strategy: Readonly<Record<string, number>>,
  before: Float64Array,
  labels: Labels,
  who: string,
): Sampling {
  const known = labels.map(String);
  const wanted = Float64Array.from(before);
  const sampled = new Set<number>();
  for (const [label, rows] of Object.entries(strategy)) {
    const code = known.indexOf(label);
    if (code < 0) {
      throw new ArgsError(
        `${who}: sampling_strategy names class ${JSON.stringify(label)}, which is not there.${didYouMean(label, known)} Classes: ${listed(known)}.`,
        { path: "details.sampling_strategy", got: label, expected: known },
      );
    }
    if (isOver ? rows < before[code] : rows > before[code]) {
      throw new ArgsError(
        `${who}: class ${JSON.stringify(label)} has ${before[code]} rows, so it can't be ${isOver ? "oversampled" : "undersampled"} to ${rows}.`,
        { path: "details.sampling_strategy", got: rows },
      );
    }
    wanted[code] = rows;
    sampled.add(code);
  }
  return { wanted, sampled: [...sampled].sort((a, b) => a - b) };
}
