import { describe, expect, it } from "vitest";
import { wholeValues } from "../../src/core/column-values.ts";

describe("whole numbers in runs", () => {
  it("are doubles whatever stands where one is missing", () => {
    const runs = [BigInt64Array.of(1n, 2n ** 62n), BigInt64Array.of(-(2n ** 63n), 4n)];
    expect(wholeValues(runs, [1, 2])).toEqual(Float64Array.of(1, Number.NaN, Number.NaN, 4));
  });

  it("stay 64-bit integers where doubles can't hold one, in a list once some are missing", () => {
    const runs = [BigInt64Array.of(1n, 2n ** 60n), BigInt64Array.of(7n)];
    expect(wholeValues(runs, [])).toEqual(BigInt64Array.of(1n, 2n ** 60n, 7n));
    expect(wholeValues(runs, [0])).toEqual([null, 2n ** 60n, 7n]);
  });

  it("may be none, or all missing", () => {
    expect(wholeValues([], [])).toEqual(new Float64Array(0));
    expect(wholeValues([BigInt64Array.of(2n ** 61n)], [0])).toEqual(Float64Array.of(Number.NaN));
  });
});
