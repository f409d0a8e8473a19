import { expect, it } from "vitest";
import { severalClusters } from "../../../src/numerics/cluster/several-clusters.ts";
import type { Matrix } from "../../../src/numerics/types.ts";

function rowsOf(n: number, d: number, cell: (i: number, j: number) => number): Matrix {
  return { n, d, data: Float64Array.from({ length: n * d }, (_, at) => cell(at % n, Math.floor(at / n))) };
}

const tries = { seed: 0, maxIter: 100, tol: 1e-4 };

// KMeans(k, n_init=1, max_iter=100, random_state=0).inertia_ and silhouette_score of scikit-learn 1.9.1.
it.each([0, 1e5])("comes to what scikit-learn comes to for each number of clusters, %d from 0", (lift) => {
  const x = rowsOf(30, 50, (i, j) => Math.sin(1.3 * i * i + 0.7 * j * (i + 1)) + (i % 4 === j % 4 ? 0.8 : 0) + lift);
  const { inertia, silhouette } = severalClusters({ x, most: 5, ...tries });
  const theirs = [924.1239745367579, 839.3189355526714, 763.5147105883575, 672.4900792141864, 620.676559413233];
  for (const [k, value] of theirs.entries()) expect(Math.abs(inertia[k]! / value - 1)).toBeLessThan(1e-9);
  const far = [0.056194346427604056, 0.059563418228692454, 0.09214580295060175, 0.08152764530598107];
  expect(silhouette).toHaveLength(4);
  for (const [k, value] of far.entries()) expect(Math.abs(silhouette[k]! - value)).toBeLessThan(1e-9);
});

it("finds no more clusters than rows that differ", () => {
  const same = severalClusters({ x: rowsOf(6, 9, () => 3), most: 4, ...tries });
  expect([[...same.inertia], [...same.silhouette]]).toEqual([[0, 0, 0, 0], []]);
  const pairs = severalClusters({ x: rowsOf(6, 9, (i, j) => ((i >> 1) * j) / 7 + 1e3), most: 5, ...tries });
  expect([...pairs.inertia.subarray(2)]).toEqual([0, 0, 0]);
  expect(pairs.silhouette).toHaveLength(2);
  expect(pairs.silhouette[1]).toBeCloseTo(1, 12);
});
