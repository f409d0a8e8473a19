import { describe, expect, test } from "vitest";
import { trainTest } from "../../../src/numerics/sampling/split.ts";
import { reference } from "../data.ts";

type Case = { kind?: string; seed: number; train: number[]; test: number[] };

describe("rows of scikit-learn's train_test_split", () => {
  const codes = Int32Array.from({ length: 101 }, (_, k) => ((k * k) % 7) % 3);
  test.each(reference.split as Case[])("$kind, seed $seed", ({ kind, seed, train, test }) => {
    const stratify = kind === "stratified" ? codes : undefined;
    const split = trainTest({ n: 101, nTrain: 70, nTest: 26, seed, stratify });
    expect([...split.train]).toEqual(train);
    expect([...split.test]).toEqual(test);
  });

  const even = Int32Array.from({ length: 20 }, (_, k) => Math.floor(k / 5));
  test.each(reference.ties as Case[])("equal classes are drawn alike, seed $seed", ({ seed, train, test }) => {
    const split = trainTest({ n: 20, nTrain: 11, nTest: 6, seed, stratify: even });
    expect([[...split.train], [...split.test]]).toEqual([train, test]);
  });
});

test("keeps the order without shuffling", () => {
  const split = trainTest({ n: 5, nTrain: 3, nTest: 2, seed: 0, shuffle: false });
  expect([[...split.train], [...split.test]]).toEqual([
    [0, 1, 2],
    [3, 4],
  ]);
});

test("class codes need not be dense", () => {
  const split = trainTest({ n: 4, nTrain: 2, nTest: 2, seed: 0, stratify: Int32Array.of(9, 9, 2, 2) });
  expect([...split.train].map((row) => row > 1).sort()).toEqual([false, true]);
});

test("refuses sizes and strata that do not fit", () => {
  expect(() => trainTest({ n: 3, nTrain: 2, nTest: 2, seed: 0 })).toThrow("3 rows");
  expect(() => trainTest({ n: 0, nTrain: 0, nTest: 0, seed: 0 })).toThrow(RangeError);
  const alone = Int32Array.of(0, 0, 0, 1);
  expect(() => trainTest({ n: 4, nTrain: 2, nTest: 2, seed: 0, stratify: alone })).toThrow("at least 2 rows");
  const many = Int32Array.of(0, 0, 1, 1, 2, 2);
  expect(() => trainTest({ n: 6, nTrain: 4, nTest: 2, seed: 0, stratify: many })).toThrow("3 classes");
});
