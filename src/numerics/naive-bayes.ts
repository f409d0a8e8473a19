import { checkCancelled, type Hooks, type Matrix, quiet } from "./types.ts";

/** What `fitNaiveBayes` needs to know. */
export type NaiveBayesInput = {
  /** n×d features. */
  x: Matrix;
  /** n class codes, each of 0…classes−1 at least once. */
  y: Int32Array;
  classes: number;
  /** Share of the largest variance that is added to all, for stability (default 1e-9). */
  varSmoothing?: number;
  /** Probability of each class before a row is seen (default: its share of the rows). */
  priors?: Float64Array;
};

/** A fitted Gaussian naive Bayes; row k of the matrices is class k. */
export type NaiveBayes = {
  /** classes×d row-major: the mean of each feature in each class. */
  theta: Float64Array;
  /** classes×d row-major: its variance, smoothed. */
  variance: Float64Array;
  /** Probability of each class. */
  prior: Float64Array;
};

const BLOCK = 1024;

/**
 * Gaussian naive Bayes, as scikit-learn's GaussianNB: mean and variance of every feature in every class.
 *
 * Two passes, the second around the mean. RangeError when a variance comes out as 0 (no feature varies, or one does not
 * within a class and nothing is added) or infinite: probabilities would be NaN. O(n·d).
 */
export function fitNaiveBayes(input: NaiveBayesInput, hooks: Hooks = quiet): NaiveBayes {
  const { x, y, classes } = input;
  const { n, d } = x;
  const { rows, from } = rowsByClass(y, classes);
  const counts = Float64Array.from({ length: classes }, (_, k) => from[k + 1]! - from[k]!);
  const theta = new Float64Array(classes * d);
  const squares = new Float64Array(classes * d);
  const totals = new Float64Array(d);
  for (let j = 0; j < d; j++) {
    checkCancelled(hooks);
    const column = x.data.subarray(j * n, (j + 1) * n);
    for (let k = 0; k < classes; k++) {
      const end = from[k + 1]!;
      let sum = 0;
      for (let at = from[k]!; at < end; at++) sum += column[rows[at]!]!;
      const mean = sum / counts[k]!;
      let square = 0;
      for (let at = from[k]!; at < end; at++) {
        const off = column[rows[at]!]! - mean;
        square += off * off;
      }
      totals[j]! += sum;
      theta[k * d + j] = mean;
      squares[k * d + j] = square;
    }
    hooks.progress(j + 1, d);
  }
  return naiveBayesOf({ ...input, counts, theta, squares, totals });
}

/** The rows of each class one after the other, and where each class begins. */
function rowsByClass(y: Int32Array, classes: number): { rows: Int32Array; from: Int32Array } {
  const from = new Int32Array(classes + 1);
  for (const k of y) from[k + 1]!++;
  for (let k = 0; k < classes; k++) from[k + 1]! += from[k]!;
  const next = from.slice();
  const rows = new Int32Array(y.length);
  for (let i = 0; i < y.length; i++) rows[next[y[i]!]!++] = i;
  return { rows, from };
}

/** What `naiveBayesOf` needs to know; row k of the matrices is class k. */
export type NaiveBayesSums = Pick<NaiveBayesInput, "varSmoothing" | "priors"> & {
  /** Rows of each class, 1 or more. */
  readonly counts: Float64Array;
  /** classes×d row-major: the mean of each feature in each class. */
  readonly theta: Float64Array;
  /** classes×d row-major: the squared distances from it, added up. */
  readonly squares: Float64Array;
  /** Each feature added up over all rows. */
  readonly totals: Float64Array;
};

/** `fitNaiveBayes` by sums over the rows of each class. O(classes·d). */
export function naiveBayesOf(input: NaiveBayesSums): NaiveBayes {
  const { counts, theta, squares, totals, varSmoothing, priors } = input;
  const classes = counts.length;
  const d = theta.length / classes;
  const n = counts.reduce((sum, rows) => sum + rows, 0);
  let widest = 0;
  for (let j = 0; j < d; j++) {
    // The variance over all rows is that within the classes and that between their means.
    let whole = 0;
    for (let k = 0; k < classes; k++) {
      whole += squares[k * d + j]! + counts[k]! * (theta[k * d + j]! - totals[j]! / n) ** 2;
    }
    widest = Math.max(widest, whole / n);
  }
  const variance = squares.map((square, at) => square / counts[Math.floor(at / d)]!);
  const extra = (varSmoothing ?? 1e-9) * widest;
  if (!Number.isFinite(widest))
    throw new RangeError("naive Bayes needs features whose variance is below 1e308; scale them");
  if (widest === 0) throw new RangeError("naive Bayes needs a feature that varies, but all are constant");
  if (variance.some((value) => !(value + extra > 0))) {
    throw new RangeError("naive Bayes found a feature that is constant within a class; smooth the variances more");
  }
  const prior = priors ?? counts.map((count) => count / n);
  return { theta, variance: variance.map((value) => value + extra), prior };
}

/** What `predictNaiveBayes` needs to know. */
export type NaiveBayesPredictInput = NaiveBayes & {
  x: Matrix;
  /** Judge only the rows from…to−1 (default all). */
  from?: number;
  to?: number;
};

/**
 * The probability of each class for every row: rows×classes, fresh. NaN spreads along its row. O(n·d·classes).
 *
 * A row so far from all classes that every density underflows to log −Infinity gets the priors.
 */
export function predictNaiveBayes(input: NaiveBayesPredictInput, hooks: Hooks = quiet): Matrix {
  const { x, theta, variance, prior } = input;
  const classes = prior.length;
  const { d } = x;
  if (theta.length !== classes * d) throw new RangeError(`the model has ${theta.length / classes} columns, got ${d}`);
  const from = input.from ?? 0;
  const to = input.to ?? x.n;
  const rows = to - from;
  const data = new Float64Array(rows * classes);
  const rate = variance.map((value) => 1 / (2 * value));
  const base = Float64Array.from(prior, (p, k) => {
    let sum = Math.log(p);
    for (let j = 0; j < d; j++) sum -= 0.5 * Math.log(2 * Math.PI * variance[k * d + j]!);
    return sum;
  });
  const score = new Float64Array(BLOCK * classes);
  for (let start = from; start < to; start += BLOCK) {
    if ((start - from) % (BLOCK * 32) === 0) checkCancelled(hooks);
    const count = Math.min(BLOCK, to - start);
    for (let k = 0; k < classes; k++) {
      const out = score.subarray(k * BLOCK, k * BLOCK + count);
      out.fill(base[k]!);
      for (let j = 0; j < d; j++) {
        const column = x.data.subarray(j * x.n + start, j * x.n + start + count);
        const mean = theta[k * d + j]!;
        const r = rate[k * d + j]!;
        for (let i = 0; i < count; i++) {
          const off = column[i]! - mean;
          out[i] = out[i]! - off * off * r;
        }
      }
    }
    normalize(score, count, prior);
    for (let k = 0; k < classes; k++) {
      data.set(score.subarray(k * BLOCK, k * BLOCK + count), k * rows + start - from);
    }
  }
  return { n: rows, d: classes, data };
}

/** Log scores to probabilities that add up to 1, row by row, without overflow. */
function normalize(score: Float64Array, count: number, prior: Float64Array): void {
  const classes = prior.length;
  for (let i = 0; i < count; i++) {
    let most = -Infinity;
    for (let k = 0; k < classes; k++) most = Math.max(most, score[k * BLOCK + i]!);
    if (most === -Infinity) {
      for (let k = 0; k < classes; k++) score[k * BLOCK + i] = prior[k]!;
      continue;
    }
    let sum = 0;
    for (let k = 0; k < classes; k++) {
      const share = Math.exp(score[k * BLOCK + i]! - most);
      score[k * BLOCK + i] = share;
      sum += share;
    }
    for (let k = 0; k < classes; k++) score[k * BLOCK + i] = score[k * BLOCK + i]! / sum;
  }
}
