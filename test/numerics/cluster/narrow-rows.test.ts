import { expect, it } from "vitest";
import { narrowRows } from "../../../src/numerics/cluster/narrow-rows.ts";
import { RandomState } from "../../../src/numerics/random.ts";
import type { Matrix } from "../../../src/numerics/types.ts";

function rowsOf(n: number, d: number, lift = 0): Matrix {
  const random = new RandomState(1);
  return { n, d, data: Float64Array.from({ length: n * d }, () => random.normal() + lift) };
}

function gap({ n, d, data }: Matrix, a: number, b: number): number {
  let sum = 0;
  for (let j = 0; j < d; j++) sum += (data[j * n + a]! - data[j * n + b]!) ** 2;
  return Math.sqrt(sum);
}

it("keeps the distances of rows that have more columns than there are rows", () => {
  for (const lift of [0, 1e6]) {
    const wide = rowsOf(40, 300, lift);
    const narrow = narrowRows({ x: wide })!;
    expect([narrow.n, narrow.d]).toEqual([40, 40]);
    for (let a = 0; a < 40; a++)
      for (let b = 0; b < a; b++) expect(Math.abs(gap(narrow, a, b) / gap(wide, a, b) - 1)).toBeLessThan(1e-9);
  }
});

it("leaves rows as they are where some are the same, lie at the mean or hold no numbers", () => {
  const twice = rowsOf(5, 20);
  for (let j = 0; j < 20; j++) twice.data[j * 5 + 1] = twice.data[j * 5]!;
  expect(narrowRows({ x: twice })).toBeNull();
  expect(narrowRows({ x: { n: 3, d: 4, data: new Float64Array(12).fill(2) } })).toBeNull();
  const gaps = rowsOf(5, 20);
  gaps.data[7] = Number.NaN;
  expect(narrowRows({ x: gaps })).toBeNull();
});
