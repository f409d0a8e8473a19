import { expect, test } from "vitest";
import { correlations } from "../../../src/numerics/statistics/correlations.ts";
import { quantiles } from "../../../src/numerics/statistics/quantiles.ts";
import { columns, distance, reference, table } from "../data.ts";

const { x } = table();
const theirs = reference.statistics;

test("quantiles are numpy's to the last bit, in the order asked for", () => {
  const values = x.data.slice(2 * x.n, 3 * x.n).map((value) => value * 1.1);
  const before = values.slice();
  expect([...quantiles({ values, at: [0.25, 0.5, 0.75, 0.1, 0.995] })]).toEqual(theirs.quantiles);
  expect(values).toEqual(before);
});

test("selects what sorting would, on large, tied and sorted data", () => {
  const n = 20_001;
  const kinds = [(i: number) => (i * 7919) % n, (i: number) => i % 3, (i: number) => i, (i: number) => -i, () => 4];
  for (const kind of kinds) {
    const values = Float64Array.from({ length: n }, (_, i) => kind(i));
    const sorted = values.slice().sort();
    const at = [0, 0.001, 0.3, 0.5, 0.9, 1];
    expect([...quantiles({ values, at })]).toEqual(at.map((share) => sorted[Math.round(share * (n - 1))]!));
  }
});

test("skips missing values; nothing left gives NaN", () => {
  expect([...quantiles({ values: Float64Array.of(NaN, 1, 3, NaN), at: [0.5] })]).toEqual([2]);
  expect([...quantiles({ values: Float64Array.of(NaN), at: [0.5] })]).toEqual([NaN]);
  expect(() => quantiles({ values: Float64Array.of(1), at: [1.5] })).toThrow("between 0 and 1");
});

test("correlations are pandas', complete or with holes", () => {
  expect(distance(correlations({ x }).data, theirs.correlations)).toBeLessThan(1e-13);
  const data = x.data.map((value, at) => (((at % x.n) * 3 + Math.floor(at / x.n) * 5) % 11 === 0 ? NaN : value));
  expect(distance(correlations({ x: { ...x, data } }).data, theirs.holes)).toBeLessThan(1e-13);
});

test("a constant or empty column correlates with nothing", () => {
  const m = columns(Float64Array.of(0.1, 0.1, 0.1), Float64Array.of(1, 2, 4), Float64Array.of(NaN, NaN, NaN));
  expect([...correlations({ x: m }).data]).toEqual([NaN, NaN, NaN, NaN, 1, NaN, NaN, NaN, NaN]);
  expect(correlations({ x: { n: 0, d: 1, data: new Float64Array(0) } }).data).toEqual(Float64Array.of(NaN));
});
