import { checkCancelled, type Hooks } from "../types.ts";
import { dot } from "./least-squares.ts";

/** A function's value and gradient at a point. */
export type Slope = { readonly value: number; readonly gradient: Float64Array };

/** When a minimisation ends. */
export type Ending = {
  /** Stops when no component of the gradient is above this. */
  tolerance: number;
  /** Stops when this says so of the gradient, too. */
  isEnough?: (gradient: Float64Array) => boolean;
  /** Stops after so many steps. */
  maxIter: number;
  /** Steps that are remembered, 16 bytes a component each (default 10). */
  memory?: number;
};

/** How a minimisation ended; `w` is where. */
export type Minimum = { w: Float64Array; value: number; gradient: Float64Array; iterations: number };

const MEMORY = 10;
const ARMIJO = 1e-4;
const CURVATURE = 0.9;

/**
 * Minimises a smooth function by L-BFGS and a weak Wolfe line search, from `start` on.
 *
 * Yields each point whose value and gradient it wants to know, so that whoever drives it may compute them on several
 * threads; the gradients it is told are kept, so each must be an array of its own. `told` hears of every step. Stops early
 * when rounding leaves nothing to gain. O(2·memory·length) a step besides the function.
 * Source: Nocedal and Wright, Numerical Optimization, 2nd ed., Alg. 7.4 and 7.5; near the minimum the
 * approximate Wolfe condition of Hager and Zhang (2005, eq. 4.1), since values stop differing before slopes do.
 */
export function* minimizing(
  start: Float64Array,
  { tolerance, isEnough, maxIter, memory = MEMORY }: Ending,
  told: (iterations: number) => void,
): Generator<Float64Array, Minimum, Slope> {
  const w = start.slice();
  const pairs: Pair[] = [];
  let { value, gradient } = yield w;
  let iterations = 0;
  while (iterations < maxIter && largest(gradient) > tolerance) {
    if (isEnough?.(gradient)) break;
    const direction = quasiNewton(gradient, pairs);
    const first = pairs.length > 0 ? 1 : Math.min(1, 1 / Math.sqrt(dot(gradient, 0, gradient, 0, w.length)));
    const step: Step | undefined = yield* searching(w, value, gradient, direction, first);
    if (!step) {
      // A stale memory can point nowhere; steepest descent deserves one try before giving up.
      if (pairs.length === 0) break;
      pairs.length = 0;
      continue;
    }
    remember(pairs, memory, w, step.w, gradient, step.gradient);
    w.set(step.w);
    ({ gradient, value } = step);
    iterations++;
    told(iterations);
  }
  return { w, value, gradient, iterations };
}

/** `minimizing` where one function knows all: `objective` writes the gradient at `w` and returns the value. */
export function minimize(
  input: Ending & { objective: (w: Float64Array, gradient: Float64Array) => number; w: Float64Array },
  hooks: Hooks,
): Minimum {
  const { objective, w: start, ...ending } = input;
  const steps = minimizing(start, ending, (done) => hooks.progress(done, ending.maxIter));
  let next = steps.next();
  while (!next.done) {
    checkCancelled(hooks);
    const gradient = new Float64Array(start.length);
    const value = objective(next.value, gradient);
    next = steps.next({ value, gradient });
  }
  return next.value;
}

/** A step and how the gradient changed over it. */
export type Pair = { s: Float64Array; y: Float64Array; rho: number };

/** Keeps a step, at most `most` of them, where the function curves along it. */
export function remember(
  pairs: Pair[],
  most: number,
  w: Float64Array,
  next: Float64Array,
  g: Float64Array,
  gNext: Float64Array,
): void {
  const s = next.map((value, i) => value - w[i]!);
  const y = gNext.map((value, i) => value - g[i]!);
  const sy = dot(s, 0, y, 0, s.length);
  if (!(sy > 0)) return;
  if (pairs.length >= most) pairs.shift();
  pairs.push({ s, y, rho: 1 / sy });
}

/** The direction in which the steps that are remembered expect the minimum. */
export function quasiNewton(gradient: Float64Array, pairs: readonly Pair[]): Float64Array {
  const size = gradient.length;
  const q = gradient.map((value) => -value);
  const alphas: number[] = [];
  for (const { s, y, rho } of pairs.toReversed()) {
    const alpha = rho * dot(s, 0, q, 0, size);
    alphas.push(alpha);
    for (let i = 0; i < size; i++) q[i] = q[i]! - alpha * y[i]!;
  }
  const last = pairs.at(-1);
  if (last) {
    const scale = 1 / (last.rho * dot(last.y, 0, last.y, 0, size));
    for (let i = 0; i < size; i++) q[i] = q[i]! * scale;
  }
  for (const { s, y, rho } of pairs) {
    const beta = rho * dot(y, 0, q, 0, size);
    const f = alphas.pop()! - beta;
    for (let i = 0; i < size; i++) q[i] = q[i]! + f * s[i]!;
  }
  return q;
}

type Step = Slope & { readonly w: Float64Array };

function* searching(
  from: Float64Array,
  value: number,
  gradient: Float64Array,
  direction: Float64Array,
  first: number,
): Generator<Float64Array, Step | undefined, Slope> {
  const slope = dot(gradient, 0, direction, 0, from.length);
  if (!(slope < 0)) return undefined;
  const noise = 1e-14 * Math.abs(value);
  let low = 0;
  let high = Infinity;
  let step = first;
  for (let tries = 0; tries < 40; tries++) {
    const length = step;
    const w = from.map((each, i) => each + length * direction[i]!);
    const reached = yield w;
    const slopeHere = dot(reached.gradient, 0, direction, 0, from.length);
    const enough = reached.value <= value + ARMIJO * step * slope;
    const asGood = reached.value <= value + noise && slopeHere <= (2 * ARMIJO - 1) * slope;
    if (!enough && !asGood) high = step;
    else if (slopeHere < CURVATURE * slope) low = step;
    else return { w, ...reached };
    step = high === Infinity ? 2 * low : (low + high) / 2;
  }
  return undefined;
}

function largest(values: Float64Array): number {
  let most = 0;
  for (let i = 0; i < values.length; i++) most = Math.max(most, Math.abs(values[i]!));
  return most;
}
