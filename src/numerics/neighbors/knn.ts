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

/** What a question for nearest rows needs to know. */
export type NearestInput = {
  /** n×d features of the rows that are known. */
  train: Matrix;
  /** m×d rows that are asked for. */
  x: Matrix;
  /** Neighbours that count, 1…n. */
  k: number;
  metric: Metric;
  /** Minkowski's power, above 0 (2 is Euclidean). */
  p: number;
  /** "uniform", or "distance": a neighbour counts 1/distance, and equal rows alone where there are any. */
  weights: "uniform" | "distance";
  /** Judge only the rows from…to−1 (default all). */
  from?: number;
  to?: number;
};

/** The same, and the classes of the rows that are known. */
export type KnnInput = NearestInput & {
  /** n class codes, 0…classes−1. */
  y: Int32Array;
  classes: number;
};

/**
 * The share of each class among the k nearest rows: rows×classes, fresh.
 *
 * As scikit-learn's KNeighborsClassifier. RangeError unless 1 ≤ k ≤ n.
 */
export function predictKnn(input: KnnInput, hooks: Hooks = quiet): Matrix {
  const { y, classes } = input;
  const rows = (input.to ?? input.x.n) - (input.from ?? 0);
  const data = new Float64Array(rows * classes);
  weighNearest(input, hooks, (query, nearest, weights, sum) => {
    for (let i = 0; i < nearest.length; i++) data[y[nearest[i]!]! * rows + query]! += weights[i]!;
    for (let c = 0; c < classes; c++) data[c * rows + query] = data[c * rows + query]! / sum;
  });
  return { n: rows, d: classes, data };
}

/**
 * The mean of a number of the k nearest rows: rows×1, fresh.
 *
 * As scikit-learn's KNeighborsRegressor. RangeError unless 1 ≤ k ≤ n.
 */
export function averageKnn(input: NearestInput & { y: Float64Array }, hooks: Hooks = quiet): Matrix {
  const { y } = input;
  const rows = (input.to ?? input.x.n) - (input.from ?? 0);
  const data = new Float64Array(rows);
  weighNearest(input, hooks, (query, nearest, weights, sum) => {
    let total = 0;
    for (let i = 0; i < nearest.length; i++) total += y[nearest[i]!]! * weights[i]!;
    data[query] = total / sum;
  });
  return { n: rows, d: 1, data };
}

/** Hears of the rows nearest to one, what each of them counts, and what all do together. */
type Weighed = (query: number, nearest: Int32Array, weights: Float64Array, sum: number) => void;

/**
 * Tells what each of the k nearest rows counts in the answer to a row.
 *
 * Up to 15 columns by a k-d tree, beyond (or for many neighbours, p below 1, or cosine) by a comparison with all rows, as
 * scikit-learn. Of rows equally near at the k-th place the tree keeps those that it keeps there; without the tree the first
 * rows stay, where scikit-learn goes by rounding and threads. Rows so large that their distances would overflow are scaled
 * down, which changes none of the answers.
 */
function weighNearest(input: NearestInput, hooks: Hooks, tell: Weighed): void {
  const { train, x, k } = input;
  if (!(k >= 1 && k <= train.n)) throw new RangeError(`k must be between 1 and ${train.n}, got ${k}`);
  if (x.d !== train.d) throw new RangeError(`the model has ${train.d} columns, got ${x.d}`);
  const from = input.from ?? 0;
  const to = input.to ?? x.n;
  const isWeighted = input.weights === "distance";
  const counts = new Float64Array(k);
  search(input, rowMajor(train), rowMajor(x, from, to), hooks, (query, heap, whole) => {
    const isHit = isWeighted && heap.distance.includes(0);
    let sum = 0;
    for (let i = 0; i < k; i++) {
      const distance = heap.distance[i]!;
      counts[i] = !isWeighted ? 1 : isHit ? (distance === 0 ? 1 : 0) : 1 / whole(distance);
      sum += counts[i]!;
    }
    tell(query, heap.row, counts, sum);
  });
  hooks.progress(to - from, to - from);
}

type Told = (query: number, heap: Parameters<Heard>[1], whole: (reduced: number) => number) => void;

function search(input: NearestInput, train: Rows, queries: Rows, hooks: Hooks, tell: Told): void {
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
  for (const { rows } of [train, queries]) {
    for (let i = 0; i < rows.length; i++) reach = Math.max(reach, Math.abs(rows[i]!));
  }
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
