/** What comes of flagging the rows whose score is at least a threshold: a number for each threshold, ascending. */
export type Thresholds = {
  /** The distinct scores. */
  threshold: Float64Array;
  truePositive: Float64Array;
  falsePositive: Float64Array;
  falseNegative: Float64Array;
  trueNegative: Float64Array;
};

/**
 * The rows flagged rightly and wrongly at each distinct score, as scikit-learn's precision_recall_curve counts them.
 *
 * positive: n numbers, 1 or 0. score: n. O(n log n).
 */
export function thresholdsOf(positive: Uint8Array, score: Float64Array): Thresholds {
  const n = score.length;
  const order = Array.from(score.keys()).sort((a, b) => score[a]! - score[b]!);
  const total = positive.reduce((sum, each) => sum + each, 0);
  const starts = order.flatMap((row, at) => (at === 0 || score[row] !== score[order[at - 1]!] ? [at] : []));
  const threshold = Float64Array.from(starts, (at) => score[order[at]!]!);
  const falseNegative = new Float64Array(starts.length);
  let missed = 0;
  for (const [k, start] of starts.entries()) {
    falseNegative[k] = missed;
    const end = starts[k + 1] ?? n;
    for (let at = start; at < end; at++) missed += positive[order[at]!]!;
  }
  const truePositive = falseNegative.map((each) => total - each);
  return {
    threshold,
    truePositive,
    falsePositive: truePositive.map((each, k) => n - starts[k]! - each),
    falseNegative,
    trueNegative: falseNegative.map((each, k) => starts[k]! - each),
  };
}
