import { expect, it } from "vitest";
import { partialValues } from "../../../src/numerics/explain/partial-values.ts";

const values = Float64Array.of(7, 1, Number.NaN, 3, 3, 10, 2, 8, 5, 4);

it("takes values at equal distances between scipy's mquantiles", () => {
  // np.linspace(*scipy.stats.mstats.mquantiles([7, 1, 3, 3, 10, 2, 8, 5, 4], prob=[0.05, 0.9]), num=4), scipy 1.17.1
  expect([...partialValues(values, 4, 0.05, 0.9)]).toEqual(
    [1, 3.7866666666666666, 6.573333333333333, 9.36].map((value) => expect.closeTo(value, 12)),
  );
});

it("takes the values themselves where they are few", () => {
  expect([...partialValues(values, 9, 0.05, 0.95)]).toEqual([1, 2, 3, 4, 5, 7, 8, 10]);
});

it("takes none where nothing is known or both quantiles are one number", () => {
  expect(partialValues(Float64Array.of(Number.NaN), 5, 0, 1)).toHaveLength(0);
  expect(partialValues(Float64Array.of(1, 1, 1, 1, 1, 1, 1, 2, 3), 2, 0.1, 0.5)).toHaveLength(0);
});
