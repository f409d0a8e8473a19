/** Between its inverse and this, squares of numbers, and sums of them, stay far from the ends of all numbers. */
const far = 2 ** 400;

/**
 * A power of two by which numbers are divided before they are squared: 1 unless the largest lies beyond 2^±400.
 *
 * Then it is near the largest, and dividing by it is exact but for numbers that vanish beside that. Whatever is no number, or
 * infinite, is passed over. O(n).
 */
export function unitOf(...lists: readonly (Float64Array | Int32Array)[]): number {
  let largest = 0;
  for (const list of lists) {
    for (let i = 0; i < list.length; i++) {
      const size = Math.abs(list[i]!);
      if (size > largest && size < Infinity) largest = size;
    }
  }
  if (largest === 0 || (largest < far && largest > 1 / far)) return 1;
  // Not below 2^-1022, whose inverse is still a number.
  return 2 ** Math.max(-1022, Math.floor(Math.log2(largest)));
}
