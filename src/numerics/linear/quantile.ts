import { checkCancelled, type Hooks, type Matrix, quiet } from "../types.ts";
import { cholesky, dot, solveScaled } from "./least-squares.ts";
import { type Corner, type Inward, toCorner } from "./quantile-corner.ts";
import { costOf, leftOver, type QuantileProblem, quantileRows } from "./quantile-rows.ts";
import { orOverflow, scaledColumns } from "./score-descent.ts";

/** What `fitQuantile` needs to know. */
export type QuantileInput = {
  /** n×d features without missing values. */
  readonly x: Matrix;
  readonly y: Float64Array;
  /** Share of rows that shall lie below the answers, between 0 and 1. */
  readonly quantile: number;
  /** Strength of the penalty on the coefficients' sizes, at least 0. */
  readonly alpha: number;
  /** False leaves the intercept at 0. */
  readonly intercept: boolean;
};

/** A fitted quantile regression. */
export type QuantileFit = {
  coef: Float64Array;
  intercept: number;
  /** Mean pinball loss and penalty. */
  value: number;
  /** How far `value` may be above the least, by the dual problem. */
  gap: number;
  /** Whether other coefficients do as well. */
  tied: boolean;
};

/** Steps at most; some 20 are usual. */
const mostSteps = 200;
/** The gap, as a share of the value, at which the answer is known. */
const least = 1e-11;
/** How far a step goes towards where a variable would reach its bound. */
const reach = 0.9995;

/**
 * Linear quantile regression with a penalty on sizes, as scikit-learn's QuantileRegressor.
 *
 * Minimises mean(q·r⁺ + (1 − q)·r⁻) + α·‖w‖₁ for r = y − x·w − b by a primal-dual interior point method on the bounded
 * dual, then moves to a corner, where the answer is exact. Of answers that tie, one in the middle is taken. NaN gives
 * NaN. O(nd² + d³) a step. Source: Portnoy and Koenker (1997), "The Gaussian hare and the Laplacian tortoise", §4;
 * Mehrotra (1992), "On the implementation of a primal-dual interior point method".
 */
export function fitQuantile(input: QuantileInput, hooks: Hooks = quiet): QuantileFit {
  const { x, y, quantile, alpha, intercept } = input;
  const { n, d } = x;
  const { mean, scale: found } = scaledColumns({ x, intercept, ridge: 0 }, hooks);
  const scale = orOverflow(found);
  const unit = spreadOf(y, intercept);
  const from = intercept ? y[0]! : 0;
  const rows = quantileRows({ x, mean, scale, intercept, penalties: alpha > 0 ? d : 0 }, hooks);
  const target = new Float64Array(rows.count);
  for (let i = 0; i < n; i++) target[i] = (y[i]! - from) / unit;
  const over = new Float64Array(rows.count).fill(quantile, 0, n);
  const under = new Float64Array(rows.count).fill(1 - quantile, 0, n);
  for (let j = 0; j < rows.count - n; j++) over[n + j] = under[n + j] = (alpha * n) / scale[j]!;
  const problem: QuantileProblem = { rows, target, over, under };
  const near = inward(problem, hooks);
  const { v, tied }: Corner = toCorner(problem, near, hooks);
  const coef = Float64Array.from({ length: d }, (_, j) => (v[j]! * unit) / scale[j]!);
  const bias = intercept ? from + unit * v[d]! - dot(coef, 0, mean, 0, d) : 0;
  return { coef, intercept: bias, value: (costOf(problem, v) * unit) / n, gap: (near.gap * unit) / n, tied };
}

/**
 * Goes through the inside of the dual problem: max a·target for rowsᵀ·a = 0, −under ≤ a ≤ over, with low = a + under and
 * high = over − a.
 */
function inward(problem: QuantileProblem, hooks: Hooks): Inward {
  const { rows, target, over, under } = problem;
  const m = rows.count;
  const v = solver(rows.products(new Float64Array(m).fill(1)))(rows.sum(target));
  const low = under.slice();
  const high = over.slice();
  const r = leftOver(problem, v);
  const room = 0.1 * r.reduce((sum, value) => sum + Math.abs(value) / m, 0) + 1e-3;
  const below = r.map((value) => Math.max(-value, 0) + room);
  const above = r.map((value) => Math.max(value, 0) + room);
  let gap = Infinity;
  for (let step = 0; step < mostSteps; step++) {
    checkCancelled(hooks);
    hooks.progress(step, mostSteps);
    const cost = costOf(problem, v);
    let worth = 0;
    for (let i = 0; i < m; i++) worth += (low[i]! - under[i]!) * target[i]!;
    gap = Math.max(0, cost - worth);
    if (gap <= least * cost + 1e-14 * m) break;
    if (!(cost < Infinity)) break;
    const state = { v, low, high, below, above };
    if (!newtonStep(problem, state)) break;
  }
  const inside = low.map((value, i) => Math.min(value, high[i]!) / (over[i]! + under[i]!));
  return { v, inside, gap };
}

type State = {
  readonly v: Float64Array;
  readonly low: Float64Array;
  readonly high: Float64Array;
  readonly below: Float64Array;
  readonly above: Float64Array;
};

/** One predictor and corrector step, in place; false where rounding leaves no way to go. */
function newtonStep(problem: QuantileProblem, state: State): boolean {
  const { rows } = problem;
  const { v, low, high, below, above } = state;
  const m = rows.count;
  const share = low.map((value, i) => 1 / (below[i]! / value + above[i]! / high[i]!));
  const solve = solver(rows.products(share));
  const r = leftOver(problem, v);
  const offDual = r.map((value, i) => below[i]! - above[i]! + value);
  // What rounding left of rowsᵀ·a = 0.
  const offPrimal = rows.sum(low.map((value, i) => value - problem.under[i]!));
  // Directions for what the products of the pairs shall become.
  const direction = (toBelow: Float64Array, toAbove: Float64Array) => {
    const pull = share.map((each, i) => each * (toBelow[i]! / low[i]! - toAbove[i]! / high[i]! + offDual[i]!));
    const right = rows.sum(pull);
    for (let j = 0; j < right.length; j++) right[j]! += offPrimal[j]!;
    const dv = solve(right);
    const dLow = pull.slice();
    const along = new Float64Array(m);
    rows.addTimes(dv, 1, along);
    for (let i = 0; i < m; i++) dLow[i]! -= share[i]! * along[i]!;
    const dBelow = dLow.map((value, i) => (toBelow[i]! - below[i]! * value) / low[i]!);
    const dAbove = dLow.map((value, i) => (toAbove[i]! + above[i]! * value) / high[i]!);
    const primal = Math.min(1, reach * Math.min(stepTo(low, dLow, 1), stepTo(high, dLow, -1)));
    const dual = Math.min(1, reach * Math.min(stepTo(below, dBelow, 1), stepTo(above, dAbove, 1)));
    return { dv, dLow, dBelow, dAbove, primal, dual };
  };
  const first = direction(
    low.map((value, i) => -value * below[i]!),
    high.map((value, i) => -value * above[i]!),
  );
  let [now, then] = [0, 0];
  for (let i = 0; i < m; i++) {
    const [dLow, p, q] = [first.dLow[i]! * first.primal, first.dBelow[i]! * first.dual, first.dAbove[i]! * first.dual];
    now += low[i]! * below[i]! + high[i]! * above[i]!;
    then += (low[i]! + dLow) * (below[i]! + p) + (high[i]! - dLow) * (above[i]! + q);
  }
  const aim = (now / (2 * m)) * (then / now) ** 3;
  const { dv, dLow, dBelow, dAbove, primal, dual } = direction(
    low.map((value, i) => aim - value * below[i]! - first.dLow[i]! * first.dBelow[i]!),
    high.map((value, i) => aim - value * above[i]! + first.dLow[i]! * first.dAbove[i]!),
  );
  if (!(Math.max(primal, dual) > 1e-10) || !dv.every(Number.isFinite)) return false;
  for (let j = 0; j < v.length; j++) v[j]! += dual * dv[j]!;
  for (let i = 0; i < m; i++) {
    low[i]! += primal * dLow[i]!;
    high[i]! -= primal * dLow[i]!;
    below[i]! += dual * dBelow[i]!;
    above[i]! += dual * dAbove[i]!;
  }
  return true;
}

/** How many times `by`, forwards or back, can be added until a number reaches 0. */
function stepTo(values: Float64Array, by: Float64Array, sign: 1 | -1): number {
  let most = Infinity;
  for (let i = 0; i < values.length; i++) {
    const change = sign * by[i]!;
    if (change < 0) most = Math.min(most, -values[i]! / change);
  }
  return most;
}

/** Solves by Cholesky; columns that depend on others are held a little, which the next step makes good. */
function solver(products: Float64Array): (right: Float64Array) => Float64Array {
  const size = Math.sqrt(products.length);
  const scale = Float64Array.from({ length: size }, (_, j) => Math.sqrt(products[j * size + j]!) || 1);
  for (let hold = 0; ; hold = hold === 0 ? 1e-12 : hold * 100) {
    const factor = products.map((value, at) => {
      const [i, j] = [Math.floor(at / size), at % size];
      return i === j ? (value > 0 ? 1 + hold : 1) : value / (scale[i]! * scale[j]!);
    });
    // Beyond 1 nothing is left to hold: NaN came in.
    if (!cholesky(factor, size, 1e-15) && hold < 1) continue;
    return (right) => {
      const out = right.slice();
      solveScaled(factor, size, scale, out);
      return out;
    };
  }
}

/** The standard deviation, or without intercept the root of the mean square; 1 where it is 0. */
function spreadOf(y: Float64Array, centred: boolean): number {
  const mean = centred ? y.reduce((sum, value) => sum + value / y.length, 0) : 0;
  const spread = Math.sqrt(y.reduce((sum, value) => sum + (value - mean) ** 2 / y.length, 0));
  return spread === 0 ? 1 : spread;
}
