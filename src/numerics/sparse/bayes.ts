import type { SparseLinear, SparseRows } from "./rows.ts";

/** What `fitSparseBayes` needs to know. */
export type SparseBayesInput = {
  /** Counts, or weights that are not below 0. */
  readonly x: SparseRows;
  /** n class codes, 0…classes−1. */
  readonly y: Int32Array;
  readonly classes: number;
  /** Added to the count of every column in every class, above 0. */
  readonly alpha: number;
  /** "complement" learns of each class from the rows of the others, which serves classes of unequal size. */
  readonly kind: "multinomial" | "complement";
};

/**
 * Naive Bayes on sparse counts, as scikit-learn's MultinomialNB and ComplementNB, whose joint log-likelihoods it scores.
 *
 * RangeError for values below 0 and when every row is empty. O(values + d · classes). Sources: Manning, Raghavan and
 * Schütze, Introduction to Information Retrieval, §13.2; Rennie et al. (2003), Tackling the Poor Assumptions of Naive
 * Bayes Text Classifiers, without the second normalisation.
 */
export function fitSparseBayes({ x, y, classes, alpha, kind }: SparseBayesInput): SparseLinear {
  const coef = new Float64Array(x.d * classes);
  const totals = new Float64Array(classes);
  const intercept = new Float64Array(classes);
  let all = 0;
  for (let i = 0; i < x.n; i++) {
    const k = y[i]!;
    intercept[k]! += 1;
    for (let at = x.start[i]!; at < x.start[i + 1]!; at++) {
      const value = x.values[at]!;
      if (!(value >= 0)) throw new RangeError(`naive Bayes counts, and met the value ${value}`);
      coef[x.columns[at]! * classes + k]! += value;
      totals[k]! += value;
      all += value;
    }
  }
  if (all === 0) throw new RangeError("naive Bayes needs a row that is not empty");
  if (kind === "complement") complement(coef, totals, intercept, alpha, all);
  else multinomial(coef, totals, intercept, alpha, x);
  return { coef, intercept };
}

function multinomial(
  coef: Float64Array,
  totals: Float64Array,
  intercept: Float64Array,
  alpha: number,
  x: SparseRows,
): void {
  const classes = intercept.length;
  for (let k = 0; k < classes; k++) {
    const total = Math.log(totals[k]! + alpha * x.d);
    for (let at = k; at < coef.length; at += classes) coef[at] = Math.log(coef[at]! + alpha) - total;
    intercept[k] = Math.log(intercept[k]! / x.n);
  }
}

function complement(
  coef: Float64Array,
  totals: Float64Array,
  intercept: Float64Array,
  alpha: number,
  all: number,
): void {
  const classes = intercept.length;
  const columns = coef.length / classes;
  for (let at = 0; at < coef.length; at += classes) {
    let sum = 0;
    for (let k = 0; k < classes; k++) sum += coef[at + k]!;
    for (let k = 0; k < classes; k++) coef[at + k] = sum - coef[at + k]! + alpha;
  }
  for (let k = 0; k < classes; k++) {
    const total = Math.log(all - totals[k]! + alpha * columns);
    for (let at = k; at < coef.length; at += classes) coef[at] = total - Math.log(coef[at]!);
    // How many rows a class has does not enter its complement.
    intercept[k] = 0;
  }
}
