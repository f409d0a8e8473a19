import type { RandomState } from "../random.ts";

/**
 * Which fold each row is held out in, as scikit-learn's KFold: runs of rows, the first ones a row longer.
 *
 * With `random` the rows are shuffled before, as by shuffle=True. Returns n numbers from 0 to folds−1. RangeError
 * unless 2 ≤ folds ≤ n.
 */
export function kFolds(n: number, folds: number, random?: RandomState): Int32Array {
  check(n, folds);
  const order = random?.permutation(n);
  const out = new Int32Array(n);
  for (let fold = 0, i = 0; fold < folds; fold++) {
    const end = i + Math.floor(n / folds) + (fold < n % folds ? 1 : 0);
    for (; i < end; i++) out[order ? order[i]! : i] = fold;
  }
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
