import {
  type CoProductsInput,
  columnMeans,
  coProducts,
  guessedMeans,
  layoutIn,
  summed,
} from "../statistics/co-products.ts";
import { type Hooks, type Matrix, quiet } from "../types.ts";
import { rowProducts } from "./gram.ts";
import { innerProducts } from "./inner-products.ts";
import { type CountOf, symmetricEigen } from "./symmetric-eigen.ts";

/** How many components: a count, the share of variance to keep (0 to 1, exclusive), "mle", or null for all. */
export type Wanted = number | "mle" | null;

/** What `fitPca` needs to know. */
export type PcaInput = { readonly x: Matrix; readonly wanted: Wanted };

/** Principal components of a matrix. */
export type Pca = {
  /** d means, which are taken off before projecting. */
  readonly mean: Float64Array;
  /** How many components were kept. */
  readonly k: number;
  /** k·d numbers; component j is `components[j * d … (j + 1) * d - 1]`. */
  readonly components: Float64Array;
  /** The variance along each component (divisor n - 1), and its share of the whole variance. */
  readonly variance: Float64Array;
  readonly ratio: Float64Array;
};

/**
 * Principal component analysis by the covariance's eigenvectors, or those of the Gram matrix where rows are fewer.
 *
 * Each component's greatest loading is positive, as scikit-learn's svd_flip does. "mle" is Minka's guess of the
 * number ("Automatic choice of dimensionality for PCA", 2000). Needs 2 rows; n ≥ d for "mle".
 * Costs n·d·min(n, d) + min(n, d)³ operations and min(n, d)² numbers.
 */
export function fitPca({ x, wanted }: PcaInput, hooks: Hooks = quiet): Pca {
  if (x.n >= x.d) {
    const shift = guessedMeans({ x }, hooks);
    return tallPca({ n: x.n, shift, parts: coProducts(shiftedSums(x, shift), hooks), wanted }, hooks);
  }
  const { mean } = columnMeans({ x }, hooks);
  const products = rowProducts(x, hooks, mean);
  const { values, vectors } = symmetricEigen(products, x.n, hooks, countBy(wanted, x.n - 1, x));
  return kept(spreadOf(values, x.n - 1), mean, fromRows(x, mean, vectors, hooks));
}

/** What `coProducts` is asked of a table without holes: products of columns less numbers near their means, and the sums. */
export function shiftedSums(x: Matrix, shift: Float64Array): CoProductsInput {
  return { x, mean: shift, holes: new Uint8Array(x.d), sums: true };
}

/** What `tallPca` needs to know. */
export type TallPcaInput = {
  /** Rows, at least as many as columns. */
  readonly n: number;
  /** What was taken off the columns. */
  readonly shift: Float64Array;
  /** The sums of all chunks of `coProducts`. */
  readonly parts: readonly Float64Array[];
  readonly wanted: Wanted;
};

/** `fitPca` of a table whose products are there already, as of `shiftedSums`. O(d³). */
export function tallPca({ n, shift, parts, wanted }: TallPcaInput, hooks: Hooks = quiet): Pca {
  const d = shift.length;
  const { mean, matrix } = covariance(n, shift, parts);
  const { values, vectors } = symmetricEigen(matrix, d, hooks, countBy(wanted, 1, { n, d }));
  return kept(spreadOf(values, 1), mean, vectors);
}

/** What `projectPca` needs to know. */
export type ProjectionInput = {
  readonly x: Matrix;
  readonly pca: Pick<Pca, "mean" | "k" | "components">;
  /** Only the rows from…to−1 (default all). */
  readonly from?: number;
  readonly to?: number;
};

/** Rows that are projected together. */
const projectedRows = 1024;

/** Rows less the means along each component: rows×k, fresh. NaN spreads along its row. O(rows·d·k). */
export function projectPca({ x, pca, from = 0, to = x.n }: ProjectionInput, hooks: Hooks = quiet): Matrix {
  const { mean, k, components } = pca;
  const n = to - from;
  const data = new Float64Array(n * k);
  const rows = new Float64Array(Math.min(projectedRows, n) * x.d);
  for (let start = 0; start < n; start += projectedRows) {
    hooks.progress(start, n);
    const count = Math.min(projectedRows, n - start);
    for (let j = 0; j < x.d; j++) {
      const cells = x.data.subarray(j * x.n + from + start, j * x.n + from + start + count);
      for (let i = 0; i < count; i++) rows[i * x.d + j] = cells[i]! - mean[j]!;
    }
    const found = innerProducts({ data: components, count: k }, { data: rows, count }, x.d, hooks);
    for (let c = 0; c < k; c++) data.set(found.subarray(c * count, (c + 1) * count), c * n + start);
  }
  return { n, d: k, data };
}

/** The variance along each direction, the greatest first, and that of all together. */
type Spread = { readonly variances: Float64Array; readonly total: number };

function spreadOf(values: Float64Array, divisor: number): Spread {
  const variances = values.map((value) => Math.max(0, value / divisor));
  return { variances, total: variances.reduce((sum, value) => sum + value, 0) };
}

/** The result, of the components that were wanted. */
function kept({ variances, total }: Spread, mean: Float64Array, components: Float64Array): Pca {
  const d = mean.length;
  const k = components.length / d;
  flipSigns(components, k, d);
  const variance = variances.slice(0, k);
  return { mean, k, components, variance, ratio: variance.map((value) => (total > 0 ? value / total : 0)) };
}

/** The means, and the d×d covariance (divisor n - 1). */
function covariance(n: number, shift: Float64Array, parts: readonly Float64Array[]) {
  const d = shift.length;
  const { values } = layoutIn({ holes: new Uint8Array(d), sums: true });
  const products = summed(parts);
  const sums = products.subarray(d * values, d * values + d);
  const matrix = new Float64Array(d * d);
  for (let a = 0; a < d; a++) {
    for (let b = 0; b <= a; b++) {
      const value = (products[a * values + b]! - (sums[a]! * sums[b]!) / n) / (n - 1);
      matrix[a * d + b] = value;
      matrix[b * d + a] = value;
    }
  }
  return { mean: shift.map((value, j) => value + sums[j]! / n), matrix };
}

/** The components behind the vectors of the products of rows: centred columns times the vector, to length 1. */
function fromRows({ n, d, data }: Matrix, mean: Float64Array, vectors: Float64Array, hooks: Hooks) {
  const k = vectors.length / n;
  const out = innerProducts({ data: vectors, count: k }, { data, count: d, less: mean }, n, hooks);
  for (let c = 0; c < k; c++) {
    const component = out.subarray(c * d, (c + 1) * d);
    const length = Math.sqrt(component.reduce((sum, value) => sum + value * value, 0));
    const scale = length > 0 ? 1 / length : 0;
    for (let j = 0; j < d; j++) component[j] = component[j]! * scale;
  }
  return out;
}

function flipSigns(components: Float64Array, k: number, d: number): void {
  for (let c = 0; c < k; c++) {
    const row = components.subarray(c * d, (c + 1) * d);
    let greatest = 0;
    for (let j = 1; j < d; j++) if (Math.abs(row[j]!) > Math.abs(row[greatest]!)) greatest = j;
    if (row[greatest]! < 0) for (let j = 0; j < d; j++) row[j] = -row[j]!;
  }
}

/** Tells of eigenvalues how many components are wanted; undefined where all are, and nobody has to look at them. */
function countBy(wanted: Wanted, divisor: number, size: Pick<Matrix, "n" | "d">): CountOf | undefined {
  return wanted === null ? undefined : (values) => countOf(wanted, spreadOf(values, divisor), size);
}

function countOf(wanted: NonNullable<Wanted>, { variances, total }: Spread, { n, d }: Pick<Matrix, "n" | "d">): number {
  if (wanted === "mle") return minka(variances, n, d);
  if (Number.isInteger(wanted) && wanted >= 1) return Math.min(wanted, variances.length);
  let share = 0;
  for (let k = 0; k < variances.length; k++) {
    share += total > 0 ? variances[k]! / total : 0;
    if (share > wanted) return k + 1;
  }
  return variances.length;
}

/** Minka's guess: the number of components under which the data are likeliest. */
function minka(values: Float64Array, n: number, d: number): number {
  let best = 0;
  let greatest = Number.NEGATIVE_INFINITY;
  for (let rank = 1; rank < d; rank++) {
    const likelihood = logEvidence(values, rank, n);
    if (likelihood > greatest) {
      greatest = likelihood;
      best = rank;
    }
  }
  return Math.max(1, best);
}

/** The log-evidence of `rank` components; scikit-learn's `_assess_dimension`. */
function logEvidence(values: Float64Array, rank: number, n: number): number {
  const d = values.length;
  if (values[rank - 1]! < Number.EPSILON) return Number.NEGATIVE_INFINITY;
  let pu = -rank * Math.LN2;
  for (let i = 1; i <= rank; i++) pu += logGamma((d - i + 1) / 2) - (Math.log(Math.PI) * (d - i + 1)) / 2;
  let pl = 0;
  for (let i = 0; i < rank; i++) pl += Math.log(values[i]!);
  pl *= -n / 2;
  let rest = 0;
  for (let i = rank; i < d; i++) rest += values[i]!;
  const noise = Math.max(Number.EPSILON, rest / (d - rank));
  const pv = (-Math.log(noise) * n * (d - rank)) / 2;
  const m = d * rank - (rank * (rank + 1)) / 2;
  const pp = (Math.log(2 * Math.PI) * (m + rank)) / 2;
  const spectrum = values.map((value, i) => (i < rank ? value : noise));
  let pa = 0;
  for (let i = 0; i < rank; i++) {
    for (let j = i + 1; j < d; j++) {
      pa += Math.log((values[i]! - values[j]!) * (1 / spectrum[j]! - 1 / spectrum[i]!)) + Math.log(n);
    }
  }
  return pu + pl + pv + pp - pa / 2 - (rank * Math.log(n)) / 2;
}

/** ln Γ(x) for x > 0, to 15 digits. Source: Lanczos (1964), with Godfrey's coefficients for g = 7. */
function logGamma(x: number): number {
  const series = [
    0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
    12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
  ];
  if (x < 0.5) return Math.log(Math.PI / Math.abs(Math.sin(Math.PI * x))) - logGamma(1 - x);
  const z = x - 1;
  const sum = series.reduce((total, coefficient, k) => (k === 0 ? coefficient : total + coefficient / (z + k)), 0);
  const t = z + 7.5;
  return 0.5 * Math.log(2 * Math.PI) + (z + 0.5) * Math.log(t) - t + Math.log(sum);
}
