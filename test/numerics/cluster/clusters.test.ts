import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { cutJoins, joinRows, type Linkage, type RowMetric } from "../../../src/numerics/cluster/hierarchy.ts";
import { assignRows, centredRows, nearestCentres, seedCentres } from "../../../src/numerics/cluster/kmeans.ts";
import { agreement, compactness, silhouettes } from "../../../src/numerics/cluster/scores.ts";
import { RandomState } from "../../../src/numerics/random.ts";
import { columns, distance, table } from "../data.ts";

/** What scikit-learn answers on the same table; written by cluster-reference.py. */
const reference = JSON.parse(readFileSync(new URL("../cluster-reference.json", import.meta.url), "utf8")) as {
  kmeans: { k: number; seed: number; labels: number[]; inertia: number; scores: Record<string, number> }[];
  joins: { linkage: Linkage; metric: RowMetric; labels: number[]; heights: number[] }[];
};

const { x } = table();
const { n, d } = x;
const out = new Float64Array(n * d);
const { means } = centredRows({ x, out });

type Numbers = [Float64Array, Float64Array, Float64Array, Float64Array, Float64Array];

/** Lloyd's steps until no row changes. */
function steps(first: Float64Array, k: number) {
  const [upper, lower, sums, rest, counts] = [n, n, k * d, k * d, k].map(
    (length) => new Float64Array(length),
  ) as Numbers;
  const state = { labels: new Int32Array(n), upper, lower, sums, rest, counts };
  let centres = first;
  let moved: Float64Array | undefined;
  for (;;) {
    const input = { rows: out, n, d, k, centres, ...state, from: 0, to: n, ...(moved ? { moved } : {}) };
    if (assignRows(input) === 0) return { labels: state.labels, centres };
    const next = sums.map((sum, at) => (sum + rest[at]!) / counts[Math.floor(at / d)]!);
    moved = Float64Array.from({ length: k }, (_, c) =>
      Math.hypot(...Array.from({ length: d }, (_, j) => next[c * d + j]! - centres[c * d + j]!)),
    );
    centres = next;
  }
}

const inertiaOf = (labels: Int32Array, centres: Float64Array) =>
  Array.from(labels).reduce(
    (sum, label, i) =>
      sum +
      Array.from({ length: d }, (_, j) => (out[i * d + j]! - centres[label * d + j]!) ** 2).reduce((a, b) => a + b),
    0,
  );

describe.each(reference.kmeans)(
  "clusters of scikit-learn's KMeans: $k by seed $seed",
  ({ k, seed, labels, inertia, scores }) => {
    test("the best of two runs by the same draws", () => {
      const seeds = seedCentres({ rows: out, n, d, k, init: "k-means++", seed, rounds: 2 });
      const runs = [0, 1].map((round) => steps(seeds.slice(round * k * d, (round + 1) * k * d), k));
      const best = runs.reduce((a, b) => (inertiaOf(b.labels, b.centres) < inertiaOf(a.labels, a.centres) ? b : a));
      expect([...best.labels]).toEqual(labels);
      expect(inertiaOf(best.labels, best.centres) / inertia).toBeCloseTo(1, 10);
      const centres = best.centres.map((value, at) => value + means[at % d]!);
      expect([...nearestCentres({ x, centres }).data]).toEqual(labels);
    });

    test("their scores", () => {
      const input = { x, labels: Int32Array.from(labels), clusters: k };
      const halves = { labels: input.labels.map((_, i) => i % 2), clusters: 2 };
      const { data } = silhouettes({ x, groupings: [input] });
      expect(data.reduce((sum, value) => sum + value, 0) / n).toBeCloseTo(scores.silhouette!, 12);
      const both = silhouettes({ x, groupings: [halves, input], from: 7, to: 20 });
      expect([...both.data.subarray(13)]).toEqual([...data.subarray(7, 20)]);
      expect([...both.data.subarray(0, 13)]).toEqual([...silhouettes({ x, groupings: [halves] }).data.subarray(7, 20)]);
      const found = compactness(input);
      expect(found.daviesBouldin).toBeCloseTo(scores.davies_bouldin!, 10);
      expect(found.calinskiHarabasz).toBeCloseTo(scores.calinski_harabasz!, 8);
      const other = Int32Array.from({ length: n }, (_, i) => (i * 5) % 3);
      const { ari, nmi } = agreement(input.labels, other);
      expect([ari, nmi]).toEqual([expect.closeTo(scores.ari!, 12), expect.closeTo(scores.nmi!, 12)]);
    });
  },
);

// numpy 2.4: RandomState(seed).choice(n, k, replace=False, p=np.full(n, 1 / n)).
test.each([
  [7, 10, [0, 7, 4, 9, 5, 3]],
  [0, 5, [2, 3, 1, 4, 0]],
])("any rows as first centres are those that numpy draws: seed %i, %i rows", (seed, count, drawn) => {
  const rows = Float64Array.from({ length: count }, (_, i) => i);
  const list = { rows, n: count, d: 1, k: drawn.length, init: "random", seed, rounds: 1 } as const;
  expect([...seedCentres(list)]).toEqual(drawn);
});

test.each([
  [1, 3],
  [2, 17],
  [5, 20],
  [9, 2],
])("steps between %i centres of %i columns are those of comparing every row with every centre", (k, width) => {
  const random = new RandomState(k);
  const [count, from] = [3000, 100];
  const rows = Float64Array.from({ length: count * width }, () => random.normal());
  const [upper, lower, counts] = [count, count, k].map((size) => new Float64Array(size)) as [
    Float64Array,
    Float64Array,
    Float64Array,
  ];
  const [sums, rest] = [new Float64Array(k * width), new Float64Array(k * width)];
  const state = { rows, n: count, d: width, k, labels: new Int32Array(count), upper, lower, sums, rest, counts };
  const byColumns = { n: count, d: width, data: new Float64Array(count * width) };
  for (let at = 0; at < rows.length; at++) byColumns.data[(at % width) * count + Math.floor(at / width)] = rows[at]!;
  let centres = rows.slice(0, k * width);
  let moved: Float64Array | undefined;
  for (let step = 0; step < 30; step++) {
    const before = state.labels.slice();
    const changed = assignRows({ ...state, centres, from, to: count, ...(moved ? { moved } : {}) });
    const wanted = nearestCentres({ x: byColumns, centres, from, to: count }).data;
    expect([...state.labels.subarray(from)]).toEqual([...wanted]);
    expect(changed).toBe(moved ? state.labels.filter((label, i) => label !== before[i]).length : count - from);
    const added = new Float64Array(k * width);
    for (let i = from; i < count; i++)
      for (let j = 0; j < width; j++) added[state.labels[i]! * width + j]! += rows[i * width + j]!;
    for (const [at, sum] of added.entries()) expect(sums[at]! + rest[at]!).toBeCloseTo(sum, 10);
    const next = added.map((sum, at) => sum / Math.max(1, counts[Math.floor(at / width)]!));
    moved = centres
      .subarray(0, k)
      .map((_, c) =>
        Math.hypot(...next.subarray(c * width, (c + 1) * width).map((value, j) => value - centres[c * width + j]!)),
      );
    centres = next;
  }
});

test.each(["euclidean", "manhattan"] as const)("single linkage joins what gaps up to a height reach: %s", (metric) => {
  // Whole numbers: many distances are equal, and some rows are the same.
  const rows = 90;
  const grid = columns(
    Float64Array.from({ length: rows }, (_, i) => (i * i * 7) % 23),
    Float64Array.from({ length: rows }, (_, i) => (i * 31 + 5 * (i % 4)) % 19),
  );
  const gap = (a: number, b: number) => {
    const [across, down] = [0, 1].map((j) => Math.abs(grid.data[j * rows + a]! - grid.data[j * rows + b]!));
    return metric === "manhattan" ? across! + down! : Math.hypot(across!, down!);
  };
  const joins = joinRows({ x: grid, linkage: "single", metric });
  expect([...joins.heights]).toEqual([...joins.heights].sort((a, b) => a - b));
  for (const height of new Set(joins.heights)) {
    const number = new Int32Array(rows).fill(-1);
    let groups = 0;
    for (let first = 0; first < rows; first++) {
      if (number[first]! >= 0) continue;
      const reached = [first];
      for (const from of reached) {
        if (number[from]! >= 0) continue;
        number[from] = groups;
        for (let to = 0; to < rows; to++) if (number[to]! < 0 && gap(from, to) <= height + 1e-9) reached.push(to);
      }
      groups++;
    }
    const clusters = 1 + joins.heights.filter((each) => each > height).length;
    expect([groups, ...cutJoins(joins, clusters)]).toEqual([clusters, ...number]);
  }
  expect(joinRows({ x: columns(Float64Array.of(4)), linkage: "single", metric }).heights).toHaveLength(0);
});

test.each(reference.joins)(
  "clusters of scikit-learn's AgglomerativeClustering: $linkage, $metric",
  ({ linkage, metric, labels, heights }) => {
    const joins = joinRows({ x, linkage, metric });
    expect(distance(joins.heights.slice(-10), heights)).toBeLessThan(1e-9);
    const ours = cutJoins(joins, 4);
    expect(agreement(ours, Int32Array.from(labels)).ari).toBeCloseTo(1, 12);
    expect(ours[0]).toBe(0);
  },
);

test("one row is one cluster, and rows that are the same are joined first", () => {
  const one = joinRows({ x: columns(Float64Array.of(3)), linkage: "ward", metric: "euclidean" });
  expect([...cutJoins(one, 1)]).toEqual([0]);
  const same = joinRows({ x: columns(Float64Array.of(1, 9, 1, 9)), linkage: "average", metric: "euclidean" });
  expect([...same.heights]).toEqual([0, 0, 8]);
  expect([...cutJoins(same, 2)]).toEqual([0, 1, 0, 1]);
});
