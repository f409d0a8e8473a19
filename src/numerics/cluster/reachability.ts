import { reducedDistance, rowMajor, wholeDistance } from "../neighbors/distance.ts";
import { clearNearest, nearestOf } from "../neighbors/heap.ts";
import { buildKdTree, type KdTree, pointGap, searchKdTree } from "../neighbors/kd-tree.ts";
import { checkCancelled, createMatrix, type Hooks, type Matrix, quiet } from "../types.ts";

/** What `coreDistances` needs to know. */
export type CoreDistancesInput = {
  readonly x: Matrix;
  /** Minkowski's power: 1, 2 or Infinity. */
  readonly p: number;
  /** Which of the nearest rows, the row itself among them; at most as many as there are. */
  readonly nth: number;
  readonly from?: number;
  readonly to?: number;
};

/** How far each row's n-th nearest row is, itself among them, as a reduced distance: rows×1, fresh. O(rows · log n) in few columns. */
export function coreDistances({ x, p, nth, from = 0, to = x.n }: CoreDistancesInput, hooks: Hooks = quiet): Matrix {
  const all = rowMajor(x);
  const tree = buildKdTree(all, p, hooks);
  const heap = nearestOf(nth);
  const out = createMatrix(to - from, 1);
  for (let i = from; i < to; i++) {
    if ((i - from) % 64 === 0) {
      checkCancelled(hooks);
      hooks.progress(i - from, to - from);
    }
    clearNearest(heap);
    searchKdTree(tree, all.rows, i * x.d, heap);
    out.data[i - from] = heap.distance[0]!;
  }
  return out;
}

/** The edges of a tree over all rows, the shortest first. */
export type TreeEdges = {
  /** 2·(n−1) rows. */
  readonly ends: Int32Array;
  /** n−1 distances, rising. */
  readonly lengths: Float64Array;
};

/** What `reachabilityTree` needs to know. */
export type ReachabilityInput = {
  readonly x: Matrix;
  readonly p: number;
  /** The answer of `coreDistances`. */
  readonly core: Float64Array;
};

/**
 * The least spanning tree of rows by mutual reachability: how far they are, and no less than the core distance of either.
 *
 * By Prim from the first row on; of equally near rows the first is taken, and equally long edges stay in the order in
 * which they were found. A row that is as near as its core distance lets it is not compared again.
 * O(n²) steps, of which few look at the d columns. Source: Campello, Moulavi and Sander (2013).
 */
export function reachabilityTree({ x, p, core }: ReachabilityInput, hooks: Hooks = quiet): TreeEdges {
  const { n, d } = x;
  const distance = reducedDistance(p);
  // What is left of the rows, in their order; those that are taken go now and then.
  const { rows } = rowMajor(x);
  const least = Float64Array.from(core);
  const row = Int32Array.from({ length: n }, (_, i) => i);
  const reach = new Float64Array(n).fill(Infinity);
  const source = new Int32Array(n);
  const isTaken = new Uint8Array(n);
  const [ends, found] = [new Int32Array(2 * (n - 1)), new Float64Array(n - 1)];
  const here = new Float64Array(d);
  let left = n;
  let at = 0;
  let taken = 0;
  for (let edge = 0; edge < n - 1; edge++) {
    if (edge % 64 === 0) {
      checkCancelled(hooks);
      hooks.progress(edge * (2 * n - edge), n * n);
    }
    isTaken[at] = 1;
    for (let j = 0; j < d; j++) here[j] = rows[at * d + j]!;
    const [own, ownCore] = [row[at]!, least[at]!];
    if (++taken * 8 > left) {
      left = compact(rows, d, least, row, reach, source, isTaken, left);
      taken = 0;
    }
    let nearest = Infinity;
    let next = -1;
    for (let k = 0; k < left; k++) {
      if (isTaken[k] === 1) continue;
      let known = reach[k]!;
      if (known > least[k]! && known > ownCore) {
        const mutual = Math.max(distance(here, 0, rows, k * d, d), least[k]!, ownCore);
        if (mutual < known) {
          known = mutual;
          reach[k] = mutual;
          source[k] = own;
        }
      }
      if (known < nearest || next < 0) {
        nearest = known;
        next = k;
      }
    }
    ends[2 * edge] = source[next]!;
    ends[2 * edge + 1] = row[next]!;
    found[edge] = wholeDistance(nearest, p);
    at = next;
  }
  const order = Array.from(found.keys()).sort((a, b) => found[a]! - found[b]! || a - b);
  return {
    ends: Int32Array.from({ length: ends.length }, (_, k) => ends[2 * order[k >> 1]! + (k & 1)]!),
    lengths: Float64Array.from(order, (k) => found[k]!),
  };
}

/** Moves up the rows that are left; answers how many. */
function compact(
  rows: Float64Array,
  d: number,
  least: Float64Array,
  row: Int32Array,
  reach: Float64Array,
  source: Int32Array,
  isTaken: Uint8Array,
  count: number,
): number {
  let to = 0;
  for (let k = 0; k < count; k++) {
    if (isTaken[k] === 1) continue;
    if (to < k) {
      for (const list of [least, row, reach, source]) list[to] = list[k]!;
      rows.copyWithin(to * d, k * d, (k + 1) * d);
    }
    to++;
  }
  isTaken.fill(0, 0, count);
  return to;
}

/** What `nearestByReach` needs to know. */
export type NearestByReachInput = {
  readonly known: Matrix;
  readonly x: Matrix;
  readonly p: number;
  /** The known rows' core distances. */
  readonly core: Float64Array;
  /** Which of the nearest known rows is as far as a row's core distance, the row itself counted. */
  readonly nth: number;
  readonly from?: number;
  readonly to?: number;
};

/**
 * The known row that is nearest by mutual reachability, and how far it is: rows×3, the last column its plain distance.
 *
 * Of equally near ones the one of least distance counts, then the first. All distances are whole ones.
 */
export function nearestByReach(
  { known, x, p, core, nth, from = 0, to = x.n }: NearestByReachInput,
  hooks: Hooks = quiet,
): Matrix {
  const { d } = x;
  const all = rowMajor(known);
  const tree = buildKdTree(all, p, hooks);
  const { rows } = rowMajor(x);
  const heap = nearestOf(Math.min(nth, known.n));
  const out = createMatrix(to - from, 3);
  for (let i = from; i < to; i++) {
    if ((i - from) % 64 === 0) {
      checkCancelled(hooks);
      hooks.progress(i - from, to - from);
    }
    clearNearest(heap);
    searchKdTree(tree, rows, i * d, heap);
    const best = searchReach(tree, core, rows, i * d, ownCore(heap.distance, nth));
    out.data[i - from] = best.row;
    out.data[out.n + i - from] = wholeDistance(best.reach, p);
    out.data[2 * out.n + i - from] = wholeDistance(best.distance, p);
  }
  return out;
}

/** The core distance of a row that may be new: it counts itself where it is not among the known ones. */
function ownCore(nearest: Float64Array, nth: number): number {
  const sorted = nearest.slice().sort();
  const isKnown = sorted[0] === 0;
  return isKnown ? sorted[sorted.length - 1]! : nth === 1 ? 0 : sorted[Math.min(nth - 1, sorted.length) - 1]!;
}

interface Reached {
  row: number;
  reach: number;
  distance: number;
}

function searchReach(tree: KdTree, core: Float64Array, point: Float64Array, at: number, own: number): Reached {
  const { data, order, start, end, p, distance } = tree;
  const { d, rows } = data;
  const best: Reached = { row: -1, reach: Infinity, distance: Infinity };
  const visit = (node: number, gap: number): void => {
    // Beyond the best reach nothing can be as near; within it a row may be nearer by its plain distance.
    if (gap > best.reach || (Math.max(own, gap) === best.reach && gap > best.distance)) return;
    const left = 2 * node + 1;
    if (left < start.length) {
      const gaps = [left, left + 1].map((child) => pointGap(tree, d, child, p, point, at));
      const [first, second] = gaps[0]! <= gaps[1]! ? [0, 1] : [1, 0];
      visit(left + first, gaps[first]!);
      visit(left + second, gaps[second]!);
      return;
    }
    for (let k = start[node]!; k < end[node]!; k++) {
      const row = order[k]!;
      if (core[row]! > best.reach) continue;
      const off = distance(point, at, rows, row * d, d);
      const reach = Math.max(own, core[row]!, off);
      if (
        reach < best.reach ||
        (reach === best.reach && (off < best.distance || (off === best.distance && row < best.row)))
      ) {
        Object.assign(best, { row, reach, distance: off });
      }
    }
  };
  visit(0, pointGap(tree, d, 0, p, point, at));
  return best;
}
