import { describe, expect, it } from "vitest";
import { boostEdges } from "../../../src/numerics/boost/bins.ts";

const n = 60;
const data = Float64Array.from({ length: n }, (_, i) => (i === 11 ? NaN : ((i * 37) % 53) / 7));
const asked = { x: { n, d: 1, data }, categories: new Int32Array(1), rows: Int32Array.from(data.keys()), seed: 0 };
const sevenths = (values: readonly number[]) => values.map((value) => expect.closeTo(value / 7, 12));

// _find_binning_thresholds(x, max_bins, sample_weight=w) of scikit-learn 1.9.1.
describe("the numbers between bins", () => {
  it("are at equal shares of the rows", () => {
    const [edges] = boostEdges({ ...asked, weight: null, maxBins: 7 });
    expect([...edges]).toEqual(sevenths([6, 13, 21, 28, 37, 44]));
  });

  it("are at equal shares of the weights, without rows of weight 0", () => {
    const weight = Float64Array.from({ length: n }, (_, i) => ((i * 29) % 13) / 4);
    const [edges] = boostEdges({ ...asked, weight, maxBins: 7 });
    expect([...edges]).toEqual(sevenths([6, 15, 24, 32, 39, 46]));
    const whole = Float64Array.from({ length: n }, (_, i) => 1 + (i % 3));
    expect([...boostEdges({ ...asked, weight: whole, maxBins: 5 })[0]]).toEqual(sevenths([9, 21, 31, 42]));
    // Of few values they lie halfway, and a value whose rows count nothing is none.
    const few = { n: 4, d: 1, data: Float64Array.of(1, 2, 4, 8) };
    const edge = boostEdges({
      ...asked,
      x: few,
      rows: Int32Array.of(0, 1, 2, 3),
      weight: Float64Array.of(1, 0, 2, 1),
      maxBins: 9,
    });
    expect([...edge[0]]).toEqual([2.5, 6]);
  });
});
