import { z } from "zod";
import { DataError } from "../../core/errors.ts";
import { columnOf } from "../../core/matrix.ts";
import { count } from "../../core/names.ts";
import { type Cell, stack, type TableView, text } from "../../core/view.ts";
import { type DensityClusters, densityClusters } from "../../numerics/cluster/condensed-tree.ts";
import { coreDistances, nearestByReach, reachabilityTree } from "../../numerics/cluster/reachability.ts";
import { powerOf } from "../../numerics/neighbors/distance.ts";
import type { Matrix } from "../../numerics/types.ts";
import { computeRows, matrixOf } from "../shared/row-parts.ts";
import { defineClustering } from "./clustering.ts";

/** All rows that were learnt from, and the clusters that they are in. */
interface DenseRows extends Omit<DensityClusters, "stabilities"> {
  readonly metric: "euclidean" | "manhattan" | "chebyshev";
  readonly x: Matrix;
  /** Reduced distances of the nearest `nth` rows. */
  readonly core: Float64Array;
  readonly nth: number;
}

/** Rows worth a thread. */
const fewestRows = 2000;

/**
 * BL_HDBSCAN. Groups rows that lie densely, whatever the density, and leaves others out as noise, as scikit-learn's HDBSCAN.
 *
 * Needs no target. X are the features; without roles, all columns of numbers. Distances add up over the features, so
 * scale them first. The table gets a column `cluster`, for what follows: -1 is noise. Predictions say how firmly each row
 * is in its cluster, `probability` from 0 to 1. A row that comes later is in the cluster of the row that is nearest by
 * mutual reachability, where it lies as densely as that cluster. Compares all pairs, so 100,000 rows take a while.
 */
export const hdbscan = defineClustering({
  code: "BL_HDBSCAN",
  name: "hdbscan",
  why: "It finds dense groups of any shape and unlike density, and how many there are, with one number to choose: how few rows make a group. Scale the features first.",
  args: {
    /** Rows that a cluster has at least (default 5). */
    min_cluster_size: z.int().min(2).max(1_000_000).default(5),
    /** Rows near a row, itself among them, whose distance says how dense it is there; more make more noise (default: min_cluster_size). */
    min_samples: z.int().min(1).max(1_000_000).optional(),
    /** Clusters that part at a smaller distance than this stay together; 0 for none (default 0). */
    cluster_selection_epsilon: z.number().min(0).default(0),
    /** Which of the clusters within clusters count: "eom" those that last longest, "leaf" the innermost (default "eom"). */
    cluster_selection_method: z.literal(["eom", "leaf"]).default("eom"),
    /** All rows may be one cluster (default false). */
    allow_single_cluster: z.boolean().default(false),
    /** How far rows are from each other (default "euclidean"). */
    metric: z.literal(["euclidean", "manhattan", "chebyshev"]).default("euclidean"),
  },
  example: 'session.input("sample:iris").xy({ y: "species" }).scale().hdbscan({ min_cluster_size: 10 }).metrics()',
  async fit(x, args, context, who) {
    const { min_cluster_size: least, metric } = args;
    const nth = args.min_samples ?? least;
    if (nth > x.n || x.n < 2) {
      const name = args.min_samples === undefined ? "min_cluster_size" : "min_samples";
      throw new DataError(
        `${who}: ${name} must be at most the number of rows, and there ${x.n === 1 ? "is" : "are"} ${count(x.n, "row")}, got ${nth}.`,
        { path: name, got: nth, expected: `at most ${x.n}` },
      );
    }
    const p = powerOf(metric, 2);
    const all = { x: matrixOf(x), p };
    const core = columnOf(await computeRows(context, coreDistances, { ...all, nth }, "core distances", fewestRows), 0);
    const edges = await context.compute(reachabilityTree, { ...all, core }, "spanning tree");
    if (!edges.lengths.every(Number.isFinite))
      throw new DataError(
        `${who}: the numbers are too large, their squares pass 1e308. Scale the features with scale (DP_5) first.`,
        { code: "overflow", hint: "scale" },
      );
    const { stabilities, ...found } = await context.compute(densityClusters, {
      edges,
      least,
      selection: args.cluster_selection_method,
      epsilon: args.cluster_selection_epsilon,
      single: args.allow_single_cluster,
    });
    const noise = found.labels.reduce((sum, label) => sum + (label < 0 ? 1 : 0), 0);
    const clusters = found.births.length;
    return {
      parameters: { ...found, metric, x: matrixOf(x), core, nth } as DenseRows,
      labels: found.labels,
      shown: stack(
        text(`${count(x.n - noise, "row")} in ${count(clusters, "cluster")}, ${count(noise, "row")} noise.`),
        clusters > 0 && lastingClusters(found, stabilities),
      ),
      notices:
        noise < x.n
          ? []
          : [
              `all rows are noise: no two parts of ${count(least, "row")} lie apart. Take a smaller min_cluster_size, or allow_single_cluster: true.`,
            ],
    };
  },
  async assign({ metric, x: known, core, nth, labels, strengths, births, deaths }, x, context) {
    const asked = { known, x: matrixOf(x), p: powerOf(metric, 2), core, nth };
    const nearest = await computeRows(context, nearestByReach, asked, "clusters", fewestRows);
    const [rows, reach, distance] = [0, 1, 2].map((column) => columnOf(nearest, column));
    const isIn = (i: number) => labels[rows[i]] >= 0 && (distance[i] === 0 || reach[i] <= births[labels[rows[i]]]);
    return {
      labels: Int32Array.from(rows, (row, i) => (isIn(i) ? labels[row] : -1)),
      strengths: Float64Array.from(rows, (row, i) => {
        if (!isIn(i)) return 0;
        const death = deaths[labels[row]];
        // A row that was learnt from is what it was.
        return distance[i] === 0 ? strengths[row] : Math.min(1 / reach[i], death) / death;
      }),
    };
  },
});

/** Clusters that are shown. */
const mostClusters = 50;

/** How long each cluster lasts while the distance shrinks, and how firmly its rows are in it. */
function lastingClusters(
  { labels, strengths, births, deaths }: Omit<DensityClusters, "stabilities">,
  stabilities: Float64Array,
): TableView {
  const clusters = births.length;
  const [rows, sums] = [new Float64Array(clusters), new Float64Array(clusters)];
  for (const [i, label] of labels.entries()) {
    if (label < 0) continue;
    rows[label]++;
    sums[label] += strengths[i];
  }
  return {
    kind: "table",
    title: "the distance at which each cluster parts and its last rows go, and how long it lasts",
    summary: true,
    columns: [
      { name: "cluster", type: "integer" },
      ...["parts at", "ends at", "stability", "mean probability"].map((name) => ({ name, type: "number" as const })),
    ],
    rows: Array.from({ length: Math.min(mostClusters, clusters) }, (_, c): Cell[] => [
      c,
      finite(births[c]),
      1 / deaths[c],
      finite(stabilities[c]),
      sums[c] / rows[c],
    ]),
    ...(clusters > mostClusters ? { total: clusters } : {}),
  };
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
