import { ArgsError } from "../core/errors.ts";
import { didYouMean, listed } from "../core/names.ts";
import type { Resampler } from "../kernels/resample.ts";

type Labels = readonly (string | number | boolean)[];
type Strategy = string | number | Readonly<Record<string, number>>;

const words = ["auto", "minority", "not minority", "not majority", "majority", "all"] as const;

/** How many rows of each class a resampler shall reach, by imbalanced-learn's sampling_strategy. */
export function wantedCounts(
  resampler: Resampler,
  strategy: Strategy,
  before: Float64Array,
  labels: Labels,
  who: string,
): Float64Array {
  if (resampler === "TomekLinks") return cleanedClasses(strategy, before, who);
  const isOver = resampler !== "RandomUnderSampler" && resampler !== "NearMiss";
  if (typeof strategy === "number") return byRatio(isOver, strategy, before, who);
  if (typeof strategy === "object") return byLabel(isOver, strategy, before, labels, who);
  const chosen = classesOf(strategy, isOver ? "not majority" : "not minority", before, who);
  const goal = isOver ? Math.max(...before) : Math.min(...before);
  return before.map((rows, code) => (chosen[code] ? goal : rows));
}

/** 0 for the classes from which links are cleaned. */
function cleanedClasses(strategy: Strategy, before: Float64Array, who: string): Float64Array {
  if (typeof strategy !== "string") {
    throw new ArgsError(`${who}: TomekLinks cleans whole classes; sampling_strategy must be one of ${listed(words)}.`, {
      path: "details.sampling_strategy",
      got: strategy as never,
      expected: words,
    });
  }
  const chosen = classesOf(strategy, "not minority", before, who);
  return before.map((rows, code) => (chosen[code] ? 0 : rows));
}

function classesOf(strategy: string, auto: string, before: Float64Array, who: string): boolean[] {
  const least = before.indexOf(Math.min(...before));
  const most = before.indexOf(Math.max(...before));
  const all = Array.from(before.keys());
  switch (strategy === "auto" ? auto : strategy) {
    case "minority":
      return all.map((code) => code === least);
    case "majority":
      return all.map((code) => code === most);
    case "not minority":
      return all.map((code) => code !== least);
    case "not majority":
      return all.map((code) => code !== most);
    case "all":
      return all.map(() => true);
    default:
      throw new ArgsError(
        `${who}: sampling_strategy ${JSON.stringify(strategy)} is not known.${didYouMean(strategy, words)} Words: ${listed(words)}; or a ratio, or rows per class.`,
        { path: "details.sampling_strategy", got: strategy, expected: words },
      );
  }
}

/** The ratio of the rarer class to the more frequent one of two. */
function byRatio(isOver: boolean, ratio: number, before: Float64Array, who: string): Float64Array {
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
  const changed = before.indexOf(isOver ? least : most);
  return before.map((rows, code) => (code === changed ? goal : rows));
}

function byLabel(
  isOver: boolean,
  strategy: Readonly<Record<string, number>>,
  before: Float64Array,
  labels: Labels,
  who: string,
): Float64Array {
  const known = labels.map(String);
  const wanted = Float64Array.from(before);
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
  }
  return wanted;
}
