/**
 * How many of `n` whole numbers are the least, by their mean, where that and the one above it are all there are; null
 * where others may be among them.
 */
export function lowsOf({
  low,
  high,
  n,
  mean,
}: {
  readonly low: number;
  readonly high: number;
  readonly n: number;
  readonly mean: number;
}): number | null {
  // Beyond this the mean of so many has too few digits.
  return high - low === 1 && n < 2 ** 50 ? Math.round((high - mean) * n) : null;
}
