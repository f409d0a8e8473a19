import type { Room, Samples } from "./samples.ts";

/** A node's totals: its weight, and the weighted sum of y, or the weight of each class. */
export type Totals = { weight: number; sums: number[] };

/** The best split seen so far; scans overwrite it when they find a better one. */
export type Best = { feature: number; pos: number; proxy: number };

/** A node's totals, and its range [start, end) in every column's order. */
export type Range = Totals & { start: number; end: number };

/** Looks for a better split of `node` on column `feature`, and puts it into `best`. */
export type Scan = (s: Samples, feature: number, node: Range, best: Best) => void;

/** What a tree needs from a measure of impurity. */
export type Criterion = {
  readonly scan: Scan;
  /** `scan` of a column of two values, of whose rarer one `listed` found so many samples. */
  readonly scanPair: (s: Samples, feature: number, node: Range, best: Best, rare: number) => void;
  /** Weight and sums of samples `order[from…to)`, and their impurity. */
  readonly measure: (s: Samples, from: number, to: number) => Totals & { impurity: number };
};

/** Variance around the mean; `minLeaf` samples stay on each side of a split. */
export function squaredError(minLeaf: number, room: Room): Criterion {
  return {
    measure: measureMean,
    scan: (s, feature, node, best) => scanMean(minLeaf, room, s, feature, node, best),
    scanPair: (s, feature, node, best, rare) => scanMeanPair(minLeaf, s, feature, node, best, rare),
  };
}

function scanMean(minLeaf: number, { loops, sums }: Room, s: Samples, feature: number, node: Range, best: Best): void {
  sums[0] = best.proxy;
  const { order, rank, target, weight } = placesOf(s, feature, node);
  const size = node.end - node.start;
  const [total, all] = [node.sums[0]!, node.weight];
  take(best, loops.splitMeans(order, size, minLeaf, rank, target, weight, total, all, sums.byteOffset), {
    feature,
    node,
    proxy: sums,
  });
}

function scanMeanPair(minLeaf: number, s: Samples, feature: number, node: Range, best: Best, rare: number): void {
  const size = node.end - node.start;
  if (rare < minLeaf || size - rare < minLeaf) return;
  const { target, weight } = s;
  const { found } = s.pairs!;
  let sum = 0;
  let own = 0;
  for (let k = 0; k < rare; k++) {
    sum += target[found[k]!]!;
    own += weight[found[k]!]!;
  }
  const rest = node.sums[0]! - sum;
  improve(best, s, feature, node, rare, (sum * sum) / own + (rest * rest) / (node.weight - own));
}

/** Where a node's order in a column lies, the column's ranks, and what each sample has. */
function placesOf({ m, order, rank, target, weight }: Samples, feature: number, node: Range) {
  const base = 4 * feature * m;
  return {
    order: order.byteOffset + base + 4 * node.start,
    rank: rank.byteOffset + base,
    target: target.byteOffset,
    weight: weight.byteOffset,
  };
}

/** Takes the split so many samples behind the node's first, if there is one. */
function take(
  best: Best,
  place: number,
  { feature, node, proxy }: { readonly feature: number; readonly node: Range; readonly proxy: Float64Array },
): void {
  if (place === 0) return;
  best.proxy = proxy[0]!;
  best.feature = feature;
  best.pos = node.start + place;
}

/** Takes the split of a column of two values if it is better. */
function improve(best: Best, s: Samples, feature: number, node: Range, rare: number, proxy: number): void {
  if (!(proxy > best.proxy)) return;
  best.proxy = proxy;
  best.feature = feature;
  best.pos = s.pairs!.level[feature] === 1 ? node.end - rare : node.start + rare;
}

function measureMean(s: Samples, from: number, to: number): Totals & { impurity: number } {
  let sum = 0;
  let square = 0;
  let weight = 0;
  let pure = true;
  const first = s.order[from]!;
  const value = s.target[first]! / s.weight[first]!;
  for (let p = from; p < to; p++) {
    const id = s.order[p]!;
    const w = s.weight[id]!;
    const wy = s.target[id]!;
    const y = wy / w;
    sum += wy;
    square += wy * y;
    weight += w;
    if (y !== value) pure = false;
  }
  const mean = sum / weight;
  return { weight, sums: [sum], impurity: pure ? 0 : Math.max(0, square / weight - mean * mean) };
}

/** Gini impurity of `classes` classes; `minLeaf` samples stay on each side of a split. */
export function gini(classes: number, minLeaf: number, room: Room): Criterion {
  const counts = countsOf(classes, minLeaf);
  return {
    scan: (s, feature, node, best) => scanGini(minLeaf, room, s, feature, node, best),
    scanPair: (s, feature, node, best, rare) => scanClassesPair(counts, s, feature, node, best, { rare, of: giniOf }),
    measure: (s, from, to) => measureClasses(s, from, to, classes, giniOf),
  };
}

/** Shannon entropy in bits of `classes` classes; `minLeaf` samples stay on each side of a split. */
export function entropy(classes: number, minLeaf: number): Criterion {
  const counts = countsOf(classes, minLeaf);
  return {
    scan: (s, feature, node, best) => scanEntropy(counts, s, feature, node, best),
    scanPair: (s, feature, node, best, rare) =>
      scanClassesPair(counts, s, feature, node, best, { rare, of: entropyOf }),
    measure: (s, from, to) => measureClasses(s, from, to, classes, entropyOf),
  };
}

/** Weight of each class, in the node and on both sides of the split looked at. */
type Counts = { minLeaf: number; all: Float64Array; left: Float64Array; right: Float64Array };

function countsOf(classes: number, minLeaf: number): Counts {
  return { minLeaf, all: new Float64Array(classes), left: new Float64Array(classes), right: new Float64Array(classes) };
}

function scanGini(minLeaf: number, { loops, sums }: Room, s: Samples, feature: number, node: Range, best: Best): void {
  sums[0] = best.proxy;
  const classes = node.sums.length;
  for (let k = 0; k < classes; k++) sums[k + 1] = node.sums[k]!;
  const { order, rank, target, weight } = placesOf(s, feature, node);
  const size = node.end - node.start;
  const [at, all] = [sums.byteOffset, node.weight];
  take(best, loops.splitClasses(order, size, minLeaf, rank, target, weight, at + 8, classes, all, at), {
    feature,
    node,
    proxy: sums,
  });
}

function scanEntropy(counts: Counts, s: Samples, feature: number, node: Range, best: Best): void {
  const { order, rank, target, weight } = s;
  const { left, minLeaf } = counts;
  const base = feature * s.m;
  left.fill(0);
  counts.all.set(node.sums);
  let sumLeft = 0;
  for (let p = base + node.start + 1; p <= base + node.end - minLeaf; p++) {
    const id = order[p - 1]!;
    left[target[id]!]! += weight[id]!;
    sumLeft += weight[id]!;
    if (rank[base + id]! === rank[base + order[p]!]! || p < base + node.start + minLeaf) continue;
    const proxy = proxyOf(counts, sumLeft, node.weight - sumLeft, entropyOf);
    if (proxy <= best.proxy) continue;
    best.proxy = proxy;
    best.feature = feature;
    best.pos = p - base;
  }
}

function scanClassesPair(
  counts: Counts,
  s: Samples,
  feature: number,
  node: Range,
  best: Best,
  { rare, of: impurityOf }: { readonly rare: number; readonly of: Impurity },
): void {
  const { left, all, minLeaf } = counts;
  if (rare < minLeaf || node.end - node.start - rare < minLeaf) return;
  const { target, weight } = s;
  const { found } = s.pairs!;
  left.fill(0);
  all.set(node.sums);
  let own = 0;
  for (let k = 0; k < rare; k++) {
    const id = found[k]!;
    left[target[id]!]! += weight[id]!;
    own += weight[id]!;
  }
  improve(best, s, feature, node, rare, proxyOf(counts, own, node.weight - own, impurityOf));
}

type Impurity = (sums: ArrayLike<number>, weight: number) => number;

/** What a split leaves of the impurity, negated; rounded as scikit-learn rounds it, so that ties fall alike. */
function proxyOf(counts: Counts, sumLeft: number, sumRight: number, impurityOf: Impurity): number {
  const { all, left, right } = counts;
  for (let k = 0; k < right.length; k++) right[k] = all[k]! - left[k]!;
  return -sumRight * impurityOf(right, sumRight) - sumLeft * impurityOf(left, sumLeft);
}

function squareOf(sums: ArrayLike<number>): number {
  let square = 0;
  for (let k = 0; k < sums.length; k++) square += sums[k]! * sums[k]!;
  return square;
}

function giniOf(sums: ArrayLike<number>, weight: number): number {
  return 1 - squareOf(sums) / (weight * weight);
}

function entropyOf(sums: ArrayLike<number>, weight: number): number {
  let out = 0;
  for (let k = 0; k < sums.length; k++) {
    const share = sums[k]! / weight;
    if (share > 0) out -= (share * Math.log(share)) / Math.LN2;
  }
  return out;
}

function measureClasses(
  s: Samples,
  from: number,
  to: number,
  classes: number,
  impurityOf: Impurity,
): Totals & { impurity: number } {
  const sums: number[] = [];
  for (let k = 0; k < classes; k++) sums.push(0);
  let weight = 0;
  for (let p = from; p < to; p++) {
    const id = s.order[p]!;
    sums[s.target[id]!]! += s.weight[id]!;
    weight += s.weight[id]!;
  }
  return { weight, sums, impurity: impurityOf(sums, weight) };
}
