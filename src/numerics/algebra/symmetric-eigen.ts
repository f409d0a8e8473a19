import { checkCancelled, type Hooks, quiet } from "../types.ts";

/** Eigenvalues, the greatest first, and their vectors of length 1. */
export type Eigen = {
  readonly values: Float64Array;
  /** d·d numbers; vector k is `vectors[k * d … (k + 1) * d - 1]`. */
  readonly vectors: Float64Array;
};

/** Rounds of the QL iteration that one eigenvalue may take; two are usual. */
const mostRounds = 60;

/**
 * All eigenvalues and eigenvectors of a symmetric d×d matrix, given row by row; `matrix` is kept.
 *
 * Householder reduction to tridiagonal form, then QL with implicit shifts: O(d³), 9 d³ multiplications at worst.
 * Source: Bowdler, Martin, Reinsch and Wilkinson (1968), "The QR and QL algorithms for symmetric matrices",
 * in the form of EISPACK's tred2 and tql2.
 */
export function symmetricEigen(matrix: Float64Array, d: number, hooks: Hooks = quiet): Eigen {
  if (!matrix.every(Number.isFinite))
    throw new RangeError("the numbers are too large, their squares or products pass 1e308; scale them first");
  // Row i of `z` becomes what tql2 calls column i, so that every inner loop runs along memory.
  const z = Float64Array.from(matrix);
  const diagonal = new Float64Array(d);
  const off = new Float64Array(d);
  tridiagonalize(z, d, diagonal, off, hooks);
  diagonalize(z, d, diagonal, off, hooks);
  const order = Array.from(diagonal.keys()).sort((a, b) => diagonal[b]! - diagonal[a]! || a - b);
  const vectors = new Float64Array(d * d);
  for (const [k, from] of order.entries()) vectors.set(z.subarray(from * d, (from + 1) * d), k * d);
  return { values: Float64Array.from(order, (k) => diagonal[k]!), vectors };
}

/** Reduces to tridiagonal form; afterwards the rows of `z` are the transposed transformation. */
function tridiagonalize(z: Float64Array, d: number, diagonal: Float64Array, off: Float64Array, hooks: Hooks): void {
  const scales = new Float64Array(d);
  for (let i = d - 1; i > 0; i--) {
    checkCancelled(hooks);
    const row = z.subarray(i * d, i * d + i);
    scales[i] = reflect(z, d, i, row, off);
  }
  off[0] = 0;
  for (let i = 0; i < d; i++) {
    checkCancelled(hooks);
    if (scales[i] !== 0) accumulate(z, d, i);
    diagonal[i] = z[i * d + i]!;
    z[i * d + i] = 1;
    for (let j = 0; j < i; j++) {
      z[i * d + j] = 0;
      z[j * d + i] = 0;
    }
  }
  transpose(z, d);
}

/** One Householder step on row i; answers h = |u|²/2, 0 when the row was zero already. */
function reflect(z: Float64Array, d: number, i: number, row: Float64Array, off: Float64Array): number {
  let scale = 0;
  for (let k = 0; k < i; k++) scale += Math.abs(row[k]!);
  if (i === 1 || scale === 0) {
    off[i] = row[i - 1]!;
    return 0;
  }
  let h = 0;
  for (let k = 0; k < i; k++) {
    row[k] = row[k]! / scale;
    h += row[k]! * row[k]!;
  }
  const f = row[i - 1]!;
  const g = f >= 0 ? -Math.sqrt(h) : Math.sqrt(h);
  off[i] = scale * g;
  h -= f * g;
  row[i - 1] = f - g;
  // p = A u / h, of which the lower triangle of A is stored.
  const p = off.subarray(0, i);
  p.fill(0);
  for (let j = 0; j < i; j++) {
    const u = row[j]!;
    let sum = z[j * d + j]! * u;
    for (let k = 0; k < j; k++) {
      const a = z[j * d + k]!;
      sum += a * row[k]!;
      p[k] = p[k]! + a * u;
    }
    p[j] = p[j]! + sum;
  }
  let dot = 0;
  for (let j = 0; j < i; j++) {
    p[j] = p[j]! / h;
    dot += p[j]! * row[j]!;
  }
  const half = dot / (h + h);
  for (let j = 0; j < i; j++) p[j] = p[j]! - half * row[j]!;
  for (let j = 0; j < i; j++) {
    const u = row[j]!;
    const q = p[j]!;
    for (let k = 0; k <= j; k++) z[j * d + k] = z[j * d + k]! - u * p[k]! - q * row[k]!;
    // Kept for the accumulation.
    z[j * d + i] = u / h;
  }
  return h;
}

/** Multiplies the transformation so far by reflection i. */
function accumulate(z: Float64Array, d: number, i: number): void {
  const g = new Float64Array(i);
  for (let k = 0; k < i; k++) {
    const u = z[i * d + k]!;
    for (let j = 0; j < i; j++) g[j] = g[j]! + u * z[k * d + j]!;
  }
  for (let k = 0; k < i; k++) {
    const factor = z[k * d + i]!;
    for (let j = 0; j < i; j++) z[k * d + j] = z[k * d + j]! - g[j]! * factor;
  }
}

function transpose(z: Float64Array, d: number): void {
  for (let i = 0; i < d; i++) {
    for (let j = 0; j < i; j++) {
      const kept = z[i * d + j]!;
      z[i * d + j] = z[j * d + i]!;
      z[j * d + i] = kept;
    }
  }
}

/** QL with implicit shifts; rotates the rows of `z` along. */
function diagonalize(z: Float64Array, d: number, diagonal: Float64Array, off: Float64Array, hooks: Hooks): void {
  for (let i = 1; i < d; i++) off[i - 1] = off[i]!;
  off[d - 1] = 0;
  for (let l = 0; l < d; l++) {
    checkCancelled(hooks);
    hooks.progress(l, d);
    for (let round = 0; ; round++) {
      const m = smallFrom(diagonal, off, l, d);
      if (m === l) break;
      if (round === mostRounds) throw new RangeError("the eigenvalues did not converge; the matrix may hold infinity");
      sweep(z, d, diagonal, off, l, m);
    }
  }
}

/** The first place from l on whose off-diagonal is negligible. */
function smallFrom(diagonal: Float64Array, off: Float64Array, l: number, d: number): number {
  let m = l;
  for (; m < d - 1; m++) {
    const size = Math.abs(diagonal[m]!) + Math.abs(diagonal[m + 1]!);
    if (Math.abs(off[m]!) <= Number.EPSILON * size) break;
  }
  return m;
}

function sweep(z: Float64Array, d: number, diagonal: Float64Array, off: Float64Array, l: number, m: number): void {
  let g = (diagonal[l + 1]! - diagonal[l]!) / (2 * off[l]!);
  let r = Math.hypot(g, 1);
  g = diagonal[m]! - diagonal[l]! + off[l]! / (g + (g >= 0 ? r : -r));
  let s = 1;
  let c = 1;
  let p = 0;
  for (let i = m - 1; i >= l; i--) {
    let f = s * off[i]!;
    const b = c * off[i]!;
    r = Math.hypot(f, g);
    off[i + 1] = r;
    if (r === 0) {
      diagonal[i + 1] = diagonal[i + 1]! - p;
      off[m] = 0;
      return;
    }
    s = f / r;
    c = g / r;
    g = diagonal[i + 1]! - p;
    r = (diagonal[i]! - g) * s + 2 * c * b;
    p = s * r;
    diagonal[i + 1] = g + p;
    g = c * r - b;
    const low = i * d;
    const high = low + d;
    for (let k = 0; k < d; k++) {
      f = z[high + k]!;
      const e = z[low + k]!;
      z[high + k] = s * e + c * f;
      z[low + k] = c * e - s * f;
    }
  }
  diagonal[l] = diagonal[l]! - p;
  off[l] = g;
  off[m] = 0;
}
