import type { RandomState } from "../random.ts";

/** What a search may choose along one of its axes: numbers between two bounds, or one of so many choices. */
export type Axis =
  | {
      readonly kind: "range";
      readonly low: number;
      readonly high: number;
      /** Numbers are even by their logarithm. */
      readonly log: boolean;
      /** The way from one number to the next, from `low` on; 0 where any number will do. */
      readonly step: number;
    }
  | { readonly kind: "choices"; readonly size: number };

/** A place in the space of a search: a number along each axis, of choices the place among them. */
export type Point = readonly number[];

/** A kernel's form along one axis. */
type Kernel =
  | { readonly kind: "normal"; readonly mean: number; readonly deviation: number; readonly logMass: number }
  | { readonly kind: "shares"; readonly shares: Float64Array };

/**
 * A density over a space by Parzen's estimator: a kernel about each known point, and a wide one, the prior.
 *
 * Along a range a kernel is a normal density cut off at the bounds; its deviation is the distance to the farther of both
 * neighbours, but a part of the range at least. Of choices it has its own, and a little of each other. The latest 25
 * points weigh alike, older ones less. Bergstra et al., Algorithms for hyper-parameter optimization (NIPS 2011); the
 * constants are those of Watanabe, Tree-structured Parzen estimator (2023, arXiv 2304.11127) and of Optuna 5.
 */
export class Parzen {
  readonly #axes: readonly Axis[];
  readonly #kernels: readonly (readonly Kernel[])[];
  readonly #weights: Float64Array;

  /** `points` are in the order in which they became known; without any the prior stands alone. */
  constructor(axes: readonly Axis[], points: readonly Point[]) {
    this.#axes = axes;
    this.#weights = weightsOf(points.length);
    this.#kernels = axes.map((axis, j) => {
      const values = points.map((point) => point[j]!);
      return axis.kind === "choices" ? shareKernels(axis.size, values) : normalKernels(axis, values);
    });
  }

  /** The logarithm of the density at a point; of axes with steps and of choices it is a probability. */
  logDensity(point: Point): number {
    const logs = this.#weights.map((weight, k) =>
      this.#axes.reduce((sum, axis, j) => sum + logKernel(axis, this.#kernels[j]![k]!, point[j]!), Math.log(weight)),
    );
    const most = logs.reduce((a, b) => Math.max(a, b), -Infinity);
    return most + Math.log(logs.reduce((sum, each) => sum + Math.exp(each - most), 0));
  }

  /** A point that is drawn by the density. */
  draw(random: RandomState): Point {
    const k = drawnFrom(this.#weights, random);
    return this.#axes.map((axis, j) => drawnKernel(axis, this.#kernels[j]![k]!, random));
  }
}

/** Weights of so many points and of the prior, which add up to 1. */
function weightsOf(n: number): Float64Array {
  const alike = 25;
  const old = n - alike;
  const weights = Float64Array.from({ length: n + 1 }, (_, k) => {
    if (k >= old || k === n) return 1;
    return old === 1 ? 1 / n : 1 / n + ((1 - 1 / n) * k) / (old - 1);
  });
  const sum = weights.reduce((all, each) => all + each, 0);
  return weights.map((each) => each / sum);
}

function shareKernels(size: number, values: readonly number[]): Kernel[] {
  const n = values.length + 1;
  const prior: Kernel = { kind: "shares", shares: new Float64Array(size).fill(1 / size) };
  return [
    ...values.map((value): Kernel => {
      const shares = new Float64Array(size).fill(1 / n);
      shares[value]! += 1;
      return { kind: "shares", shares: shares.map((each) => each / (1 + size / n)) };
    }),
    prior,
  ];
}

type Range = Extract<Axis, { kind: "range" }>;

/** Where a range begins and ends, on the scale on which its kernels are normal. */
function boundsOf({ low, high, log, step }: Range): readonly [number, number] {
  const [from, to] = [low - step / 2, high + step / 2];
  return log ? [Math.log(from), Math.log(to)] : [from, to];
}

function normalKernels(axis: Range, values: readonly number[]): Kernel[] {
  const [from, to] = boundsOf(axis);
  const span = to - from;
  const means = values.map((value) => (axis.log ? Math.log(value) : value));
  const order = means.map((_, k) => k).sort((a, b) => means[a]! - means[b]! || a - b);
  const deviations = new Float64Array(means.length);
  for (const [at, k] of order.entries()) {
    const own = means[k]!;
    const before = at > 0 ? own - means[order[at - 1]!]! : null;
    const behind = at < order.length - 1 ? means[order[at + 1]!]! - own : null;
    // The first and the last one have one neighbour, save a point that is alone.
    deviations[k] =
      before === null && behind === null ? Math.max(own - from, to - own) : Math.max(before ?? 0, behind ?? 0);
  }
  const least = span / Math.min(100, means.length + 2);
  const kernel = (mean: number, deviation: number): Kernel => ({
    ...{ kind: "normal", mean, deviation },
    logMass: Math.log(massBetween((from - mean) / deviation, (to - mean) / deviation)),
  });
  return [
    ...means.map((mean, k) => kernel(mean, Math.min(span, Math.max(least, deviations[k]!)))),
    kernel((from + to) / 2, span),
  ];
}

const logRoot = Math.log(Math.sqrt(2 * Math.PI));

function logKernel(axis: Axis, kernel: Kernel, value: number): number {
  if (kernel.kind === "shares") return Math.log(kernel.shares[value]!);
  const { mean, deviation, logMass } = kernel;
  const { log, step } = axis as Range;
  const place = (x: number) => ((log ? Math.log(x) : x) - mean) / deviation;
  if (step > 0) return Math.log(massBetween(place(value - step / 2), place(value + step / 2))) - logMass;
  return -0.5 * place(value) ** 2 - Math.log(deviation) - logRoot - logMass;
}

function drawnFrom(shares: Float64Array, random: RandomState): number {
  let left = random.uniform();
  for (let k = 0; k < shares.length - 1; k++) {
    left -= shares[k]!;
    if (left < 0) return k;
  }
  return shares.length - 1;
}

function drawnKernel(axis: Axis, kernel: Kernel, random: RandomState): number {
  if (kernel.kind === "shares") return drawnFrom(kernel.shares, random);
  const range = axis as Range;
  const [from, to] = boundsOf(range);
  // A mean lies within the bounds, which are at least one deviation apart: a third of all draws does too.
  for (;;) {
    const drawn = kernel.mean + kernel.deviation * random.normal();
    if (drawn >= from && drawn <= to) return onAxis(range, range.log ? Math.exp(drawn) : drawn);
  }
}

/** The nearest number that an axis has. */
function onAxis({ low, high, step }: Range, value: number): number {
  const within = Math.min(high, Math.max(low, value));
  if (step === 0) return within;
  // Rounding may lead beyond the last step, which need not be at the upper bound.
  const steps = Math.min(Math.floor((high - low) / step + 1e-9), Math.round((within - low) / step));
  return Number((low + steps * step).toPrecision(12));
}

/** Where a value lies along its axis, from 0 to 1, so that even points lie evenly. */
export function placeOn(axis: Axis, value: number): number {
  if (axis.kind === "choices") return (value + 0.5) / axis.size;
  const [from, to] = boundsOf(axis);
  return ((axis.log ? Math.log(value) : value) - from) / (to - from);
}

/** A point that is drawn evenly from the space. */
export function evenPoint(axes: readonly Axis[], random: RandomState): Point {
  return axes.map((axis) => {
    if (axis.kind === "choices") return random.randomInterval(axis.size - 1);
    const [from, to] = boundsOf(axis);
    const drawn = from + (to - from) * random.uniform();
    return onAxis(axis, axis.log ? Math.exp(drawn) : drawn);
  });
}

/** How likely a standard normal number lies between both; nothing is lost in the upper tail either. */
function massBetween(from: number, to: number): number {
  return from > 0 ? normalBelow(-from) - normalBelow(-to) : normalBelow(to) - normalBelow(from);
}

/**
 * How likely a standard normal number lies below x.
 *
 * Hart et al., Computer approximations (1968), algorithm 5666, as given by West, Better approximations to cumulative
 * normal functions (Wilmott 2005): off by 1e-15 at most, and by a part in 10 million in the tails.
 */
export function normalBelow(x: number): number {
  const z = Math.abs(x);
  if (z > 37) return x > 0 ? 1 : 0;
  const e = Math.exp((-z * z) / 2);
  const tail = z < 7.07106781186547 ? (e * polynomial(above, z)) / polynomial(below, z) : e / fraction(z);
  return x > 0 ? 1 - tail : tail;
}

const above = [
  3.52624965998911e-2, 0.700383064443688, 6.37396220353165, 33.912866078383, 112.079291497871, 221.213596169931,
  220.206867912376,
];
const below = [
  8.83883476483184e-2, 1.75566716318264, 16.064177579207, 86.7807322029461, 296.564248779674, 637.333633378831,
  793.826512519948, 440.413735824752,
];

function polynomial(coefficients: readonly number[], x: number): number {
  return coefficients.reduce((sum, each) => sum * x + each, 0);
}

function fraction(z: number): number {
  return (z + 1 / (z + 2 / (z + 3 / (z + 4 / (z + 0.65))))) * Math.sqrt(2 * Math.PI);
}
