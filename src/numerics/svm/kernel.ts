import { rowProducts } from "../algebra/gram.ts";
import { createMatrix, type Hooks, type Matrix, quiet } from "../types.ts";

/** A kernel function, as scikit-learn names its parameters. */
export type KernelSpec = {
  /** linear: x·z; poly: (gamma·x·z + coef0)^degree; rbf: exp(−gamma‖x−z‖²); sigmoid: tanh(gamma·x·z + coef0). */
  name: "linear" | "poly" | "rbf" | "sigmoid";
  /** Above 0; linear has none. */
  gamma: number;
  coef0: number;
  /** A whole number, at least 0. */
  degree: number;
};

/** A kernel as a caller chooses it; see `specOf`. */
export type KernelChoice = Omit<KernelSpec, "gamma"> & { gamma: number | "scale" | "auto" };

/** Rows that are worked on together, so that their products stay in the cache. */
const BLOCK = 512;
/** Columns from which on a product is worth to be computed together with others. */
const manyColumns = 64;
/** Beyond it float32 knows only infinity. */
const LARGEST = 3.4e38;

/**
 * The kernel with gamma as scikit-learn means "scale" (one over columns times variance of all numbers of `x`) and
 * "auto" (one over columns).
 *
 * Data that are all the same number have a "scale" of 1. RangeError when the variance overflows. O(nd).
 */
export function specOf(x: Matrix, { name, gamma, coef0, degree }: KernelChoice): KernelSpec {
  const number = gamma === "scale" ? scaleOf(x) : gamma === "auto" ? 1 / x.d : gamma;
  return { name, gamma: number, coef0, degree };
}

function scaleOf(x: Matrix): number {
  const { data } = x;
  let sum = 0;
  for (let k = 0; k < data.length; k++) sum += data[k]!;
  const mean = sum / data.length;
  let square = 0;
  for (let k = 0; k < data.length; k++) square += (data[k]! - mean) ** 2;
  if (square === Infinity) throw new RangeError(tooLarge("the variance of all features overflows"));
  return square === 0 ? 1 : data.length / (x.d * square);
}

/**
 * Rows of the kernel matrix of training rows, in float32 as libsvm keeps them.
 *
 * For rbf the columns are centred and scaled by √(2·gamma), so that a value is exp(x·z − ‖x‖²/2 − ‖z‖²/2); far from
 * the origin this also keeps digits that libsvm loses. RangeError when values overflow or are missing.
 */
export class KernelRows {
  readonly #spec: KernelSpec;
  readonly #x: Matrix;
  /** All inner products, and which row of them each row is; null where rows are computed when asked for. */
  readonly #ahead: { readonly products: Float64Array; readonly order: Int32Array } | null;
  /** ‖x‖²/2 of each row. */
  readonly #half: Float64Array;
  readonly #block = new Float64Array(BLOCK);

  /**
   * Takes the rows of `x` that `rows` names, in that order; `x` stays as it is.
   *
   * Of many columns all products are computed ahead, in blocks, where they fit in `bytes`: O(rows²·d), and the time of
   * a quarter of the rows one by one.
   */
  constructor(x: Matrix, rows: Int32Array, spec: KernelSpec, bytes: number, hooks: Hooks) {
    this.#spec = spec;
    this.#x = working(x, rows, spec);
    const n = rows.length;
    const isAhead = x.d >= manyColumns && n * n * Float64Array.BYTES_PER_ELEMENT <= bytes;
    const order = () => Int32Array.from({ length: n }, (_, k) => k);
    const cancellable = { ...quiet, cancelled: () => hooks.cancelled() };
    this.#ahead = isAhead ? { products: rowProducts(this.#x, cancellable), order: order() } : null;
    this.#half = halves(this.#x);
    refuseOverflow(this.#half, spec);
  }

  /** Every row's kernel with itself, fresh. */
  diagonal(): Float64Array {
    const { name } = this.#spec;
    if (name === "rbf") return new Float64Array(this.#x.n).fill(1);
    return this.#half.map((half) => kernelOf(2 * half, this.#spec));
  }

  /** Writes out[j] = kernel of rows i and j for j in from…to−1. O((to − from)·d). */
  fill(out: Float32Array, i: number, from: number, to: number): void {
    for (let start = from; start < to; start += BLOCK) {
      const count = Math.min(BLOCK, to - start);
      this.#products(i, start, count);
      this.#values(out, start, count);
    }
    // The product of a row of large numbers with itself is off by more than an exponent may be.
    if (this.#spec.name === "rbf" && i >= from && i < to) out[i] = 1;
  }

  /** Exchanges rows i and j for each pair (i, j) of the list. */
  swap(pairs: readonly number[]): void {
    const { n, d, data } = this.#x;
    if (this.#ahead) swapPairs(this.#ahead.order, pairs);
    else for (let j = 0; j < d; j++) swapPairs(data.subarray(j * n, (j + 1) * n), pairs);
    swapPairs(this.#half, pairs);
  }

  #products(i: number, start: number, count: number): void {
    const { n, d, data } = this.#x;
    const z = this.#block;
    if (this.#spec.name === "rbf") {
      const half = this.#half;
      const own = half[i]!;
      for (let k = 0; k < count; k++) z[k] = -own - half[start + k]!;
    } else z.fill(0, 0, count);
    if (this.#ahead) {
      const { products, order } = this.#ahead;
      const own = products.subarray(order[i]! * n, (order[i]! + 1) * n);
      for (let k = 0; k < count; k++) z[k] = z[k]! + own[order[start + k]!]!;
      return;
    }
    let j = 0;
    for (; j + 4 < d; j += 5) {
      const v0 = data[j * n + i]!;
      const v1 = data[(j + 1) * n + i]!;
      const v2 = data[(j + 2) * n + i]!;
      const v3 = data[(j + 3) * n + i]!;
      const v4 = data[(j + 4) * n + i]!;
      const p0 = j * n + start;
      const p1 = p0 + n;
      const p2 = p1 + n;
      const p3 = p2 + n;
      const p4 = p3 + n;
      for (let k = 0; k < count; k++) {
        z[k] =
          z[k]! +
          v0 * data[p0 + k]! +
          v1 * data[p1 + k]! +
          v2 * data[p2 + k]! +
          v3 * data[p3 + k]! +
          v4 * data[p4 + k]!;
      }
    }
    for (; j < d; j++) {
      const v = data[j * n + i]!;
      const at = j * n + start;
      for (let k = 0; k < count; k++) z[k] = z[k]! + v * data[at + k]!;
    }
  }

  #values(out: Float32Array, start: number, count: number): void {
    const z = this.#block;
    const { name, gamma, coef0, degree } = this.#spec;
    if (name === "linear") out.set(z.subarray(0, count), start);
    else if (name === "rbf") exponentials(out, z, start, count);
    else if (name === "poly") for (let k = 0; k < count; k++) out[start + k] = power(gamma * z[k]! + coef0, degree);
    else for (let k = 0; k < count; k++) out[start + k] = Math.tanh(gamma * z[k]! + coef0);
  }
}

const STEPS = 64;
const OCTAVES = 152;
const FRACTIONS = Float64Array.from({ length: STEPS }, (_, k) => 2 ** (k / STEPS));
const POWERS = Float64Array.from({ length: OCTAVES + 2 }, (_, k) => 2 ** (k - OCTAVES));

/**
 * Writes out[start + k] = e^z[k] for z up to 0, correct to 4e-14, twice as fast as Math.exp.
 *
 * Above 0 is rounding, and counts as 0. Below −104 float32 knows only 0. Source: Tang, table-driven exponential (ACM TOMS 15, 1989).
 */
function exponentials(out: Float32Array, z: Float64Array, start: number, count: number): void {
  const perStep = STEPS / Math.LN2;
  const step = Math.LN2 / STEPS;
  for (let k = 0; k < count; k++) {
    const value = Math.min(z[k]!, 0);
    if (value < -104) {
      out[start + k] = 0;
      continue;
    }
    const whole = Math.floor(value * perStep + 0.5) | 0;
    const r = value - whole * step;
    const near = 1 + r * (1 + r * (1 / 2 + r * (1 / 6 + r * (1 / 24))));
    out[start + k] = FRACTIONS[whole & (STEPS - 1)]! * POWERS[(whole >> 6) + OCTAVES]! * near;
  }
}

/** A whole power, by squaring. */
function power(base: number, degree: number): number {
  let out = 1;
  for (let left = degree; left > 0; left >>= 1) {
    if (left & 1) out *= base;
    base *= base;
  }
  return out;
}

/** The kernel of two rows whose product is `dot`; for all but rbf. */
function kernelOf(dot: number, { name, gamma, coef0, degree }: KernelSpec): number {
  if (name === "poly") return power(gamma * dot + coef0, degree);
  return name === "sigmoid" ? Math.tanh(gamma * dot + coef0) : dot;
}

function working(x: Matrix, rows: Int32Array, { name, gamma }: KernelSpec): Matrix {
  const out = createMatrix(rows.length, x.d);
  const scale = name === "rbf" ? Math.sqrt(2 * gamma) : 1;
  for (let j = 0; j < x.d; j++) {
    let mean = 0;
    if (name === "rbf") for (let k = 0; k < rows.length; k++) mean += x.data[j * x.n + rows[k]!]! / rows.length;
    for (let k = 0; k < rows.length; k++) out.data[j * out.n + k] = (x.data[j * x.n + rows[k]!]! - mean) * scale;
  }
  return out;
}

function halves(x: Matrix): Float64Array {
  const out = new Float64Array(x.n);
  for (let j = 0; j < x.d; j++) for (let k = 0; k < x.n; k++) out[k]! += x.data[j * x.n + k]! ** 2 / 2;
  return out;
}

/** No kernel value is larger than those of the longest row with itself (Cauchy and Schwarz). */
function refuseOverflow(half: Float64Array, { name, gamma, coef0, degree }: KernelSpec): void {
  let longest = 0;
  for (let k = 0; k < half.length; k++) {
    if (Number.isNaN(half[k]!)) throw new RangeError("the support vector machine met a missing or infinite value");
    longest = Math.max(longest, 2 * half[k]!);
  }
  const largest = name === "poly" ? (gamma * longest + Math.abs(coef0)) ** degree : longest;
  const bounded = name === "rbf" || name === "sigmoid";
  if (!(largest < (bounded ? Infinity : LARGEST))) throw new RangeError(tooLarge(`the ${name} kernel overflows`));
}

function tooLarge(what: string): string {
  return `${what}, because features are too large; scale them with scale (DP_5)`;
}

/** Exchanges values i and j for each pair (i, j) of the list, in place. */
export function swapPairs(values: Float64Array | Int32Array | Uint8Array, pairs: readonly number[]): void {
  for (let p = 0; p < pairs.length; p += 2) {
    const i = pairs[p]!;
    const j = pairs[p + 1]!;
    const kept = values[i]!;
    values[i] = values[j]!;
    values[j] = kept;
  }
}

/** Writes out[s] = kernel of point i and support vector s, in float64, by differences for rbf. O(vectors·d). */
export function kernelValues(out: Float64Array, x: Matrix, i: number, vectors: Matrix, spec: KernelSpec): void {
  const { n, d, data } = vectors;
  out.fill(0);
  const rbf = spec.name === "rbf";
  for (let j = 0; j < d; j++) {
    const value = x.data[j * x.n + i]!;
    const at = j * n;
    if (rbf) {
      for (let s = 0; s < n; s++) {
        const gap = value - data[at + s]!;
        out[s] = out[s]! + gap * gap;
      }
    } else for (let s = 0; s < n; s++) out[s] = out[s]! + value * data[at + s]!;
  }
  if (rbf) for (let s = 0; s < n; s++) out[s] = Math.exp(-spec.gamma * out[s]!);
  else if (spec.name !== "linear") for (let s = 0; s < n; s++) out[s] = kernelOf(out[s]!, spec);
}
