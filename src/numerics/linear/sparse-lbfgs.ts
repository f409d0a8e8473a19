import { type Ending, type Minimum, type Pair, quasiNewton, remember, type Slope } from "./lbfgs.ts";
import { dot } from "./least-squares.ts";

const ARMIJO = 1e-4;

/**
 * Minimises f(w) + Σ size[i]·|w[i]|, f smooth and convex, from `start` on; components that gain nothing end at exactly 0.
 *
 * It yields points as `minimizing` does, and is told f and its gradient. A step is L-BFGS's over the components that are
 * not 0 or want to leave it, and ends where a sign would change. The gradient it answers is the pseudo-gradient: of a
 * component at 0, the slope to the side where the function falls, or 0. O(2·memory·length) a step besides the function.
 * Source: Andrew and Gao, Scalable training of L1-regularized log-linear models (2007), with the memory restricted to
 * those components, which keeps the direction one of descent without turning it.
 */
export function* minimizingSparse(
  start: Float64Array,
  size: Float64Array,
  { tolerance, isEnough, maxIter, memory = 10 }: Ending,
  told: (iterations: number) => void,
): Generator<Float64Array, Minimum, Slope> {
  const w = start.slice();
  let pairs: Pair[] = [];
  let { value, gradient } = yield w;
  value += sizes(w, size);
  let pseudo = pseudoGradient(w, gradient, size);
  let iterations = 0;
  while (iterations < maxIter && !(largest(pseudo) <= tolerance)) {
    if (isEnough?.(pseudo)) break;
    const isFree = (i: number) => w[i] !== 0 || pseudo[i] !== 0;
    const free = Int32Array.from(Array.from(w.keys()).filter(isFree));
    const direction = directionOver(free, w, pseudo, pairs);
    const first = pairs.length > 0 ? 1 : Math.min(1, 1 / Math.sqrt(dot(pseudo, 0, pseudo, 0, w.length)));
    const step: Step | undefined = yield* searching({ w, value, pseudo, size }, direction, first);
    if (!step) {
      // A stale memory can point nowhere; steepest descent deserves one try before giving up.
      if (pairs.length === 0) break;
      pairs = [];
      continue;
    }
    remember(pairs, memory, w, step.w, gradient, step.gradient);
    w.set(step.w);
    ({ value, gradient, pseudo } = step);
    iterations++;
    told(iterations);
  }
  return { w, value, gradient: pseudo, iterations };
}

type Step = Slope & { readonly w: Float64Array; readonly pseudo: Float64Array };
type Here = {
  readonly w: Float64Array;
  readonly value: number;
  readonly pseudo: Float64Array;
  readonly size: Float64Array;
};

/** L-BFGS's direction over some components, 0 for the others; a component leaves 0 to the side where the function falls. */
function directionOver(free: Int32Array, w: Float64Array, pseudo: Float64Array, pairs: readonly Pair[]): Float64Array {
  const pick = (values: Float64Array) => Float64Array.from(free, (i) => values[i]!);
  const own: Pair[] = [];
  for (const pair of pairs) {
    const [s, y] = [pick(pair.s), pick(pair.y)];
    const sy = dot(s, 0, y, 0, s.length);
    // Of components that were left out, what is remembered may curve the wrong way.
    if (sy > 1e-10 * Math.sqrt(dot(s, 0, s, 0, s.length) * dot(y, 0, y, 0, y.length))) own.push({ s, y, rho: 1 / sy });
  }
  const slope = pick(pseudo);
  const found = quasiNewton(slope, own);
  const turned = (k: number) => w[free[k]!] === 0 && found[k]! * slope[k]! > 0;
  const direction = new Float64Array(w.length);
  for (let k = 0; k < free.length; k++) direction[free[k]!] = turned(k) ? 0 : found[k]!;
  if (dot(direction, 0, pseudo, 0, w.length) < 0) return direction;
  return pseudo.map((value) => -value);
}

/** Goes along the direction, each component as far as its sign stays, until the function fell enough. */
function* searching(
  { w, value, pseudo, size }: Here,
  direction: Float64Array,
  first: number,
): Generator<Float64Array, Step | undefined, Slope> {
  const noise = 1e-14 * Math.abs(value);
  for (let tries = 0, step = first; tries < 40; tries++, step /= 2) {
    const length = step;
    const next = w.map((each, i) => {
      const moved = each + length * direction[i]!;
      return moved * (each === 0 ? -pseudo[i]! : each) > 0 || size[i] === 0 ? moved : 0;
    });
    const moved = next.map((each, i) => each - w[i]!);
    const slope = dot(pseudo, 0, moved, 0, w.length);
    if (!(slope < 0)) continue;
    const reached = yield next;
    const there = reached.value + sizes(next, size);
    const after = pseudoGradient(next, reached.gradient, size);
    // Near the minimum values stop differing before slopes do.
    const asGood = there <= value + noise && dot(after, 0, moved, 0, w.length) <= (2 * ARMIJO - 1) * slope;
    if (there <= value + ARMIJO * slope || asGood) {
      return { w: next, value: there, gradient: reached.gradient, pseudo: after };
    }
  }
  return undefined;
}

function sizes(w: Float64Array, size: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < w.length; i++) sum += size[i]! * Math.abs(w[i]!);
  return sum;
}

function pseudoGradient(w: Float64Array, gradient: Float64Array, size: Float64Array): Float64Array {
  return gradient.map((g, i) => {
    const own = size[i]!;
    if (w[i] !== 0) return g + Math.sign(w[i]!) * own;
    return Number.isNaN(g) ? g : Math.sign(g) * Math.max(0, Math.abs(g) - own);
  });
}

function largest(values: Float64Array): number {
  let most = 0;
  for (let i = 0; i < values.length; i++) most = Math.max(most, Math.abs(values[i]!));
  return most;
}
