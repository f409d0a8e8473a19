import { expect, test } from "vitest";
import { kFolds, stratifiedFolds } from "../../../src/numerics/evaluation/k-folds.ts";
import { RandomState } from "../../../src/numerics/random.ts";

test("runs of rows as scikit-learn's KFold, the first a row longer", () => {
  expect([...kFolds(10, 3)]).toEqual([0, 0, 0, 0, 1, 1, 1, 2, 2, 2]);
  expect([...kFolds(11, 4)]).toEqual([0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3]);
  expect([...kFolds(7, 7)]).toEqual([0, 1, 2, 3, 4, 5, 6]);
});

test("shares of classes as scikit-learn's StratifiedKFold, a rare class and all", () => {
  const y = Int32Array.from({ length: 23 }, (_, i) => (i === 0 ? 2 : ((i * i) % 7) % 3));
  // StratifiedKFold(2) and (5).split(…, y) of scikit-learn 1.9.1.
  expect([...stratifiedFolds(y, 2)]).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1]);
  expect([...stratifiedFolds(y, 5)]).toEqual([0, 0, 0, 0, 1, 1, 1, 0, 2, 2, 1, 2, 2, 3, 1, 3, 3, 3, 4, 4, 4, 2, 4]);
});

test("refuses one fold, and more folds than rows", () => {
  expect(() => kFolds(5, 1)).toThrow("between 2 and 5 (rows), got 1");
  expect(() => stratifiedFolds(Int32Array.of(0, 1), 3)).toThrow(RangeError);
});

test("shuffled, the rows that scikit-learn deals out", () => {
  const y = Int32Array.from({ length: 23 }, (_, i) => (i === 0 ? 2 : ((i * i) % 7) % 3));
  // KFold(4, shuffle=True, random_state=0), StratifiedKFold(5, …) and (2, …) of scikit-learn 1.9.1.
  expect([...kFolds(11, 4, new RandomState(0))]).toEqual([3, 1, 0, 2, 0, 3, 1, 2, 2, 0, 1]);
  expect([...stratifiedFolds(y, 5, new RandomState(0))]).toEqual([
    4, 3, 1, 1, 0, 4, 0, 1, 4, 4, 1, 0, 3, 0, 0, 2, 3, 3, 2, 2, 1, 2, 2,
  ]);
  expect([...stratifiedFolds(y, 2, new RandomState(0))]).toEqual([
    1, 1, 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 1, 1, 1, 1, 0, 0, 1, 0,
  ]);
});
