import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { fitQuantile } from "../../../src/numerics/linear/quantile.ts";
import { columnOf, type Matrix } from "../../../src/numerics/types.ts";
import { columns, distance, even, head, table } from "../data.ts";

/** What scikit-learn answers on the same table; written by counts-reference.py. */
const reference = JSON.parse(readFileSync(new URL("../counts-reference.json", import.meta.url), "utf8"));

const { x, y, noise } = table();
const counts = noise.map((e, i) => Math.max(0, even(Math.exp(0.3 * x.data[i]! - 0.05 * x.data[x.n + i]!) + e / 30)));
const short = head(x, 8);
const wide = columns(
  ...Array.from({ length: 6 }, (_, j) => columnOf(short, j)),
  ...Array.from({ length: 6 }, (_, j) =>
    columnOf(x, j)
      .slice(8, 16)
      .map((value) => value ** 2 / 50),
  ),
);
const whole = columns(...[0, 1].map((j) => columnOf(x, j).map(even)));

test.each<[string, Matrix, Float64Array, number, number, boolean]>([
  ["median", x, y, 0.5, 0, true],
  ["low", x, y, 0.05, 0, true],
  ["high", x, y, 0.95, 0, true],
  ["penalised", x, y, 0.3, 0.5, true],
  ["origin", x, y, 0.7, 0.2, false],
  ["wide", wide, y.slice(0, 8), 0.5, 0.01, true],
  ["counts", whole, counts, 0.75, 0, true],
  ["strict", x, y, 0.5, 100, true],
])("is as good as scikit-learn's exact solver: %s", (name, m, target, quantile, alpha, intercept) => {
  const wanted = reference.quantile[name];
  const found = fitQuantile({ x: m, y: target, quantile, alpha, intercept });
  expect(Math.abs(found.value / wanted.value - 1)).toBeLessThan(1e-9);
  expect(found.gap).toBeLessThan(1e-8 * found.value);
  if (!found.tied) {
    expect(distance(found.coef, wanted.coef)).toBeLessThan(1e-8);
    expect(found.intercept).toBeCloseTo(wanted.intercept, 8);
  }
});

test("takes the middle where answers tie, and says that they do", () => {
  const one = columns(Float64Array.of(0, 0, 0, 0));
  const found = fitQuantile({ x: one, y: Float64Array.of(1, 2, 4, 9), quantile: 0.5, alpha: 0, intercept: true });
  expect([found.intercept, found.tied, found.coef[0]]).toEqual([3, true, 0]);
  const clear = fitQuantile({
    x: columns(Float64Array.of(0, 0, 1)),
    y: Float64Array.of(1, 1, 5),
    quantile: 0.5,
    alpha: 0,
    intercept: true,
  });
  expect(distance([clear.intercept, clear.coef[0]!], [1, 4])).toBeLessThan(1e-12);
  expect(clear.tied).toBe(false);
});

test("does not depend on the units of columns and target", () => {
  const far = columns(
    ...Array.from({ length: 6 }, (_, j) => columnOf(x, j).map((value) => 1e6 + value * 10 ** (j - 3))),
  );
  const found = fitQuantile({
    x: far,
    y: y.map((value) => 1e7 + value * 1e4),
    quantile: 0.05,
    alpha: 0,
    intercept: true,
  });
  const { coef, value } = reference.quantile.low;
  expect(found.value / value / 1e4).toBeCloseTo(1, 7);
  expect(
    distance(
      found.coef.map((each, j) => each / 10 ** (7 - j)),
      coef,
    ),
  ).toBeLessThan(1e-5);
});

test("answers NaN for NaN, and is cancelled", () => {
  const wrong = {
    x: columns(Float64Array.of(1, NaN, 3)),
    y: Float64Array.of(1, 2, 3),
    quantile: 0.5,
    alpha: 0,
    intercept: true,
  };
  expect(fitQuantile(wrong).coef[0]).toBeNaN();
  const hooks = { progress: () => {}, cancelled: () => true };
  expect(() => fitQuantile({ x, y, quantile: 0.5, alpha: 0, intercept: true }, hooks)).toThrow();
});
