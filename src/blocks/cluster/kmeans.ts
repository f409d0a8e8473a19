import { z } from "zod";
import type { BlockContext } from "../../core/block.ts";
import type { Chart } from "../../core/chart.ts";
import { DataError } from "../../core/errors.ts";
import { columnOf } from "../../core/matrix.ts";
import { count } from "../../core/names.ts";
import { stack, text, type View } from "../../core/view.ts";
import { nearestCentres } from "../../numerics/cluster/kmeans.ts";
import { silhouettes } from "../../numerics/cluster/scores.ts";
import { type SeveralClusters, severalClusters } from "../../numerics/cluster/several-clusters.ts";
import { gatherRows, type Matrix } from "../../numerics/types.ts";
import { centresOnnx } from "../onnx/centres.ts";
import { onlyHere } from "../shared/only-here.ts";
import { computeRows, matrixOf } from "../shared/row-parts.ts";
import { defineClustering } from "./clustering.ts";
import { bestFarRun } from "./far-kmeans.ts";
import { broughtRows } from "./far-rows.ts";
import { bestRun, type Centres, roomOf } from "./kmeans-runs.ts";
import { centreScores, mostClusters, mostConstants } from "./new-rows.ts";

/**
 * ML_CG_2. Groups rows around k centres: k-means, as scikit-learn's KMeans.
 *
 * Needs no target. X are the features; without roles, all columns of numbers. Distances add up over the features, so
 * scale them first. The table gets a column `cluster`, for what follows, and new rows the cluster of the nearest centre.
 */
export const kmeans = defineClustering({
  code: "ML_CG_2",
  name: "kmeans",
  why: "It finds groups that nobody has named, round and of like size, and is fast. Scale the features first; how many groups there are is yours to say, and its picture of several numbers helps.",
  args: {
    /** How many clusters (default 5). */
    n_clusters: z.int().min(1).max(10_000).default(5),
    /** How the first centres are found: "k-means++" or any rows, "random" (default "k-means++"). */
    init: z.literal(["k-means++", "random"]).default("k-means++"),
    /** Runs with other first centres, of which the best counts; "auto" is 1, for "random" 10 (default "auto"). */
    n_init: z.union([z.int().min(1).max(1000), z.literal("auto")]).default("auto"),
    /** Steps of a run at most (default 300). */
    max_iter: z.int().min(1).max(100_000).default(300),
    /** The move of the centres, as a share of the features' variance, at which a run stops (default 0.0001). */
    tol: z.number().min(0).default(0.0001),
    /** Seed of the first centres (default 0). */
    random_state: z.int().min(0).max(4294967295).default(0),
  },
  example: 'session.input("sample:iris").xy({ y: "species" }).scale().kmeans({ n_clusters: 3 }).metrics()',
  async fit(x, args, context, who) {
    const { n_clusters: k } = args;
    refuseMany(k, x.n, who);
    const room = await roomOf(x, context);
    const best = await bestRun(room, { ...args, k, rounds: roundsOf(args) }, context);
    refuseOverflow(best, who);
    const centres = best.centres.map((value, at) => value + room.means[at % x.d]);
    const distinct = new Set(best.labels).size;
    return {
      parameters: { centres, inertia: best.inertia } as Centres,
      measures: { inertia: best.inertia },
      labels: best.labels,
      scores: centreScores(centres, x.d),
      shown: await shownOf(best, x, x.n, context),
      notices: [
        ...notConverged(best, args),
        ...(distinct < k
          ? [`only ${count(distinct, "cluster")} of ${k} have rows, since so many rows are the same; take fewer.`]
          : []),
      ],
    };
  },
  async assign({ centres }, x, context) {
    const found = await computeRows(context, nearestCentres, { x: matrixOf(x), centres }, "nearest centres");
    return { labels: Int32Array.from(found.data) };
  },
  far: {
    async fit(x, args, context, who) {
      const { n_clusters: k, random_state: seed } = args;
      refuseMany(k, x.n, who);
      refuseWide(k, x.columns.length, who);
      const brought = await broughtRows(x, { seed }, context);
      if (brought.x.n < k) throw onlyHere(who, `${count(k, "cluster")} are too many to begin with`);
      const best = await bestFarRun(x, brought, { ...args, k, rounds: roundsOf(args) }, context);
      refuseOverflow(best, who);
      const drawn = count(brought.x.n, "row");
      return {
        parameters: { centres: best.centres, inertia: best.inertia } as Centres,
        measures: { inertia: best.inertia },
        shown: await shownOf(best, brought.x, x.n, context),
        notices: [
          ...(brought.isAll ? [] : [`its first centres are drawn of ${drawn} of ${x.n.toLocaleString("en-US")}.`]),
          ...notConverged(best, args),
        ],
      };
    },
    centres: ({ centres }) => centres,
  },
  onnx: ({ centres }, file) => centresOnnx(centres, file),
});

function refuseMany(k: number, n: number, who: string): void {
  if (k <= n) return;
  throw new DataError(`${who}: n_clusters must be between 1 and ${n} (rows), got ${k}.`, {
    path: "n_clusters",
    got: k,
    expected: `1 to ${n}`,
  });
}

/** Distances from many centres are too long an expression. */
function refuseWide(k: number, d: number, who: string): void {
  const most = Math.max(1, Math.min(mostClusters, Math.floor(mostConstants / d)));
  if (k <= most) return;
  throw new DataError(
    `${who}: of ${count(d, "feature")} at most ${count(most, "cluster")} are found on Spark, got ${k}; take fewer, or bring the rows here by collect().`,
    { code: "on_cluster", path: "n_clusters", got: k, expected: `at most ${most}` },
  );
}

function refuseOverflow({ inertia }: Centres, who: string): void {
  if (Number.isFinite(inertia)) return;
  throw new DataError(
    `${who}: the numbers are too large, their squares pass 1e308. Scale the features with scale (DP_5) first.`,
    { code: "overflow", hint: "scale" },
  );
}

function roundsOf({ n_init, init }: { readonly n_init: number | "auto"; readonly init: string }): number {
  return n_init === "auto" ? (init === "random" ? 10 : 1) : n_init;
}

function notConverged({ converged }: { converged: boolean }, { max_iter }: { max_iter: number }): string[] {
  return converged ? [] : [`it had not converged after ${count(max_iter, "step")}; raise max_iter.`];
}

async function shownOf({ inertia }: Centres, x: Matrix, rows: number, context: BlockContext): Promise<View> {
  return stack(
    text(`Squared distances from the centres add up to ${Number(inertia.toPrecision(6))} (inertia).`),
    ...(await severalNumbers(x, rows, context)),
  );
}

/** Rows of which several numbers of clusters are tried, and up to how many clusters. */
const triedRows = 1000;
const triedClusters = 10;

/** How well several numbers of clusters fit some of the rows: the elbow, and the silhouettes. */
async function severalNumbers(x: Matrix, all: number, context: BlockContext) {
  const most = Math.min(triedClusters, x.n - 1);
  if (most < 3) return [];
  const step = Math.max(1, Math.ceil(x.n / triedRows));
  const some = Int32Array.from({ length: Math.ceil(x.n / step) }, (_, k) => k * step);
  const part = step === 1 ? matrixOf(x) : gatherRows(matrixOf(x), some, true);
  if (part.n <= most) return [];
  const tries = { seed: 0, maxIter: 100, tol: 1e-4 };
  const { inertia, silhouette } =
    part.d > part.n / 4
      ? await context.compute(severalClusters, { x: part, most, ...tries }, "several clusters")
      : await severalRuns(part, most, tries, context);
  const rows = part.n < all ? `, by ${part.n.toLocaleString("en-US")} of the rows` : "";
  const chart = (title: string, name: string, y: readonly number[], from: number) => ({
    kind: "chart" as const,
    chart: {
      kind: "lines",
      title: `${title}${rows}`,
      x: { title: "clusters", type: "number" },
      y: { title: name, type: "number" },
      series: [{ name: "", x: y.map((_, at) => at + from), y }],
      rows: part.n,
    } satisfies Chart,
  });
  return [
    chart("squared distances that several numbers of clusters leave", "inertia", [...inertia], 1),
    ...(silhouette.length > 1
      ? [chart("silhouette of several numbers of clusters", "silhouette", [...silhouette], 2)]
      : []),
  ];
}

/** As `severalClusters`, of rows of few columns, by runs over these. */
async function severalRuns(
  x: Matrix,
  most: number,
  { seed, maxIter, tol }: { readonly seed: number; readonly maxIter: number; readonly tol: number },
  context: BlockContext,
): Promise<SeveralClusters> {
  const room = await roomOf(x, context);
  const inertia = new Float64Array(most);
  const groupings: { labels: Int32Array; clusters: number }[] = [];
  for (let k = 1; k <= most; k++) {
    const run = await bestRun(
      room,
      { k, rounds: 1, init: "k-means++", max_iter: maxIter, tol, random_state: seed },
      context,
    );
    inertia[k - 1] = run.inertia;
    const clusters = new Set(run.labels).size;
    if (k > 1 && clusters === k) groupings.push({ labels: run.labels, clusters });
  }
  const found = await context.compute(silhouettes, { x, groupings }, "silhouettes");
  const mean = (values: Float64Array) => values.reduce((sum, value) => sum + value, 0) / x.n;
  return { inertia, silhouette: Float64Array.from(groupings, (_, g) => mean(columnOf(found, g))) };
}
