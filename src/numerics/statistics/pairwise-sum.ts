/**
 * The sum of numbers, added in numpy's order, bit for bit as `np.sum` of a contiguous array of doubles.
 *
 * Eight running sums over blocks of up to 128, blocks by halves; the error grows with log n. 0 when empty. O(n).
 */
export function pairwiseSum(values: Float64Array): number {
  const n = values.length;
  if (n < 8) return values.reduce((sum, value) => sum + value, 0);
  if (n > 128) {
    const half = (n >> 1) - ((n >> 1) % 8);
    return pairwiseSum(values.subarray(0, half)) + pairwiseSum(values.subarray(half));
  }
  const r = values.slice(0, 8);
  const whole = n - (n % 8);
  for (let i = 8; i < whole; i++) r[i % 8]! += values[i]!;
  let sum = r[0]! + r[1]! + (r[2]! + r[3]!) + (r[4]! + r[5]! + (r[6]! + r[7]!));
  for (let i = whole; i < n; i++) sum += values[i]!;
  return sum;
}
