import { describe, expect, it } from "vitest";
import { RandomState } from "../../../src/numerics/random.ts";
import { distinctInRows, distinctNumbers } from "../../../src/numerics/statistics/distinct.ts";

const random = new RandomState(5);
const counted = (...columns: readonly (readonly number[])[]) =>
  distinctNumbers({ x: { n: columns[0]!.length, d: columns.length, data: Float64Array.from(columns.flat()) } });

describe("different numbers", () => {
  it("are counted, missing ones left out, -0 as 0", () => {
    expect(
      counted([1, 2, 2, Number.NaN], [0, -0, 0, Infinity], [Number.NaN, Number.NaN, Number.NaN, Number.NaN]),
    ).toEqual([2, 2, 0]);
    expect(counted([-Infinity, Infinity, 5e-324, -5e-324])).toEqual([4]);
  });

  it.each([10, 1023, 1024, 1025, 50_000])("are as many as a Set holds, of %i and their repeats", (n) => {
    const reals = Array.from({ length: 2 * n }, () => random.normal());
    const repeats = Array.from({ length: 2 * n }, () => reals[Math.floor(random.uniform() * n)]!);
    const whole = Array.from({ length: 2 * n }, (_, i) => (i % n) * 1024);
    const wanted = [reals, repeats, whole].map((values) => new Set(values).size);
    expect(counted(reals, repeats, whole)).toEqual(wanted);
  });

  it("are left to others where doubles may stand for several whole numbers", () => {
    expect(counted([1, 2 ** 53], [1, 2 ** 53 - 1])).toEqual([-1, 2]);
  });

  it("of sparse rows are those of the rows as a matrix", () => {
    const x = {
      n: 3,
      d: 4,
      start: Int32Array.of(0, 3, 4, 6),
      columns: Int32Array.of(2, 0, 1, 0, 0, 1),
      values: Float64Array.of(5, 1, 0, 2, 2, 7),
    };
    expect(distinctInRows({ x })).toEqual([2, 2, 2, 1]);
  });

  it("of some columns are those of these columns", () => {
    const x = { n: 2, d: 3, data: Float64Array.of(1, 1, 1, 2, 3, 3) };
    expect(distinctNumbers({ x, from: 1, to: 3 })).toEqual([2, 1]);
  });
});
