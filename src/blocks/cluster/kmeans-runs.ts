import type { BlockContext } from "../../core/block.ts";
import { assignRows, centredRows, ownSquares, seedCentres } from "../../numerics/cluster/kmeans.ts";
import type { Matrix } from "../../numerics/types.ts";
import { matrixOf, shares } from "../shared/row-parts.ts";

/** The centres, clusters×features row-major. */
export interface Centres {
  readonly centres: Float64Array;
  /** Squared distances of the rows from their centres, added up. */
  readonly inertia: number;
}

/** Rows in memory that all threads see. */
export interface Room {
  readonly rows: Float64Array;
  readonly n: number;
  readonly d: number;
  readonly means: Float64Array;
  readonly variance: number;
}

function shared(length: number): Float64Array {
  return new Float64Array(new SharedArrayBuffer(8 * length));
}

/** The rows less their means, one after the other. */
export async function roomOf(x: Matrix, context: BlockContext): Promise<Room> {
  const { n, d } = x;
  const rows = shared(n * d);
  const { means, variance } = await context.compute(centredRows, { x: matrixOf(x), out: rows }, "centre");
  return { rows, n, d, means, variance };
}

export interface Run extends Centres {
  readonly labels: Int32Array;
  readonly converged: boolean;
}

/** How many clusters and runs, and when a run stops. */
export interface RunArgs {
  readonly k: number;
  readonly rounds: number;
  readonly init: "k-means++" | "random";
  readonly max_iter: number;
  readonly tol: number;
  readonly random_state: number;
}

/** The best of several runs; of equals, and of the same clusters under other numbers, the first, as in scikit-learn. */
export async function bestRun(room: Room, args: RunArgs, context: BlockContext): Promise<Run> {
  let best: Run | undefined;
  for await (const run of kmeansRuns(room, args, context)) {
    // Sums in another order differ in the last digit.
    if (!best || (run.inertia < best.inertia && !isSame(run.labels, best.labels))) best = run;
  }
  return best as Run;
}

/** Do rows that share a number share one there? */
function isSame(labels: Int32Array, there: Int32Array): boolean {
  const numbers = new Map<number, number>();
  return labels.every((label, i) => {
    const number = numbers.get(label) ?? there[i];
    numbers.set(label, number);
    return number === there[i];
  });
}

/** Runs from other first centres each, one after the other. */
export async function* kmeansRuns(room: Room, args: RunArgs, context: BlockContext): AsyncGenerator<Run> {
  const { k, rounds, init, random_state: seed } = args;
  const { rows, n, d } = room;
  const seeds = await context.compute(seedCentres, { rows, n, d, k, init, seed, rounds }, "first centres");
  for (let round = 0; round < rounds; round++) {
    yield await oneRun(room, seeds.slice(round * k * d, (round + 1) * k * d), args, context);
  }
}

/** Rows of a part at least, and parts at most; neither says anything of threads. */
const fewestRows = 4096;
const mostParts = 16;

/** Runs of rows whose sums are added up in their order, so that they come to the same on any number of threads. */
export function rowRuns(n: number): { readonly from: number; readonly to: number }[] {
  return shares(n, Math.min(mostParts, Math.ceil(n / fewestRows)));
}

async function oneRun(room: Room, first: Float64Array, args: RunArgs, context: BlockContext): Promise<Run> {
  const { rows, n, d, variance } = room;
  const { k, max_iter: most, tol } = args;
  const parts = rowRuns(n).map((part) => ({ ...part, sums: shared(k * d), rest: shared(k * d), counts: shared(k) }));
  const labels = new Int32Array(new SharedArrayBuffer(4 * n));
  const [upper, lower] = [shared(n), shared(n)];
  const list = { rows, n, d, k, labels, upper, lower };
  let centres = first;
  let moved: Float64Array | undefined;
  let converged = false;
  for (let step = 0; step < most && !converged; step++) {
    context.progress("k-means", step, most);
    const found = await Promise.all(
      parts.map((part) => context.compute(assignRows, { ...list, ...part, centres, ...(moved ? { moved } : {}) })),
    );
    const sums = new Float64Array(k * d);
    const counts = new Float64Array(k);
    for (const part of parts) {
      for (let at = 0; at < sums.length; at++) sums[at] += part.sums[at] + part.rest[at];
      for (let c = 0; c < k; c++) counts[c] += part.counts[c];
    }
    // The same clusters have the same centres.
    if (found.every((changed) => changed === 0)) {
      converged = true;
      break;
    }
    if (counts.includes(0)) await fillEmpty(room, centres, labels, sums, counts, context);
    const next = nextCentres(centres, sums, counts);
    moved = centresMove(centres, next, k);
    centres = next;
    converged = moved.reduce((sum, way) => sum + way * way, 0) <= tol * variance;
  }
  // Once more for the centres as they are now.
  await Promise.all(parts.map((part) => context.compute(assignRows, { ...list, ...part, centres })));
  const squares = await Promise.all(
    parts.map((part) => context.compute(ownSquares, { rows, d, centres, labels, ...part })),
  );
  const inertia = squares.flatMap((part) => [part.reduce((sum, value) => sum + value, 0)]).reduce((a, b) => a + b, 0);
  return { centres, labels: labels.slice(), inertia, converged };
}

/** The means of the rows of each cluster; where it has none, its centre stays. */
export function nextCentres(centres: Float64Array, sums: Float64Array, counts: Float64Array): Float64Array {
  const d = sums.length / counts.length;
  return sums.map((sum, at) => (counts[Math.floor(at / d)] > 0 ? sum / counts[Math.floor(at / d)] : centres[at]));
}

/** How far each of k centres moves. */
export function centresMove(from: Float64Array, to: Float64Array, k: number): Float64Array {
  const d = from.length / k;
  return Float64Array.from({ length: k }, (_, c) => {
    let sum = 0;
    for (let j = 0; j < d; j++) sum += (from[c * d + j] - to[c * d + j]) ** 2;
    return Math.sqrt(sum);
  });
}

/** Gives clusters without rows those that are farthest from their centres, as scikit-learn does. */
async function fillEmpty(
  { rows, n, d }: Room,
  centres: Float64Array,
  labels: Int32Array,
  sums: Float64Array,
  counts: Float64Array,
  context: BlockContext,
): Promise<void> {
  const squares = await context.compute(ownSquares, { rows, d, centres, labels, from: 0, to: n });
  const far = Array.from(squares.keys()).sort((a, b) => squares[b] - squares[a] || a - b);
  const empty = counts.filter((each) => each === 0).length;
  const farthest = far.slice(0, empty).map((i) => {
    return { square: squares[i], from: labels[i], row: rows.subarray(i * d, (i + 1) * d) };
  });
  emptyFilled(farthest, sums, counts);
}

/** A row far from its centre: the cluster that it is in, and its numbers. */
export interface Farthest {
  readonly square: number;
  readonly from: number;
  readonly row: Float64Array;
}

/** Moves a row to each cluster that has none, the farthest first; rows that lie on their centres stay. */
export function emptyFilled(farthest: readonly Farthest[], sums: Float64Array, counts: Float64Array): void {
  const d = sums.length / counts.length;
  let next = 0;
  for (let c = 0; c < counts.length; c++) {
    if (counts[c] > 0 || !farthest[next] || farthest[next].square === 0) continue;
    const { from, row } = farthest[next++];
    for (let j = 0; j < d; j++) {
      sums[c * d + j] = row[j];
      sums[from * d + j] -= row[j];
    }
    counts[c] = 1;
    counts[from]--;
  }
}
