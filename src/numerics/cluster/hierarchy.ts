import { checkCancelled, type Hooks, type Matrix, quiet } from "../types.ts";
import { reachabilityTree } from "./reachability.ts";

/** How far two clusters are from each other: by what joining them adds to the squares, or by their rows' distances. */
export type Linkage = "ward" | "complete" | "average" | "single";

/** How far two rows are from each other. */
export type RowMetric = "euclidean" | "manhattan" | "cosine";

/** What `joinRows` needs to know. */
export type JoinInput = { readonly x: Matrix; readonly linkage: Linkage; readonly metric: RowMetric };

/** Clusters joined one after the other, the nearest first: rows are 0…n−1, the t-th joined ones n + t. */
export type Joins = {
  readonly n: number;
  /** 2·(n−1): the two that are joined. */
  readonly pairs: Int32Array;
  /** n−1, rising: how far they were from each other. */
  readonly heights: Float64Array;
};

/**
 * Agglomerative clustering, as scikit-learn's AgglomerativeClustering: joins the nearest two until one is left.
 *
 * O(n²d) time, and 4·n² bytes; single linkage but for cosines by the least spanning tree, in O(nd) bytes. NaN is a
 * RangeError. Source: Müllner (2011), "Modern hierarchical, agglomerative clustering algorithms", the nearest-neighbour
 * chain, as scipy walks it.
 */
export function joinRows({ x, linkage, metric }: JoinInput, hooks: Hooks = quiet): Joins {
  const { n } = x;
  if (linkage === "single" && metric !== "cosine") return joinsOfTree(x, metric, hooks);
  const apart = distances(x, metric, hooks);
  let size = new Int32Array(n).fill(1);
  /** The row whose name the cluster at a place has. */
  let names = Int32Array.from(size.keys());
  const left = new Int32Array(n - 1);
  const right = new Int32Array(n - 1);
  const height = new Float64Array(n - 1);
  const chain = new Int32Array(n);
  let length = 0;
  for (let t = 0; t < n - 1; t++) {
    if (t % 64 === 0) {
      checkCancelled(hooks);
      hooks.progress(n + t, 2 * n);
    }
    if (n - t < fullShare * size.length) {
      const kept = Int32Array.from(size.keys()).filter((i) => size[i]! > 0);
      for (let k = 0; k < length; k++) chain[k] = kept.indexOf(chain[k]!);
      pack(apart, kept);
      size = kept.map((i) => size[i]!);
      names = kept.map((i) => names[i]!);
    }
    if (length === 0) chain[length++] = size.findIndex((rows) => rows > 0);
    let a: number;
    let b = -1;
    let least: number;
    for (;;) {
      a = chain[length - 1]!;
      b = length > 1 ? chain[length - 2]! : -1;
      least = b < 0 ? Number.POSITIVE_INFINITY : apart[at(a, b)]!;
      for (let i = 0, from = at(a, 0); i < a; i++, from++) {
        if (size[i] !== 0 && apart[from]! < least) {
          least = apart[from]!;
          b = i;
        }
      }
      for (let i = a + 1, from = at(i, a); i < size.length; from += i, i++) {
        if (size[i] !== 0 && apart[from]! < least) {
          least = apart[from]!;
          b = i;
        }
      }
      if (length > 1 && b === chain[length - 2]) break;
      chain[length++] = b;
    }
    length -= 2;
    if (a > b) [a, b] = [b, a];
    left[t] = names[a]!;
    right[t] = names[b]!;
    height[t] = least;
    merge(apart, size, linkage, a, b, least);
  }
  return ordered(n, left, right, height);
}

/** Single linkage: the edges of the least spanning tree, the shortest first (Gower and Ross, 1969). */
function joinsOfTree(x: Matrix, metric: "euclidean" | "manhattan", hooks: Hooks): Joins {
  const core = new Float64Array(x.n);
  const { ends, lengths } = reachabilityTree({ x, p: metric === "manhattan" ? 1 : 2, core }, hooks);
  const side = (which: number) => Int32Array.from(lengths, (_, k) => ends[2 * k + which]!);
  return ordered(x.n, side(0), side(1), lengths);
}

/** The share of clusters among the places below which these are packed: what is read lies nearer, in fewer pages. */
const fullShare = 0.8;

/** Moves the distances of the places that are kept, in their order, to the front. */
function pack(apart: Float64Array, kept: Int32Array): void {
  for (let i = 1, to = 0; i < kept.length; i++) {
    const row = at(kept[i]!, 0);
    for (let k = 0; k < i; k++, to++) apart[to] = apart[row + kept[k]!]!;
  }
}

/** Where the distance of two rows lies. */
function at(a: number, b: number): number {
  return a > b ? (a * (a - 1)) / 2 + b : (b * (b - 1)) / 2 + a;
}

/** Distances of all pairs. */
function distances({ n, d, data }: Matrix, metric: RowMetric, hooks: Hooks): Float64Array {
  const rows = new Float64Array(n * d);
  for (let j = 0; j < d; j++) for (let i = 0; i < n; i++) rows[i * d + j] = data[j * n + i]!;
  if (metric === "cosine") {
    for (let i = 0; i < n; i++) {
      let square = 0;
      for (let j = 0; j < d; j++) square += rows[i * d + j]! ** 2;
      if (square > 0) for (let j = 0; j < d; j++) rows[i * d + j]! /= Math.sqrt(square);
    }
  }
  const out = new Float64Array((n * (n - 1)) / 2);
  for (let a = 1; a < n; a++) {
    if (a % 64 === 0) {
      checkCancelled(hooks);
      hooks.progress(Math.floor((a * a) / n), 2 * n);
    }
    const to = (a * (a - 1)) / 2;
    for (let b = 0; b < a; b++) {
      let sum = 0;
      if (metric === "cosine") for (let j = 0; j < d; j++) sum += rows[a * d + j]! * rows[b * d + j]!;
      else if (metric === "manhattan") for (let j = 0; j < d; j++) sum += Math.abs(rows[a * d + j]! - rows[b * d + j]!);
      else {
        for (let j = 0; j < d; j++) {
          const off = rows[a * d + j]! - rows[b * d + j]!;
          sum += off * off;
        }
      }
      out[to + b] = metric === "euclidean" ? Math.sqrt(sum) : metric === "cosine" ? Math.max(0, 1 - sum) : sum;
    }
  }
  return out;
}

/** Cluster a goes into b; the distances from the others follow by Lance and Williams. */
function merge(apart: Float64Array, size: Int32Array, linkage: Linkage, a: number, b: number, height: number): void {
  const [na, nb] = [size[a]!, size[b]!];
  size[a] = 0;
  size[b] = na + nb;
  for (let i = 0; i < size.length; i++) {
    const ni = size[i]!;
    if (ni === 0 || i === b) continue;
    const to = at(i, b);
    const [fromA, fromB] = [apart[at(i, a)]!, apart[to]!];
    if (linkage === "single") apart[to] = Math.min(fromA, fromB);
    else if (linkage === "complete") apart[to] = Math.max(fromA, fromB);
    else if (linkage === "average") apart[to] = (na * fromA + nb * fromB) / (na + nb);
    else {
      const sum = (ni + na) * fromA * fromA + (ni + nb) * fromB * fromB - ni * height * height;
      apart[to] = Math.sqrt(Math.max(0, sum / (ni + na + nb)));
    }
  }
}

/** The joins by height, and each cluster by the number that it has then. */
function ordered(n: number, left: Int32Array, right: Int32Array, height: Float64Array): Joins {
  const order = Array.from(height.keys()).sort((s, t) => height[s]! - height[t]! || s - t);
  const parent = Int32Array.from({ length: 2 * n - 1 }, (_, i) => i);
  const root = (from: number) => {
    let i = from;
    while (parent[i] !== i) {
      parent[i] = parent[parent[i]!]!;
      i = parent[i]!;
    }
    return i;
  };
  const pairs = new Int32Array(2 * (n - 1));
  for (const [t, from] of order.entries()) {
    const two = [root(left[from]!), root(right[from]!)].sort((a, b) => a - b);
    pairs.set(two, 2 * t);
    for (const each of two) parent[each] = n + t;
  }
  return { n, pairs, heights: Float64Array.from(order, (t) => height[t]!) };
}

/** The cluster of each row when so many are left, numbered as they come up from the first row on. O(n). */
export function cutJoins({ n, pairs }: Joins, clusters: number): Int32Array {
  const above = new Int32Array(2 * n - 1).fill(-1);
  for (let t = 0; t < n - clusters; t++) {
    above[pairs[2 * t]!] = n + t;
    above[pairs[2 * t + 1]!] = n + t;
  }
  const number = new Map<number, number>();
  // What is joined comes before what it is joined to, so that the top is known first.
  for (let i = 2 * n - 2; i >= 0; i--) if (above[i]! >= 0 && above[above[i]!]! >= 0) above[i] = above[above[i]!]!;
  return Int32Array.from({ length: n }, (_, i) => {
    const top = above[i]! >= 0 ? above[i]! : i;
    const known = number.get(top) ?? number.size;
    number.set(top, known);
    return known;
  });
}
