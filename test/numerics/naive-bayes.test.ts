import { describe, expect, test } from "vitest";
import { fitNaiveBayes, type NaiveBayesInput, predictNaiveBayes } from "../../src/numerics/naive-bayes.ts";
import { columnOf } from "../../src/numerics/types.ts";
import { columns, distance, head, reference, table } from "./data.ts";

const { x, c } = table();
const near = { ...head(x, 12), data: head(x, 12).data.map((value) => value + 0.05) };

describe("scikit-learn's GaussianNB", () => {
  test.each([
    ["plain", {}],
    ["smooth", { varSmoothing: 0.1 }],
    ["priors", { priors: Float64Array.of(0.5, 0.3, 0.2) }],
  ] as [string, Partial<NaiveBayesInput>][])("%s", (name, options) => {
    const fitted = fitNaiveBayes({ x, y: c, classes: 3, ...options });
    const theirs = reference.bayes[name];
    expect(distance(fitted.theta, theirs.theta)).toBeLessThan(1e-12);
    expect(distance(fitted.variance, theirs.variance)).toBeLessThan(1e-10);
    expect(distance(predictNaiveBayes({ x: near, ...fitted }).data, theirs.probability)).toBeLessThan(1e-12);
  });
});

test("means and variances by hand", () => {
  const fitted = fitNaiveBayes({
    x: columns(Float64Array.of(1, 3, 10, 14)),
    y: Int32Array.of(0, 0, 1, 1),
    classes: 2,
    varSmoothing: 0,
  });
  expect([...fitted.theta, ...fitted.variance, ...fitted.prior]).toEqual([2, 12, 1, 4, 0.5, 0.5]);
});

test("a range of rows is answered as within all rows, over several blocks", () => {
  const rows = 3000;
  const long = columns(Float64Array.from({ length: rows }, (_, i) => (i * 613) % 97));
  const y = Int32Array.from({ length: rows }, (_, i) => ((i * 613) % 97 > 40 ? 1 : 0));
  const fitted = fitNaiveBayes({ x: long, y, classes: 2 });
  const whole = predictNaiveBayes({ x: long, ...fitted });
  const some = predictNaiveBayes({ x: long, ...fitted, from: 1000, to: 2100 });
  for (const k of [0, 1]) expect([...columnOf(some, k)]).toEqual([...columnOf(whole, k).subarray(1000, 2100)]);
});

test("a row beyond all densities gets the priors, a missing value NaN", () => {
  const fitted = fitNaiveBayes({
    x: columns(Float64Array.of(1, 2, 5, 6, 7)),
    y: Int32Array.of(0, 0, 1, 1, 1),
    classes: 2,
  });
  const answer = predictNaiveBayes({ x: columns(Float64Array.of(1e200, NaN, 1)), ...fitted });
  expect([columnOf(answer, 0)[0], columnOf(answer, 1)[0]]).toEqual([0.4, 0.6]);
  expect([columnOf(answer, 0)[1], columnOf(answer, 1)[1]]).toEqual([NaN, NaN]);
  expect(columnOf(answer, 0)[2]).toBeGreaterThan(0.99);
});

test("refuses what would answer NaN: nothing varies, no smoothing where a class is constant, overflow", () => {
  const bayes = (values: number[], varSmoothing?: number) =>
    fitNaiveBayes({ x: columns(Float64Array.from(values)), y: Int32Array.of(0, 0, 1, 1), classes: 2, varSmoothing });
  expect(() => bayes([3, 3, 3, 3])).toThrow("needs a feature that varies, but all are constant");
  expect(() => bayes([3, 3, 4, 5], 0)).toThrow("constant within a class");
  expect([...bayes([3, 3, 4, 5]).variance].every((value) => value > 0)).toBe(true);
  expect(() => bayes([1e300, -1e300, 4, 5])).toThrow("below 1e308");
  const fitted = bayes([1, 2, 3, 4]);
  expect(() => predictNaiveBayes({ x, ...fitted })).toThrow("the model has 1 columns, got 6");
});
