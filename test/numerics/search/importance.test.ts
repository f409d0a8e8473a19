import { describe, expect, it } from "vitest";
import { RandomState } from "../../../src/numerics/random.ts";
import { axisShares } from "../../../src/numerics/search/importance.ts";
import { type Axis, evenPoint, type Point } from "../../../src/numerics/search/parzen.ts";
import { Cancelled, quiet } from "../../../src/numerics/types.ts";

const axes: readonly Axis[] = [
  { kind: "range", low: 0, high: 1, log: false, step: 0 },
  { kind: "range", low: 1, high: 100, log: true, step: 0 },
  { kind: "choices", size: 4 },
];

function shares(score: (point: Point) => number, n: number, seed = 0): number[] {
  const random = new RandomState(seed);
  const points = Array.from({ length: n }, () => evenPoint(axes, random));
  return [...axisShares({ axes, points, scores: Float64Array.from(points, score), seed }, quiet)];
}

describe("axisShares", () => {
  it("gives the only axis with an effect nearly all, and the others nearly nothing", () => {
    const only: readonly ((point: Point) => number)[] = [
      ([a]) => (a - 0.3) ** 2,
      ([, b]) => Math.log(b),
      ([, , c]) => [3, 1, 2, 0][c],
    ];
    for (const [own, score] of only.entries()) {
      for (const [j, share] of shares(score, 60).entries()) {
        if (j === own) expect(share).toBeGreaterThan(0.97);
        else expect(share).toBeLessThan(0.01);
      }
    }
  });

  // By hand: a + 2·log(b)/log(100) varies by 1/12 along a and by 4/12 along b, over axes from 0 to 1.
  it("shares the variance of a sum as its terms do", () => {
    const [a, b, c] = shares(([x, y]) => x + (2 * Math.log(y)) / Math.log(100), 400);
    expect(a).toBeCloseTo(0.2, 1);
    expect(b).toBeCloseTo(0.8, 1);
    expect(c).toBeLessThan(0.001);
  });

  // By hand: of two choices and two steps the trees cut four quarters; the exclusive or has the mean 1/2 along each axis.
  it("leaves what axes do together alone out of their shares", () => {
    const both: readonly Axis[] = [
      { kind: "choices", size: 2 },
      { kind: "range", low: 1, high: 2, log: false, step: 1 },
    ];
    const points = Array.from({ length: 80 }, (_, k): Point => [k % 2, 1 + ((k >> 1) % 2)]);
    const xor = Float64Array.from(points, ([a, b]) => (a === b - 1 ? 0 : 1));
    for (const share of axisShares({ axes: both, points, scores: xor, seed: 0 }, quiet))
      expect(share).toBeLessThan(1e-9);
    // Along the first 0 and 2, along the second 0 and 1: variances 1 and 1/4 of 5/4.
    const sum = Float64Array.from(points, ([a, b]) => 2 * a + b);
    const [first, second] = axisShares({ axes: both, points, scores: sum, seed: 0 }, quiet);
    expect(first).toBeCloseTo(0.8, 9);
    expect(second).toBeCloseTo(0.2, 9);
  });

  it("is 0 of scores that are all the same, the same for the same seed, and ends when it is cancelled", () => {
    expect(shares(() => 1, 20)).toEqual([0, 0, 0]);
    const score = ([a, b]: Point) => a * b;
    expect(shares(score, 30, 4)).toEqual(shares(score, 30, 4));
    const input = { axes, points: [[0, 1, 0]], scores: Float64Array.of(1), seed: 0 };
    expect(() => axisShares(input, { ...quiet, cancelled: () => true })).toThrow(Cancelled);
  });
});
