import type { BlockContext } from "../../core/block.ts";
import { cell } from "../../core/frame.ts";
import { centredRows, seedCentres } from "../../numerics/cluster/kmeans.ts";
import { call, value } from "../../plan/expr.ts";
import { type Measured, withNearest } from "../shared/far-nearest.ts";
import { type FarColumns, numberOf } from "../shared/far-products.ts";
import type { Brought } from "./far-rows.ts";
import { type Centres, centresMove, emptyFilled, type Farthest, nextCentres, type RunArgs } from "./kmeans-runs.ts";

/** The best of several runs over a cluster's rows, of equals the first; first centres are drawn of those that were brought. */
export async function bestFarRun(
  far: FarColumns,
  { x }: Brought,
  args: RunArgs,
  context: BlockContext,
): Promise<Centres & { readonly converged: boolean }> {
  const { k, rounds, init, random_state: seed } = args;
  const rows = new Float64Array(x.n * x.d);
  const { means } = centredRows({ x, out: rows });
  const seeds = await context.compute(seedCentres, { rows, n: x.n, d: x.d, k, init, seed, rounds }, "first centres");
  const variance = await meanVariance(far, context);
  let best: (Centres & { readonly converged: boolean }) | undefined;
  for (let round = 0; round < rounds; round++) {
    const first = seeds.slice(round * k * x.d, (round + 1) * k * x.d).map((each, at) => each + means[at % x.d]);
    const run = await oneFarRun(far, first, { ...args, variance }, context);
    if (!best || run.inertia < best.inertia) best = run;
  }
  return best as Centres & { readonly converged: boolean };
}

/** The mean of the columns' variances. */
async function meanVariance({ columns, relation, rows, n }: FarColumns, { tables }: BlockContext): Promise<number> {
  const found = await tables.aggregate(
    relation,
    rows,
    columns.map((each) => call("variance", numberOf(each))),
  );
  return found.reduce<number>((sum, each) => sum + (Number(each ?? 0) * (n - 1)) / n, 0) / columns.length;
}

/** Lloyd's steps, each of which asks for the rows of each cluster added up; the sums are exact. */
async function oneFarRun(
  far: FarColumns,
  first: Float64Array,
  { k, max_iter: most, tol, variance }: RunArgs & { readonly variance: number },
  context: BlockContext,
): Promise<Centres & { readonly converged: boolean }> {
  const { columns, mean, relation, rows } = far;
  const d = columns.length;
  const { tables } = context;
  const measured = (centres: Float64Array) =>
    withNearest({ relation, columns, features: columns.map(({ name }) => name) }, centres, context);
  const off = columns.map((each, j) => call("sum", call("subtract", numberOf(each), value(mean[j], "number"))));
  let centres = first;
  let converged = false;
  for (let step = 0; step < most && !converged; step++) {
    context.progress("k-means", step, most);
    const there = measured(centres);
    const by = [cell(there.cluster)];
    const order = by.map((expr) => ({ expr }));
    const { found } = await tables.groups(there.relation, rows, { by, outputs: [...by, call("count"), ...off], order });
    const sums = new Float64Array(k * d);
    const counts = new Float64Array(k);
    for (const [c, count, ...own] of found) {
      counts[Number(c)] = Number(count);
      sums.set(own.map(Number), Number(c) * d);
    }
    const empty = counts.filter((each) => each === 0).length;
    if (empty > 0) emptyFilled(await farthestRows(there, far, empty, context), sums, counts);
    const shift = (all: Float64Array, sign: number) => all.map((each, at) => each + sign * mean[at % d]);
    const next = shift(nextCentres(shift(centres, -1), sums, counts), 1);
    converged = centresMove(centres, next, k).reduce((sum, way) => sum + way * way, 0) <= tol * variance;
    centres = next;
  }
  const { relation: last, square } = measured(centres);
  const [inertia] = await tables.aggregate(last, rows, [call("sum", cell(square))]);
  return { centres, inertia: Number(inertia ?? Number.NaN), converged };
}

/** The rows that are farthest from their centres, of equals the first: the greatest distance first, then the next one. */
async function farthestRows(
  { relation, square, cluster }: Measured,
  { rows, columns, mean }: FarColumns,
  wanted: number,
  { tables }: BlockContext,
): Promise<Farthest[]> {
  const found: Farthest[] = [];
  let below = Number.POSITIVE_INFINITY;
  while (found.length < wanted) {
    const nearer = call("choose", call("less", cell(square), value(below, "number")), cell(square), value(null));
    const [top] = await tables.aggregate(relation, rows, [call("max", nearer)]);
    if (top === null) break;
    below = Number(top);
    const where = call("equal", cell(square), value(below, "number"));
    const outputs = [cell(cluster), ...columns.map(cell)];
    const limit = wanted - found.length;
    for (const [, from, ...cells] of await tables.find(relation, rows, { where, outputs, limit })) {
      const own = Float64Array.from(cells, (each, j) => Number(each) - mean[j]);
      found.push({ square: below, from: Number(from), row: own });
    }
  }
  return found;
}
