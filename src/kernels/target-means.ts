/** What `targetMeans` needs to know. */
export type TargetMeansInput = {
  /** n codes from 0 to categories - 1. */
  readonly category: Int32Array;
  /** n targets, all finite. */
  readonly y: Float64Array;
  readonly categories: number;
  /** Which part each row is in, and the part that is left out (default: none is). */
  readonly parts?: Int32Array;
  readonly without?: number;
};

/**
 * The mean of the target in each category, drawn towards the mean of all: the less it is seen, and the more the
 * target varies within it, the nearer.
 *
 * A category without rows has the mean of all. Returns `categories` means and the mean of all (0 without rows). O(n).
 * Source: the empirical Bayes estimate of scikit-learn's TargetEncoder with smooth="auto".
 */
export function targetMeans(input: TargetMeansInput): { means: Float64Array; mean: number } {
  const { category, y, categories, parts, without } = input;
  let n = 0;
  const counts = new Float64Array(categories);
  const sums = new Float64Array(categories);
  let total = 0;
  for (let i = 0; i < y.length; i++) {
    if (parts && parts[i] === without) continue;
    n++;
    const k = category[i]!;
    counts[k] = counts[k]! + 1;
    sums[k] = sums[k]! + y[i]!;
    total += y[i]!;
  }
  const mean = n > 0 ? total / n : 0;
  const spread = new Float64Array(categories);
  let whole = 0;
  for (let i = 0; i < y.length; i++) {
    if (parts && parts[i] === without) continue;
    const k = category[i]!;
    spread[k] = spread[k]! + (y[i]! - sums[k]! / counts[k]!) ** 2;
    whole += (y[i]! - mean) ** 2;
  }
  const variance = n > 0 ? whole / n : 0;
  const means = counts.map((count, k) => {
    if (count === 0) return mean;
    const weight = (variance * count) / (variance * count + spread[k]! / count);
    return Number.isNaN(weight) ? mean : weight * (sums[k]! / count) + (1 - weight) * mean;
  });
  return { means, mean };
}
