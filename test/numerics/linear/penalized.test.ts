import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  type ElasticPathInput,
  elasticPath,
  type LinearSource,
  strongestAlpha,
} from "../../../src/numerics/linear/elastic-net.ts";
import { productSums } from "../../../src/numerics/linear/products.ts";
import { fitRidge, judgeRidge } from "../../../src/numerics/linear/ridge.ts";
import { RandomState } from "../../../src/numerics/random.ts";
import { columnOf, type Matrix } from "../../../src/numerics/types.ts";
import { columns, distance, head, table } from "../data.ts";

/** What scikit-learn answers on the same table; written by penalized-reference.py. */
const reference = JSON.parse(readFileSync(new URL("../penalized-reference.json", import.meta.url), "utf8"));

const { x, y } = table();
const all = (m: Matrix) => Array.from({ length: m.d }, (_, j) => columnOf(m, j));
const dependent = columns(
  ...all(x),
  columnOf(x, 0),
  columnOf(x, 1).map((value, i) => value + columnOf(x, 2)[i]!),
);
const wide = columns(...all(head(x, 8)), ...all(x).map((column) => column.slice(8, 16).map((v) => (v * v) / 50)));
const short = y.slice(0, 8);

const byColumns = (m: Matrix, target: Float64Array): LinearSource => ({ kind: "columns", x: m, y: target });
const bySparse = (m: Matrix, target: Float64Array): LinearSource => {
  const cells = Array.from({ length: m.n * m.d }, (_, k) => m.data[(k % m.d) * m.n + Math.floor(k / m.d)]!);
  const there = cells.map((value, k) => [value, k] as const).filter(([value]) => value !== 0);
  const start = new Int32Array(m.n + 1);
  for (const [, k] of there) start[Math.floor(k / m.d) + 1]!++;
  for (let i = 0; i < m.n; i++) start[i + 1]! += start[i]!;
  return {
    kind: "sparse",
    y: target,
    x: {
      n: m.n,
      d: m.d,
      start,
      columns: Int32Array.from(there, ([, k]) => k % m.d),
      values: Float64Array.from(there, ([value]) => value),
    },
  };
};

/** Products of so many runs of rows, shifted far from the columns' means. */
function byProducts(m: Matrix, target: Float64Array, runs = 3, intercept = true): LinearSource {
  const shift = new Float64Array(m.d + 1).fill(intercept ? 3 : 0);
  const parts = Array.from({ length: runs }, (_, k) =>
    productSums({
      x: m,
      y: target,
      shift,
      from: Math.floor((k * m.n) / runs),
      to: Math.floor(((k + 1) * m.n) / runs),
    }),
  );
  return { kind: "products", parts, shift };
}

const sources = [byColumns, byProducts, bySparse] as const;

describe("coefficients of scikit-learn's Ridge", () => {
  test.each([
    ["tall", x, y, 2.5, true],
    ["origin", x, y, 10, false],
    ["dependent", dependent, y, 3, true],
    ["wide", wide, short, 0.5, true],
    ["wide origin", wide, short, 0.5, false],
  ] as [string, Matrix, Float64Array, number, boolean][])("%s", (name, features, target, alpha, intercept) => {
    const theirs = reference.ridge[name];
    for (const source of [
      byColumns(features, target),
      byProducts(features, target, 3, intercept),
      bySparse(features, target),
    ]) {
      const fitted = fitRidge({ source, intercept, alpha });
      expect(fitted.converged).toBe(true);
      expect(distance(fitted.coef, theirs.coef), source.kind).toBeLessThan(1e-8);
      expect(Math.abs(fitted.intercept - theirs.intercept), source.kind).toBeLessThan(1e-7);
    }
  });

  test("what nearly no penalty leaves of columns that are the same is shared between them", () => {
    const twice = columns(columnOf(x, 0), columnOf(x, 0));
    const { coef } = fitRidge({ source: byProducts(twice, y), intercept: true, alpha: 1e-14 });
    expect(coef[0]).toBeCloseTo(coef[1]!, 6);
    expect(Number.isFinite(coef[0])).toBe(true);
  });
});

test.each(["tall", "origin", "wide"])("errors of scikit-learn's RidgeCV, which leaves one out: %s", (name) => {
  const theirs = reference["leave one out"];
  const intercept = name !== "origin";
  const input = name === "wide" ? { x: wide, y: short } : { x, y };
  const alphas = Float64Array.from(theirs.alphas as number[]);
  const products = name === "wide" ? {} : { products: byProducts(x, y, 2, intercept) as never };
  const errors = judgeRidge({ ...input, ...products, intercept, alphas });
  for (const [k, error] of errors.entries()) expect(error / theirs[name].errors[k]).toBeCloseTo(1, 8);
  expect(alphas[errors.indexOf(Math.min(...errors))]).toBe(theirs[name].alpha);
});

const usual = { intercept: true, l1Ratio: 1, positive: false, tol: 1e-4, aim: 1e-14, maxIter: 100_000 };

describe("coefficients of scikit-learn's Lasso and ElasticNet", () => {
  test.each([
    ["lasso", x, y, { alpha: 1.2 }],
    ["lasso strong", x, y, { alpha: 20 }],
    ["net", x, y, { alpha: 0.4, l1Ratio: 0.3 }],
    ["origin", x, y, { alpha: 0.4, l1Ratio: 0.5, intercept: false }],
    ["positive", x, y, { alpha: 0.4, l1Ratio: 0.5, positive: true }],
    ["squares", x, y, { alpha: 0.4, l1Ratio: 0 }],
    ["wide", wide, short, { alpha: 0.7 }],
    ["wide net", wide, short, { alpha: 0.7, l1Ratio: 0.4 }],
  ] as [string, Matrix, Float64Array, Partial<ElasticPathInput> & { alpha: number }][])(
    "%s",
    (name, features, target, { alpha, ...given }) => {
      const theirs = reference.elastic[name];
      for (const make of sources) {
        const source = make(features, target, 2, given.intercept ?? true);
        const fitted = elasticPath({ ...usual, ...given, source, alphas: Float64Array.of(alpha) });
        expect([...fitted.converged]).toEqual([1]);
        expect(distance(fitted.coef, theirs.coef), source.kind).toBeLessThan(1e-6);
        expect(distance(fitted.intercept, [theirs.intercept]), source.kind).toBeLessThan(1e-5);
        expect(Array.from(fitted.coef, (value) => value === 0)).toEqual(
          theirs.coef.map((value: number) => value === 0),
        );
      }
    },
  );

  test("Ridge without negative coefficients", () => {
    const source = byProducts(x, y);
    const alphas = Float64Array.of(4 / x.n);
    const fitted = elasticPath({ ...usual, source, alphas, l1Ratio: 0, positive: true });
    expect(distance(fitted.coef, reference.ridge.positive.coef)).toBeLessThan(1e-6);
  });
});

test.each([
  ["lasso", {}],
  ["net", { l1Ratio: 0.5 }],
  ["positive", { positive: true }],
])("no coefficient of many columns can be changed for the better: %s", (_, given) => {
  const [n, d] = [60, 400];
  const random = new RandomState(4);
  const many = { n, d, data: Float64Array.from({ length: n * d }, () => random.normal()) };
  const target = Float64Array.from({ length: n }, (_, i) => 2 * many.data[i]! - many.data[n + i]! + random.normal());
  const alpha = 0.05;
  const input = { ...usual, ...given, intercept: false };
  const source = byColumns(many, target);
  const { coef, converged } = elasticPath({ ...input, source, alphas: Float64Array.of(alpha) });
  expect([...converged]).toEqual([1]);
  const rest = target.map((value, i) => coef.reduce((left, w, j) => left - w * many.data[j * n + i]!, value));
  const [l1, l2] = [alpha * input.l1Ratio * n, alpha * (1 - input.l1Ratio) * n];
  let used = 0;
  for (const [j, w] of coef.entries()) {
    const pull = rest.reduce((sum, value, i) => sum + value * many.data[j * n + i]!, 0) - l2 * w;
    if (w !== 0) {
      used++;
      expect(pull * Math.sign(w)).toBeCloseTo(l1, 4);
      if (input.positive) expect(w).toBeGreaterThan(0);
    } else expect(input.positive ? pull : Math.abs(pull)).toBeLessThan(l1 + 1e-4);
  }
  expect(used).toBeGreaterThan(20);
});

describe("paths and folds of scikit-learn's LassoCV and ElasticNetCV", () => {
  test.each([
    ["lasso", 1],
    ["net", 0.3],
  ] as const)("%s", (name, l1Ratio) => {
    const theirs = reference.path[name];
    const runs = Array.from({ length: 5 }, (_, k) => ({ from: 48 * k, to: 48 * (k + 1) }));
    for (const make of sources) {
      const source = make(x, y, 5);
      const strongest = strongestAlpha({ source, intercept: true, l1Ratio, positive: false });
      expect(strongest / theirs.alphas[0]).toBeCloseTo(1, 10);
      const alphas = Float64Array.from(theirs.alphas as number[]);
      const found = runs.map(({ from, to }, part) => {
        const rows = Int32Array.from({ length: to - from }, (_, i) => from + i);
        const others = Int32Array.from(Array.from(y.keys()).filter((i) => i < from || i >= to));
        const held = source.kind === "products" ? { part } : { rows, others };
        return elasticPath({ ...usual, source, l1Ratio, alphas, held }).errors;
      });
      for (const [k, error] of theirs.errors.entries()) {
        expect(found.reduce((sum, errors) => sum + errors[k]! / 5, 0) / error).toBeCloseTo(1, 6);
      }
    }
  });
});

test("a descent that has no time left says so, and numbers that are none stay none", () => {
  const near = columns(
    columnOf(x, 0),
    columnOf(x, 0).map((value, i) => value + 1e-3 * columnOf(x, 1)[i]!),
  );
  const input = { ...usual, source: byColumns(near, y), alphas: Float64Array.of(1e-6), aim: 1e-4 };
  expect([...elasticPath({ ...input, maxIter: 2 }).converged]).toEqual([0]);
  const broken = columns(columnOf(x, 0).map((value, i) => (i === 3 ? Number.NaN : value)));
  expect(elasticPath({ ...input, source: byProducts(broken, y) }).coef.every(Number.isNaN)).toBe(true);
  expect(fitRidge({ source: byProducts(broken, y), intercept: true, alpha: 1 }).coef.every(Number.isNaN)).toBe(true);
});
