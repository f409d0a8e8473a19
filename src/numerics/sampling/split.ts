import { RandomState } from "../random.ts";

/** What `trainTest` needs to know. */
export type SplitInput = {
  /** Rows to divide. */
  n: number;
  /** Rows for training, at least 1; nTrain + nTest ≤ n. */
  nTrain: number;
  /** Rows for testing, at least 1. */
  nTest: number;
  /** False keeps the order: the first nTrain rows train, the next nTest test (default true). */
  shuffle?: boolean;
  /** The generator's seed, 0 to 2³²−1; unused without shuffling. */
  seed: number;
  /** A class code per row; each class is then divided in the same proportion. */
  stratify?: Int32Array;
};

/** Row numbers of the two folds, in scikit-learn's order. */
export type Split = { train: Int32Array; test: Int32Array };

/**
 * Divides rows into train and test: the rows of scikit-learn's train_test_split, in its order.
 *
 * Sizes are final row counts; RangeError when they do not fit, or when a stratum has a single row.
 * O(n). Source: ShuffleSplit and StratifiedShuffleSplit of scikit-learn 1.9, whose draws are followed one by one.
 */
export function trainTest(input: SplitInput): Split {
  const { n, nTrain, nTest } = input;
  if (nTrain < 1 || nTest < 1 || nTrain + nTest > n) {
    throw new RangeError(`cannot divide ${n} rows into ${nTrain} for training and ${nTest} for testing`);
  }
  if (input.shuffle === false) {
    const rows = Int32Array.from({ length: nTrain + nTest }, (_, i) => i);
    return { train: rows.slice(0, nTrain), test: rows.slice(nTrain) };
  }
  const random = new RandomState(input.seed);
  if (input.stratify) return stratified(random, input.stratify, nTrain, nTest);
  const rows = random.permutation(n);
  return { test: rows.subarray(0, nTest), train: rows.subarray(nTest, nTest + nTrain) };
}

function stratified(random: RandomState, codes: Int32Array, nTrain: number, nTest: number): Split {
  const strata = rowsByClass(codes);
  if (strata.some((rows) => rows.length < 2))
    throw new RangeError("every class needs at least 2 rows to be stratified");
  if (Math.min(nTrain, nTest) < strata.length) {
    throw new RangeError(
      `each side needs at least one row per class: ${strata.length} classes, ${nTrain} and ${nTest} rows`,
    );
  }
  const counts = strata.map((rows) => rows.length);
  const trainCounts = approximateMode(counts, nTrain, random);
  const left = counts.map((count, k) => count - trainCounts[k]!);
  const testCounts = approximateMode(left, nTest, random);
  const train: number[] = [];
  const test: number[] = [];
  strata.forEach((rows, k) => {
    const order = random.permutation(rows.length);
    const trains = trainCounts[k]!;
    for (let i = 0; i < trains; i++) train.push(rows[order[i]!]!);
    for (let i = trains; i < trains + testCounts[k]!; i++) test.push(rows[order[i]!]!);
  });
  return { train: random.shuffle(Int32Array.from(train)), test: random.shuffle(Int32Array.from(test)) };
}

function rowsByClass(codes: Int32Array): number[][] {
  const byCode = new Map<number, number[]>();
  for (let i = 0; i < codes.length; i++) {
    const rows = byCode.get(codes[i]!);
    if (rows) rows.push(i);
    else byCode.set(codes[i]!, [i]);
  }
  return [...byCode.entries()].sort((a, b) => a[0] - b[0]).map(([, rows]) => rows);
}

/**
 * How many of `draws` items fall to each class: the likeliest draw of a multivariate hypergeometric.
 *
 * Floors the expected counts, then gives what is missing to the largest remainders; equal remainders are
 * drawn at random, with the same draws as scikit-learn's `_approximate_mode`. O(k log k).
 */
export function approximateMode(counts: readonly number[], draws: number, random: RandomState): number[] {
  const total = counts.reduce((sum, count) => sum + count, 0);
  const expected = counts.map((count) => (count / total) * draws);
  const out = expected.map(Math.floor);
  let missing = draws - out.reduce((sum, count) => sum + count, 0);
  if (missing <= 0) return out;
  const remainders = expected.map((value, k) => value - out[k]!);
  for (const value of [...new Set(remainders)].sort((a, b) => b - a)) {
    const equal = remainders.flatMap((remainder, k) => (remainder === value ? [k] : []));
    const take = Math.min(equal.length, missing);
    const order = random.permutation(equal.length);
    for (let i = 0; i < take; i++) out[equal[order[i]!]!]! += 1;
    missing -= take;
    if (missing === 0) break;
  }
  return out;
}
