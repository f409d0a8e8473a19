import { z } from "zod";
import { type BlockContext, defineBlock, type Finished } from "../../core/block.ts";
import { ArgsError } from "../../core/errors.ts";
import { plain } from "../../core/explanation.ts";
import { column, type Frame, type Subset, subsetSize } from "../../core/frame.ts";
import { columnOf } from "../../core/matrix.ts";
import type { ModelFile } from "../../core/model.ts";
import { count, didYouMean, quoted } from "../../core/names.ts";
import type { Json } from "../../core/record.ts";
import { type Cell, stack, text } from "../../core/view.ts";
import { agreement, compactness, silhouettes } from "../../numerics/cluster/scores.ts";
import { areaUnderRoc } from "../../numerics/evaluation/metrics.ts";
import { RandomState } from "../../numerics/random.ts";
import { gatherRows, type Matrix } from "../../numerics/types.ts";
import { noticeSeenRows, refuseOtherPreparation } from "../models/at-hand.ts";
import type { Predictor } from "../models/model-types.ts";
import type { Judged } from "../models/new-rows.ts";
import { askModel, judgedMatrix, modelOf } from "../models/predict.ts";
import { computeRows, matrixOf } from "../shared/row-parts.ts";
import { type ClusterScore, farScores } from "./far-scores.ts";

/** Silhouettes are worked out on so many rows at most: they take as many steps as there are pairs. */
const mostRows = 20_000;
/** Rows whose silhouettes are worth a thread. */
const fewest = 250;

interface Report {
  readonly model: string;
  readonly on: Subset;
  readonly n: number;
  readonly metrics: Readonly<Record<string, Json>>;
  readonly clusters: readonly ClusterScore[];
}

/** What a clustering says of rows beside the scores of all clusterings. */
type Judge = (file: ModelFile, x: Matrix, context: BlockContext) => Promise<Readonly<Record<string, number>>>;

/** The block that judges a clustering; its code is the clustering's with `_M`. */
export function clusterMetricsBlock(predictor: Predictor, judge?: Judge) {
  const code = `${predictor.code}_M`;
  const who = `metrics (${code})`;
  return defineBlock({
    code,
    name: `${predictor.name}.metrics`,
    task: predictor.task,
    args: {
      /** The name under which the clustering was trained. */
      model_name: z.string(),
      /** One metric alone, such as "silhouette" (default: all). */
      metric: z.string().optional(),
    },
    example: `…${predictor.name}().metrics()`,
    explain: {
      why: "Without a target nothing says what is right. These numbers say how tight clusters are and how far apart; beside a target, how much of it they found.",
      did({ report }: Finished) {
        const { model, n, metrics } = report as Report;
        const { silhouette, ari } = metrics;
        return [
          typeof silhouette === "number"
            ? `Rows of ${quoted(model)} are nearer to their own cluster than to the next one by ${plain(silhouette)} on average, of 1 at most (silhouette, ${count(n, "row")}).`
            : `There are too few clusters in ${count(n, "row")} to tell them apart.`,
          ...(typeof ari === "number"
            ? [`Beside the target they agree by ${plain(ari)} (ari): 1 is the same, 0 is chance.`]
            : []),
        ];
      },
    },
    async run(frame, args, context) {
      const { file } = await modelOf(predictor, args.model_name, context, who);
      const subset: Subset = frame.split ? "test" : "all";
      refuseOtherPreparation(frame, file, context, who);
      await noticeSeenRows(frame, file, subset, context, who);
      const selection = { subset, split: frame.split };
      const judged = { relation: frame.relation, selection, columns: frame.columns, from: subset };
      const centres = context.tables.isFar ? predictor.centresFar?.(file) : undefined;
      const { metrics: all, clusters } = centres
        ? await farScores(frame, judged, centres, file, { most: mostRows, fewest }, context, who)
        : await scoresHere(predictor, frame, judged, file, judge, context, who);
      const n = subsetSize(frame, subset);
      const report: Report = { model: file.model_name, on: subset, n, metrics: all, clusters };
      return { frame, output: { ...chosen(all, args.metric, who), n, on: subset }, report };
    },
    view({ report }) {
      const { model, on, n, metrics, clusters } = report as Report;
      const rows = count(n, on === "test" ? "test row" : "row");
      const names = Object.keys(metrics);
      return stack(
        text(`Clusters of ${model} on ${on === "all" ? "all " : ""}${rows}.`),
        {
          kind: "table",
          summary: true,
          columns: names.map((name) => ({
            name,
            type: name.startsWith("n_") ? ("integer" as const) : ("number" as const),
          })),
          // Metrics are numbers or missing, which Json can't say.
          rows: [names.map((name) => metrics[name] as Cell)],
        },
        clusters.length > 1 && {
          kind: "chart",
          chart: {
            kind: "bars",
            title: "silhouette of each cluster",
            value: "silhouette",
            bars: clusters.slice(0, 20).map((each) => ({
              label: `${each.label} (${count(each.rows, "row")})`,
              value: each.silhouette,
            })),
          },
        },
      );
    },
  });
}

/** What there is to say of rows in memory. */
async function scoresHere(
  predictor: Predictor,
  frame: Frame,
  judged: Judged,
  file: ModelFile,
  judge: Judge | undefined,
  context: BlockContext,
  who: string,
): Promise<{ metrics: Record<string, Json>; clusters: readonly ClusterScore[] }> {
  const answer = await askModel(predictor, judged, file, context, who);
  const { labels, scores } = answer.kind === "labels" ? answer : { labels: new Int32Array(0) };
  const x = matrixOf(await judgedMatrix(judged, file, context, who));
  // Of outliers both sides are judged; in clusters, rows that are in none are left out.
  const { metrics, clusters } = await scoresOf(
    x,
    scores ? labels.map((one) => (one < 0 ? 1 : 0)) : labels,
    context,
    who,
  );
  const target = await targetOf(frame, judged.selection.subset ?? "all", context);
  const all: Record<string, Json> = {
    ...metrics,
    ...(await judge?.(file, x, context)),
    ...(scores ? { n_outliers: labels.reduce((sum, label) => sum + (label < 0 ? 1 : 0), 0) } : {}),
    ...(target ? agreed(labels, target) : {}),
    ...(target && scores ? { roc_auc: foundOutliers(scores, target) } : {}),
  };
  return { metrics: all, clusters };
}

function chosen(all: Record<string, Json>, metric: string | undefined, who: string): Record<string, Json> {
  if (metric === undefined) return all;
  const known = Object.keys(all);
  if (known.includes(metric)) return { [metric]: all[metric] };
  throw new ArgsError(
    `${who}: there is no metric ${quoted(metric)}.${didYouMean(metric, known)} Metrics: ${known.join(", ")}.`,
    { path: "metric", got: metric, expected: known },
  );
}

/** The scores of clusters by the rows alone; rows that belong to none are left out. */
async function scoresOf(
  x: Matrix,
  labels: Int32Array,
  context: BlockContext,
  who: string,
): Promise<{ metrics: Record<string, Json>; clusters: Report["clusters"] }> {
  const present = [...new Set(labels)].filter((label) => label >= 0).sort((a, b) => a - b);
  const clusters = present.length;
  const inside = Array.from(labels.keys()).filter((i) => labels[i] >= 0);
  const noise = labels.length - inside.length;
  const counts = { n_clusters: clusters, ...(noise > 0 ? { n_noise: noise } : {}) };
  const none = { silhouette: null, davies_bouldin: null, calinski_harabasz: null, ...counts };
  if (clusters < 2 || clusters >= inside.length) return { metrics: none, clusters: [] };
  const place = new Map(present.map((label, k) => [label, k]));
  const codes = (rows: readonly number[]) => Int32Array.from(rows, (i) => place.get(labels[i]) as number);
  const all = noise === 0 ? x : gatherRows(x, Int32Array.from(inside), true);
  const { daviesBouldin, calinskiHarabasz } = await context.compute(compactness, {
    x: all,
    labels: codes(inside),
    clusters,
  });
  const some = inside.length > mostRows ? drawn(inside) : inside;
  if (some.length < inside.length)
    context.notice(
      `${who}: silhouette is that of ${count(some.length, "row")} drawn of ${inside.length.toLocaleString("en-US")}.`,
    );
  const part = some.length < x.n ? gatherRows(x, Int32Array.from(some), true) : x;
  const grouping = { labels: codes(some), clusters };
  const input = { x: part, groupings: [grouping] };
  const { data } = await computeRows(context, silhouettes, input, "silhouettes", fewest);
  const each = present.map((label, k) => {
    const own = some.flatMap((_, at) => (grouping.labels[at] === k ? [data[at]] : []));
    const silhouette = own.reduce((sum, value) => sum + value, 0) / Math.max(1, own.length);
    return { label, rows: labels.reduce((sum, one) => sum + (one === label ? 1 : 0), 0), silhouette };
  });
  return {
    metrics: {
      silhouette: data.reduce((sum, value) => sum + value, 0) / data.length,
      davies_bouldin: daviesBouldin,
      calinski_harabasz: calinskiHarabasz,
      ...counts,
    },
    clusters: each,
  };
}

/** Some of the rows, the same ones each time, in their order. */
function drawn(rows: readonly number[]): number[] {
  const order = new RandomState(0).permutation(rows.length).subarray(0, mostRows).sort();
  return Array.from(order, (k) => rows[k]);
}

/** The target as classes, where it has such: each row's, -1 where missing. */
async function targetOf(frame: Frame, subset: Subset, context: BlockContext): Promise<Int32Array | null> {
  if (frame.y?.length !== 1) return null;
  const selection = { subset, split: frame.split };
  const [name] = frame.y;
  if (column(frame, name).type === "number") {
    const y = columnOf(await context.tables.numbers(frame.relation, { ...selection, columns: [name] }), 0);
    if (!y.every((value) => Number.isNaN(value) || Number.isInteger(value))) return null;
  }
  return (await context.tables.classes(frame.relation, name, selection)).codes;
}

/** How well scores tell the rarer of two classes from the other; null where the target has not two. */
function foundOutliers(scores: Float64Array, target: Int32Array): number | null {
  const counts = new Map<number, number>();
  for (const code of target) if (code >= 0) counts.set(code, (counts.get(code) ?? 0) + 1);
  if (counts.size !== 2) return null;
  const [[one, ones], [other, others]] = [...counts].sort(([a], [b]) => b - a);
  const known = Array.from(target.keys()).filter((i) => target[i] >= 0);
  const unusual = Float64Array.from(known, (i) => -scores[i]);
  return areaUnderRoc(
    Int32Array.from(known, (i) => target[i]),
    unusual,
    others < ones ? other : one,
  );
}

/** How much of a target clusters found; rows whose target is missing are left out. */
function agreed(labels: Int32Array, target: Int32Array): Record<string, Json> {
  const kept = Array.from(target.keys()).filter((i) => target[i] >= 0);
  if (kept.length === 0) return {};
  const least = labels.reduce((low, label) => Math.min(low, label), 0);
  const { ari, nmi } = agreement(
    Int32Array.from(kept, (i) => labels[i] - least),
    Int32Array.from(kept, (i) => target[i]),
  );
  return { ari, nmi };
}
