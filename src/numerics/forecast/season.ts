import { meanOf } from "./series.ts";

/** The trend as the mean over one season around each step; NaN where half a season is missing at the ends. O(n). */
export function movingTrend(values: Float64Array, season: number): Float64Array {
  const n = values.length;
  const out = new Float64Array(n).fill(Number.NaN);
  const half = season >> 1;
  const isEven = season % 2 === 0;
  // An even season has no middle step, so the steps at both ends count half.
  const width = isEven ? season : season - 1;
  if (n <= width) return out;
  let sum = 0;
  for (let i = 0; i <= width; i++) sum += values[i];
  for (let at = half; at + half < n; at++) {
    if (at > half) sum += values[at + half] - values[at - half - 1];
    out[at] = (isEven ? sum - (values[at - half] + values[at + half]) / 2 : sum) / season;
  }
  return out;
}

/** What a season adds at each of its places, zero on average, and how much of the ups and downs that explains. */
export interface SeasonalMeans {
  /** One number for each step of the season; the first is that of the series' first step. */
  readonly means: Float64Array;
  /** Share of the variance around the trend, corrected for the number of means; 0 and below is none, 1 is all. */
  readonly strength: number;
}

/**
 * Classical decomposition: means of each place of the season, around a moving trend.
 *
 * Multiplicative seasons are factors with mean 1, around ratios to the trend. Needs two whole seasons; with less, the
 * strength is 0. The strength is that of Wang, Smith and Hyndman (2006), with degrees of freedom as in an adjusted R².
 */
export function seasonalMeans(values: Float64Array, season: number, isFactors = false): SeasonalMeans {
  const trend = movingTrend(values, season);
  const sums = new Float64Array(season);
  const counts = new Int32Array(season);
  const around = values.map((value, i) => (isFactors ? value / trend[i] : value - trend[i]));
  for (let i = 0; i < around.length; i++) {
    if (!Number.isFinite(around[i])) continue;
    sums[i % season] += around[i];
    counts[i % season]++;
  }
  const idle = isFactors ? 1 : 0;
  if (counts.some((count) => count === 0)) return { means: new Float64Array(season).fill(idle), strength: 0 };
  const means = sums.map((sum, k) => sum / counts[k]);
  const middle = meanOf(means);
  let left = 0;
  let all = 0;
  let n = 0;
  const known = around.filter(Number.isFinite);
  const mean = meanOf(known);
  for (let i = 0; i < around.length; i++) {
    if (!Number.isFinite(around[i])) continue;
    left += (around[i] - means[i % season]) ** 2;
    all += (around[i] - mean) ** 2;
    n++;
  }
  const strength = n > season && all > 0 ? 1 - left / (n - season) / (all / (n - 1)) : 0;
  return { means: means.map((each) => (isFactors ? each / middle : each - middle)), strength };
}

/** A season that explains less than this of the ups and downs is taken for chance. */
const least = 0.3;
/** A longer season explains the ups and downs of its parts as well: it must do so better by this. */
const better = 0.03;

/**
 * The season of a series in steps, 1 where it has none: the one whose means explain most around its trend.
 *
 * `candidates` are tried where three seasons are there, two for those of 24 steps and less. O(n) for each.
 */
export function findSeason(values: Float64Array, candidates: readonly number[]): number {
  let best = 1;
  let most = least;
  for (const season of [...candidates].sort((a, b) => a - b)) {
    if (season < 2 || values.length < season * (season > 24 ? 3 : 2) + 1) continue;
    const { strength } = seasonalMeans(values, season);
    if (strength > most + (best > 1 ? better : 0)) {
      best = season;
      most = strength;
    }
  }
  return best;
}
