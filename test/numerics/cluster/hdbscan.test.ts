import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { densityClusters, type Selection } from "../../../src/numerics/cluster/condensed-tree.ts";
import { coreDistances, nearestByReach, reachabilityTree } from "../../../src/numerics/cluster/reachability.ts";
import { powerOf } from "../../../src/numerics/neighbors/distance.ts";
import type { Matrix } from "../../../src/numerics/types.ts";
import { columns } from "../data.ts";
import { oddTables } from "./odd-tables.ts";

interface Args {
  min_cluster_size?: number;
  min_samples?: number;
  cluster_selection_epsilon?: number;
  cluster_selection_method?: Selection;
  allow_single_cluster?: boolean;
  metric?: "manhattan" | "chebyshev";
}

/** What scikit-learn answers on the same tables; written by cluster-reference.py. */
const { densities } = JSON.parse(readFileSync(new URL("../cluster-reference.json", import.meta.url), "utf8")) as {
  densities: { table: string; args: Args; labels: number[]; strengths: number[] }[];
};

function clustered(x: Matrix, args: Args) {
  const least = args.min_cluster_size ?? 5;
  const [p, nth] = [powerOf(args.metric ?? "euclidean", 2), args.min_samples ?? least];
  const { data: core } = coreDistances({ x, p, nth });
  const found = densityClusters({
    edges: reachabilityTree({ x, p, core }),
    least,
    selection: args.cluster_selection_method ?? "eom",
    epsilon: args.cluster_selection_epsilon ?? 0,
    single: args.allow_single_cluster ?? false,
  });
  return { ...found, p, nth, core };
}

describe.each(densities)("clusters of scikit-learn's HDBSCAN: $table, $args", ({ table, args, labels, strengths }) => {
  const x = oddTables()[table]!;

  test("the same clusters, noise and probabilities", () => {
    const ours = clustered(x, args);
    expect([...ours.labels]).toEqual(labels);
    for (const [k, strength] of strengths.entries()) expect(ours.strengths[11 * k]).toBeCloseTo(strength, 9);
  });

  test("rows that come again are nearest to themselves, or to a row that is the same", () => {
    const { p, nth, core } = clustered(x, args);
    const { data } = nearestByReach({ known: x, x, p, core, nth });
    const rows = data.subarray(0, x.n);
    expect(data.subarray(2 * x.n).every((distance) => distance === 0)).toBe(true);
    for (const [i, row] of rows.entries())
      for (let j = 0; j < x.d; j++) expect(x.data[j * x.n + row]).toBe(x.data[j * x.n + i]);
  });
});

/** Four pairs of heaps of three along a line: 1 apart within heaps, 4 and 5 between two, 20 between pairs. */
const line = columns(Float64Array.of(0, 1, 2, 6, 7, 8, 28, 29, 30, 35, 36, 37));

test("clusters that part at a smaller distance than epsilon stay together, however they are chosen", () => {
  for (const method of ["eom", "leaf"] as const) {
    const found = (epsilon: number) => [
      ...clustered(line, {
        min_cluster_size: 3,
        min_samples: 1,
        cluster_selection_method: method,
        cluster_selection_epsilon: epsilon,
      }).labels,
    ];
    expect(new Set(found(0)).size).toBe(4);
    expect(new Set(found(3.9)).size).toBe(4);
    expect(found(4.5).slice(0, 6)).toEqual(new Array(6).fill(found(4.5)[0]));
    expect(new Set(found(4.5)).size).toBe(3);
    expect(new Set(found(6)).size).toBe(2);
    expect(new Set(found(100)).size).toBe(2);
  }
});

test("a new row is in reach of the rows around it, by no less than its core distance and theirs", () => {
  const { core, nth, p } = clustered(line, { min_cluster_size: 3, min_samples: 3 });
  const asked = columns(Float64Array.of(1, 3, 18));
  const { data } = nearestByReach({ known: line, x: asked, p, core, nth });
  // 3 is 1 from row 2; its own second neighbour is 2 away, and row 2's is 2 away; 18 has one at 10 on either side.
  expect([...data]).toEqual([1, 2, 5, 1, 2, 10, 0, 1, 10]);
});
