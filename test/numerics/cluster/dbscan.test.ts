import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  coreRows,
  joinCores,
  nearClusters,
  nthDistances,
  numberClusters,
} from "../../../src/numerics/cluster/dbscan.ts";
import type { Metric } from "../../../src/numerics/neighbors/distance.ts";
import { boxRows, firstLeaf, type Nearness } from "../../../src/numerics/neighbors/near-rows.ts";
import { RandomState } from "../../../src/numerics/random.ts";
import type { Matrix } from "../../../src/numerics/types.ts";
import { columns } from "../data.ts";
import { oddTables } from "./odd-tables.ts";

/** What scikit-learn answers on the same tables; written by cluster-reference.py. */
const { dense } = JSON.parse(readFileSync(new URL("../cluster-reference.json", import.meta.url), "utf8")) as {
  dense: { table: string; eps: number; min: number; metric: Metric; p: number; labels: number[]; core: number }[];
};

/** The labels of rows, worked out in so many parts. */
function grouped(x: Matrix, near: Nearness, min: number, parts = 1) {
  const boxed = boxRows({ x, metric: near.metric });
  const leaves = firstLeaf(boxed) + 1;
  const cuts = Array.from({ length: parts }, (_, k) => ({
    near,
    boxed,
    from: Math.floor((k * leaves) / parts),
    to: Math.floor(((k + 1) * leaves) / parts),
  })).filter(({ from, to }) => to > from);
  const core = Uint8Array.from(cuts.flatMap((cut) => [...coreRows({ ...cut, min })]));
  const own = numberClusters({ boxed, core, joined: cuts.map((cut) => joinCores({ ...cut, core })) });
  const placed = cuts.flatMap((cut) => [...nearClusters({ ...cut, known: boxed, labels: own, own })]);
  const labels = new Int32Array(x.n);
  for (const [place, label] of placed.entries()) labels[boxed.order[place]!] = label;
  return { labels, cores: core.reduce((sum, one) => sum + one, 0), boxed, own };
}

describe.each(dense)(
  "clusters of scikit-learn's DBSCAN: $table, $metric, eps $eps",
  ({ table: name, eps, min, metric, p, labels, core }) => {
    const x = oddTables()[name]!;
    const near = { metric, p, eps };

    test("the same core rows, clusters and noise, in any number of parts", () => {
      const found = grouped(x, near, min);
      expect([...found.labels]).toEqual(labels);
      expect(found.cores).toBe(core);
      expect(grouped(x, near, min, 3).labels).toEqual(found.labels);
    });

    test("rows that come again have the clusters that they had", () => {
      const { boxed, own, labels: before } = grouped(x, near, min);
      const again = nearClusters({ near, boxed, from: 0, to: firstLeaf(boxed) + 1, known: boxed, labels: own });
      const rows = new Int32Array(x.n);
      for (const [place, label] of again.entries()) rows[boxed.order[place]!] = label;
      expect(rows).toEqual(before);
    });

    test("a row is a core where its nearest so many rows are within eps", () => {
      if (min > x.n) return;
      const rows = Int32Array.from({ length: x.n }, (_, i) => i);
      const distances = nthDistances({ near, x, rows, nth: min });
      expect(distances.filter((distance) => distance <= eps).length).toBe(core);
    });
  },
);

test("rows near each other by a hair in many columns are found by double precision", () => {
  const n = 500;
  const random = new RandomState(3);
  const x = columns(...Array.from({ length: 9 }, () => Float64Array.from({ length: n }, () => random.normal())));
  // A row far off makes single precision coarse.
  for (let j = 0; j < x.d; j++) x.data[j * n] = 1e6;
  const at = (i: number, j: number) => x.data[j * n + i]!;
  const apart = (i: number, k: number) => {
    let sum = 0;
    for (let j = 0; j < x.d; j++) sum += (at(i, j) - at(k, j)) ** 2;
    return sum;
  };
  const eps = Math.sqrt(apart(7, 8));
  const cores = Array.from({ length: n }, (_, i) => {
    let count = 0;
    for (let k = 0; k < n; k++) if (apart(i, k) <= eps * eps) count++;
    return count >= 6;
  });
  const { boxed, own } = grouped(x, { metric: "euclidean", p: 2, eps }, 6);
  const found = Array.from({ length: n }, () => false);
  for (const [place, label] of own.entries()) found[boxed.order[place]!] = label >= 0;
  expect(found).toEqual(cores);
  expect(cores.filter((is) => is).length).toBeGreaterThan(100);
});
