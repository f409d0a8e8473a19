import { checkCancelled, type Hooks, type Matrix, quiet } from "../types.ts";
import { type Heard, searchAll, searchEuclidean } from "./brute.ts";
import {
  cosineOfUnits,
  type Metric,
  powerOf,
  type Rows,
  reducedDistance,
  rowMajor,
  unitRows,
  wholeDistance,
} from "./distance.ts";
import { clearNearest, nearestOf } from "./heap.ts";
import { buildKdTree, searchKdTree } from "./kd-tree.ts";

/** What `predictKnn` needs to know. */
export type KnnInput = {
  /** n×d features of the rows that are known. */
  train: Matrix;
  /** n class codes, 0…classes−1. */
  y: Int32Array;
  classes: number;
  /** m×d rows to classify. */
  x: Matrix;
  /** Neighbours that vote, 1…n. */
  k: number;
  metric: Metric;
  /** Minkowski's power, above 0 (2 is Euclidean). */
  p: number;
  /** "uniform", or "distance": a vote counts 1/distance, and equal rows alone where there are any. */
  weights: "uniform" | "distance";
  /** Judge only the rows from…to−1 (default all). */
  from?: number;
  to?: number;
};

/**
 * The share of each class among the k nearest rows: rows×classes, fresh.
 *
 * As scikit-learn's KNeighborsClassifier: up to 15 columns a k-d tree, beyond (or for many neighbours, p below
 * 1, or cosine) a comparison with all rows. Of rows equally near at the k-th place the tree keeps those that it keeps
 * there; without the tree the first rows stay, where scikit-learn goes by rounding and threads. Rows so large
 * that their distances would overflow are scaled down, which changes none of the answers. RangeError unless 1 ≤ k ≤ n.
 */
export function predictKnn(input: KnnInput, hooks: Hooks = quiet): Matrix {
  const { train, y, x, k, classes } = input;
  if (!(k >= 1 && k <= train.n)) throw new RangeError(`k must be between 1 and ${train.n}, got ${k}`);
  if (x.d !== train.d) throw new RangeError(`the model has ${train.d} columns, got ${x.d}`);
  const from = input.from ?? 0;
  const to = input.to ?? x.n;
  const rows = to - from;
  const data = new Float64Array(rows * classes);
  const isWeighted = input.weights === "distance";
  search(input, rowMajor(train), rowMajor(x, from, to), hooks, (query, heap, whole) => {
    const isHit = isWeighted && heap.distance.includes(0);
    let sum = 0;
    for (let i = 0; i < k; i++) {
      const distance = heap.distance[i]!;
      const weight = !isWeighted ? 1 : isHit ? (distance === 0 ? 1 : 0) : 1 / whole(distance);
      data[y[heap.row[i]!]! * rows + query]! += weight;
      sum += weight;
    }
    for (let c = 0; c < classes; c++) data[c * rows + query] = data[c * rows + query]! / sum;
  });
  hooks.progress(rows, rows);
  return { n: rows, d: classes, data };
}

type Told = (query: number, heap: Parameters<Heard>[1], whole: (reduced: number) => number) => void;

function search(input: KnnInput, train: Rows, queries: Rows, hooks: Hooks, tell: Told): void {
  const { k, metric } = input;
  if (metric === "cosine") {
    unitRows(train);
    unitRows(queries);
    const hear: Heard = (query, heap) => tell(query, heap, (value) => value);
    searchAll(train, queries, k, cosineOfUnits, hear, hooks);
    return;
  }
  const p = powerOf(metric, input.p);
  keepFinite(train, queries, p);
  const hear: Heard = (query, heap) => tell(query, heap, (value) => wholeDistance(value, p));
  const isTree = train.d <= 15 && k < Math.floor(input.train.n / 2) && p >= 1;
  if (isTree) searchTree(train, queries, k, p, hear, hooks);
  else if (p === 2) searchEuclidean(train, queries, k, reducedDistance(2), hear, hooks);
  else searchAll(train, queries, k, reducedDistance(p), hear, hooks);
}

/** Scales all rows by one power of 2 when a sum of p-th powers could pass the largest double. */
function keepFinite(train: Rows, queries: Rows, p: number): void {
  let reach = 0;
  for (const { rows } of [train, queries]) for (const value of rows) reach = Math.max(reach, Math.abs(value));
  const power = p === Infinity ? 1 : p;
  const bits = (1000 - Math.log2(train.d)) / power - 1;
  if (!(Math.log2(reach) > bits)) return;
  const shrink = 2 ** (Math.floor(bits) - Math.ceil(Math.log2(reach)));
  for (const { rows } of [train, queries]) for (let i = 0; i < rows.length; i++) rows[i] = rows[i]! * shrink;
}

function searchTree(train: Rows, queries: Rows, k: number, p: number, hear: Heard, hooks: Hooks): void {
  const tree = buildKdTree(train, p, hooks);
  const heap = nearestOf(k);
  const m = queries.rows.length / queries.d;
  for (let query = 0; query < m; query++) {
    if ((query & 31) === 0) {
      checkCancelled(hooks);
      hooks.progress(query, m);
    }
    clearNearest(heap);
    searchKdTree(tree, queries.rows, query * queries.d, heap);
    hear(query, heap);
  }
}
