import type { RandomState } from "./random.ts";

/**
 * Which fold each row is held out in, as scikit-learn's KFold: runs of rows, the first ones a row longer.
 *
 * With `random` the rows are shuffled before, as by shuffle=True. Returns n numbers from 0 to folds−1. RangeError
 * unless 2 ≤ folds ≤ n.
 */
export function kFolds(n: number, folds: number, random?: RandomState): Int32Array {
  check(n, folds);
  const runs = Int32Array.from({ length: n }, (_, i) => {
    const longer = n % folds;
    const size = Math.floor(n / folds);
    const ends = longer * (size + 1);
    return i < ends ? Math.floor(i / (size + 1)) : longer + Math.floor((i - ends) / size);
  });
  if (!random) return runs;
  const out = new Int32Array(n);
  for (const [i, row] of random.permutation(n).entries()) out[row] = runs[i]!;
  return out;
}

/**
 * Which fold each row is held out in, as scikit-learn's StratifiedKFold: each fold has the classes' shares of all rows.
 *
 * y: n class codes. Within a class the first rows go to the first fold, with `random` any rows, as by shuffle=True.
 * Returns n numbers from 0 to folds−1. RangeError unless 2 ≤ folds ≤ n.
 */
export function stratifiedFolds(y: Int32Array, folds: number, random?: RandomState): Int32Array {
  check(y.length, folds);
  // Classes count in the order in which they come up.
  const places = new Map<number, number>();
  for (const code of y) if (!places.has(code)) places.set(code, places.size);
  const codes = Int32Array.from(y, (code) => places.get(code)!);
  const sorted = Int32Array.from(codes).sort();
  const left = Array.from({ length: folds }, () => new Int32Array(places.size));
  for (const [i, code] of sorted.entries()) left[i % folds]![code]!++;
  const dealt = Array.from({ length: places.size }, (_, code) => {
    const ofClass = Int32Array.from(left.flatMap((counts, fold) => new Array<number>(counts[code]!).fill(fold)));
    return random ? random.shuffle(ofClass) : ofClass;
  });
  const next = new Int32Array(places.size);
  return codes.map((code) => dealt[code]![next[code]!++]!);
}

function check(n: number, folds: number): void {
  if (!(folds >= 2 && folds <= n)) throw new RangeError(`folds must be between 2 and ${n} (rows), got ${folds}`);
}
