import { RandomState } from "../random.ts";
import { type Candidate, type Choices, type Family, firstCandidates, keyOf, space } from "./space.ts";

/** A candidate that was tried; without a score it failed. */
export type Tried = {
  readonly candidate: Candidate;
  readonly score: { readonly accuracy: number; readonly logLoss: number } | null;
};

/** Candidates that are proposed together, so that several workers have something to do; their number decides results. */
const together = 4;

/** Draws from which each proposal is the most promising. */
const draws = 32;

/** Which trials are proposed at once with trial `index`, from 0: from the first of them up to the last. */
export function generationOf(index: number): { readonly from: number; readonly to: number } {
  const first = firstCandidates.length;
  if (index < first) return { from: 0, to: first };
  const from = first + Math.floor((index - first) / together) * together;
  return { from, to: from + together };
}

/**
 * The candidate to try as number `index`, from 0; null when all there are have been tried.
 *
 * First come `firstCandidates`. Later ones are drawn by a tree-structured Parzen estimator: choices that the best
 * quarter of the trials made are likelier, those of the others less so. It learns from the trials before the index's
 * generation alone, so that the order in which trials of one generation end does not matter. `tried` must hold all
 * trials before `index`, or `planned` those of the same generation. Source: Bergstra et al. (2011), Algorithms for
 * Hyper-Parameter Optimization, §4, on choices instead of densities.
 */
export function propose(
  tried: readonly Tried[],
  planned: readonly Candidate[],
  index: number,
  seed: number,
): Candidate | null {
  const first = firstCandidates[index];
  if (first) return first;
  const { from } = generationOf(index);
  const known = tried.slice(0, from);
  const taken = new Set([...known.map(({ candidate }) => candidate), ...planned].map(keyOf));
  const random = new RandomState((seed + Math.imul(index, 0x9e3779b1)) >>> 0);
  const ranked = ranking(known);
  const bound = Math.max(2, Math.ceil(ranked.length / 4));
  const [good, bad] = [ranked.slice(0, bound), ranked.slice(bound)];
  let best: { candidate: Candidate; promise: number } | undefined;
  for (let k = 0; k < 20 * draws && (k < draws || !best); k++) {
    const candidate = drawn(good, random);
    if (taken.has(keyOf(candidate))) continue;
    const promise = likelihood(candidate, good) - likelihood(candidate, bad);
    if (!best || promise > best.promise) best = { candidate, promise };
  }
  return best?.candidate ?? null;
}

/** What was tried, the best first; what failed last. Equal accuracies go by log loss, then by which came first. */
export function ranking<T extends Tried>(tried: readonly T[]): T[] {
  return tried.toSorted((a, b) => {
    if (!a.score || !b.score) return Number(!a.score) - Number(!b.score);
    return b.score.accuracy - a.score.accuracy || a.score.logLoss - b.score.logLoss;
  });
}

const families = Object.keys(space) as Family[];

function drawn(good: readonly Tried[], random: RandomState): Candidate {
  const family = families[pick(familyWeights(good), random)] as Family;
  const choices = space[family];
  const parameters = Object.entries(choices).map(([name, values]) => {
    return [name, values[pick(choiceWeights(good, family, name, choices), random)]!] as const;
  });
  return { family, parameters: Object.fromEntries(parameters) };
}

function pick(weights: readonly number[], random: RandomState): number {
  let left = random.uniform() * weights.reduce((sum, weight) => sum + weight, 0);
  const at = weights.findIndex((weight) => {
    left -= weight;
    return left < 0;
  });
  return at < 0 ? weights.length - 1 : at;
}

/** Log of how likely the trials make a candidate. */
function likelihood({ family, parameters }: Candidate, trials: readonly Tried[]): number {
  const share = (weights: readonly number[], at: number) =>
    Math.log(weights[at]! / weights.reduce((sum, weight) => sum + weight, 0));
  const choices = space[family];
  return Object.entries(choices).reduce(
    (sum, [name, values]) =>
      sum + share(choiceWeights(trials, family, name, choices), values.indexOf(parameters[name]!)),
    share(familyWeights(trials), families.indexOf(family)),
  );
}

/** Each kind once for itself, and once for each trial of it. */
function familyWeights(trials: readonly Tried[]): number[] {
  return families.map((family) => 1 + trials.filter(({ candidate }) => candidate.family === family).length);
}

/** Each choice for itself, and for each trial that made it; half for one that made its neighbour, where there is order. */
function choiceWeights(trials: readonly Tried[], family: Family, name: string, choices: Choices): number[] {
  const values = choices[name]!;
  const weights = values.map(() => 1 / values.length);
  const isOrdered = typeof values[0] === "number";
  for (const { candidate } of trials) {
    // What serves one kind of model, such as pairs of words, serves others too, though it says less of them.
    const weight = candidate.family === family ? 1 : 0.25;
    const at = values.indexOf(candidate.parameters[name] ?? "");
    if (at < 0) continue;
    weights[at]! += weight;
    if (!isOrdered) continue;
    if (at > 0) weights[at - 1]! += weight / 2;
    if (at + 1 < values.length) weights[at + 1]! += weight / 2;
  }
  return weights;
}
