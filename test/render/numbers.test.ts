import { describe, expect, it } from "vitest";
import { formatColumn, formatNumber, formatNumbers } from "../../src/render/numbers.ts";

describe("numbers", () => {
  it("gives a column the same decimals, six digits at most", () => {
    expect(formatNumbers([39.1, 18.75, 181])).toEqual(["39.10", "18.75", "181.00"]);
    expect(formatNumbers([344, 43.92193, 5.459584])).toEqual(["344.000", "43.922", "5.460"]);
  });

  it("keeps all digits of whole numbers", () => {
    expect(formatNumbers([12345678, 1, -3])).toEqual(["12345678", "1", "-3"]);
  });

  it("does not round a small value away", () => {
    expect(formatNumbers([1234.5678, 0.00123])).toEqual(["1234.57", "0.00123"]);
    expect(formatNumbers([1234.5678, 0.0000123])).toEqual(["1234.57", "1.23e-5"]);
    expect(formatNumbers([0.00012, 0.00034])).toEqual(["0.00012", "0.00034"]);
  });

  it("writes very large and very small ones with an exponent", () => {
    expect(formatNumber(1.23456789e20)).toBe("1.23457e+20");
    expect(formatNumber(1.5e-9)).toBe("1.5e-9");
  });

  it("names what is no number", () => {
    expect(formatNumbers([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1])).toEqual([
      "NaN",
      "inf",
      "-inf",
      "1",
    ]);
  });

  it("shows days without a time, unless one has a time", () => {
    const column = { name: "d", type: "datetime" as const };
    expect(formatColumn(column, ["2024-01-02T00:00:00", null])).toEqual(["2024-01-02", null]);
    expect(formatColumn(column, ["2024-01-02T00:00:00", "2024-01-02T03:04:05.500Z"])).toEqual([
      "2024-01-02 00:00:00",
      "2024-01-02 03:04:05.5",
    ]);
  });

  it("keeps the digits that a column asks for", () => {
    expect(formatColumn({ name: "r", type: "number", digits: 2 }, [0.126, -0.001, 1])).toEqual([
      "0.13",
      "0.00",
      "1.00",
    ]);
  });
});
