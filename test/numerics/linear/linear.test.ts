import { describe, expect, test } from "vitest";
import { fitLinear, predictLinear } from "../../../src/numerics/linear/linear.ts";
import { columnOf, type Matrix } from "../../../src/numerics/types.ts";
import { columns, distance, head, reference, table } from "../data.ts";

const { x, y, noise } = table();
const both = columns(y, noise);
const all = (m: Matrix) => Array.from({ length: m.d }, (_, j) => columnOf(m, j));
const first = columnOf(x, 0);
const sum = first.map((value, i) => value + 2 * x.data[x.n + i]!);
const dependent = columns(...all(x), sum, new Float64Array(x.n).fill(3));
const nearly = columns(
  ...all(x),
  first.map((value, i) => value + 1e-6 * noise[i]!),
);

describe("coefficients of scikit-learn's LinearRegression", () => {
  test.each([
    ["plain", x, columns(y), true, 1e-10],
    ["targets", x, both, true, 1e-10],
    ["origin", x, columns(y), false, 1e-10],
    ["deficient", dependent, both, true, 1e-9],
    ["wide", head(x, 4), head(both, 4), true, 1e-9],
    ["wide origin", head(x, 4), head(columns(y), 4), false, 1e-9],
    // Coefficients near 3e5 and a condition number of 1e7 leave about 9 digits.
    ["near", nearly, columns(y), true, 1e-2],
  ] as [string, Matrix, Matrix, boolean, number][])("%s", (name, features, target, intercept, tolerance) => {
    const fitted = fitLinear({ x: features, y: target, intercept, tolerance: 0 });
    const theirs = reference.linear[name];
    expect(fitted.rank).toBe(theirs.rank);
    expect(distance(fitted.coef, theirs.coef)).toBeLessThan(tolerance);
    expect(distance(fitted.intercept, theirs.intercept)).toBeLessThan(tolerance);
  });
});

test("finds the plane behind exact points, in any units", () => {
  const a = Float64Array.of(1, 2, 3, 5, 8);
  const b = Float64Array.of(1e9, 3e9, 2e9, 7e9, 1e9);
  const target = a.map((value, i) => 2 * value - 3e-9 * b[i]! + 4);
  const fitted = fitLinear({ x: columns(a, b), y: columns(target), tolerance: 0 });
  expect(distance(fitted.coef, [2, -3e-9])).toBeLessThan(1e-12);
  const answers = predictLinear({ x: columns(a, b), coef: fitted.coef, intercept: fitted.intercept });
  expect(distance(answers.data, target)).toBeLessThan(1e-12);
});

test("takes what is a million times smaller for nothing, as scikit-learn does, unless told otherwise", () => {
  const a = Float64Array.of(1, 2, 3, 5, 8);
  const b = Float64Array.of(1e9, 3e9, 2e9, 7e9, 1e9);
  const target = a.map((value, i) => 2 * value - 3e-9 * b[i]! + 4);
  // scikit-learn 1.9: LinearRegression().fit(...).coef_, .intercept_, .rank_
  const fitted = fitLinear({ x: columns(a, b), y: columns(target) });
  expect(fitted.rank).toBe(1);
  expect(distance(fitted.coef, [-3.132154006243492e-19, -2.774193548387094e-9])).toBeLessThan(1e-18);
  expect(distance(fitted.intercept, [10.967741935483863])).toBeLessThan(1e-12);
  const wide = fitLinear({
    x: columns(...Array.from({ length: 9 }, (_, j) => (j === 0 ? b : a.map((v) => v ** (j / 2))))),
    y: columns(target),
  });
  expect(wide.rank).toBe(1);
});

test("a constant column and a single row get coefficient 0", () => {
  const fitted = fitLinear({ x: columns(Float64Array.of(5, 5, 5)), y: columns(Float64Array.of(1, 2, 3)) });
  expect([...fitted.coef, ...fitted.intercept]).toEqual([0, 2]);
  expect([...fitLinear({ x: columns(Float64Array.of(7)), y: columns(Float64Array.of(9)) }).intercept]).toEqual([9]);
});

test("NaN gives NaN, no rows an error", () => {
  const fitted = fitLinear({ x: columns(Float64Array.of(1, NaN, 3)), y: columns(Float64Array.of(1, 2, 3)) });
  expect([...fitted.coef]).toEqual([NaN]);
  const none = columns(new Float64Array(0));
  expect(() => fitLinear({ x: none, y: none })).toThrow("0 rows");
  expect(() => predictLinear({ x, coef: Float64Array.of(1), intercept: Float64Array.of(0) })).toThrow("got 6 columns");
});

describe("standard errors", () => {
  const features = columns(
    Float64Array.of(0.051, 0.694, -0.648, -1.147, 0.425, 0.351, 0.723, 0.054, 2.223, -1.113, -0.651, -2.358),
    Float64Array.of(0.5, -0.418, 0.599, 0.619, 0.332, -0.607, 0.046, 0.16, 0.394, 1.636, 0.542, -1.106),
    Float64Array.of(-0.996, -1.585, 0.332, -0.088, -1.157, 1.547, -0.983, -1.209, 1.692, -1.361, 0.048, 0.838),
  );
  const answers = Float64Array.of(
    ...[0.641, 1.653, -1.955, -1.632, -1.962, 2.848, -1.208, -0.879, 2.15, -4.263, -2.015, 1.474],
  );

  // numpy 2: rss / f · diag(inv(aᵀa)), the column of ones left out of what is shown.
  test.each([
    [true, 8, [0.27622374170421216, 0.4896369009950769, 0.29984676145252964]],
    [false, 9, [0.2683266851324016, 0.46114076338194354, 0.291256328890821]],
  ])("of coefficients with an intercept (%s) are numpy's", (intercept, freedom, errors) => {
    const { sureness } = fitLinear({ x: features, y: columns(answers), intercept });
    expect(sureness?.freedom).toBe(freedom);
    expect(distance(sureness?.errors ?? new Float64Array(), Float64Array.from(errors))).toBeLessThan(1e-10);
  });

  test("are not told of exact points, of dependent columns, nor of as many rows as coefficients", () => {
    const exact = Float64Array.from({ length: 12 }, (_, i) => features.data[i]! + 2 * features.data[12 + i]!);
    expect(fitLinear({ x: features, y: columns(exact) }).sureness).toBeUndefined();
    const twice = columns(features.data.slice(0, 12), features.data.slice(0, 12));
    expect(fitLinear({ x: twice, y: columns(answers) }).sureness).toBeUndefined();
    expect(fitLinear({ x: head(features, 4), y: head(columns(answers), 4) }).sureness).toBeUndefined();
  });
});
