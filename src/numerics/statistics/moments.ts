import { createLoops } from "../wasm/loops.ts";

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

/** A sum, and what it lacks of the true one: together twice the digits of a double. */
export type LongSum = { readonly sum: number; readonly rest: number };

/** What a run of numbers comes to; `squares` are around its mean, in units of 2^power, so that none overflows. */
export type RunMoments = {
  readonly n: number;
  readonly min: number;
  readonly max: number;
  readonly total: LongSum;
  readonly mean: number;
  readonly power: number;
  readonly squares: LongSum;
};

/** Count, range and exact sums of whole numbers. */
export type WholeSums = {
  readonly n: number;
  readonly min: number | null;
  readonly max: number | null;
  readonly sum: number;
  readonly squares: number | null;
};

/** The most numbers that are looked at together; they stay in the cache between the passes. */
const mostTogether = 4096;

/** Sums of the largest numbers stay finite when they are added up as much smaller ones. */
const small = 2 ** -64;

let room: ReturnType<typeof createLoops> | undefined;

/** The moments of numbers; NaN is missing. Squares are taken around the mean, in a second pass, unless nobody wants them. */
export function runMoments(values: Float64Array, squares = true): RunMoments {
  let all = noMoments;
  for (let from = 0; from < values.length; from += mostTogether) {
    all = joinedMoments(all, blockMoments(values.subarray(from, from + mostTogether), squares));
  }
  return all;
}

function blockMoments(values: Float64Array, squares: boolean): RunMoments {
  room ??= createLoops(8 * mostTogether, 40);
  const { loops, at } = room;
  const [x, out] = at as [number, number];
  const length = 4 * Math.ceil(values.length / 4);
  loops.doubles.set(values, x / 8);
  loops.doubles.fill(Number.NaN, x / 8 + values.length, x / 8 + length);
  const answer = (k: number) => loops.doubles[out / 8 + k]!;
  loops.range(x, out, length);
  const [n, min, max, total] = [answer(0), answer(1), answer(2), { sum: answer(3), rest: answer(4) }];
  if (n === 0) return noMoments;
  const mean = min === max ? min : (meanOf(total, n) ?? meanOfLarge(values, n));
  const power = powerOf(min, max);
  if (!squares || !(min < max)) return { n, min, max, total, mean, power, squares: nothing };
  loops.spread(x, mean, 2 ** -power, out, length);
  return { n, min, max, total, mean, power, squares: { sum: answer(0), rest: answer(1) } };
}

/** Null where the sum is too large for a double, or infinite. */
function meanOf({ sum, rest }: LongSum, n: number): number | null {
  return Number.isFinite(sum) ? (sum + rest) / n : null;
}

function meanOfLarge(values: Float64Array, n: number): number {
  let sum = 0;
  for (const value of values) if (!Number.isNaN(value)) sum += value * small;
  return sum / n / small;
}

const nothing: LongSum = { sum: 0, rest: 0 };

/** A run of nothing. */
export const noMoments: RunMoments = {
  n: 0,
  min: Infinity,
  max: -Infinity,
  total: nothing,
  mean: NaN,
  power: 0,
  squares: nothing,
};

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
  const total = plus(a.total, b.total);
  const min = Math.min(a.min, b.min);
  const max = Math.max(a.max, b.max);
  const mean = min === max ? min : (meanOf(total, n) ?? a.mean * (a.n / n) + b.mean * (b.n / n));
  const power = powerOf(min, max);
  const own = ({ squares: { sum, rest }, power: before }: RunMoments) => {
    const unit = 4 ** (before - power);
    return { sum: sum * unit, rest: rest * unit };
  };
  const apart = (run: RunMoments) => ({ sum: run.n * ((run.mean - mean) * 2 ** -power) ** 2, rest: 0 });
  const squares = plus(plus(own(a), own(b)), plus(apart(a), apart(b)));
  return { n, min, max, total, mean, power, squares };
}

/** The sum of two sums, with what is lost of it (Knuth's TwoSum). */
function plus(a: LongSum, b: LongSum): LongSum {
  const sum = a.sum + b.sum;
  const c = sum - a.sum;
  return { sum, rest: a.rest + b.rest + (a.sum - (sum - c) + (b.sum - c)) };
}

/** What a run's moments say. */
export function momentsOf({ n, min, max, mean, power, squares }: RunMoments): Moments {
  if (n === 0) return { n, min: null, max: null, mean: null, deviation: null };
  if (!Number.isFinite(min) || !Number.isFinite(max)) return { n, min, max, mean: min + max, deviation: null };
  return { n, min, max, mean, deviation: min === max ? 0 : Math.sqrt((squares.sum + squares.rest) / n) * 2 ** power };
}

/** What exact sums of whole numbers and of their squares say; no squares, no deviation. */
export function wholeMoments({ n, min, max, sum, squares }: WholeSums): Moments {
  if (n === 0) return { n, min: null, max: null, mean: null, deviation: null };
  // What is left of two large products is small: in doubles it would be mere rounding.
  const spread = squares === null ? null : BigInt(n) * BigInt(squares) - BigInt(sum) ** 2n;
  return { n, min, max, mean: sum / n, deviation: spread === null ? null : Math.sqrt(Number(spread) / n ** 2) };
}

/** The exponent of a power of two, one that a double can hold, near the distance of two numbers. */
function powerOf(min: number, max: number): number {
  // Half the distance may be too large for a double's power, a quarter is not.
  const size = max / 4 - min / 4;
  return Number.isFinite(size) && size > 0 ? Math.max(-960, Math.floor(Math.log2(size)) + 1) : 0;
}
