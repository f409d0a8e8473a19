import { z } from "zod";
import type { Chart } from "../../core/chart.ts";
import { ArgsError, DataError } from "../../core/errors.ts";
import { count } from "../../core/names.ts";
import { cutJoins, type Joins, joinRows } from "../../numerics/cluster/hierarchy.ts";
import { predictKnn } from "../../numerics/neighbors/knn.ts";
import { computeRows, matrixOf } from "../shared/row-parts.ts";
import { defineClustering } from "./clustering.ts";

/** Beyond so many rows the distances of all pairs take more than 600 MB. */
const mostRows = 12_000;
/** Single linkage keeps no distances, but looks at all. */
const mostSingle = 50_000;
/** Groups at the foot of the dendrogram. */
const drawnGroups = 30;

/**
 * ML_CG_1. Groups rows step by step, the nearest two first: hierarchical clustering, as AgglomerativeClustering.
 *
 * Needs no target. X are the features; without roles, all columns of numbers. Distances add up over the features, so
 * scale them first. The table gets a column `cluster`, for what follows; a row that comes later is in the cluster of the
 * nearest row that was learnt from. At most 12,000 rows, since it compares all pairs; 50,000 with linkage "single", unless by cosines.
 */
export const hierarchical = defineClustering({
  code: "ML_CG_1",
  name: "hierarchical",
  why: "Its dendrogram shows how groups are made of smaller ones, so that one sees how many to take. Scale the features first; it compares all pairs of rows, so take a sample of many.",
  args: {
    /** How many clusters are left (default 5). */
    n_clusters: z.int().min(1).max(10_000).default(5),
    /** How far clusters are from each other: "ward" by what joining adds to the squares, or by the "complete", "average" or "single" distance of their rows (default "ward"). */
    linkage: z.literal(["ward", "complete", "average", "single"]).default("ward"),
    /** How far rows are from each other; with "ward" always "euclidean" (default "euclidean"). */
    metric: z.literal(["euclidean", "manhattan", "cosine"]).default("euclidean"),
    /** Clusters farther from each other than this are not joined, in place of n_clusters (default: none). */
    distance_threshold: z.number().min(0).optional(),
  },
  example: 'session.input("sample:iris").xy({ y: "species" }).scale().hierarchical({ n_clusters: 3 }).metrics()',
  async fit(x, args, context, who) {
    const { linkage, metric, distance_threshold: threshold } = args;
    if (linkage === "ward" && metric !== "euclidean") {
      throw new ArgsError(`${who}: "ward" goes by squares, so metric must be "euclidean", got "${metric}".`, {
        path: "metric",
        got: metric,
        expected: "euclidean",
      });
    }
    const most = linkage === "single" && metric !== "cosine" ? mostSingle : mostRows;
    if (x.n > most) {
      throw new DataError(
        `${who}: it compares all pairs of rows, so at most ${most.toLocaleString("en-US")}, got ${x.n.toLocaleString("en-US")}. Take some with sample (BL_SAMPLE) or split (DP_4), or use kmeans (ML_CG_2).`,
        { code: "too_many_rows", got: x.n, expected: `at most ${most}`, hint: "kmeans" },
      );
    }
    if (threshold === undefined && args.n_clusters > x.n) {
      throw new DataError(`${who}: n_clusters must be between 1 and ${x.n} (rows), got ${args.n_clusters}.`, {
        path: "n_clusters",
        got: args.n_clusters,
        expected: `1 to ${x.n}`,
      });
    }
    const joins: Joins = await context.compute(joinRows, { x: matrixOf(x), linkage, metric }, "joining");
    if (!joins.heights.every(Number.isFinite))
      throw new DataError(
        `${who}: the numbers are too large, their squares pass 1e308. Scale the features with scale (DP_5) first.`,
        { code: "overflow", hint: "scale" },
      );
    const clusters =
      threshold === undefined ? args.n_clusters : 1 + joins.heights.filter((height) => height >= threshold).length;
    const labels = cutJoins(joins, clusters);
    return {
      parameters: { x: matrixOf(x), labels, clusters, metric },
      labels,
      ...(x.n > 2 ? { shown: { kind: "chart" as const, chart: dendrogram(joins, clusters, linkage) } } : {}),
    };
  },
  async assign({ x: train, labels, clusters, metric }, x, context) {
    const asked = {
      train,
      y: labels,
      classes: clusters,
      x: matrixOf(x),
      k: 1,
      metric,
      p: 2,
      weights: "uniform" as const,
    };
    const { n, d, data } = await computeRows(context, predictKnn, asked, "nearest rows", 500);
    const found = new Int32Array(n);
    for (let c = 0; c < d; c++) for (let i = 0; i < n; i++) if (data[c * n + i] > 0) found[i] = c;
    return { labels: found };
  },
});

/** The last joins as a tree drawn in one line, and the height at which it is cut. */
function dendrogram(joins: Joins, clusters: number, linkage: string): Chart {
  const { n, pairs, heights } = joins;
  const groups = Math.min(drawnGroups, n);
  const first = n - groups;
  const isGroup = (node: number) => node - n < first;
  const height = (node: number) => (isGroup(node) ? 0 : heights[node - n]);
  const children = (node: number) => [pairs[2 * (node - n)], pairs[2 * (node - n) + 1]];
  const place = new Map<number, number>();
  let groupsPlaced = 0;
  const put = (node: number): number => {
    const at = isGroup(node) ? ++groupsPlaced : children(node).reduce((sum, child) => sum + put(child), 0) / 2;
    place.set(node, at);
    return at;
  };
  put(2 * n - 2);
  const [x, y]: [number[], number[]] = [[], []];
  // Goes round the tree, there and back, so that one line draws it all.
  const draw = (node: number): void => {
    const to = (of: number, up: number) => {
      x.push(place.get(of) as number);
      y.push(up);
    };
    to(node, height(node));
    if (isGroup(node)) return;
    for (const child of children(node)) {
      to(child, height(node));
      draw(child);
      to(child, height(node));
    }
    to(node, height(node));
  };
  draw(2 * n - 2);
  const above = clusters > 1 ? heights[n - clusters] : heights[n - 2] * 1.05;
  const cut = clusters < n ? (above + heights[n - clusters - 1]) / 2 : 0;
  const foot = groups < n ? `the last ${groups} groups of ${count(n, "row")}` : count(n, "row");
  return {
    kind: "lines",
    title: `dendrogram: how far apart what is joined was (${linkage}), ${foot}`,
    x: { title: "groups", type: "number" },
    y: { title: "distance", type: "number" },
    series: [{ name: "", x, y }],
    path: true,
    rows: n,
    reference: { from: [1, cut], to: [groups, cut] },
  };
}
