import { z } from "zod";
import type { BlockContext } from "../../core/block.ts";
import type { Chart } from "../../core/chart.ts";
import { ArgsError } from "../../core/errors.ts";
import { plain } from "../../core/explanation.ts";
import { count } from "../../core/names.ts";
import { stack, text } from "../../core/view.ts";
import { coreRows, joinCores, nearClusters, nthDistances, numberClusters } from "../../numerics/cluster/dbscan.ts";
import { type BoxedRows, boxRows, firstLeaf, type Nearness } from "../../numerics/neighbors/near-rows.ts";
import { gatherRows, type Matrix } from "../../numerics/types.ts";
import { matrixOf, shares } from "../shared/row-parts.ts";
import { defineClustering } from "./clustering.ts";

/** Core rows, and the cluster of each. */
interface Cores {
  readonly near: Nearness;
  readonly x: Matrix;
  readonly labels: Int32Array;
}

/**
 * ML_CG_3. Groups rows that lie densely, and leaves the others out as noise: dbscan, as scikit-learn's DBSCAN.
 *
 * Needs no target. X are the features; without roles, all columns of numbers. Distances add up over the features, so
 * scale them first. The table gets a column `cluster`, for what follows: -1 is noise. A row that comes later is in the
 * first cluster that has a core row within eps of it.
 */
export const dbscan = defineClustering({
  code: "ML_CG_3",
  name: "dbscan",
  why: "It finds groups of any shape, finds out itself how many there are, and leaves rows that lie alone out as noise. Scale the features first; how near is near is yours to say, and its picture of distances helps.",
  args: {
    /** The largest distance at which two rows are near each other (default 0.5). */
    eps: z.number().positive().default(0.5),
    /** Rows near a row, itself among them, that make it the core of a cluster (default 5). */
    min_samples: z.int().min(1).default(5),
    /** How far rows are: "euclidean", "manhattan", "chebyshev", "cosine", or "minkowski" with power p (default "euclidean"). */
    metric: z.literal(["euclidean", "manhattan", "chebyshev", "cosine", "minkowski"]).default("euclidean"),
    /** Minkowski's power: 1 adds up differences, 2 is the straight line (default 2). */
    p: z.number().min(1).default(2),
  },
  example: 'session.input("sample:iris").xy({ y: "species" }).scale().dbscan({ eps: 0.6 }).metrics()',
  async fit(x, args, context, who) {
    const { eps, min_samples: min, metric, p } = args;
    const near: Nearness = { metric, p, eps };
    const power = metric === "minkowski" ? p : metric === "euclidean" ? 2 : 1;
    if (!(eps ** power > 0 && eps ** power < Number.POSITIVE_INFINITY)) {
      throw new ArgsError(`${who}: eps to the power of ${power} must be between 5e-324 and 1.7e308, got eps ${eps}.`, {
        path: "eps",
        got: eps,
      });
    }
    const boxed = await context.compute(boxRows, { x: matrixOf(x), metric }, "boxes");
    const all = { near, boxed };
    const core = await onLeaves(boxed, context, "core rows", (part, heard) =>
      context.compute(coreRows, { ...all, ...part, min }, heard),
    );
    const flags = new Uint8Array(new SharedArrayBuffer(x.n));
    let at = 0;
    for (const part of core) {
      flags.set(part, at);
      at += part.length;
    }
    const joined = await onLeaves(boxed, context, "clusters", (part, heard) =>
      context.compute(joinCores, { ...all, ...part, core: flags }, heard),
    );
    const own = await context.compute(numberClusters, { boxed, core: flags, joined });
    const placed = await onLeaves(boxed, context, "edges", (part, heard) =>
      context.compute(nearClusters, { ...all, ...part, known: boxed, labels: own, own }, heard),
    );
    const labels = byRows(boxed, placed);
    const isCore = new Uint8Array(x.n);
    for (const [place, row] of boxed.order.entries()) isCore[row] = flags[place];
    const cores = Int32Array.from(labels.keys()).filter((row) => isCore[row] === 1);
    const distances = await farthestNear(x, near, min, context);
    const noise = labels.reduce((sum, label) => sum + (label < 0 ? 1 : 0), 0);
    return {
      parameters: { near, x: gatherRows(matrixOf(x), cores), labels: cores.map((row) => labels[row]) } as Cores,
      labels,
      shown: stack(
        text(
          `${count(cores.length, "row")} ${cores.length === 1 ? "is a core" : "are cores"} of clusters, ${count(x.n - cores.length - noise, "row")} at their edges, ${count(noise, "row")} noise.`,
        ),
        distances && { kind: "chart" as const, chart: distanceChart(distances, eps, min, x.n) },
      ),
      notices:
        cores.length > 0
          ? []
          : [
              distances
                ? `all rows are noise, since none has ${min} rows within ${plain(eps)}; half of them have so many within ${plain(distances[distances.length >> 1])}, so take a larger eps.`
                : `all rows are noise, since min_samples is ${min} and there ${x.n === 1 ? "is" : "are"} but ${count(x.n, "row")}.`,
            ],
    };
  },
  async assign({ near, x: cores, labels }, x, context) {
    if (cores.n === 0) return { labels: new Int32Array(x.n).fill(-1) };
    const { metric } = near;
    const known = await context.compute(boxRows, { x: matrixOf(cores), metric });
    const boxed = await context.compute(boxRows, { x: matrixOf(x), metric });
    const own = known.order.map((row) => labels[row]);
    const placed = await onLeaves(boxed, context, "clusters", (part, heard) =>
      context.compute(nearClusters, { near, boxed, ...part, known, labels: own }, heard),
    );
    return { labels: byRows(boxed, placed) };
  },
});

/** Rows worth a thread. */
const fewestRows = 2000;

/** Runs a kernel on all leaves, a run of them on each thread; what it answers does not depend on how many there are. */
async function onLeaves<T>(
  boxed: BoxedRows,
  context: BlockContext,
  phase: string,
  run: (part: { from: number; to: number }, heard: (done: number, total: number) => void) => Promise<T>,
): Promise<T[]> {
  const leaves = firstLeaf(boxed) + 1;
  const parts = shares(leaves, Math.min(context.threads, Math.ceil(boxed.n / fewestRows)));
  const done = parts.map(() => 0);
  return await Promise.all(
    parts.map((part, k) =>
      run(part, (leaf) => {
        done[k] = leaf;
        context.progress(
          phase,
          done.reduce((sum, each) => sum + each, 0),
          leaves,
        );
      }),
    ),
  );
}

/** Labels in the order of the boxes, some after the other, by rows. */
function byRows({ n, order }: BoxedRows, placed: readonly Int32Array[]): Int32Array {
  const labels = new Int32Array(n);
  let place = 0;
  for (const part of placed) for (const label of part) labels[order[place++]] = label;
  return labels;
}

/** Rows of which it is shown how far their min_samples nearest ones are. */
const shownRows = 300;

/** How far the last of `min` nearest rows is from some of the rows, rising; null where there are not so many. */
async function farthestNear(x: Matrix, near: Nearness, min: number, context: BlockContext) {
  if (min > x.n || x.n < 3) return null;
  const step = Math.max(1, x.n / shownRows);
  const rows = Int32Array.from({ length: Math.min(x.n, shownRows) }, (_, k) => Math.floor(k * step));
  const found = await context.compute(nthDistances, { near, x: matrixOf(x), rows, nth: min }, "distances");
  return found.sort();
}

function distanceChart(distances: Float64Array, eps: number, min: number, rows: number): Chart {
  const last = distances.length - 1;
  // A few rows far from all others would flatten the rest.
  const most = 5 * Math.max(eps, distances[distances.length >> 1]);
  const shown = distances.filter((distance) => distance <= most);
  return {
    kind: "lines",
    title: `how far the nearest ${min} rows are, of ${distances.length < rows ? `${distances.length} of the rows` : "all rows"}; eps is best where it bends`,
    x: { title: "share of rows", type: "number" },
    y: { title: "distance", type: "number" },
    series: [{ name: "", x: Array.from(shown, (_, k) => k / last), y: [...shown] }],
    rows: distances.length,
    reference: { from: [0, eps], to: [1, eps] },
  };
}
