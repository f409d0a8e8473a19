import { describe, expect, it } from "vitest";
import { RandomState } from "../../../src/numerics/random.ts";
import {
  joinedMoments,
  momentsOf,
  noMoments,
  runMoments,
  wholeMoments,
} from "../../../src/numerics/statistics/moments.ts";

const random = new RandomState(3);
const draws = (n: number, centre = 0) => Float64Array.from({ length: n }, () => centre + random.normal());
const momentsIn = (values: readonly number[]) => momentsOf(runMoments(Float64Array.from(values)));

/** Moments by the book, with exact sums of small whole numbers. */
function byHand(values: Float64Array) {
  const there = values.filter((value) => !Number.isNaN(value));
  const mean = there.reduce((sum, value) => sum + value, 0) / there.length;
  const variance = there.reduce((sum, value) => sum + (value - mean) ** 2, 0) / there.length;
  return { n: there.length, min: Math.min(...there), max: Math.max(...there), mean, deviation: Math.sqrt(variance) };
}

describe("moments", () => {
  it.each([1, 2, 3, 5, 4096, 4097, 20_000])("are those of the book, of %i numbers with holes", (n) => {
    const values = draws(n, 100).map((value, i) => (i % 7 === 1 ? Number.NaN : value));
    const [found, wanted] = [momentsOf(runMoments(values)), byHand(values)];
    expect(found).toMatchObject({ n: wanted.n, min: wanted.min, max: wanted.max });
    expect(found.mean).toBeCloseTo(wanted.mean, 11);
    expect(found.deviation).toBeCloseTo(wanted.deviation, 11);
  });

  it("of nothing are nothing, of one value repeated it and no deviation", () => {
    const none = { n: 0, min: null, max: null, mean: null, deviation: null };
    expect(momentsIn([])).toEqual(none);
    expect(momentsIn([Number.NaN, Number.NaN])).toEqual(none);
    expect(momentsOf(runMoments(new Float64Array(9999).fill(0.1)))).toEqual({
      n: 9999,
      min: 0.1,
      max: 0.1,
      mean: 0.1,
      deviation: 0,
    });
  });

  it("of whole numbers have an exact mean, however many runs they come in", () => {
    const values = Float64Array.from({ length: 30_000 }, (_, i) => 1_000_000_007 + (i % 10));
    expect(momentsOf(runMoments(values)).mean).toBe(1_000_000_011.5);
  });

  it("come from exact sums of whole numbers as they do from runs", () => {
    const values = Float64Array.from({ length: 30_000 }, (_, i) => (i * 7919) % 501);
    const wanted = momentsOf(runMoments(values));
    const sum = values.reduce((all, each) => all + each, 0);
    const squares = values.reduce((all, each) => all + each * each, 0);
    const found = wholeMoments({ n: 30_000, min: 0, max: 500, sum, squares });
    expect(found).toMatchObject({ n: 30_000, min: 0, max: 500, mean: wanted.mean });
    expect(Number(found.deviation) / Number(wanted.deviation)).toBeCloseTo(1, 15);
    expect(wholeMoments({ n: 4, min: 3, max: 3, sum: 12, squares: 36 })).toEqual({
      n: 4,
      min: 3,
      max: 3,
      mean: 3,
      deviation: 0,
    });
    expect(wholeMoments({ n: 4, min: 1, max: 4, sum: 10, squares: null })).toMatchObject({
      mean: 2.5,
      deviation: null,
    });
    expect(wholeMoments({ n: 0, min: null, max: null, sum: 0, squares: 0 })).toMatchObject({ n: 0, mean: null });
  });

  it("keep the digits of a deviation that is small beside the numbers", () => {
    // By hand: 30,000,000 and 30,000,001 deviate from their mean by one half.
    const squares = 2 * 30_000_000 ** 2 + 2 * 30_000_001 ** 2;
    expect(wholeMoments({ n: 4, min: 3e7, max: 3e7 + 1, sum: 120_000_002, squares }).deviation).toBe(0.5);
  });

  it("are right to the last digit where large numbers cancel each other out", () => {
    const values = Float64Array.from({ length: 30_000 }, (_, i) => [1e16, 1, -1e16][i % 3]!);
    expect(momentsOf(runMoments(values)).mean).toBe(1 / 3);
  });

  it("keep their digits far from zero, and stay finite at the ends of what a double can say", () => {
    const far = momentsOf(runMoments(draws(10_000, 1e12)));
    expect(far.deviation).toBeGreaterThan(0.97);
    expect(far.deviation).toBeLessThan(1.03);
    expect(momentsIn([-1.7e308, 1.7e308])).toMatchObject({ mean: 0, deviation: 1.7e308 });
    expect(momentsIn([1.5e308, 1.6e308, 1.7e308]).mean).toBeCloseTo(1.6e308, -298);
    expect(momentsIn([1e-300, 3e-300]).deviation).toBeCloseTo(1e-300, 310);
    const [large] = [momentsIn(Array.from({ length: 10_000 }, (_, i) => (i < 5000 ? 1e308 : 1.2e308)))];
    expect(Number(large.mean) / 1.1e308).toBeCloseTo(1, 12);
    expect(Number(large.deviation) / 1e307).toBeCloseTo(1, 12);
  });

  it("with infinity have no deviation, and a mean that says so", () => {
    expect(momentsIn([1, Infinity])).toMatchObject({ max: Infinity, mean: Infinity, deviation: null });
    expect(momentsIn([-Infinity, Infinity]).mean).toBeNaN();
  });

  it("of runs joined are those of all, and nothing changes nothing", () => {
    const values = draws(12_000, 5);
    const runs = [0, 2048, 9000].map((from, k, all) => runMoments(values.subarray(from, all[k + 1] ?? values.length)));
    const joined = momentsOf(runs.reduce(joinedMoments, noMoments));
    const wanted = byHand(values);
    expect(joined.mean).toBeCloseTo(wanted.mean, 12);
    expect(joined.deviation).toBeCloseTo(wanted.deviation, 12);
    expect(joinedMoments(runs[0]!, noMoments)).toEqual(runs[0]);
    expect(joinedMoments(noMoments, runs[0]!)).toEqual(runs[0]);
  });
});
