import { checkCancelled, type Hooks, type Matrix, quiet } from "../types.ts";

/** Rows and the cluster of each, 0…clusters−1, none of them empty. */
export type ClusterScoreInput = {
  readonly x: Matrix;
  readonly labels: Int32Array;
  readonly clusters: number;
  /** Only the rows from…to−1 (default all). */
  readonly from?: number;
  readonly to?: number;
};

/**
 * How much nearer each row is to its own cluster than to the next one, -1 to 1: its silhouette; 0 where it is alone.
 *
 * O(rows · n · d). Source: Rousseeuw (1987).
 */
export function silhouettes(
  { x, labels, clusters, from = 0, to = x.n }: ClusterScoreInput,
  hooks: Hooks = quiet,
): Matrix {
  const { n, d, data } = x;
  const rows = new Float64Array(n * d);
  for (let j = 0; j < d; j++) for (let i = 0; i < n; i++) rows[i * d + j] = data[j * n + i]!;
  const counts = new Float64Array(clusters);
  for (const label of labels) counts[label]!++;
  const sums = new Float64Array(clusters);
  const out = new Float64Array(to - from);
  for (let i = from; i < to; i++) {
    if (i % 16 === 0) {
      checkCancelled(hooks);
      hooks.progress(i - from, to - from);
    }
    sums.fill(0);
    for (let k = 0; k < n; k++) {
      let sum = 0;
      for (let j = 0; j < d; j++) {
        const off = rows[i * d + j]! - rows[k * d + j]!;
        sum += off * off;
      }
      sums[labels[k]!]! += Math.sqrt(sum);
    }
    const own = labels[i]!;
    if (counts[own]! < 2) continue;
    const inside = sums[own]! / (counts[own]! - 1);
    let outside = Number.POSITIVE_INFINITY;
    for (let c = 0; c < clusters; c++) if (c !== own) outside = Math.min(outside, sums[c]! / counts[c]!);
    const larger = Math.max(inside, outside);
    out[i - from] = larger > 0 ? (outside - inside) / larger : 0;
  }
  return { n: to - from, d: 1, data: out };
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
  const counts = new Float64Array(clusters);
  for (const label of labels) counts[label]!++;
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
