import { checkCancelled, type Hooks, quiet } from "../types.ts";
import { createLoops, type Loops } from "../wasm/loops.ts";
import { multiply, type Reflections, spareBytes } from "./reflections.ts";

/** Eigenvalues, the greatest first, and their vectors of length 1. */
export type Eigen = {
  readonly values: Float64Array;
  /** d·d numbers; vector k is `vectors[k * d … (k + 1) * d - 1]`. */
  readonly vectors: Float64Array;
};

/** Rounds of the QL iteration that one eigenvalue may take; two are usual. */
const mostRounds = 60;

/** Sweeps of the QL iteration whose turns are kept until the vectors follow them all, some columns at a time. */
const keptSweeps = 32;

/** Columns of the vectors that `turnRows` turns together. */
const turnedColumns = 16;

/** Where the matrix, some vectors and the turns lie in the loops' memory. */
type Desk = Reflections & {
  readonly off: Float64Array;
  /** Where four vectors of `width` numbers are. */
  readonly u: number;
  readonly turns: number;
};

/**
 * All eigenvalues and eigenvectors of a symmetric d×d matrix, given row by row; `matrix` is kept.
 *
 * Householder reduction to tridiagonal form, then QL with implicit shifts: O(d³), 9 d³ multiplications at worst, and
 * d² numbers besides those it answers. RangeError for numbers that are not finite. Sources: Bowdler, Martin, Reinsch and
 * Wilkinson (1968), "The QR and QL algorithms for symmetric matrices", in the form of EISPACK's tred2 and tql2; the
 * vectors follow in blocks as in LAPACK's dorgtr, and in batches of sweeps.
 */
export function symmetricEigen(matrix: Float64Array, d: number, hooks: Hooks = quiet): Eigen {
  let most = 0;
  for (const value of matrix) most = Math.max(most, Math.abs(value));
  if (!Number.isFinite(most))
    throw new RangeError("the numbers are too large, their squares or products pass 1e308; scale them first");
  // A power of two, which changes no digit, and brings products far from overflow.
  const unit = most > 0 ? 2 ** Math.max(-1000, Math.min(1000, -Math.floor(Math.log2(most)))) : 1;
  const desk = deskFor(matrix, d, unit);
  const diagonal = new Float64Array(d);
  tridiagonalize(desk, diagonal, hooks);
  multiply(desk, hooks);
  // Row i of the transformation becomes what tql2 calls column i, so that every inner loop runs along memory.
  diagonalize(desk, diagonal, hooks);
  const order = Array.from(diagonal.keys()).sort((a, b) => diagonal[b]! - diagonal[a]! || a - b);
  const vectors = new Float64Array(d * d);
  for (const [k, from] of order.entries()) vectors.set(rowOf(desk, from, d), k * d);
  return { values: Float64Array.from(order, (k) => diagonal[k]! / unit), vectors };
}

function deskFor(matrix: Float64Array, d: number, unit: number): Desk {
  const width = Math.max(1, Math.ceil(d / turnedColumns)) * turnedColumns;
  const vector = width * 8;
  const { loops, at } = createLoops((d + 1) * vector, 4 * vector, keptSweeps * d * 16, spareBytes(d, width));
  const [a, u, turns, spare] = at as [number, number, number, number];
  const desk = { loops, d, width, a, u, turns, spare, lengths: new Float64Array(d), off: new Float64Array(d) };
  for (let i = 0; i < d; i++) {
    const row = rowOf(desk, i, i + 1);
    for (let k = 0; k <= i; k++) row[k] = matrix[i * d + k]! * unit;
  }
  return desk;
}

function rowOf({ loops, a, width }: Pick<Desk, "loops" | "a" | "width">, i: number, length: number): Float64Array {
  return loops.doubles.subarray(a / 8 + i * width, a / 8 + i * width + length);
}

/** Reduces to tridiagonal form; afterwards row i holds the first i numbers of reflection i. */
function tridiagonalize(desk: Desk, diagonal: Float64Array, hooks: Hooks): void {
  const { loops, d, width, a, off, lengths } = desk;
  const stride = width * 8;
  // The reflection before, which the matrix has not followed yet, is u·qᵀ + q·uᵀ; the next one is v, and p = A·v.
  let [u, q, v, p] = [0, 1, 2, 3].map((k) => vectorAt(loops, desk.u + k * stride, width));
  for (let i = d - 1; i >= 0; i--) {
    checkCancelled(hooks);
    const row = rowOf(desk, i, i + 1);
    for (let k = 0; k <= i; k++) row[k] = row[k]! - u!.values[i]! * q!.values[k]! - q!.values[i]! * u!.values[k]!;
    diagonal[i] = row[i]!;
    if (i === 0) break;
    const reflected = row.subarray(0, i);
    const h = reflector(reflected, off, i);
    lengths[i] = h;
    v!.values.fill(0);
    p!.values.fill(0);
    if (h > 0) v!.values.set(reflected);
    loops.updateTimes(a, stride, i, u!.at, q!.at, v!.at, p!.at);
    if (h > 0) towards(p!.values, v!.values, h, i);
    [u, q, v, p] = [v, p, u, q];
  }
}

function vectorAt(loops: Loops, at: number, width: number) {
  return { at, values: loops.doubles.subarray(at / 8, at / 8 + width) };
}

/** Turns a row into the vector u of its reflection and answers |u|²/2; 0 where nothing is to be reflected. */
function reflector(row: Float64Array, off: Float64Array, i: number): number {
  let most = 0;
  for (let k = 0; k < i - 1; k++) most = Math.max(most, Math.abs(row[k]!));
  if (most === 0) {
    off[i] = row[i - 1]!;
    return 0;
  }
  const scale = Math.max(most, Math.abs(row[i - 1]!));
  let h = 0;
  for (let k = 0; k < i; k++) {
    row[k] = row[k]! / scale;
    h += row[k]! * row[k]!;
  }
  const f = row[i - 1]!;
  const g = f >= 0 ? -Math.sqrt(h) : Math.sqrt(h);
  off[i] = scale * g;
  row[i - 1] = f - g;
  return h - f * g;
}

/** Makes p = A·u/h the vector q of the update A − u·qᵀ − q·uᵀ. */
function towards(p: Float64Array, u: Float64Array, h: number, i: number): void {
  let dot = 0;
  for (let j = 0; j < i; j++) {
    p[j] = p[j]! / h;
    dot += p[j]! * u[j]!;
  }
  const half = dot / (h + h);
  for (let j = 0; j < i; j++) p[j] = p[j]! - half * u[j]!;
}

/** Turns of a sweep: the lowest row, and how many turns there are from it upwards. */
type Sweep = { readonly row: number; readonly at: number; readonly count: number };

/** QL with implicit shifts; the rows of the transformation turn along. */
function diagonalize(desk: Desk, diagonal: Float64Array, hooks: Hooks): void {
  const { loops, d, off, turns } = desk;
  const list = loops.doubles.subarray(turns / 8, turns / 8 + keptSweeps * d * 2);
  const sweeps: Sweep[] = [];
  let next = 0;
  off.copyWithin(0, 1);
  off[d - 1] = 0;
  for (let l = 0; l < d; l++) {
    checkCancelled(hooks);
    hooks.progress(l, d);
    for (let round = 0; ; round++) {
      const m = smallFrom(diagonal, off, l, d);
      if (m === l) break;
      if (round === mostRounds) throw new RangeError("the eigenvalues did not converge; the matrix may hold infinity");
      const count = sweep(list.subarray(next), diagonal, off, l, m);
      sweeps.push({ row: m, at: turns + next * 8, count });
      next += 2 * count;
      if (next + 2 * d <= list.length) continue;
      turnAlong(desk, sweeps, hooks);
      sweeps.length = 0;
      next = 0;
    }
  }
  turnAlong(desk, sweeps, hooks);
}

/** Turns the rows as all the sweeps say; a few columns at a time, which stay in the cache. */
function turnAlong({ loops, a, width }: Desk, sweeps: readonly Sweep[], hooks: Hooks): void {
  const stride = width * 8;
  for (let column = 0; column < width; column += turnedColumns) {
    checkCancelled(hooks);
    for (const { row, at, count } of sweeps) loops.turnRows(a + row * stride + column * 8, stride, at, count);
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

/** One sweep from row m up to l; writes cosine and sine of each turn and answers how many there are. */
function sweep(turns: Float64Array, diagonal: Float64Array, off: Float64Array, l: number, m: number): number {
  let g = (diagonal[l + 1]! - diagonal[l]!) / (2 * off[l]!);
  let r = Math.hypot(g, 1);
  g = diagonal[m]! - diagonal[l]! + off[l]! / (g + (g >= 0 ? r : -r));
  let s = 1;
  let c = 1;
  let p = 0;
  for (let i = m - 1; i >= l; i--) {
    const f = s * off[i]!;
    const b = c * off[i]!;
    r = Math.hypot(f, g);
    off[i + 1] = r;
    if (r === 0) {
      diagonal[i + 1] = diagonal[i + 1]! - p;
      off[m] = 0;
      return m - 1 - i;
    }
    s = f / r;
    c = g / r;
    g = diagonal[i + 1]! - p;
    r = (diagonal[i]! - g) * s + 2 * c * b;
    p = s * r;
    diagonal[i + 1] = g + p;
    g = c * r - b;
    turns[2 * (m - 1 - i)] = c;
    turns[2 * (m - 1 - i) + 1] = s;
  }
  diagonal[l] = diagonal[l]! - p;
  off[l] = g;
  off[m] = 0;
  return m - l;
}
