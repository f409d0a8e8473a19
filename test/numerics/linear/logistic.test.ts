import { describe, expect, test } from "vitest";
import { fitLogistic, type LogisticInput, predictLogistic } from "../../../src/numerics/linear/logistic.ts";
import { Cancelled } from "../../../src/numerics/types.ts";
import { columns, distance, head, reference, table } from "../data.ts";

const { x, c, b, w } = table();

describe("coefficients of scikit-learn's LogisticRegression at its minimum", () => {
  test.each([
    ["multi", { y: c, classes: 3 }],
    ["binary", { y: b, classes: 2 }],
    ["weighted", { y: c, classes: 3, sampleWeight: w }],
    ["c", { y: b, classes: 2, c: 0.05 }],
    ["origin", { y: b, classes: 2, intercept: false }],
  ] as [string, Omit<LogisticInput, "x">][])("%s", (name, options) => {
    const fitted = fitLogistic({ x, ...options });
    const theirs = reference.logistic[name];
    expect(fitted.converged).toBe(true);
    expect(distance(fitted.coef, theirs.coef)).toBeLessThan(1e-8);
    expect(distance(fitted.intercept, theirs.intercept)).toBeLessThan(1e-8);
    expect(distance(predictLogistic({ x: head(x, 5), ...fitted }).data, theirs.probability)).toBeLessThan(1e-8);
  });
});

test("converges on columns of very different size", () => {
  const wild = { ...x, data: x.data.map((value, i) => (i < x.n ? 1e6 + 1e5 * value : value)) };
  const fitted = fitLogistic({ x: wild, y: b, classes: 2 });
  expect(fitted.converged).toBe(true);
  expect(fitted.iterations).toBeLessThan(60);
});

test("gives even odds when nothing can be learnt", () => {
  const flat = columns(new Float64Array(4).fill(2));
  const fitted = fitLogistic({ x: flat, y: Int32Array.of(0, 1, 0, 1), classes: 2 });
  expect([...fitted.coef, ...fitted.intercept]).toEqual([0, 0]);
  expect([...predictLogistic({ x: flat, ...fitted }).data]).toEqual(new Array(8).fill(0.5));
});

test("separable classes stay finite under the penalty", () => {
  const line = columns(Float64Array.of(-2, -1, 1, 2));
  const fitted = fitLogistic({ x: line, y: Int32Array.of(0, 0, 1, 1), classes: 2, c: 1e6 });
  expect(fitted.coef[0]).toBeGreaterThan(5);
  expect(Number.isFinite(fitted.coef[0])).toBe(true);
});

test("refuses one class, no rows and missing values; says when it ran out of steps; can be cancelled", () => {
  expect(() => fitLogistic({ x, y: c, classes: 1 })).toThrow("2 classes");
  expect(() => fitLogistic({ x: columns(new Float64Array(0)), y: Int32Array.of(), classes: 2 })).toThrow("one row");
  const hole = { ...x, data: x.data.with(3, NaN) };
  expect(() => fitLogistic({ x: hole, y: b, classes: 2 })).toThrow("missing");
  expect(fitLogistic({ x, y: c, classes: 3, maxIter: 2 })).toMatchObject({ converged: false, iterations: 2 });
  const hooks = { progress() {}, cancelled: () => true };
  expect(() => fitLogistic({ x, y: c, classes: 3 }, hooks)).toThrow(Cancelled);
});
