import { rowProducts } from "../algebra/gram.ts";
import { RandomState } from "../random.ts";
import { guessedMeans } from "../statistics/co-products.ts";
import { checkCancelled, type Hooks, type Matrix, quiet } from "../types.ts";
import { firstRows } from "./kmeans.ts";
import { countsOf, silhouette } from "./scores.ts";

/** What `severalClusters` needs to know. */
export type SeveralInput = {
  readonly x: Matrix;
  /** Up to how many clusters, at most as many as there are rows. */
  readonly most: number;
  readonly seed: number;
  /** Steps of a run at most, and the share of the columns' variance at which one stops. */
  readonly maxIter: number;
  readonly tol: number;
};

/** What k-means comes to for 1, 2, … clusters. */
export type SeveralClusters = {
  /** Squared distances of the rows from their centres, added up. */
  readonly inertia: Float64Array;
  /** The rows' silhouettes on average, for each number from 2 on that has rows in all clusters. */
  readonly silhouette: Float64Array;
};

/** Squared distances are told from rounding down to this share of the rows' own squares. */
const leastShare = 1e-12;

/**
 * k-means for each number of clusters up to `most`, with silhouettes, by the inner products of all pairs of rows.
 *
 * Centres are means of rows, so products say how far each row is from them, and the columns are read once for all runs.
 * The first centres are those of `seedCentres`. O(n²d + most · n²) and O(most · n) a step: for rows of many columns.
 * Source: Schölkopf, Smola and Müller (1998), "Nonlinear component analysis", §4, with the linear kernel.
 */
export function severalClusters({ x, most, seed, maxIter, tol }: SeveralInput, hooks: Hooks = quiet): SeveralClusters {
  const { n, d } = x;
  // Products about a point near the rows lose fewest digits.
  const products = rowProducts(x, quiet, guessedMeans({ x }, hooks));
  let [squares, all] = [0, 0];
  for (let i = 0; i < n; i++) squares += products[i * n + i]!;
  for (const value of products) all += value;
  const stop = (tol * (squares - all / n)) / n / d;
  const runs = Array.from({ length: most }, (_, k) => {
    hooks.progress(k, most);
    return oneRun({ products, n, maxIter, stop }, k + 1, seed, hooks);
  });
  const groupings = runs.flatMap(({ labels }, k) => {
    const counts = countsOf(labels, k + 1);
    return k > 0 && !counts.includes(0) ? [{ labels, counts }] : [];
  });
  const silhouettes = new Float64Array(groupings.length);
  for (let i = 0; i < n; i++) {
    checkCancelled(hooks);
    const distances = squaresFrom(products, n, i);
    for (let k = 0; k < n; k++) distances[k] = Math.sqrt(distances[k]!);
    for (const [g, { labels, counts }] of groupings.entries())
      silhouettes[g]! += silhouette(distances, labels, labels[i]!, counts) / n;
  }
  return { inertia: Float64Array.from(runs, (run) => run.inertia), silhouette: silhouettes };
}

type Rows = {
  readonly products: Float64Array;
  readonly n: number;
  readonly maxIter: number;
  /** A run ends where the squared ways of the centres add up to no more. */
  readonly stop: number;
};

/** The squared distance of two points, by their squares and their product. */
function gap(a: number, b: number, product: number): number {
  const square = a + b - 2 * product;
  return square > leastShare * (a + b) ? square : 0;
}

/** Squared distances of all rows from one of them. */
function squaresFrom(products: Float64Array, n: number, row: number): Float64Array {
  const out = new Float64Array(n);
  const own = products[row * n + row]!;
  for (let i = 0; i < n; i++) out[i] = gap(own, products[i * n + i]!, products[row * n + i]!);
  return out;
}

/** Centres by their products with all rows, k×n, and with themselves. */
type Centres = { readonly withRows: Float64Array; readonly own: Float64Array };

function oneRun(
  { products, n, maxIter, stop }: Rows,
  k: number,
  seed: number,
  hooks: Hooks,
): { labels: Int32Array; inertia: number } {
  const first = firstRows((row) => squaresFrom(products, n, row), n, k, new RandomState(seed), hooks);
  const centres: Centres = { withRows: new Float64Array(k * n), own: new Float64Array(k) };
  for (const [c, row] of first.entries()) {
    centres.withRows.set(products.subarray(row * n, (row + 1) * n), c * n);
    centres.own[c] = products[row * n + row]!;
  }
  const labels = new Int32Array(n).fill(-1);
  // The products of each cluster's rows added up, which lose and gain those alone that change.
  const sums = new Float64Array(k * n);
  const move = (row: number, to: number) => {
    const from = labels[row]!;
    labels[row] = to;
    for (let i = 0; i < n; i++) {
      const value = products[row * n + i]!;
      sums[to * n + i]! += value;
      if (from >= 0) sums[from * n + i]! -= value;
    }
  };
  const squareOf = (row: number, c: number) =>
    gap(products[row * n + row]!, centres.own[c]!, centres.withRows[c * n + row]!);
  for (let step = 0; step < maxIter; step++) {
    checkCancelled(hooks);
    if (assign(centres, labels, k, move) === 0) break;
    fillEmpty(labels, k, squareOf, move);
    if (moveCentres(centres, sums, labels, k) <= stop) break;
  }
  assign(centres, labels, k, move);
  return { labels, inertia: labels.reduce((sum, c, row) => sum + squareOf(row, c), 0) };
}

/** Moves each row to the nearest centre, of equally near ones the first; how many have another one now. */
function assign(
  { withRows, own }: Centres,
  labels: Int32Array,
  k: number,
  move: (row: number, to: number) => void,
): number {
  const n = labels.length;
  let changed = 0;
  for (let i = 0; i < n; i++) {
    let least = Number.POSITIVE_INFINITY;
    let nearest = 0;
    for (let c = 0; c < k; c++) {
      const off = own[c]! - 2 * withRows[c * n + i]!;
      if (off >= least) continue;
      least = off;
      nearest = c;
    }
    if (nearest === labels[i]) continue;
    move(i, nearest);
    changed++;
  }
  return changed;
}

/** Moves the rows that are farthest from their centres to clusters that have none, as scikit-learn does. */
function fillEmpty(
  labels: Int32Array,
  k: number,
  squareOf: (row: number, c: number) => number,
  move: (row: number, to: number) => void,
): void {
  const counts = countsOf(labels, k);
  if (!counts.includes(0)) return;
  const squares = Float64Array.from(labels, (c, row) => squareOf(row, c));
  const far = Array.from(squares.keys()).sort((a, b) => squares[b]! - squares[a]! || a - b);
  for (let c = 0; c < k; c++) {
    if (counts[c]! > 0) continue;
    const row = far.shift()!;
    if (squares[row] === 0) return;
    move(row, c);
  }
}

/** Makes centres the means of their rows, those without rows stay; the squares of their ways added up. */
function moveCentres({ withRows, own }: Centres, sums: Float64Array, labels: Int32Array, k: number): number {
  const n = labels.length;
  const counts = countsOf(labels, k);
  const inner = (products: Float64Array) => {
    const out = new Float64Array(k);
    for (let i = 0; i < n; i++) out[labels[i]!]! += products[labels[i]! * n + i]!;
    return out.map((sum, c) => sum / counts[c]!);
  };
  const across = inner(withRows);
  for (let c = 0; c < k; c++) {
    if (counts[c] === 0) continue;
    for (let i = c * n; i < (c + 1) * n; i++) withRows[i] = sums[i]! / counts[c]!;
  }
  const now = inner(withRows);
  let ways = 0;
  for (let c = 0; c < k; c++) {
    if (counts[c] === 0) continue;
    ways += Math.max(0, own[c]! + now[c]! - 2 * across[c]!);
    own[c] = now[c]!;
  }
  return ways;
}
