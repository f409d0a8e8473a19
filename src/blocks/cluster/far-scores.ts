import type { BlockContext } from "../../core/block.ts";
import { type Column, cell, column, columnsNamed, type Frame } from "../../core/frame.ts";
import type { ModelFile } from "../../core/model.ts";
import { count } from "../../core/names.ts";
import type { Json } from "../../core/record.ts";
import { agreementOf, compactnessOf, silhouettes } from "../../numerics/cluster/scores.ts";
import { call, value } from "../../plan/expr.ts";
import { judgedFeatures } from "../models/far-answers.ts";
import type { Judged } from "../models/new-rows.ts";
import { farClasses } from "../shared/far-classes.ts";
import { fromOwnCentre, withNearest } from "../shared/far-nearest.ts";
import { numberOf } from "../shared/far-products.ts";
import { computeRows } from "../shared/row-parts.ts";
import { broughtRows } from "./far-rows.ts";

/** Mean silhouette and rows of a cluster. */
export interface ClusterScore {
  readonly label: number;
  readonly rows: number;
  readonly silhouette: number;
}

/** How a clustering by centres groups a cluster's rows: by sums there, and silhouettes of at most `most` rows that come here. */
export async function farScores(
  frame: Frame,
  judged: Judged,
  centres: Float64Array,
  file: ModelFile,
  { most, fewest }: { readonly most: number; readonly fewest: number },
  context: BlockContext,
  who: string,
): Promise<{ metrics: Record<string, Json>; clusters: readonly ClusterScore[] }> {
  const { tables } = context;
  const { columns } = judged;
  const rows = judged.selection;
  const x = await judgedFeatures(judged, file, context, who);
  const { n } = x;
  const d = x.columns.length;
  const features = x.columns.map(({ name }) => name);
  const { relation, cluster } = withNearest({ relation: judged.relation, columns, features }, centres, context);
  const by = [cell(cluster)];
  const order = by.map((expr) => ({ expr }));
  const means = x.columns.map((each) => call("mean", numberOf(each)));
  const { found } = await tables.groups(relation, rows, { by, outputs: [...by, call("count"), ...means], order });
  const agreed = await agreedFar(frame, { relation, cluster, rows }, context);
  const clusters = found.length;
  if (clusters < 2 || clusters >= n) {
    const none = { silhouette: null, davies_bouldin: null, calinski_harabasz: null, n_clusters: clusters };
    return { metrics: { ...none, ...agreed }, clusters: [] };
  }
  const present = found.map(([label]) => Number(label));
  const counts = Float64Array.from(found, ([, own]) => Number(own));
  const own = Float64Array.from(found.flatMap(([, , ...cells]) => cells.map(Number)));
  // Clusters without rows have no mean, and nobody asks for it.
  const all = new Float64Array(centres.length);
  for (const [k, c] of present.entries()) all.set(own.subarray(k * d, (k + 1) * d), c * d);
  const behind = { relation, columns: [...columns, cluster], features };
  const far = fromOwnCentre(behind, cluster, all, context);
  const sums = [call("sum", cell(far.square)), call("sum", call("sqrt", cell(far.square)))];
  const spreads = (await tables.groups(far.relation, rows, { by, outputs: sums, order })).found;
  const { daviesBouldin, calinskiHarabasz } = compactnessOf({
    ...{ n, counts, centres: own, means: x.mean },
    spread: Float64Array.from(spreads, ([, sum], k) => Number(sum) / counts[k]),
    within: spreads.reduce((sum, [square]) => sum + Number(square), 0),
  });
  const brought = await broughtRows({ ...x, relation, columns: [...x.columns, cluster] }, { seed: 0, most }, context);
  if (!brought.isAll)
    context.notice(`${who}: silhouette is that of ${count(brought.x.n, "row")} drawn of ${n.toLocaleString("en-US")}.`);
  const size = brought.x.n;
  const place = new Map(present.map((label, k) => [label, k]));
  const labels = Int32Array.from(brought.x.data.subarray(d * size), (label) => place.get(label) as number);
  const part = { n: size, d, data: brought.x.data.slice(0, d * size) };
  const input = { x: part, groupings: [{ labels, clusters }] };
  const { data } = await computeRows(context, silhouettes, input, "silhouettes", fewest);
  const mean = (values: readonly number[]) => values.reduce((sum, each) => sum + each, 0) / Math.max(1, values.length);
  return {
    metrics: {
      silhouette: mean([...data]),
      davies_bouldin: daviesBouldin,
      calinski_harabasz: calinskiHarabasz,
      n_clusters: clusters,
      ...agreed,
    },
    clusters: present.map((label, k) => {
      return { label, rows: counts[k], silhouette: mean([...data].filter((_, i) => labels[i] === k)) };
    }),
  };
}

/** How much of a target of classes the clusters found; rows whose target is missing are left out. */
async function agreedFar(
  frame: Frame,
  {
    relation,
    cluster,
    rows,
  }: Pick<Judged, "relation"> & { readonly cluster: Column; readonly rows: Judged["selection"] },
  context: BlockContext,
): Promise<Record<string, Json>> {
  if (frame.y?.length !== 1) return {};
  const target = column(frame, frame.y[0]);
  const { tables } = context;
  if (target.type === "number" && !target.integer) {
    const part = call("notEqual", cell(target), call("floor", cell(target)));
    const [broken] = await tables.aggregate(relation, rows, [
      call("count", call("choose", part, value(1, "integer"), value(null))),
    ]);
    if (Number(broken) > 0) return {};
  }
  const all = { relation, columns: [...frame.columns, cluster] };
  const { labels } = await farClasses(all, target.name, rows, context);
  if (labels.length === 0) return {};
  const places = new Map(labels.map((label, k) => [label, k]));
  const by = columnsNamed(all.columns, [cluster.name, target.name]).map(cell);
  const where = call("not", call("isMissing", cell(target)));
  const order = by.map((expr) => ({ expr }));
  const { found } = await tables.groups(relation, rows, { by, outputs: [...by, call("count")], where, order });
  const table = new Float64Array((1 + Math.max(...found.map(([c]) => Number(c)))) * labels.length);
  for (const [c, label, n] of found) {
    table[Number(c) * labels.length + (places.get(label as string) as number)] = Number(n);
  }
  return { ...agreementOf(table, labels.length) };
}
