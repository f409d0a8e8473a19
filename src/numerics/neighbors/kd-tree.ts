import { nthElement } from "../statistics/nth-element.ts";
import { checkCancelled, type Hooks, quiet } from "../types.ts";
import { type Reduced, type Rows, reducedDistance } from "./distance.ts";
import { type Nearest, pushNearest } from "./heap.ts";

/** The boxes of a k-d tree over rows: node i has the children 2i+1 and 2i+2, and owns order[start…end). */
export type Boxes = {
  /** Row numbers; every node owns a run of them. */
  readonly order: Int32Array;
  readonly start: Int32Array;
  readonly end: Int32Array;
  /** nodes×d each: the box around a node's rows. */
  readonly low: Float64Array;
  readonly high: Float64Array;
};

/** A k-d tree to be searched for the nearest rows. */
export type KdTree = Boxes & { readonly data: Rows; readonly p: number; readonly distance: Reduced };

const LEAF = 30;

/** A k-d tree over the rows of `data` for Minkowski distances of power `p`. O(d·n·log n). */
export function buildKdTree(data: Rows, p: number, hooks: Hooks = quiet): KdTree {
  return { ...buildBoxes(data, hooks), data, p, distance: reducedDistance(p) };
}

/**
 * Puts rows into boxes, in memory that all threads can see.
 *
 * Splits at the median of the widest column until a node has 30 to 60 rows. Built and searched step by step
 * as scikit-learn's KDTree (Bentley 1975; Omohundro 1989), so that of equally near rows the same are found.
 * O(d·n·log n).
 */
export function buildBoxes(data: Rows, hooks: Hooks = quiet): Boxes {
  const { d } = data;
  const n = data.rows.length / d;
  const levels = Math.floor(Math.log2(Math.max(1, (n - 1) / LEAF)) + 1);
  const nodes = 2 ** levels - 1;
  const boxes: Boxes = {
    order: integers(n).map((_, i) => i),
    start: integers(nodes),
    end: integers(nodes),
    low: doubles(nodes * d).fill(Infinity),
    high: doubles(nodes * d).fill(-Infinity),
  };
  grow(boxes, data, 0, 0, n, hooks);
  return boxes;
}

function integers(length: number): Int32Array {
  return new Int32Array(new SharedArrayBuffer(4 * length));
}

function doubles(length: number): Float64Array {
  return new Float64Array(new SharedArrayBuffer(8 * length));
}

function grow(boxes: Boxes, data: Rows, node: number, start: number, end: number, hooks: Hooks): void {
  const { low, high, order } = boxes;
  const { d, rows } = data;
  if (end - start > 1000) checkCancelled(hooks);
  boxes.start[node] = start;
  boxes.end[node] = end;
  const box = node * d;
  for (let i = start; i < end; i++) {
    const at = order[i]! * d;
    for (let j = 0; j < d; j++) {
      const value = rows[at + j]!;
      if (value < low[box + j]!) low[box + j] = value;
      if (value > high[box + j]!) high[box + j] = value;
    }
  }
  if (2 * node + 1 >= boxes.start.length || end - start < 2) return;
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
  grow(boxes, data, 2 * node + 1, start, middle, hooks);
  grow(boxes, data, 2 * node + 2, middle, end, hooks);
}

/** Pushes the rows nearest to the query at `point[at…at+d)` into `heap`, as reduced distances. */
export function searchKdTree(tree: KdTree, point: Float64Array, at: number, heap: Nearest): void {
  visit(tree, 0, point, at, heap, pointGap(tree, tree.data.d, 0, tree.p, point, at));
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
  const toLeft = pointGap(tree, tree.data.d, left, tree.p, point, at);
  const toRight = pointGap(tree, tree.data.d, left + 1, tree.p, point, at);
  if (toLeft <= toRight) {
    visit(tree, left, point, at, heap, toLeft);
    visit(tree, left + 1, point, at, heap, toRight);
  } else {
    visit(tree, left + 1, point, at, heap, toRight);
    visit(tree, left, point, at, heap, toLeft);
  }
}

/** The least reduced distance that a row of the node's box could have from a point; rounding makes it none larger. */
export function pointGap(
  { low, high }: Boxes,
  d: number,
  node: number,
  p: number,
  point: Float64Array,
  at: number,
): number {
  const box = node * d;
  let sum = 0;
  for (let j = 0; j < d; j++) {
    const value = point[at + j]!;
    const off = value < low[box + j]! ? low[box + j]! - value : value > high[box + j]! ? value - high[box + j]! : 0;
    if (off !== 0) sum = joined(sum, off, p);
  }
  return sum;
}

/** The least reduced distance that rows of two nodes' boxes could have; rounding makes it none larger. */
export function boxGap(one: Boxes, node: number, two: Boxes, other: number, d: number, p: number): number {
  const [a, b] = [node * d, other * d];
  let sum = 0;
  for (let j = 0; j < d; j++) {
    const off = Math.max(one.low[a + j]! - two.high[b + j]!, two.low[b + j]! - one.high[a + j]!);
    if (off > 0) sum = joined(sum, off, p);
  }
  return sum;
}

/** A difference added to a reduced distance. */
function joined(sum: number, off: number, p: number): number {
  if (p === 2) return sum + off * off;
  if (p === 1) return sum + off;
  return p === Infinity ? Math.max(sum, off) : sum + off ** p;
}
