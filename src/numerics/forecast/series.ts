/** The mean of some numbers. */
export function meanOf(values: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i];
  return sum / values.length;
}

/** Mean squared difference from the mean. */
export function varianceOf(values: Float64Array): number {
  const mean = meanOf(values);
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += (values[i] - mean) ** 2;
  return sum / values.length;
}

/** Each value less the one `lag` steps before: length − lag numbers, none where there are too few. */
export function differenced(values: Float64Array, lag = 1): Float64Array {
  const out = new Float64Array(Math.max(0, values.length - lag));
  for (let i = 0; i < out.length; i++) out[i] = values[i + lag] - values[i];
  return out;
}

/** Slope and intercept of the straight line through values at 1, 2, 3 …, by least squares. */
export function lineThrough(values: Float64Array): { readonly intercept: number; readonly slope: number } {
  const n = values.length;
  const middle = (n + 1) / 2;
  const mean = meanOf(values);
  let products = 0;
  let squares = 0;
  for (let i = 0; i < n; i++) {
    products += (i + 1 - middle) * (values[i] - mean);
    squares += (i + 1 - middle) ** 2;
  }
  const slope = squares > 0 ? products / squares : 0;
  return { intercept: mean - slope * middle, slope };
}

/**
 * How many standard deviations above the mean a normal number lies below with probability p, 0 < p < 1.
 *
 * Wichura (1988), algorithm AS 241, its routine PPND7: relative error about 1e-7, which no interval shows.
 */
export function normalQuantile(p: number): number {
  const q = p - 0.5;
  if (Math.abs(q) <= 0.425) {
    const r = 0.180625 - q * q;
    const above = ((59.10937472 * r + 159.29113202) * r + 50.434271938) * r + 3.3871327179;
    const below = ((67.1875636 * r + 78.757757664) * r + 17.895169469) * r + 1;
    return (q * above) / below;
  }
  const r = Math.sqrt(-Math.log(q < 0 ? p : 1 - p));
  const s = r <= 5 ? r - 1.6 : r - 5;
  const tail =
    r <= 5
      ? (((0.17023821103 * s + 1.3067284816) * s + 2.75681539) * s + 1.4234372777) /
        ((0.12021132975 * s + 0.7370016425) * s + 1)
      : (((0.017337203997 * s + 0.42868294337) * s + 3.081226386) * s + 6.657905115) /
        ((0.012258202635 * s + 0.24197894225) * s + 1);
  return q < 0 ? -tail : tail;
}
