import { describe, expect, test } from "vitest";
import {
  countTerms,
  fitPolynomial,
  polynomialDesign,
  polynomialTerms,
  predictPolynomial,
  termPowers,
} from "../../../src/numerics/linear/polynomial.ts";
import { Cancelled, columnOf, type Matrix } from "../../../src/numerics/types.ts";
import { columns, distance, head, reference, table } from "../data.ts";

const { x, y } = table();
const [a, b, e] = [0, 1, 2].map((j) => columnOf(x, j).map((value) => value / 4)) as [
  Float64Array,
  Float64Array,
  Float64Array,
];
const three = columns(a, b, e);
const dependent = columns(
  a,
  b,
  a.map((value, i) => value + b[i]!),
);
const rowsOf = (m: Matrix, from: number, to: number): Matrix =>
  columns(...Array.from({ length: m.d }, (_, j) => columnOf(m, j).slice(from, to)));
const near = { ...head(three, 9), data: head(three, 9).data.map((value) => value + 0.05) };

describe("scikit-learn's PolynomialFeatures before LinearRegression", () => {
  test.each([
    ["plain", three, near, 3, false],
    ["interactions", three, head(three, 9), 3, true],
    ["wide", head(three, 12), rowsOf(three, 12, 20), 3, false],
    ["dependent", dependent, head(dependent, 9), 2, false],
  ] as [string, Matrix, Matrix, number, boolean][])("%s", (name, train, query, degree, interactions) => {
    const theirs = reference.polynomial[name];
    const terms = polynomialTerms(3, degree, interactions);
    const powers = theirs.powers.map((_: number[], t: number) => {
      const row = [0, 0, 0];
      for (const [j, power] of termPowers(terms, t)) row[j] = power;
      return row;
    });
    expect(powers).toEqual(theirs.powers);
    const fitted = fitPolynomial({ x: train, y: columns(y.slice(0, train.n)), terms, tolerance: 0 });
    expect(fitted.rank).toBe(theirs.rank);
    expect(distance(fitted.coef, theirs.coef)).toBeLessThan(1e-8);
    expect(distance(fitted.intercept, theirs.intercept)).toBeLessThan(1e-8);
    const answers = predictPolynomial({ x: query, terms, coef: fitted.coef, intercept: fitted.intercept });
    expect(distance(answers.data, theirs.predict)).toBeLessThan(1e-7);
  });
});

test("finds the curve behind exact points", () => {
  const t = Float64Array.of(-2, -1, 0, 1, 2, 3);
  const target = columns(t.map((value) => 2 * value ** 3 - value + 5));
  const terms = polynomialTerms(1, 3);
  const { coef, intercept } = fitPolynomial({ x: columns(t), y: target, terms });
  expect(distance(coef, [-1, 0, 2])).toBeLessThan(1e-12);
  expect(intercept[0]).toBeCloseTo(5, 12);
});

test("counts terms without making them, and as many as are made", () => {
  for (const interactions of [false, true]) {
    for (const [d, degree] of [
      [1, 1],
      [1, 7],
      [3, 2],
      [5, 3],
      [4, 9],
    ] as const) {
      expect(countTerms(d, degree, interactions)).toBe(polynomialTerms(d, degree, interactions).parent.length);
    }
  }
  expect(countTerms(20, 2, false)).toBe(230);
  expect(countTerms(1_000_000, 2, false)).toBe(500_001_500_000);
  expect(countTerms(1e9, 100, false)).toBe(Infinity);
});

test("terms are made in blocks as they are in one go, and a range of rows is answered alike", () => {
  const n = 1300;
  const long = columns(
    ...[3, 7].map((step) => Float64Array.from({ length: n }, (_, i) => ((i * step) % 101) / 50 - 1)),
  );
  const terms = polynomialTerms(2, 4);
  const design = polynomialDesign(long, terms);
  const whole = new Float64Array(n * design.d);
  design.read(0, n, whole, n, 0);
  const part = new Float64Array(10 * design.d);
  design.read(700, 10, part, 10, 0);
  for (let t = 0; t < design.d; t++) expect(part[t * 10 + 3]).toBe(whole[t * n + 703]);
  const coef = Float64Array.from({ length: design.d }, (_, t) => t - 3);
  const input = { x: long, terms, coef, intercept: Float64Array.of(2) };
  expect([...predictPolynomial({ ...input, from: 400, to: 1000 }).data]).toEqual([
    ...predictPolynomial(input).data.slice(400, 1000),
  ]);
});

test("refuses other columns, and stops when cancelled", () => {
  const terms = polynomialTerms(3, 2);
  expect(() => polynomialDesign(x, terms)).toThrow("made of 3 columns, got 6");
  const hooks = { progress() {}, cancelled: () => true };
  expect(() => fitPolynomial({ x: three, y: columns(y), terms }, hooks)).toThrow(Cancelled);
});
