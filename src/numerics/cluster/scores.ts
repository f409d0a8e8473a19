import { checkCancelled, type Hooks, type Matrix, quiet } from "../types.ts";
import { createLoops } from "../wasm/loops.ts";

/** Rows and the cluster of each, 0…clusters−1, none of them empty. */
export type ClusterScoreInput = {
  readonly x: Matrix;
  readonly labels: Int32Array;
  readonly clusters: number;
};

/** What `silhouettes` needs to know. */
export type SilhouettesInput = Pick<ClusterScoreInput, "x"> & {
  /** Ways to divide the rows. */
  readonly groupings: readonly Pick<ClusterScoreInput, "labels" | "clusters">[];
  /** Only the rows from…to−1 (default all). */
  readonly from?: number;
  readonly to?: number;
};

/**
 * How much nearer each row is to its own cluster than to the next one, -1 to 1: its silhouette; 0 where it is alone.
 *
 * A column for each grouping; all of them take one pass over the distances. O(rows · n · d). Source: Rousseeuw (1987).
 */
export function silhouettes({ x, groupings, from = 0, to = x.n }: SilhouettesInput, hooks: Hooks = quiet): Matrix {
  const { n, d, data } = x;
  const width = Math.ceil(d / 2) * 2;
  const padded = Math.ceil(n / 4) * 4;
  const { loops, at } = createLoops(padded * width * 8, padded * 8);
  const [rows, gaps] = at as [number, number];
  for (let j = 0; j < d; j++) for (let i = 0; i < n; i++) loops.doubles[i * width + j] = data[j * n + i]!;
  const distances = loops.doubles.subarray(gaps / 8, gaps / 8 + n);
  const count = to - from;
  const out = new Float64Array(count * groupings.length);
  const counts = groupings.map(({ labels, clusters }) => countsOf(labels, clusters));
  for (let i = from; i < to; i++) {
    if (i % 16 === 0) {
      checkCancelled(hooks);
      hooks.progress(i - from, count);
    }
    loops.squaredGaps(rows + i * width * 8, rows, padded, width * 8, gaps);
    for (let k = 0; k < n; k++) distances[k] = Math.sqrt(distances[k]!);
    for (const [g, { labels }] of groupings.entries())
      out[g * count + i - from] = silhouette(distances, labels, labels[i]!, counts[g]!);
  }
  return { n: count, d: groupings.length, data: out };
}

/** How many rows each cluster has. */
export function countsOf(labels: Int32Array, clusters: number): Float64Array {
  const counts = new Float64Array(clusters);
  for (const label of labels) counts[label]!++;
  return counts;
}

/** The silhouette of a row of cluster `own`, given its distances from all rows. */
export function silhouette(distances: Float64Array, labels: Int32Array, own: number, counts: Float64Array): number {
  if (counts[own]! < 2) return 0;
  const sums = new Float64Array(counts.length);
  for (let k = 0; k < distances.length; k++) sums[labels[k]!]! += distances[k]!;
  const inside = sums[own]! / (counts[own]! - 1);
  let outside = Number.POSITIVE_INFINITY;
  for (let c = 0; c < counts.length; c++) if (c !== own) outside = Math.min(outside, sums[c]! / counts[c]!);
  const larger = Math.max(inside, outside);
  return larger > 0 ? (outside - inside) / larger : 0;
}

/** How tight clusters are against how far apart. */
export type Compactness = {
  /** Of each cluster the worst ratio of two clusters' spread to their distance, on average: small is good. */
  readonly daviesBouldin: number;
  /** Spread between clusters over spread within: large is good. */
  readonly calinskiHarabasz: number;
};

/**
 * Davies-Bouldin and Calinski-Harabasz scores, as scikit-learn's. O(nd + clusters² · d).
 *
 * Sources: Davies and Bouldin (1979); Caliński and Harabasz (1974).
 */
export function compactness({ x, labels, clusters }: ClusterScoreInput, hooks: Hooks = quiet): Compactness {
  const { n, d, data } = x;
  checkCancelled(hooks);
  const counts = countsOf(labels, clusters);
  const centres = new Float64Array(clusters * d);
  const means = new Float64Array(d);
  for (let j = 0; j < d; j++) {
    for (let i = 0; i < n; i++) {
      centres[labels[i]! * d + j]! += data[j * n + i]! / counts[labels[i]!]!;
      means[j]! += data[j * n + i]! / n;
    }
  }
  const spread = new Float64Array(clusters);
  let within = 0;
  for (let i = 0; i < n; i++) {
    let square = 0;
    for (let j = 0; j < d; j++) square += (data[j * n + i]! - centres[labels[i]! * d + j]!) ** 2;
    within += square;
    spread[labels[i]!]! += Math.sqrt(square) / counts[labels[i]!]!;
  }
  return compactnessOf({ n, counts, centres, means, within, spread });
}

/** What compactness goes by: of each cluster its rows, its mean, and how far its rows lie from that on average. */
export type Spreads = {
  readonly n: number;
  readonly counts: Float64Array;
  /** clusters×d, row-major. */
  readonly centres: Float64Array;
  /** The means of all rows. */
  readonly means: Float64Array;
  readonly spread: Float64Array;
  /** Squared distances of all rows from their clusters' means, added up. */
  readonly within: number;
};

/** As `compactness`, of what is known of the clusters. O(clusters² · d). */
export function compactnessOf({ n, counts, centres, means, within, spread }: Spreads): Compactness {
  const clusters = counts.length;
  const d = means.length;
  let between = 0;
  let worst = 0;
  for (let a = 0; a < clusters; a++) {
    let most = 0;
    for (let j = 0; j < d; j++) between += counts[a]! * (centres[a * d + j]! - means[j]!) ** 2;
    for (let b = 0; b < clusters; b++) {
      let square = 0;
      for (let j = 0; j < d; j++) square += (centres[a * d + j]! - centres[b * d + j]!) ** 2;
      if (b !== a && square > 0) most = Math.max(most, (spread[a]! + spread[b]!) / Math.sqrt(square));
    }
    worst += most;
  }
  return {
    daviesBouldin: worst / clusters,
    calinskiHarabasz: within === 0 ? 1 : (between * (n - clusters)) / (within * (clusters - 1)),
  };
}

/** How well two ways to divide rows agree. */
export type Agreement = {
  /** Pairs on which they agree, beyond chance: 1 for the same, about 0 for any. */
  readonly ari: number;
  /** What one tells of the other, as a share of what there is to tell: 0 to 1. */
  readonly nmi: number;
};

/**
 * Adjusted Rand index and normalised mutual information, as scikit-learn's. O(n + a·b) for a and b groups.
 *
 * Sources: Hubert and Arabie (1985); Vinh, Epps and Bailey (2010).
 */
export function agreement(one: Int32Array, other: Int32Array): Agreement {
  const n = one.length;
  const [a, b] = [1 + one.reduce((m, v) => Math.max(m, v), 0), 1 + other.reduce((m, v) => Math.max(m, v), 0)];
  const table = new Float64Array(a * b);
  for (let i = 0; i < n; i++) table[one[i]! * b + other[i]!]!++;
  return agreementOf(table, b);
}

/** As `agreement`, of how many rows are in each group of the one and each of the `b` groups of the other. O(a·b). */
export function agreementOf(table: Float64Array, b: number): Agreement {
  const a = table.length / b;
  const n = table.reduce((sum, each) => sum + each, 0);
  const rows = new Float64Array(a);
  const columns = new Float64Array(b);
  for (let i = 0; i < a; i++) {
    for (let j = 0; j < b; j++) {
      rows[i]! += table[i * b + j]!;
      columns[j]! += table[i * b + j]!;
    }
  }
  const pairs = (counts: Float64Array) => counts.reduce((sum, value) => sum + (value * (value - 1)) / 2, 0);
  const [both, inOne, inOther, all] = [pairs(table), pairs(rows), pairs(columns), (n * (n - 1)) / 2];
  const chance = all > 0 ? (inOne * inOther) / all : 0;
  const most = (inOne + inOther) / 2;
  const entropy = (counts: Float64Array) =>
    counts.reduce((sum, value) => (value > 0 ? sum - (value / n) * Math.log(value / n) : sum), 0);
  let shared = 0;
  for (let i = 0; i < a; i++) {
    for (let j = 0; j < b; j++) {
      const value = table[i * b + j]!;
      if (value > 0) shared += (value / n) * Math.log((n * value) / (rows[i]! * columns[j]!));
    }
  }
  const told = (entropy(rows) + entropy(columns)) / 2;
  return {
    ari: most === chance ? 1 : (both - chance) / (most - chance),
    nmi: told === 0 ? 1 : Math.max(0, shared) / told,
  };
}
