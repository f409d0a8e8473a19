import { describe, expect, it } from "vitest";
import { summaries } from "../../../src/numerics/statistics/summaries.ts";

function histogram(...values: number[]): number[] {
  const [{ histogram: counts }] = summaries({ x: { n: values.length, d: 1, data: Float64Array.from(values) } });
  return [...counts];
}

describe("the histogram of a column", () => {
  it("has eight equal parts, each with its lower edge, the last with its upper edge too", () => {
    expect(histogram(0, 1, 2, 3, 4, 5, 6, 7, 8)).toEqual([1, 1, 1, 1, 1, 1, 1, 2]);
    expect(histogram(0, 0.99, 7.99, 8, NaN)).toEqual([2, 0, 0, 0, 0, 0, 0, 2]);
  });

  it("puts a value at an edge where numpy puts it", () => {
    // numpy.histogram([k / 10 for k in range(1, 10)], bins=8), numpy 2.4.6.
    expect(histogram(0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)).toEqual([1, 2, 0, 1, 1, 2, 0, 2]);
  });

  it("is empty without a range: one value, none, or infinity", () => {
    expect([
      histogram(5, 5, NaN),
      histogram(NaN),
      histogram(),
      histogram(1, Infinity),
      histogram(-1e308, 1e308),
    ]).toEqual([[], [], [], [], []]);
  });
});
