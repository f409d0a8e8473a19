import { nthElement } from "../statistics/nth-element.ts";
import { checkCancelled, type Hooks, quiet } from "../types.ts";
import { type Reduced, type Rows, reducedDistance } from "./distance.ts";
import { type Nearest, pushNearest } from "./heap.ts";

/** A k-d tree over rows: node i has the children 2i+1 and 2i+2, and owns order[start…end). */
export type KdTree = {
  readonly data: Rows;
  /** Row numbers; every node owns a run of them. */
  readonly order: Int32Array;
  readonly start: Int32Array;
  readonly end: Int32Array;
  /** nodes×d each: the box around a node's rows. */
  readonly low: Float64Array;
  readonly high: Float64Array;
  readonly p: number;
  readonly distance: Reduced;
};

const LEAF = 30;

/**
 * Builds a k-d tree over the rows of `data` for Minkowski distances of power `p`.
 *
 * Splits at the median of the widest column until a node has 30 to 60 rows. Built and searched step by step
 * as scikit-learn's KDTree (Bentley 1975; Omohundro 1989), so that of equally near rows the same are found.
 * O(d·n·log n).
 */
export function buildKdTree(data: Rows, p: number, hooks: Hooks = quiet): KdTree {
  const { d } = data;
  const n = data.rows.length / d;
  const levels = Math.floor(Math.log2(Math.max(1, (n - 1) / LEAF)) + 1);
  const nodes = 2 ** levels - 1;
  const tree: KdTree = {
    data,
    order: Int32Array.from({ length: n }, (_, i) => i),
    start: new Int32Array(nodes),
    end: new Int32Array(nodes),
    low: new Float64Array(nodes * d).fill(Infinity),
    high: new Float64Array(nodes * d).fill(-Infinity),
    p,
    distance: reducedDistance(p),
  };
  grow(tree, 0, 0, n, hooks);
  return tree;
}

function grow(tree: KdTree, node: number, start: number, end: number, hooks: Hooks): void {
  const { low, high, order, data } = tree;
  const { d, rows } = data;
  if (end - start > 1000) checkCancelled(hooks);
  tree.start[node] = start;
  tree.end[node] = end;
  const box = node * d;
  for (let i = start; i < end; i++) {
    const at = order[i]! * d;
    for (let j = 0; j < d; j++) {
      const value = rows[at + j]!;
      if (value < low[box + j]!) low[box + j] = value;
      if (value > high[box + j]!) high[box + j] = value;
    }
  }
  if (2 * node + 1 >= tree.start.length || end - start < 2) return;
  let widest = 0;
  let spread = 0;
  for (let j = 0; j < d; j++) {
    const range = high[box + j]! - low[box + j]!;
    if (range > spread) {
      spread = range;
      widest = j;
    }
  }
  const middle = start + Math.floor((end - start) / 2);
  nthElement(order, start, middle, end, (a, b) => {
    const one = rows[a * d + widest]!;
    const other = rows[b * d + widest]!;
    return one === other ? a < b : one < other;
  });
  grow(tree, 2 * node + 1, start, middle, hooks);
  grow(tree, 2 * node + 2, middle, end, hooks);
}

/** Pushes the rows nearest to the query at `point[at…at+d)` into `heap`, as reduced distances. */
export function searchKdTree(tree: KdTree, point: Float64Array, at: number, heap: Nearest): void {
  visit(tree, 0, point, at, heap, boxDistance(tree, 0, point, at));
}

function visit(tree: KdTree, node: number, point: Float64Array, at: number, heap: Nearest, least: number): void {
  if (least > heap.distance[0]!) return;
  const left = 2 * node + 1;
  if (left >= tree.start.length) {
    const { d, rows } = tree.data;
    const { order, distance } = tree;
    const end = tree.end[node]!;
    for (let i = tree.start[node]!; i < end; i++) {
      const row = order[i]!;
      pushNearest(heap, distance(point, at, rows, row * d, d), row);
    }
    return;
  }
  const toLeft = boxDistance(tree, left, point, at);
  const toRight = boxDistance(tree, left + 1, point, at);
  if (toLeft <= toRight) {
    visit(tree, left, point, at, heap, toLeft);
    visit(tree, left + 1, point, at, heap, toRight);
  } else {
    visit(tree, left + 1, point, at, heap, toRight);
    visit(tree, left, point, at, heap, toLeft);
  }
}

/** The least reduced distance that a point of the node's box could have. */
function boxDistance(tree: KdTree, node: number, point: Float64Array, at: number): number {
  const { low, high, p } = tree;
  const { d } = tree.data;
  const box = node * d;
  let sum = 0;
  for (let j = 0; j < d; j++) {
    const value = point[at + j]!;
    const off = value < low[box + j]! ? low[box + j]! - value : value > high[box + j]! ? value - high[box + j]! : 0;
    if (off === 0) continue;
    if (p === 2) sum += off * off;
    else if (p === 1) sum += off;
    else if (p === Infinity) sum = Math.max(sum, off);
    else sum += off ** p;
  }
  return sum;
}
