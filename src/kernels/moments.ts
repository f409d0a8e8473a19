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

/** Sums of the largest numbers stay finite when they are added up as much smaller ones. */
const small = 2 ** -64;

/** The moments of a run of numbers; NaN is missing. Squares are taken around the mean in a second pass. */
export function runMoments(values: Float64Array): RunMoments {
  let [n, sum, min, max] = [0, 0, Infinity, -Infinity];
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (Number.isNaN(value)) continue;
    n++;
    sum += value;
    if (value < min) min = value;
    if (value > max) max = value;
  }
  const mean = min === max ? min : Number.isFinite(sum) ? sum / n : meanOfLarge(values, n);
  const power = powerAbove(max / 2 - min / 2) + 1;
  if (!(min < max)) return { n, min, max, sum, mean, power, squares: 0 };
  const unit = 2 ** -power;
  let squares = 0;
  for (let i = 0; i < values.length; i++) {
    const off = (values[i]! - mean) * unit;
    if (!Number.isNaN(off)) squares += off * off;
  }
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
  const power = powerAbove(max / 2 - min / 2) + 1;
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

/** The exponent of a power of two that is not below the size, within what a double can say. */
function powerAbove(size: number): number {
  if (!Number.isFinite(size) || size === 0) return 0;
  return Math.max(-960, Math.floor(Math.log2(size)) + 1);
}
