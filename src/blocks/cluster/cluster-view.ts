import type { BlockContext, Finished } from "../../core/block.ts";
import { type BlockExplain, plain } from "../../core/explanation.ts";
import { type Column, cell } from "../../core/frame.ts";
import type { NumberColumns } from "../../core/matrix.ts";
import { count, quoted } from "../../core/names.ts";
import type { Rows } from "../../core/tables.ts";
import { type Cell, stack, text, type View } from "../../core/view.ts";
import { call } from "../../plan/expr.ts";
import type { Relation } from "../../plan/node.ts";
import { numberOf } from "../shared/far-products.ts";

/** A cluster: how many rows it has, and the mean of each feature. */
export interface ClusterSize {
  readonly label: number;
  readonly rows: number;
  readonly means: readonly number[];
}

/** What a clustering keeps for its view. */
export interface ClusterReport {
  readonly rows: number;
  readonly on: "train" | "all";
  readonly features: readonly string[];
  readonly sizes: readonly ClusterSize[];
  readonly shown: View | null;
  /** The column of each row's cluster. */
  readonly column: string | null;
  /** It looked for outliers: label 1 is one, 0 is none. */
  readonly isOutliers?: boolean;
  /** What the fit came to in numbers, such as its inertia; records of a version before have none. */
  readonly measures?: Readonly<Record<string, number>>;
}

/** What a clustering found, as data. */
export interface FoundClusters {
  readonly kind: "clusters" | "outliers";
  readonly features: readonly string[];
  /** The clusters' labels and rows, -1 for rows in none; of outliers 1. */
  readonly sizes: readonly { readonly label: number; readonly rows: number }[];
  readonly measures: Readonly<Record<string, number>>;
}

/** Features whose means are kept, and clusters. */
const mostFeatures = 8;
const mostClusters = 50;

/** The clusters with their rows and means. */
export function sizesOf(x: NumberColumns, labels: Int32Array): ClusterSize[] {
  const most = labels.reduce((high, label) => Math.max(high, label), -1);
  const least = labels.reduce((low, label) => Math.min(low, label), 0);
  const kinds = most - least + 1;
  const shown = Math.min(mostFeatures, x.d);
  const rows = new Float64Array(kinds);
  const sums = new Float64Array(kinds * shown);
  for (let i = 0; i < x.n; i++) {
    const at = labels[i] - least;
    rows[at]++;
    for (let j = 0; j < shown; j++) sums[at * shown + j] += x.data[j * x.n + i];
  }
  return Array.from({ length: kinds }, (_, at) => ({
    label: at + least,
    rows: rows[at],
    means: Array.from(sums.subarray(at * shown, (at + 1) * shown), (sum) => sum / rows[at]),
  })).filter((each) => each.rows > 0);
}

/** The same of a cluster's rows, of which one column says the cluster. */
export async function farSizes(
  relation: Relation,
  cluster: Column,
  features: readonly Column[],
  rows: Rows,
  { tables }: Pick<BlockContext, "tables">,
): Promise<ClusterSize[]> {
  const by = [cell(cluster)];
  const means = features.slice(0, mostFeatures).map((each) => call("mean", numberOf(each)));
  const order = by.map((expr) => ({ expr }));
  const { found } = await tables.groups(relation, rows, { by, outputs: [...by, call("count"), ...means], order });
  return found.map(([label, count, ...own]) => {
    return { label: Number(label), rows: Number(count), means: own.map(Number) };
  });
}

/** How many clusters there are, without the rows that belong to none. */
function clustersOf({ sizes }: ClusterReport): number {
  return sizes.filter(({ label }) => label >= 0).length;
}

function outliersOf({ sizes }: ClusterReport): number {
  return sizes.find(({ label }) => label === 1)?.rows ?? 0;
}

/** What a clustering shows: its clusters, with the mean of each feature, and what else it has to show. */
export function clusterView(name: string, report: ClusterReport): View {
  const { rows, on, features, sizes, shown, column } = report;
  const from = `${count(features.length, "feature")} of ${count(rows, on === "train" ? "training row" : "row")}`;
  const names = features.slice(0, mostFeatures);
  const found = report.isOutliers ? count(outliersOf(report), "outlier") : count(clustersOf(report), "cluster");
  const isMarked = sizes.some(({ label }) => label < 0) ? ", -1 for none" : "";
  return stack(
    text(`Model ${name}: ${found} from ${from}.`),
    {
      kind: "table",
      title: `rows and means${features.length > mostFeatures ? ` of the first ${mostFeatures} features` : ""}`,
      summary: true,
      columns: [
        { name: report.isOutliers ? "outlier" : "cluster", type: "integer" },
        { name: "rows", type: "integer" },
        ...names.map((each) => ({ name: each, type: "number" as const })),
      ],
      rows: sizes.slice(0, mostClusters).map(({ label, rows: own, means }): Cell[] => [label, own, ...means]),
      ...(sizes.length > mostClusters ? { total: sizes.length } : {}),
    },
    shown,
    column !== null &&
      text(
        report.isOutliers
          ? `The column ${quoted(column)} is 1 for outliers, 0 for other rows.`
          : `Each row's cluster stands in the column ${quoted(column)}${isMarked}.`,
        "quiet",
      ),
  );
}

/** A clustering in words. */
export function explainClusters(why: string): BlockExplain {
  return {
    why,
    did({ report, output }: Finished) {
      const found = report as ClusterReport;
      const [name] = Object.keys(output as object);
      const seen = `${count(found.rows, found.on === "train" ? "training row" : "row")} by ${count(found.features.length, "feature")}; kept as ${quoted(name)}.`;
      if (found.isOutliers) {
        return [
          `Found ${count(outliersOf(found), "outlier")} in ${seen}`,
          ...(found.column === null ? [] : [`They have 1 in the new column ${quoted(found.column)}, the others 0.`]),
        ];
      }
      const rows = found.sizes.filter(({ label }) => label >= 0).map((each) => each.rows);
      const [least, most] = [Math.min(...rows), Math.max(...rows)];
      const alone = found.sizes.find(({ label }) => label < 0);
      return [
        `Found ${count(clustersOf(found), "cluster")} in ${seen}`,
        ...(rows.length > 1 ? [`The smallest has ${count(least, "row")}, the largest ${plain(most)}.`] : []),
        ...(alone ? [`${count(alone.rows, "row")} belong${alone.rows === 1 ? "s" : ""} to none.`] : []),
        ...(found.column === null ? [] : [`Each row's cluster is in the new column ${quoted(found.column)}.`]),
      ];
    },
    found({ report }: Finished) {
      const { features, sizes, isOutliers, measures = {} } = report as ClusterReport;
      return {
        kind: isOutliers ? "outliers" : "clusters",
        features,
        sizes: sizes.map(({ label, rows }) => ({ label, rows })),
        measures,
      } satisfies FoundClusters;
    },
  };
}
