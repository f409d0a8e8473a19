import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { fitLogistic, type LogisticInput, predictLogistic } from "../../../src/numerics/linear/logistic.ts";
import { logisticErrors, multinomialErrors } from "../../../src/numerics/linear/wald.ts";
import { RandomState } from "../../../src/numerics/random.ts";
import { Cancelled, columnOf } from "../../../src/numerics/types.ts";
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

describe("columns that go together", () => {
  const random = new RandomState(4);
  const common = Float64Array.from({ length: 400 }, () => random.uniform());
  const alike = columns(...[1, 2, 3, 4].map(() => common.map((value) => value + 0.02 * random.uniform())));
  const y = Int32Array.from(common, (value, i) =>
    Number(value + 5 * (alike.data[i]! - alike.data[400 + i]!) > random.uniform()),
  );

  test("take no more steps than those that do not", () => {
    const fitted = fitLogistic({ x: alike, y, classes: 2, c: 100 });
    expect(fitted.converged).toBe(true);
    expect(fitted.iterations).toBeLessThan(25);
  });

  test("and constants, or one twice, come to what they come to alone", () => {
    const [first, second] = [columnOf(alike, 0), columnOf(alike, 1)];
    const alone = fitLogistic({ x: columns(first, second), y, classes: 2 });
    const beside = fitLogistic({
      x: columns(
        first,
        second,
        first.map(() => 1e6),
      ),
      y,
      classes: 2,
    });
    expect(distance(beside.coef.subarray(0, 2), alone.coef)).toBeLessThan(1e-7);
    expect(Math.abs(beside.coef[2]!)).toBeLessThan(1e-8);
    const twice = fitLogistic({ x: columns(first, second, second), y, classes: 2, c: Infinity });
    const once = fitLogistic({ x: columns(first, second), y, classes: 2, c: Infinity });
    expect(twice.coef[1]! + twice.coef[2]!).toBeCloseTo(once.coef[1]!, 4);
  });
});

/** Written by penalized-reference.py. */
const penalized = JSON.parse(readFileSync(new URL("../penalized-reference.json", import.meta.url), "utf8")).logistic;

describe("standard errors without a penalty", () => {
  test.each([
    ["sure", true],
    ["sure_origin", false],
  ])("are those of the inverse of the information: %s", (name, intercept) => {
    const { coef, intercept: own } = fitLogistic({ x, y: b, classes: 2, c: Infinity, intercept, tol: 1e-8 });
    const errors = logisticErrors({ x, coef, intercept: intercept ? own[0]! : null });
    expect(distance(errors!, penalized[name])).toBeLessThan(1e-6);
  });

  test.each([
    ["sure_several", true],
    ["sure_several_origin", false],
  ])("of several classes are those of statsmodels' MNLogit: %s", (name, intercept) => {
    const { apart, errors } = penalized[name];
    const found = fitLogistic({ x, y: c, classes: 3, c: Infinity, intercept, tol: 1e-9 });
    const shares = predictLogistic({ x, ...found });
    const own = [1, 2].flatMap((k) => [
      ...found.coef.subarray(0, x.d).map((first, j) => found.coef[k * x.d + j]! - first),
      ...(intercept ? [found.intercept[k]! - found.intercept[0]!] : []),
    ]);
    expect(distance(Float64Array.from(own), apart)).toBeLessThan(1e-6);
    expect(distance(multinomialErrors({ x, shares, intercept })!, errors)).toBeLessThan(1e-6);
  });

  test("are none where columns depend on each other, or rows are too few", () => {
    const twice = columns(columnOf(x, 0), columnOf(x, 0));
    expect(logisticErrors({ x: twice, coef: new Float64Array(2), intercept: 0 })).toBeNull();
    expect(logisticErrors({ x: head(x, 7), coef: new Float64Array(6), intercept: 0 })).toBeNull();
    const even = (n: number) => ({ n, d: 3, data: new Float64Array(3 * n).fill(1 / 3) });
    expect(multinomialErrors({ x: twice, shares: even(twice.n), intercept: true })).toBeNull();
    expect(multinomialErrors({ x: head(x, 14), shares: even(14), intercept: true })).toBeNull();
  });
});

describe("coefficients of scikit-learn's saga with a penalty on sizes", () => {
  test.each([
    ["sizes", { y: b, classes: 2, c: 0.05, l1Ratio: 1 }],
    ["both", { y: b, classes: 2, c: 0.05, l1Ratio: 0.4 }],
    ["several", { y: c, classes: 3, c: 0.1, l1Ratio: 1 }],
    ["weighted", { y: c, classes: 3, c: 0.03, l1Ratio: 0.7, sampleWeight: w }],
    ["origin", { y: c, classes: 3, c: 0.1, l1Ratio: 0.8, intercept: false }],
    ["none", { y: b, classes: 2, c: Infinity }],
  ] as [string, Omit<LogisticInput, "x">][])("%s", (name, options) => {
    const fitted = fitLogistic({ x, ...options });
    const theirs = penalized[name];
    expect(fitted.converged).toBe(true);
    expect(distance(fitted.coef, theirs.coef)).toBeLessThan(1e-6);
    expect(distance(fitted.intercept, theirs.intercept)).toBeLessThan(1e-6);
    expect([...fitted.coef].map((value) => value === 0)).toEqual(theirs.coef.map((value: number) => value === 0));
  });

  test("meets the conditions of the minimum where columns are many, unlike in size, and nearly the same", () => {
    const [n, d] = [60, 90];
    const dice = new RandomState(3);
    const base = Array.from({ length: d }, () => Float64Array.from({ length: n }, () => dice.normal()));
    const wide = columns(
      ...base.map((column, j) => column.map((v, i) => (j % 3 ? v : base[j + 1]![i]! + v / 100) * 10 ** (j % 5))),
    );
    const y = Int32Array.from({ length: n }, (_, i) => (base[1]![i]! + base[5]![i]! + dice.normal() > 0 ? 1 : 0));
    const fitted = fitLogistic({ x: wide, y, classes: 2, c: 0.4, l1Ratio: 1, maxIter: 1000 });
    expect(fitted.converged).toBe(true);
    const { data } = predictLogistic({ x: wide, ...fitted });
    for (let j = 0; j < d; j++) {
      let slope = 0;
      for (let i = 0; i < n; i++) slope += 0.4 * (data[n + i]! - y[i]!) * wide.data[j * n + i]!;
      const own = fitted.coef[j]!;
      if (own === 0) expect(Math.abs(slope)).toBeLessThan(1.001);
      else expect(slope + Math.sign(own)).toBeCloseTo(0, 2);
    }
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
