import { expect, test } from "vitest";
import {
  areaUnderRoc,
  classificationMetrics,
  regressionMetrics,
  rocCurve,
} from "../../../src/numerics/evaluation/metrics.ts";
import { columns, distance, even, reference, table } from "../data.ts";

const { x, y, c, b, noise } = table();
const theirs = reference.metrics;

function probabilities() {
  const raw = [0, 1, 2].map((k) =>
    c.reduce<number[]>((out, own, i) => {
      out.push(Math.abs(x.data[k * x.n + i]!) + 0.5 + (own === k ? 3 : 0));
      return out;
    }, []),
  );
  const total = raw[0]!.map((value, i) => value + raw[1]![i]! + raw[2]![i]!);
  return columns(...raw.map((column) => Float64Array.from(column, (value, i) => value / total[i]!)));
}

test("regression metrics are scikit-learn's", () => {
  const predicted = y.map((value, i) => even(value + noise[i]! / 3));
  const found = regressionMetrics({ y, predicted });
  for (const [key, value] of Object.entries(theirs.regression)) {
    const ours = found[key as "r2"]!;
    expect(Math.abs(ours - (value as number)) / Math.abs(value as number), key).toBeLessThan(1e-12);
  }
});

test("regression metrics where they are undefined", () => {
  const none = regressionMetrics({ y: new Float64Array(0), predicted: new Float64Array(0) });
  expect(none).toEqual({ r2: null, mae: null, mse: null, rmse: null, mape: null, n: 0 });
  expect(regressionMetrics({ y: Float64Array.of(1), predicted: Float64Array.of(2) })).toMatchObject({
    r2: null,
    mae: 1,
  });
  expect(regressionMetrics({ y: Float64Array.of(1, 1), predicted: Float64Array.of(1, 1) }).r2).toBe(1);
  expect(regressionMetrics({ y: Float64Array.of(1, 1), predicted: Float64Array.of(1, 2) }).r2).toBe(0);
});

test("several targets are averaged evenly", () => {
  const found = regressionMetrics({
    y: Float64Array.of(0, 2, 5, 9),
    predicted: Float64Array.of(1, 2, 5, 9),
    targets: 2,
  });
  expect(found).toMatchObject({ n: 2, mae: 0.25, r2: 0.75 });
});

test("classification metrics are scikit-learn's", () => {
  const predicted = c.map((k, i) => (noise[i]! > 25 ? (k + 1) % 3 : k));
  const found = classificationMetrics({ y: c, predicted, classes: 3, probability: probabilities() });
  for (const [key, value] of Object.entries(theirs.classification)) {
    expect(found[key as "f1"], key).toBeCloseTo(value as number, 12);
  }
  expect([...found.confusion]).toEqual(theirs.confusion);
  for (const key of ["precision", "recall", "f1", "support"] as const) {
    for (const [k, one] of found.report.classes.entries()) expect(one[key]).toBeCloseTo(theirs.report[k][key], 12);
    expect(found.report.macro[key]).toBeCloseTo(theirs.report["macro avg"][key], 12);
    expect(found.report.weighted[key]).toBeCloseTo(theirs.report["weighted avg"][key], 12);
  }
});

test("the ROC curve and its area are scikit-learn's, ties included", () => {
  const score = probabilities()
    .data.slice(x.n, 2 * x.n)
    .map((value) => even(value * 100) / 100);
  const curve = rocCurve({ y: b, score });
  expect(curve.thresholds[0]).toBe(Infinity);
  expect(distance(curve.fpr, theirs.roc.fpr)).toBeLessThan(1e-12);
  expect(distance(curve.tpr, theirs.roc.tpr)).toBeLessThan(1e-12);
  expect(distance(curve.thresholds.slice(1), theirs.roc.thresholds.slice(1))).toBeLessThan(1e-12);
  expect(areaUnderRoc(b, score, 1)).toBeCloseTo(theirs.binaryAuc, 12);
});

test("classes absent from the rows judged are null, and averages stay scikit-learn's", () => {
  const probability = columns(...[0, 1, 2, 3].map(() => new Float64Array(4).fill(0.25)));
  const found = classificationMetrics({
    y: Int32Array.of(0, 0, 1, 1),
    predicted: Int32Array.of(0, 3, 1, 1),
    classes: 4,
    probability,
  });
  expect(found.report.classes[2]).toEqual({ precision: null, recall: null, f1: null, support: 0 });
  expect(found.report.classes[3]).toEqual({ precision: 0, recall: null, f1: 0, support: 0 });
  const close = (ours: object, other: object) => {
    for (const [key, value] of Object.entries(other)) expect(ours[key as keyof object]).toBeCloseTo(value, 12);
  };
  close(found.report.macro, theirs.absent["macro avg"]);
  close(found.report.weighted, theirs.absent["weighted avg"]);
  expect(found.rocAuc).toBe(0.5);
  const one = classificationMetrics({
    y: Int32Array.of(1),
    predicted: Int32Array.of(1),
    classes: 2,
    probability: columns(Float64Array.of(0), Float64Array.of(1)),
  });
  expect(one.rocAuc).toBeNull();
  expect(one.logLoss).toBeLessThan(1e-15);
});

test("no rows: everything is null, nothing NaN", () => {
  const found = classificationMetrics({ y: new Int32Array(0), predicted: new Int32Array(0), classes: 2 });
  expect(found).toMatchObject({
    accuracy: null,
    precision: null,
    recall: null,
    f1: null,
    rocAuc: null,
    logLoss: null,
    n: 0,
  });
  expect(JSON.stringify(found.report)).not.toContain("NaN");
  expect(() => classificationMetrics({ y: Int32Array.of(1), predicted: new Int32Array(0), classes: 2 })).toThrow(
    "1 true",
  );
});
