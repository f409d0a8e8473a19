/** How rows in the order of time are parted. */
export interface TimeParts {
  /** How many folds. */
  readonly splits: number;
  /** Rows between a fold's training rows and its test rows (default 0). */
  readonly gap?: number;
  /** Test rows of each fold (default: as many as in splits + 1 equal parts). */
  readonly testSize?: number;
  /** Training rows of a fold at most, the latest ones (default: all before). */
  readonly mostTrain?: number;
}

/** A fold's rows: from a first one up to another, which is no more in it. */
export interface TimeFold {
  readonly train: readonly [from: number, to: number];
  readonly test: readonly [from: number, to: number];
}

/**
 * The folds of scikit-learn's TimeSeriesSplit over n rows: each is judged on the rows behind those it learns from.
 *
 * RangeError where there are fewer rows than parts, or none left to learn from.
 */
export function timeFolds(n: number, { splits, gap = 0, testSize, mostTrain = n }: TimeParts): TimeFold[] {
  if (splits + 1 > n) throw new RangeError(`${splits} folds by time need ${splits + 1} rows, got ${n}`);
  const size = testSize ?? Math.floor(n / (splits + 1));
  const most = n - gap - size * splits;
  if (most <= 0) {
    throw new RangeError(
      `${splits} folds of ${size} test rows, with a gap of ${gap}, leave none of ${n} rows to learn from`,
    );
  }
  return Array.from({ length: splits }, (_, fold): TimeFold => {
    const from = n - (splits - fold) * size;
    const end = from - gap;
    return { train: [Math.max(0, end - mostTrain), end], test: [from, from + size] };
  });
}
