import { rowMajor, wholeDistance } from "../neighbors/distance.ts";
import { clearNearest, nearestOf } from "../neighbors/heap.ts";
import { buildKdTree, type KdTree, pointGap, searchKdTree } from "../neighbors/kd-tree.ts";
import { checkCancelled, createMatrix, type Hooks, type Matrix, quiet } from "../types.ts";
import { createLoops, type Loops } from "../wasm/loops.ts";

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
 * O(n²) steps in WebAssembly, of which few look at the d columns. Source: Campello, Moulavi and Sander (2013).
 */
export function reachabilityTree({ x, p, core }: ReachabilityInput, hooks: Hooks = quiet): TreeEdges {
  const { n } = x;
  const rest = new Rest(x, p, core);
  const [ends, found] = [new Int32Array(2 * (n - 1)), new Float64Array(n - 1)];
  let at = 0;
  for (let edge = 0; edge < n - 1; edge++) {
    if (edge % 64 === 0) {
      checkCancelled(hooks);
      hooks.progress(edge * (2 * n - edge), n * n);
    }
    at = rest.take(at);
    ends[2 * edge] = rest.source[at]!;
    ends[2 * edge + 1] = rest.row[at]!;
    found[edge] = wholeDistance(rest.reach[at]!, p);
  }
  const order = Array.from(found.keys()).sort((a, b) => found[a]! - found[b]! || a - b);
  return {
    ends: Int32Array.from({ length: ends.length }, (_, k) => ends[2 * order[k >> 1]! + (k & 1)]!),
    lengths: Float64Array.from(order, (k) => found[k]!),
  };
}

/** The rows that are not in the tree yet, in their order; those that are taken go now and then. */
class Rest {
  readonly #loops: Loops;
  readonly #at: readonly number[];
  readonly #columns: readonly Float64Array[];
  readonly #here: Float64Array;
  readonly #least: Float64Array;
  /** How far each is from the tree: its mutual reachability, reduced. */
  readonly reach: Float64Array;
  /** From which row of the tree. */
  readonly source: Float64Array;
  readonly row: Int32Array;
  readonly #isTaken: Uint8Array;
  readonly #kind: number;
  readonly #step: number;
  #left: number;
  #taken = 0;

  constructor({ n, d, data }: Matrix, p: number, core: Float64Array) {
    this.#step = 8 * padded(n);
    const { loops, at } = createLoops(d * this.#step, 8 * d, this.#step, this.#step, this.#step);
    const view = (from: number, length: number) => loops.doubles.subarray(from / 8, from / 8 + length);
    this.#loops = loops;
    this.#at = at;
    this.#columns = Array.from({ length: d }, (_, j) => view(at[0]! + j * this.#step, n));
    this.#columns.forEach((column, j) => {
      column.set(data.subarray(j * n, (j + 1) * n));
    });
    this.#here = view(at[1]!, d);
    this.#least = view(at[2]!, padded(n)).fill(Infinity);
    this.#least.set(core);
    this.reach = view(at[3]!, padded(n)).fill(Infinity);
    this.source = view(at[4]!, padded(n));
    this.row = Int32Array.from({ length: n }, (_, i) => i);
    this.#isTaken = new Uint8Array(n);
    this.#kind = p === Infinity ? 0 : p;
    this.#left = n;
  }

  /** Takes a row into the tree; answers the place of the one that is nearest to the tree now. */
  take(at: number): number {
    const [own, core] = [this.row[at]!, this.#least[at]!];
    this.#columns.forEach((column, j) => {
      this.#here[j] = column[at]!;
    });
    this.#isTaken[at] = 1;
    // What is infinitely far is not found.
    this.#least[at] = Infinity;
    this.reach[at] = Infinity;
    if (++this.#taken * 8 > this.#left) this.#compact();
    const [x, here, least, reach, source] = this.#at as [number, number, number, number, number];
    const [d, size] = [this.#columns.length, 8 * padded(this.#left)];
    const next = this.#loops.lowerReach(
      ...([x, this.#step, d, here, least, core, reach, source, own, size, this.#kind] as const),
    );
    if (next >= 0) return next;
    // All are too far for a double.
    const first = this.#isTaken.indexOf(0);
    this.source[first] = own;
    return first;
  }

  /** Moves up the rows that are left. */
  #compact(): void {
    const lists = [...this.#columns, this.#least, this.reach, this.source, this.row];
    let to = 0;
    for (let k = 0; k < this.#left; k++) {
      if (this.#isTaken[k] === 1) continue;
      if (to < k) for (const list of lists) list[to] = list[k]!;
      to++;
    }
    for (const list of [this.#least, this.reach]) list.fill(Infinity, to, padded(this.#left));
    this.#isTaken.fill(0, 0, this.#left);
    this.#left = to;
    this.#taken = 0;
  }
}

/** Two rows are worked on at once. */
function padded(n: number): number {
  return 2 * Math.ceil(n / 2);
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
