import { presort } from "../statistics/presort.ts";
import { unitOf } from "../statistics/unit.ts";
import type { Matrix } from "../types.ts";

/** What `regressionMetrics` needs to know. */
export type RegressionMetricsInput = {
  /** The truth: n numbers per target, target after target. */
  y: Float64Array;
  /** The model's answers, in the same shape. */
  predicted: Float64Array;
  /** Targets in y (default 1); the metrics are averaged over them. */
  targets?: number;
};

/** How well numbers were predicted; null where it is undefined. */
export type RegressionMetrics = {
  /** Share of variance explained, 1 at best; null below two rows. */
  r2: number | null;
  /** Mean absolute error, in units of y. */
  mae: number | null;
  /** Mean squared error. */
  mse: number | null;
  /** Root of the mean squared error, in units of y. */
  rmse: number | null;
  /** Mean absolute error as a share of the truth; huge where the truth is 0. */
  mape: number | null;
  /** Rows judged. */
  n: number;
};

/**
 * r2, mae, mse, rmse and mape, as scikit-learn's functions of those names.
 *
 * For a constant truth r2 is 1 when every answer is right, else 0. Several targets are averaged evenly. Numbers whose
 * squares no number holds are judged all the same; mse alone may be infinite, or 0.
 * RangeError when the lengths differ. NaN spreads. O(n).
 */
export function regressionMetrics(input: RegressionMetricsInput): RegressionMetrics {
  const { y, predicted } = input;
  const targets = input.targets ?? 1;
  if (y.length !== predicted.length) {
    throw new RangeError(`metrics got ${y.length} true and ${predicted.length} predicted values`);
  }
  const n = y.length / targets;
  if (n === 0) return { r2: null, mae: null, mse: null, rmse: null, mape: null, n };
  const out = { r2: 0, mae: 0, mse: 0, rmse: 0, mape: 0 };
  for (let t = 0; t < targets; t++) {
    const one = judge(y.subarray(t * n, (t + 1) * n), predicted.subarray(t * n, (t + 1) * n));
    for (const key of ["r2", "mae", "mse", "rmse", "mape"] as const) out[key] += one[key] / targets;
  }
  return { ...out, r2: n < 2 ? null : out.r2, n };
}

function judge(y: Float64Array, predicted: Float64Array) {
  const n = y.length;
  const unit = unitOf(y, predicted);
  const mean = y.reduce((sum, value) => sum + value / unit, 0) / n;
  let absolute = 0;
  let square = 0;
  let relative = 0;
  let spread = 0;
  for (let i = 0; i < n; i++) {
    const truth = y[i]! / unit;
    const error = Math.abs(truth - predicted[i]! / unit);
    absolute += error;
    square += error * error;
    relative += error / Math.max(Math.abs(truth), Number.EPSILON / unit);
    spread += (truth - mean) ** 2;
  }
  const r2 = spread > 0 ? 1 - square / spread : square === 0 ? 1 : 0;
  const rmse = Math.sqrt(square / n) * unit;
  return { r2, mae: (absolute / n) * unit, mse: (square / n) * unit * unit, rmse, mape: relative / n };
}

/** What `classificationMetrics` needs to know. */
export type ClassificationMetricsInput = {
  /** True class codes, 0…classes−1. */
  y: Int32Array;
  /** Predicted class codes. */
  predicted: Int32Array;
  classes: number;
  /** n×classes; without it rocAuc and logLoss are null. */
  probability?: Matrix;
};

/** Quality of one class, or an average; null where there is nothing to divide by. */
export type ClassQuality = {
  precision: number | null;
  recall: number | null;
  f1: number | null;
  /** Rows that truly belong to it. */
  support: number;
};

/** How well classes were predicted; null where it is undefined. */
export type ClassificationMetrics = {
  accuracy: number | null;
  /** Averages over classes weighted by support: scikit-learn's average="weighted". */
  precision: number | null;
  recall: number | null;
  f1: number | null;
  /** Area under the ROC curve; for more than two classes the plain mean of one against the rest. */
  rocAuc: number | null;
  /** Mean negative log of the probability given to the true class, clipped at 2⁻⁵². */
  logLoss: number | null;
  /** classes×classes row-major: row = truth, column = prediction. */
  confusion: Int32Array;
  /** Per class and averaged, as scikit-learn's classification_report. */
  report: { classes: ClassQuality[]; macro: ClassQuality; weighted: ClassQuality };
  /** Rows judged. */
  n: number;
};

/**
 * accuracy, precision, recall, f1, roc_auc, log_loss, confusion matrix and report, as scikit-learn gives them.
 *
 * A class that is never predicted has precision 0. A class missing from both truth and prediction is null
 * in the report and counts in no average; one missing from the truth alone has recall null, counts as 0 in the
 * macro average, and is left out of rocAuc. RangeError when lengths differ. O(n·classes·log n).
 */
export function classificationMetrics(input: ClassificationMetricsInput): ClassificationMetrics {
  const { y, predicted, classes, probability } = input;
  if (y.length !== predicted.length) {
    throw new RangeError(`metrics got ${y.length} true and ${predicted.length} predicted classes`);
  }
  const n = y.length;
  const confusion = new Int32Array(classes * classes);
  for (let i = 0; i < n; i++) confusion[y[i]! * classes + predicted[i]!]!++;
  const { accuracy, report } = confusionMetrics(confusion, classes, n);
  const { precision, recall, f1 } = report.weighted;
  return {
    accuracy,
    precision,
    recall,
    f1,
    rocAuc: probability ? areaOverClasses(y, probability) : null,
    logLoss: probability && n > 0 ? logLoss(y, probability) : null,
    confusion,
    report,
    n,
  };
}

/** Accuracy and report of `n` rows of which it is counted how often each class was taken for which: row = truth. */
export function confusionMetrics(
  confusion: Int32Array,
  classes: number,
  n: number,
): Pick<ClassificationMetrics, "accuracy" | "report"> {
  let right = 0;
  for (let k = 0; k < classes; k++) right += confusion[k * classes + k]!;
  return { accuracy: n > 0 ? right / n : null, report: reportOf(confusion, classes, n) };
}

function reportOf(confusion: Int32Array, classes: number, n: number): ClassificationMetrics["report"] {
  const all: ClassQuality[] = [];
  const macro = { precision: 0, recall: 0, f1: 0 };
  const weighted = { precision: 0, recall: 0, f1: 0 };
  let present = 0;
  for (let k = 0; k < classes; k++) {
    const hit = confusion[k * classes + k]!;
    let support = 0;
    let guessed = 0;
    for (let j = 0; j < classes; j++) {
      support += confusion[k * classes + j]!;
      guessed += confusion[j * classes + k]!;
    }
    const known = support + guessed > 0;
    const precision = guessed > 0 ? hit / guessed : known ? 0 : null;
    const recall = support > 0 ? hit / support : null;
    const f1 = known ? (2 * hit) / (support + guessed) : null;
    all.push({ precision, recall, f1, support });
    if (!known) continue;
    present++;
    for (const [key, value] of [
      ["precision", precision],
      ["recall", recall],
      ["f1", f1],
    ] as const) {
      macro[key] += value ?? 0;
      weighted[key] += ((value ?? 0) * support) / n;
    }
  }
  if (n === 0) {
    const none = { precision: null, recall: null, f1: null, support: 0 };
    return { classes: all, macro: none, weighted: { ...none } };
  }
  for (const key of ["precision", "recall", "f1"] as const) macro[key] /= present;
  return { classes: all, macro: { ...macro, support: n }, weighted: { ...weighted, support: n } };
}

function logLoss(y: Int32Array, probability: Matrix): number {
  let sum = 0;
  for (let i = 0; i < y.length; i++) {
    const p = probability.data[y[i]! * probability.n + i]!;
    sum -= Math.log(Math.min(Math.max(p, Number.EPSILON), 1 - Number.EPSILON));
  }
  return sum / y.length;
}

function areaOverClasses(y: Int32Array, probability: Matrix): number | null {
  const { n, d, data } = probability;
  const areas: number[] = [];
  for (let k = d === 2 ? 1 : 0; k < d; k++) {
    const area = areaUnderRoc(y, data.subarray(k * n, (k + 1) * n), k);
    if (area !== null) areas.push(area);
  }
  return areas.length > 0 ? areas.reduce((sum, area) => sum + area, 0) / areas.length : null;
}

/**
 * Area under the ROC curve of `score` for class `positive` against all others.
 *
 * The share of (positive, other) pairs that are ranked rightly, ties counting half; null unless both occur.
 * y, score: n. O(n log n). Source: Hanley and McNeil (1982).
 */
export function areaUnderRoc(y: Int32Array, score: Float64Array, positive: number): number | null {
  const { fpr, tpr } = rocCurve({ y, score, positive });
  if (fpr.length === 0) return null;
  let area = 0;
  for (let i = 1; i < fpr.length; i++) area += ((fpr[i]! - fpr[i - 1]!) * (tpr[i]! + tpr[i - 1]!)) / 2;
  return area;
}

/** What `rocCurve` needs to know. */
export type RocInput = {
  /** True class codes. */
  y: Int32Array;
  /** n scores; higher speaks for the positive class. */
  score: Float64Array;
  /** The code of the positive class (default 1). */
  positive?: number;
};

/** Points of a ROC curve from (0, 0) to (1, 1); empty unless both sides occur. */
export type Roc = { fpr: Float64Array; tpr: Float64Array; thresholds: Float64Array };

/**
 * The ROC curve's corners, as scikit-learn's roc_curve: a point halfway between its neighbours is left out.
 *
 * The first threshold is Infinity. NaN among the scores is a RangeError. O(n).
 */
export function rocCurve(input: RocInput): Roc {
  const { y, score } = input;
  const positive = input.positive ?? 1;
  const { order } = presort({ n: y.length, d: 1, data: score });
  const points: Point[] = [];
  let wrong = 0;
  let right = 0;
  for (let i = order.length - 1; i >= 0; i--) {
    if (y[order[i]!] === positive) right++;
    else wrong++;
    if (i > 0 && score[order[i - 1]!] === score[order[i]!]) continue;
    points.push({ wrong, right, at: score[order[i]!]! });
  }
  const corners = cornersOf(points);
  corners.unshift({ wrong: 0, right: 0, at: Infinity });
  if (right === 0 || wrong === 0) corners.length = 0;
  return {
    fpr: Float64Array.from(corners, (point) => point.wrong / wrong),
    tpr: Float64Array.from(corners, (point) => point.right / right),
    thresholds: Float64Array.from(corners, (point) => point.at),
  };
}

type Counts = { readonly wrong: number; readonly right: number };
type Point = Counts & { readonly at: number };

/** The points of a ROC curve without those that lie halfway between their neighbours. */
export function cornersOf<P extends Counts>(points: readonly P[]): P[] {
  return points.filter((point, i) => !halfway(points[i - 1], point, points[i + 1]));
}

function halfway(before: Counts | undefined, point: Counts, after: Counts | undefined): boolean {
  if (!before || !after) return false;
  return before.wrong + after.wrong === 2 * point.wrong && before.right + after.right === 2 * point.right;
}
