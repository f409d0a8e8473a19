import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { fitPoisson, poissonErrors } from "../../../src/numerics/linear/poisson.ts";
import { fitPoissonRows } from "../../../src/numerics/sparse/sums.ts";
import { columnOf, type Matrix } from "../../../src/numerics/types.ts";
import { columns, distance, even, head, table } from "../data.ts";

/** What scikit-learn answers on the same table; written by counts-reference.py. */
const reference = JSON.parse(readFileSync(new URL("../counts-reference.json", import.meta.url), "utf8"));

const { x, noise } = table();
const at = (i: number, j: number) => x.data[j * x.n + i]!;
const y = noise.map((e, i) => Math.max(0, even(Math.exp(0.3 * at(i, 0) - 0.05 * at(i, 1)) + e / 30)));
const short = head(x, 8);
const wide = columns(
  ...Array.from({ length: 6 }, (_, j) => columnOf(short, j)),
  ...Array.from({ length: 6 }, (_, j) => columnOf(x, j).map((_, i, all) => all[i + 8]! ** 2 / 50)).map((c) =>
    c.slice(0, 8),
  ),
);
const common = { intercept: true, maxIter: 100, tol: 1e-4 };

test.each<[string, Matrix, Float64Array, object]>([
  ["usual", x, y, { alpha: 1 }],
  ["free", x, y, { alpha: 0 }],
  ["strict", x, y, { alpha: 30 }],
  ["origin", x, y, { alpha: 0.5, intercept: false }],
  ["wide", wide, y.slice(0, 8), { alpha: 0.1 }],
  ["large", x, y.map((value) => value * 1e5), { alpha: 0 }],
])("fits scikit-learn's PoissonRegressor, on sparse rows as well: %s", (name, m, target, args) => {
  const { coef, intercept } = reference.poisson[name];
  const input = { ...common, alpha: 0, ...args, y: target };
  const start = Int32Array.from({ length: m.n + 1 }, (_, i) => i * m.d);
  const places = Int32Array.from({ length: m.n * m.d }, (_, k) => k % m.d);
  const values = Float64Array.from(places, (j, k) => m.data[j * m.n + Math.floor(k / m.d)]!);
  const sparse = { n: m.n, d: m.d, start, columns: places, values };
  for (const found of [fitPoisson({ ...input, x: m }), fitPoissonRows({ ...input, x: sparse })]) {
    expect(found.converged).toBe(true);
    expect(distance(found.coef, coef)).toBeLessThan(1e-6);
    expect(Math.abs(found.intercept[0]! - intercept)).toBeLessThan(1e-6);
  }
});

test("tells how sure coefficients without a penalty are", () => {
  const { coef, intercept } = fitPoisson({ ...common, x, y, alpha: 0 });
  const found = poissonErrors({ x, y, coef, intercept: intercept[0]! });
  expect(distance(found!.errors, reference.sure.errors)).toBeLessThan(1e-7);
  expect(found!.dispersion).toBeCloseTo(reference.sure.dispersion, 6);
  const twice = columns(columnOf(x, 0), columnOf(x, 0));
  expect(poissonErrors({ x: twice, y, coef: new Float64Array(2), intercept: 0 })).toBeNull();
});

test("leaves a column that never changes, and copies of one, at finite coefficients", () => {
  const odd = columns(columnOf(x, 0), new Float64Array(x.n).fill(0.1), columnOf(x, 0));
  const { coef } = fitPoisson({ ...common, x: odd, y, alpha: 0 });
  const [alone] = fitPoisson({ ...common, x: columns(columnOf(x, 0)), y, alpha: 0 }).coef;
  expect(coef[1]).toBeCloseTo(0, 9);
  expect(coef[0]! + coef[2]!).toBeCloseTo(alone!, 7);
  const empty = { ...common, x: odd, alpha: 0, y: new Float64Array(x.n) };
  expect(() => fitPoisson(empty)).toThrow("not all 0");
});
