/**
 * Which fold each row is held out in, as scikit-learn's KFold: runs of rows, the first ones a row longer.
 *
 * Returns n numbers from 0 to folds−1. RangeError unless 2 ≤ folds ≤ n.
 */
export function kFolds(n: number, folds: number): Int32Array {
  check(n, folds);
  return Int32Array.from({ length: n }, (_, i) => {
    const longer = n % folds;
    const size = Math.floor(n / folds);
    const ends = longer * (size + 1);
    return i < ends ? Math.floor(i / (size + 1)) : longer + Math.floor((i - ends) / size);
  });
}

/**
 * Which fold each row is held out in, as scikit-learn's StratifiedKFold: each fold has the classes' shares of all rows.
 *
 * y: n class codes. Within a class the first rows go to the first fold. Returns n numbers from 0 to folds−1. RangeError
 * unless 2 ≤ folds ≤ n.
 */
export function stratifiedFolds(y: Int32Array, folds: number): Int32Array {
  check(y.length, folds);
  // Classes count in the order in which they come up.
  const places = new Map<number, number>();
  for (const code of y) if (!places.has(code)) places.set(code, places.size);
  const codes = Int32Array.from(y, (code) => places.get(code)!);
  const sorted = Int32Array.from(codes).sort();
  const left = Array.from({ length: folds }, () => new Int32Array(places.size));
  for (const [i, code] of sorted.entries()) left[i % folds]![code]!++;
  const next = new Int32Array(places.size);
  return codes.map((code) => {
    while (left[next[code]!]![code] === 0) next[code]!++;
    left[next[code]!]![code]!--;
    return next[code]!;
  });
}

function check(n: number, folds: number): void {
  if (!(folds >= 2 && folds <= n)) throw new RangeError(`folds must be between 2 and ${n} (rows), got ${folds}`);
}
