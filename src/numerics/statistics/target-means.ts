/** What `targetMeans` needs to know. */
export type TargetMeansInput = {
  /** n codes from 0 to categories - 1. */
  readonly category: Int32Array;
  /** n targets, all finite. */
  readonly y: Float64Array;
  readonly categories: number;
  /** Which part each row is in, n numbers from 0 to parts - 1 (default: all rows are one part). */
  readonly part?: Int32Array;
  readonly parts?: number;
};

/** The smoothed mean of each category, and the mean of all rows (0 without any). */
export interface TargetMeans {
  readonly means: Float64Array;
  readonly mean: number;
}

/**
 * The mean of the target in each category, drawn towards the mean of all: the less it is seen, and the more the
 * target varies within it, the nearer.
 *
 * A category without rows has the mean of all. `all` are learnt from all rows, `others[p]` from those that are not in
 * part p. O(n + parts² · categories).
 * Source: the empirical Bayes estimate of scikit-learn's TargetEncoder with smooth="auto"; parts are joined as by
 * Chan, Golub and LeVeque (1983).
 */
export function targetMeans(input: TargetMeansInput): PartedMeans {
  return partedMeans(momentsOf(input), input.categories, input.parts);
}

/** The smoothed means of all rows, and for each part those of the rows that are not in it. */
export interface PartedMeans {
  readonly all: TargetMeans;
  readonly others: readonly TargetMeans[];
}

/** The same from what is known of each category of each part, part by part. */
export function partedMeans(within: GroupMoments, categories: number, parts = 1): PartedMeans {
  const without = (left: number) => {
    const joined = emptyMoments(categories);
    for (let p = 0; p < parts; p++) {
      for (let k = 0; p !== left && k < categories; k++) join(joined, k, within, p * categories + k);
    }
    return smoothed(joined);
  };
  return { all: without(-1), others: Array.from({ length: parts }, (_, p) => without(p)) };
}

/** Of some groups of rows: how many they are, their sum, and their squared distances from their mean, summed up. */
export interface GroupMoments {
  readonly count: Float64Array;
  readonly sum: Float64Array;
  readonly spread: Float64Array;
}

function emptyMoments(groups: number): GroupMoments {
  const [count, sum, spread] = Array.from({ length: 3 }, () => new Float64Array(groups));
  return { count: count!, sum: sum!, spread: spread! };
}

/** A group for each category of each part, part by part. */
function momentsOf({ category, y, categories, part, parts = 1 }: TargetMeansInput): GroupMoments {
  const moments = emptyMoments(parts * categories);
  const { count, sum, spread } = moments;
  const group = (i: number) => (part ? part[i]! * categories : 0) + category[i]!;
  for (let i = 0; i < y.length; i++) {
    const k = group(i);
    count[k] = count[k]! + 1;
    sum[k] = sum[k]! + y[i]!;
  }
  const mean = sum.map((total, k) => total / count[k]!);
  for (let i = 0; i < y.length; i++) {
    const k = group(i);
    spread[k] = spread[k]! + (y[i]! - mean[k]!) ** 2;
  }
  return moments;
}

/** Adds the rows of a group to those of another. */
function join(to: GroupMoments, k: number, from: GroupMoments, j: number): void {
  const [more, known] = [from.count[j]!, to.count[k]!];
  if (more === 0) return;
  const distance = known === 0 ? 0 : from.sum[j]! / more - to.sum[k]! / known;
  to.count[k] = known + more;
  to.sum[k] = to.sum[k]! + from.sum[j]!;
  to.spread[k] = to.spread[k]! + from.spread[j]! + distance * distance * ((known * more) / (known + more));
}

function smoothed(categories: GroupMoments): TargetMeans {
  const whole = emptyMoments(1);
  for (let k = 0; k < categories.count.length; k++) join(whole, 0, categories, k);
  const n = whole.count[0]!;
  const [mean, variance] = n > 0 ? [whole.sum[0]! / n, whole.spread[0]! / n] : [0, 0];
  const means = categories.count.map((count, k) => {
    if (count === 0) return mean;
    const weight = (variance * count) / (variance * count + categories.spread[k]! / count);
    return Number.isNaN(weight) ? mean : weight * (categories.sum[k]! / count) + (1 - weight) * mean;
  });
  return { means, mean };
}
