import { dot } from "./least-squares.ts";
import { checkCancelled, type Hooks } from "./types.ts";

/** What `minimize` needs to know. */
export type MinimizeInput = {
  /** Writes the gradient at `w` into `gradient` and returns the value. */
  objective: (w: Float64Array, gradient: Float64Array) => number;
  /** Where to begin; overwritten by the answer. */
  w: Float64Array;
  /** Stops when no component of the gradient is above this. */
  tolerance: number;
  /** Stops when this says so of the gradient, too. */
  isEnough?: (gradient: Float64Array) => boolean;
  /** Stops after so many steps. */
  maxIter: number;
  /** Steps that are remembered, 16 bytes a component each (default 10). */
  memory?: number;
};

/** How a minimisation ended. */
export type Minimum = { value: number; gradient: Float64Array; iterations: number };

const MEMORY = 10;
const ARMIJO = 1e-4;
const CURVATURE = 0.9;

/**
 * Minimises a smooth function by L-BFGS and a weak Wolfe line search.
 *
 * Stops early when rounding leaves nothing to gain. O(2·memory·length) a step besides the objective.
 * Source: Nocedal and Wright, Numerical Optimization, 2nd ed., Alg. 7.4 and 7.5; near the minimum the
 * approximate Wolfe condition of Hager and Zhang (2005, eq. 4.1), since values stop differing before slopes do.
 */
export function minimize(input: MinimizeInput, hooks: Hooks): Minimum {
  const { objective, w, tolerance, maxIter } = input;
  const size = w.length;
  const gradient = new Float64Array(size);
  const pairs: Pair[] = [];
  let value = objective(w, gradient);
  let iterations = 0;
  while (iterations < maxIter && largest(gradient) > tolerance) {
    if (input.isEnough?.(gradient)) break;
    checkCancelled(hooks);
    const direction = descent(gradient, pairs);
    const first = pairs.length > 0 ? 1 : Math.min(1, 1 / Math.sqrt(dot(gradient, 0, gradient, 0, size)));
    const step = search(objective, w, value, gradient, direction, first);
    if (!step) {
      // A stale memory can point nowhere; steepest descent deserves one try before giving up.
      if (pairs.length === 0) break;
      pairs.length = 0;
      continue;
    }
    remember(pairs, input.memory ?? MEMORY, w, step.w, gradient, step.gradient);
    w.set(step.w);
    gradient.set(step.gradient);
    value = step.value;
    iterations++;
    hooks.progress(iterations, maxIter);
  }
  return { value, gradient, iterations };
}

type Pair = { s: Float64Array; y: Float64Array; rho: number };

function remember(
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

function descent(gradient: Float64Array, pairs: readonly Pair[]): Float64Array {
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

type Step = { w: Float64Array; value: number; gradient: Float64Array };

function search(
  objective: MinimizeInput["objective"],
  from: Float64Array,
  value: number,
  gradient: Float64Array,
  direction: Float64Array,
  first: number,
): Step | undefined {
  const size = from.length;
  const slope = dot(gradient, 0, direction, 0, size);
  if (!(slope < 0)) return undefined;
  const w = new Float64Array(size);
  const g = new Float64Array(size);
  const noise = 1e-14 * Math.abs(value);
  let low = 0;
  let high = Infinity;
  let step = first;
  for (let tries = 0; tries < 40; tries++) {
    for (let i = 0; i < size; i++) w[i] = from[i]! + step * direction[i]!;
    const reached = objective(w, g);
    const slopeHere = dot(g, 0, direction, 0, size);
    const enough = reached <= value + ARMIJO * step * slope;
    const asGood = reached <= value + noise && slopeHere <= (2 * ARMIJO - 1) * slope;
    if (!enough && !asGood) high = step;
    else if (slopeHere < CURVATURE * slope) low = step;
    else return { w, value: reached, gradient: g };
    step = high === Infinity ? 2 * low : (low + high) / 2;
  }
  return undefined;
}

function largest(values: Float64Array): number {
  let most = 0;
  for (let i = 0; i < values.length; i++) most = Math.max(most, Math.abs(values[i]!));
  return most;
}
