import { expect, it } from "vitest";
import { RandomState } from "../../../src/numerics/random.ts";
import { fitTrees, treeSeeds } from "../../../src/numerics/trees/forest.ts";
import { predictForest } from "../../../src/numerics/trees/trees.ts";
import { isWorthWalking } from "../../../src/numerics/trees/walk.ts";

// Trees that are laid out once for all rows, and those with too many nodes for that.
it.each([
  ["regression", 400],
  ["classification", 400],
  ["regression", 60_000],
] as const)("answers many rows as it answers few: %s of %i", (task, n) => {
  const random = new RandomState(3);
  const d = 3;
  const data = Float64Array.from({ length: n * d }, () => random.normal());
  const y = Float64Array.from({ length: n }, (_, i) =>
    task === "regression" ? data[i]! * 3 : data[i]! > 0 ? 2 : i % 2,
  );
  const target = task === "regression" ? y : Int32Array.from(y);
  const seeds = treeSeeds(0, 5);
  const trees = fitTrees({ x: { n, d, data }, y: target, task, classes: 3, seeds, bootstrap: true, details: false });
  // Missing and infinite values, and numbers that lie on a threshold.
  const judged = Float64Array.from({ length: 70_003 * d }, (_, i) => {
    if (i % 97 === 0) return NaN;
    if (i % 89 === 0) return i % 2 ? Infinity : -Infinity;
    return i % 5 === 0 ? trees.threshold[i % trees.threshold.length]! : random.normal();
  });
  const x = { n: 70_003, d, data: judged };
  expect(trees.feature.length > 262_144).toBe(n === 60_000);
  const nodes = trees.feature.length / 5;
  expect([isWorthWalking(nodes, x.n), isWorthWalking(nodes, 7)]).toEqual([true, false]);
  const all = predictForest({ x, trees });
  for (const from of [0, 1_000, 65_530, 69_996]) {
    const few = predictForest({ x, trees, from, to: from + 7 });
    for (let k = 0; k < few.d; k++) {
      expect([...few.data.subarray(k * 7, k * 7 + 7)]).toEqual([
        ...all.data.subarray(k * x.n + from, k * x.n + from + 7),
      ]);
    }
  }
});
