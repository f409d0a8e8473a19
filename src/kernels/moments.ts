import { createLoops } from "./wasm/loops.ts";

/** Count, range, mean and population deviation of numbers; null where there is none. */
export type Moments = {
  readonly n: number;
  readonly min: number | null;
  readonly max: number | null;
  /** Infinite, or NaN, with infinity among the numbers. */
  readonly mean: number | null;
  /** Null with infinity among the numbers. */
  readonly deviation: number | null;
};

/** What a run of numbers comes to; `squares` are around its mean, in units of 2^power, so that none overflows. */
export type RunMoments = {
  readonly n: number;
  readonly min: number;
  readonly max: number;
  readonly sum: number;
  readonly mean: number;
  readonly power: number;
  readonly squares: number;
};

/** The most numbers that are looked at together; they stay in the cache between the passes. */
const mostTogether = 4096;

/** Sums of the largest numbers stay finite when they are added up as much smaller ones. */
const small = 2 ** -64;

let room: ReturnType<typeof createLoops> | undefined;

/** The moments of numbers; NaN is missing. Squares are taken around the mean, in a second pass. */
export function runMoments(values: Float64Array): RunMoments {
  let all = noMoments;
  for (let from = 0; from < values.length; from += mostTogether) {
    all = joinedMoments(all, blockMoments(values.subarray(from, from + mostTogether)));
  }
  return all;
}

function blockMoments(values: Float64Array): RunMoments {
  room ??= createLoops(8 * mostTogether, 32);
  const { loops, at } = room;
  const [x, out] = at as [number, number];
  const length = 4 * Math.ceil(values.length / 4);
  loops.doubles.set(values, x / 8);
  loops.doubles.fill(Number.NaN, x / 8 + values.length, x / 8 + length);
  loops.range(x, out, length);
  const [n, min, max, sum] = loops.doubles.subarray(out / 8, out / 8 + 4) as unknown as [
    number,
    number,
    number,
    number,
  ];
  if (n === 0) return noMoments;
  const mean = min === max ? min : Number.isFinite(sum) ? sum / n : meanOfLarge(values, n);
  const power = powerOf(min, max);
  const squares = min < max ? loops.spread(x, mean, 2 ** -power, length) : 0;
  return { n, min, max, sum, mean, power, squares };
}

function meanOfLarge(values: Float64Array, n: number): number {
  let sum = 0;
  for (const value of values) if (!Number.isNaN(value)) sum += value * small;
  return sum / n / small;
}

/** A run of nothing. */
export const noMoments: RunMoments = { n: 0, min: Infinity, max: -Infinity, sum: 0, mean: NaN, power: 0, squares: 0 };

/**
 * The moments of two runs together.
 *
 * The sum of squares is that of both, and of their means around the common one (Chan, Golub and LeVeque, "Updating
 * formulae and a pairwise algorithm for computing sample variances", 1979).
 */
export function joinedMoments(a: RunMoments, b: RunMoments): RunMoments {
  if (a.n === 0) return b;
  if (b.n === 0) return a;
  const n = a.n + b.n;
  const sum = a.sum + b.sum;
  const min = Math.min(a.min, b.min);
  const max = Math.max(a.max, b.max);
  const mean = min === max ? min : Number.isFinite(sum) ? sum / n : a.mean * (a.n / n) + b.mean * (b.n / n);
  const power = powerOf(min, max);
  const off = (run: RunMoments) => run.n * ((run.mean - mean) * 2 ** -power) ** 2;
  const squares = a.squares * 4 ** (a.power - power) + b.squares * 4 ** (b.power - power) + off(a) + off(b);
  return { n, min, max, sum, mean, power, squares };
}

/** What a run's moments say. */
export function momentsOf({ n, min, max, mean, power, squares }: RunMoments): Moments {
  if (n === 0) return { n, min: null, max: null, mean: null, deviation: null };
  if (!Number.isFinite(min) || !Number.isFinite(max)) return { n, min, max, mean: min + max, deviation: null };
  return { n, min, max, mean, deviation: min === max ? 0 : Math.sqrt(squares / n) * 2 ** power };
}

/** The exponent of a power of two, one that a double can hold, near the distance of two numbers. */
function powerOf(min: number, max: number): number {
  // Half the distance may be too large for a double's power, a quarter is not.
  const size = max / 4 - min / 4;
  return Number.isFinite(size) && size > 0 ? Math.max(-960, Math.floor(Math.log2(size)) + 1) : 0;
}
