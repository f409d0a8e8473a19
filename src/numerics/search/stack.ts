import { checkCancelled, type Hooks, type Matrix } from "../types.ts";

/** Rounds over the weights at most; they settle in far fewer. */
const mostRounds = 10_000;

/** Below this change of every weight they have settled. */
const settled = 1e-12;

/**
 * Weights of models whose weighted sum comes closest to the truth in squares, none of them negative.
 *
 * p: a column of answers for each model; y: the truth. Coordinate descent on the normal equations, which ends at the
 * least squares of Breiman, Stacked regressions (Machine Learning 24, 1996). O(n·d² + rounds·d²).
 */
export function stackNumbers({ p, y }: { readonly p: Matrix; readonly y: Float64Array }, hooks: Hooks): Float64Array {
  const { n, d } = p;
  const column = (k: number) => p.data.subarray(k * n, (k + 1) * n);
  const dot = (a: Float64Array, b: Float64Array) => a.reduce((sum, value, i) => sum + value * b[i]!, 0);
  const own = Array.from({ length: d }, (_, k) =>
    Float64Array.from({ length: d }, (_, m) => dot(column(k), column(m))),
  );
  const target = Float64Array.from({ length: d }, (_, k) => dot(column(k), y));
  const weights = new Float64Array(d).fill(1 / d);
  for (let round = 0; round < mostRounds; round++) {
    checkCancelled(hooks);
    let change = 0;
    for (let k = 0; k < d; k++) {
      const square = own[k]![k]!;
      const rest = target[k]! - dot(own[k]!, weights) + square * weights[k]!;
      const next = square > 0 ? Math.max(0, rest / square) : 0;
      change = Math.max(change, Math.abs(next - weights[k]!));
      weights[k] = next;
    }
    if (change < settled) break;
  }
  return weights;
}

/**
 * Weights of models whose weighted mean of probabilities makes the truth likeliest; they add up to 1.
 *
 * p: for each model the probability that it gave the true class of each row. Expectation maximisation of a mixture's
 * shares (Dempster, Laird and Rubin 1977), which never makes the likelihood fall. O(rounds·n·d).
 */
export function stackClasses({ p }: { readonly p: Matrix }, hooks: Hooks): Float64Array {
  const { n, d } = p;
  let weights = new Float64Array(d).fill(1 / d);
  const rounds = Math.max(200, Math.min(mostRounds, Math.floor(mostSteps / (n * d))));
  for (let round = 0; round < rounds; round++) {
    checkCancelled(hooks);
    const next = new Float64Array(d);
    for (let i = 0; i < n; i++) {
      let sum = 0;
      for (let k = 0; k < d; k++) sum += weights[k]! * Math.max(least, p.data[k * n + i]!);
      for (let k = 0; k < d; k++) next[k]! += (weights[k]! * Math.max(least, p.data[k * n + i]!)) / sum / n;
    }
    const change = next.reduce((most, value, k) => Math.max(most, Math.abs(value - weights[k]!)), 0);
    weights = next;
    if (change < 1e-10) break;
  }
  return weights;
}

/** Of many rows the rounds are fewer, so that they end within a second or two. */
const mostSteps = 2e8;

/** A probability is taken for at least this, so that no single row decides all. */
const least = 1e-15;
