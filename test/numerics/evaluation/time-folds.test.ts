import { expect, test } from "vitest";
import { type TimeParts, timeFolds } from "../../../src/numerics/evaluation/time-folds.ts";

// TimeSeriesSplit(…).split(…) of scikit-learn 1.9.1: first and last + 1 of the rows to learn from, and of those to judge.
test.each<[number, TimeParts, number[][]]>([
  [
    10,
    { splits: 3 },
    [
      [0, 4, 4, 6],
      [0, 6, 6, 8],
      [0, 8, 8, 10],
    ],
  ],
  [
    11,
    { splits: 4 },
    [
      [0, 3, 3, 5],
      [0, 5, 5, 7],
      [0, 7, 7, 9],
      [0, 9, 9, 11],
    ],
  ],
  [
    20,
    { splits: 3, gap: 2 },
    [
      [0, 3, 5, 10],
      [0, 8, 10, 15],
      [0, 13, 15, 20],
    ],
  ],
  [
    20,
    { splits: 3, testSize: 4, mostTrain: 5, gap: 1 },
    [
      [2, 7, 8, 12],
      [6, 11, 12, 16],
      [10, 15, 16, 20],
    ],
  ],
  [
    7,
    { splits: 2, testSize: 2 },
    [
      [0, 3, 3, 5],
      [0, 5, 5, 7],
    ],
  ],
])("%i rows in folds by time, as scikit-learn's: %j", (n, parts, expected) => {
  expect(timeFolds(n, parts).map(({ train, test }) => [...train, ...test])).toEqual(expected);
});

test("refuses folds that leave nothing to learn from", () => {
  expect(() => timeFolds(4, { splits: 4 })).toThrow("4 folds by time need 5 rows, got 4");
  expect(() => timeFolds(10, { splits: 3, gap: 5 })).toThrow(
    "3 folds of 2 test rows, with a gap of 5, leave none of 10",
  );
  expect(() => timeFolds(10, { splits: 3, testSize: 4 })).toThrow(RangeError);
});
