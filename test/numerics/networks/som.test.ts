import { expect, test } from "vitest";
import { fitSom, mapSom, type SomInput, unitDistances } from "../../../src/numerics/networks/som.ts";
import { table } from "../data.ts";

const { x } = table();
const grid = { width: 4, height: 3, topology: "rectangular" } as const;
const usual: SomInput = { x, grid, sigma: 1, rate: 0.5, epochs: 5, seed: 1, curve: new Float64Array(5) };

test("units come nearer to the rows, the same for a seed", () => {
  const curve = new Float64Array(5);
  const weights = fitSom({ ...usual, curve });
  expect(curve[4]).toBeLessThan(curve[0]!);
  expect(fitSom(usual)).toEqual(weights);
  expect(fitSom({ ...usual, seed: 2 })).not.toEqual(weights);
  const all = mapSom({ x, grid, weights });
  const part = mapSom({ x, grid, weights, from: 10, to: 12 });
  expect([...part.data.subarray(0, 2)]).toEqual([...all.data.subarray(10, 12)]);
});

test("a row's unit, its distance and whether the second is beside it, worked out by hand", () => {
  // Units at their own places, so that all distances are known.
  const weights = Float64Array.from(Array.from({ length: 12 }, (_, u) => [Math.floor(u / 3), u % 3]).flat());
  // Two rows: (0.1, 0) and (3, 2.5), columns first.
  const rows = { n: 2, d: 2, data: Float64Array.of(0.1, 3, 0, 2.5) };
  const { data } = mapSom({ x: rows, grid, weights });
  expect([...data]).toEqual([0, 11, 0.1, 0.5, 0, 0]);
  // The corner has neighbours at 1, 1 and √2; a honeycomb has no such diagonal, but units at 1 and √2 of the plane.
  expect(unitDistances(grid, weights)[0]).toBeCloseTo((2 + Math.SQRT2) / 3, 12);
  expect(unitDistances({ ...grid, topology: "hexagonal" }, weights)[0]).toBeCloseTo(1, 12);
});

test("a step draws the nearest unit and those around it as far as the formula says", () => {
  const one = { n: 1, d: 1, data: Float64Array.of(1) };
  // All units begin at the only row, so nothing moves.
  expect([...fitSom({ ...usual, x: one, epochs: 1, curve: new Float64Array(1) })]).toEqual(Array(12).fill(1));
  const curve = new Float64Array(1);
  const two = { n: 2, d: 1, data: Float64Array.of(0, 1) };
  const line = { width: 2, height: 1, topology: "rectangular" } as const;
  const weights = fitSom({ x: two, grid: line, sigma: 1, rate: 0.5, epochs: 1, seed: 3, curve });
  expect(weights.every((weight) => weight >= 0 && weight <= 1)).toBe(true);
  expect(curve[0]).toBeLessThan(0.5);
});

test("can be cancelled", () => {
  expect(() => fitSom(usual, { progress: () => undefined, cancelled: () => true })).toThrow("cancelled");
});
