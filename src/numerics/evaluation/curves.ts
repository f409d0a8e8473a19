import { presort } from "../statistics/presort.ts";
import type { Matrix } from "../types.ts";
import { cornersOf, rocCurve } from "./metrics.ts";

/** What `precisionRecall` needs to know. */
export type PrecisionRecallInput = {
  /** True class codes. */
  y: Int32Array;
  /** n scores; higher speaks for the positive class. */
  score: Float64Array;
  /** The code of the positive class (default 1). */
  positive?: number;
};

/** Points from recall 0 to 1, with the precision that goes with each; empty where nothing is positive. */
export type PrecisionRecall = { recall: Float64Array; precision: Float64Array; average: number | null };

/**
 * Precision at every recall, and average precision, as scikit-learn's precision_recall_curve.
 *
 * Begins at recall 0, precision 1. The average weighs each precision by the recall it adds: no interpolation.
 * NaN among the scores is a RangeError. O(n).
 */
export function precisionRecall(input: PrecisionRecallInput): PrecisionRecall {
  const { y, score } = input;
  const positive = input.positive ?? 1;
  const { order } = presort({ n: y.length, d: 1, data: score });
  const total = y.reduce((sum, code) => sum + (code === positive ? 1 : 0), 0);
  const recall: number[] = [0];
  const precision: number[] = [1];
  let right = 0;
  let average = 0;
  for (let i = order.length - 1; i >= 0; i--) {
    if (y[order[i]!] === positive) right++;
    if (i > 0 && score[order[i - 1]!] === score[order[i]!]) continue;
    const share = right / (order.length - i);
    average += (right / total - recall.at(-1)!) * share;
    recall.push(right / total);
    precision.push(share);
    // Beyond, recall stays 1 and precision only falls.
    if (right === total) break;
  }
  if (total === 0) return { recall: new Float64Array(0), precision: new Float64Array(0), average: null };
  return { recall: Float64Array.from(recall), precision: Float64Array.from(precision), average };
}

/** What `classCurves` needs to know. */
export type ClassCurvesInput = {
  /** True class codes. */
  y: Int32Array;
  /** n×classes probabilities. */
  probability: Matrix;
  /** The classes to draw, each against all others. */
  classes: Int32Array;
};

/** The curves of one class, thinned to what a picture shows; empty where they are undefined. */
export type ClassCurves = {
  code: number;
  roc: { x: number[]; y: number[]; area: number | null };
  precisionRecall: { x: number[]; y: number[]; average: number | null };
};

/** ROC and precision-recall curves of several classes, thinned for drawing. O(n·classes). */
export function classCurves(input: ClassCurvesInput): ClassCurves[] {
  const { y, probability } = input;
  return Array.from(input.classes, (code) => {
    const score = probability.data.subarray(code * probability.n, (code + 1) * probability.n);
    const { fpr, tpr } = rocCurve({ y, score, positive: code });
    const other = precisionRecall({ y, score, positive: code });
    let area = 0;
    for (let i = 1; i < fpr.length; i++) area += ((fpr[i]! - fpr[i - 1]!) * (tpr[i]! + tpr[i - 1]!)) / 2;
    return {
      code,
      roc: { ...thinned(fpr, tpr), area: fpr.length > 0 ? area : null },
      precisionRecall: { ...thinned(other.recall, other.precision), average: other.average },
    };
  });
}

/** Points of a class's curves, from the highest score down: how many rows of it, and of others, score at least as much. */
export type CurvePoints = {
  readonly code: number;
  /** Ascending; the last ones are those of all rows, and neither is 0. */
  readonly right: ArrayLike<number>;
  readonly wrong: ArrayLike<number>;
  readonly area: number;
  readonly average: number;
};

/** The curves of one class by points of theirs, thinned for drawing. O(points). */
export function curvesOfPoints({ code, right, wrong, area, average }: CurvePoints): ClassCurves {
  const last = right.length - 1;
  const [all, others] = [right[last]!, wrong[last]!];
  const end = Array.from(right).indexOf(all);
  const until = { length: end + 2 };
  // Both begin before any row; beyond recall 1 precision only falls.
  const recall = Float64Array.from(until, (_, k) => (k === 0 ? 0 : right[k - 1]! / all));
  const precision = Float64Array.from(until, (_, k) => (k === 0 ? 1 : right[k - 1]! / (right[k - 1]! + wrong[k - 1]!)));
  const corners = cornersOf(Array.from(right, (own, k) => ({ right: own, wrong: wrong[k]! })));
  const fpr = Float64Array.of(0, ...corners.map((each) => each.wrong / others));
  const tpr = Float64Array.of(0, ...corners.map((each) => each.right / all));
  return {
    code,
    roc: { ...thinned(fpr, tpr), area },
    precisionRecall: { ...thinned(recall, precision), average },
  };
}

const STEP = 1 / 250;

/** The points of a curve that a picture can tell apart, the first and the last among them. */
function thinned(x: Float64Array, y: Float64Array): { x: number[]; y: number[] } {
  const out = { x: [] as number[], y: [] as number[] };
  for (let i = 0; i < x.length; i++) {
    const isFar = i === 0 || Math.abs(x[i]! - out.x.at(-1)!) >= STEP || Math.abs(y[i]! - out.y.at(-1)!) >= STEP;
    if (!isFar && i < x.length - 1) continue;
    out.x.push(x[i]!);
    out.y.push(y[i]!);
  }
  return out;
}
