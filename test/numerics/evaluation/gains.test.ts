import { expect, it } from "vitest";
import { gainParts } from "../../../src/numerics/evaluation/gains.ts";

it("counts rows of equal scores on both sides of an end as their mean", () => {
  // From the top: 0.9 (1), then three of 0.5 with one hit among them, then 0.1 (0), 0.1 (1).
  const score = Float64Array.of(0.5, 0.1, 0.9, 0.5, 0.1, 0.5);
  const positive = Uint8Array.of(0, 0, 1, 1, 1, 0);
  expect(gainParts(positive, score, 3)).toEqual([
    { n: 2, score: 0.5, positives: expect.closeTo(1 + 1 / 3, 12) },
    { n: 2, score: 0.5, positives: expect.closeTo(2 / 3, 12) },
    { n: 2, score: 0.1, positives: 1 },
  ]);
});

it("gives the first parts a row more", () => {
  const parts = gainParts(Uint8Array.of(1, 0, 1, 0, 1), Float64Array.of(5, 4, 3, 2, 1), 2);
  expect(parts.map(({ n, positives }) => [n, positives])).toEqual([
    [3, 2],
    [2, 1],
  ]);
});
