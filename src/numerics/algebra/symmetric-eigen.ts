import { checkCancelled, type Hooks, quiet } from "../types.ts";
import { createLoops, type Loops } from "../wasm/loops.ts";
import { multiply, type Reflections, spareBytes } from "./reflections.ts";

/** Eigenvalues, the greatest first, and their vectors of length 1. */
export type Eigen = {
  readonly values: Float64Array;
  /** d numbers for each vector; vector k is `vectors[k * d … (k + 1) * d - 1]`. */
  readonly vectors: Float64Array;
};

/** How many vectors are wanted, those of the greatest values, once the values are known. */
export type CountOf = (values: Float64Array) => number;

/** Up to this share of the vectors it is quicker to lead them back through turns and reflections; measured at 500 and 1,113. */
const fewShare = 1 / 4;

/** Rounds of the QL iteration that one eigenvalue may take; two are usual. */
const mostRounds = 60;

/** Sweeps of the QL iteration whose turns are kept until the vectors follow them all, some columns at a time. */
const keptSweeps = 32;

/** Columns of the vectors that `turnRows` turns together. */
const turnedColumns = 16;

/** Where the matrix, some vectors and the turns lie in the loops' memory. */
type Desk = Reflections & {
  /** Where four vectors of `width` numbers are. */
  readonly u: number;
  readonly turns: number;
};

/**
 * All eigenvalues of a symmetric d×d matrix, given row by row, and their vectors, or as many as `wanted` says; `matrix` is kept.
 *
 * Householder reduction to tridiagonal form, then QL with implicit shifts: O(d³), 9 d³ multiplications at worst, 2 d³ for
 * few vectors, and d² numbers besides those it answers. RangeError for numbers that are not finite. Sources: Bowdler,
 * Martin, Reinsch and Wilkinson (1968), "The QR and QL algorithms for symmetric matrices", in the form of EISPACK's tred2
 * and tql2; the vectors follow in blocks as in LAPACK's dorgtr, and in batches of sweeps.
 */
export function symmetricEigen(matrix: Float64Array, d: number, hooks: Hooks = quiet, wanted?: CountOf): Eigen {
  let most = 0;
  for (const value of matrix) most = Math.max(most, Math.abs(value));
  if (!Number.isFinite(most))
    throw new RangeError("the numbers are too large, their squares or products pass 1e308; scale them first");
  // A power of two, which changes no digit, and brings products far from overflow.
  const unit = most > 0 ? 2 ** Math.max(-1000, Math.min(1000, -Math.floor(Math.log2(most)))) : 1;
  const desk = deskFor(matrix, d, unit);
  const tridiagonal = tridiagonalize(desk, hooks);
  let count = d;
  if (wanted) {
    // Without vectors the values cost next to nothing.
    const { values } = sorted(
      diagonalize(tridiagonal, turnsOf(desk), () => undefined, hooks),
      unit,
    );
    count = wanted(values);
  }
  if (count <= fewShare * d) return fewEigen(desk, tridiagonal, { count, unit }, hooks);
  multiply(desk, hooks);
  // Row i of the transformation becomes what tql2 calls column i, so that every inner loop runs along memory.
  const found = diagonalize(tridiagonal, turnsOf(desk), (sweeps) => turnAlong(desk, sweeps, hooks), hooks);
  const { values, order } = sorted(found, unit);
  const vectors = new Float64Array(count * d);
  for (let k = 0; k < count; k++) vectors.set(rowOf(desk, order[k]!, d), k * d);
  return { values, vectors };
}

/** The values, the greatest first, and where on the diagonal each stood. */
function sorted(diagonal: Float64Array, unit: number) {
  const order = Array.from(diagonal.keys()).sort((a, b) => diagonal[b]! - diagonal[a]! || a - b);
  return { values: Float64Array.from(order, (k) => diagonal[k]! / unit), order };
}

/**
 * Rows of the identity, led back through all turns, the last first, and then through the reflections.
 *
 * They lie as columns, upside down: so the loops that turn rows on the way there turn them on the way back.
 */
function fewEigen(
  desk: Desk,
  from: Tridiagonal,
  { count, unit }: { count: number; unit: number },
  hooks: Hooks,
): Eigen {
  const { d, lengths } = desk;
  const list = turnsOf(desk);
  const batches: { readonly turns: Float64Array; readonly sweeps: readonly Sweep[] }[] = [];
  const keep = (sweeps: readonly Sweep[]) => batches.unshift(backwards(list, sweeps, d));
  const { values, order } = sorted(diagonalize(from, list, keep, hooks), unit);
  const width = Math.max(1, Math.ceil(count / turnedColumns)) * turnedColumns;
  const { loops, at } = createLoops(d * width * 8, list.byteLength);
  const [a, turns] = at as [number, number];
  for (let k = 0; k < count; k++) loops.doubles[a / 8 + (d - 1 - order[k]!) * width + k] = 1;
  for (const batch of batches) {
    loops.doubles.set(batch.turns, turns / 8);
    turnAlong({ loops, a, width, turns }, batch.sweeps, hooks);
  }
  const vectors = new Float64Array(count * d);
  for (let k = 0; k < count; k++) {
    checkCancelled(hooks);
    const vector = vectors.subarray(k * d, (k + 1) * d);
    for (let i = 0; i < d; i++) vector[i] = loops.doubles[a / 8 + (d - 1 - i) * width + k]!;
    for (let i = 1; i < d; i++) if (lengths[i]! > 0) reflect(vector, rowOf(desk, i, i), lengths[i]!);
  }
  return { values, vectors };
}

/** The sweeps that undo these, for rows that lie upside down. */
function backwards(list: Float64Array, sweeps: readonly Sweep[], d: number) {
  const turns = new Float64Array(sweeps.reduce((sum, { count }) => sum + 2 * count, 0));
  let next = 0;
  const undone = sweeps.toReversed().map(({ row, at, count }): Sweep => {
    const own = { row: d - 1 - (row - count), at: next, count };
    for (let t = count - 1; t >= 0; t--) {
      turns[next++] = list[at + 2 * t]!;
      turns[next++] = list[at + 2 * t + 1]!;
    }
    return own;
  });
  return { turns, sweeps: undone };
}

/** Takes (x · u)/h · u off the vector x. */
function reflect(x: Float64Array, u: Float64Array, h: number): void {
  let sum = 0;
  for (let j = 0; j < u.length; j++) sum += x[j]! * u[j]!;
  sum /= h;
  for (let j = 0; j < u.length; j++) x[j] = x[j]! - sum * u[j]!;
}

function deskFor(matrix: Float64Array, d: number, unit: number): Desk {
  const width = Math.max(1, Math.ceil(d / turnedColumns)) * turnedColumns;
  const vector = width * 8;
  const { loops, at } = createLoops((d + 1) * vector, 4 * vector, keptSweeps * d * 16, spareBytes(d, width));
  const [a, u, turns, spare] = at as [number, number, number, number];
  const desk = { loops, d, width, a, u, turns, spare, lengths: new Float64Array(d) };
  for (let i = 0; i < d; i++) {
    const row = rowOf(desk, i, i + 1);
    for (let k = 0; k <= i; k++) row[k] = matrix[i * d + k]! * unit;
  }
  return desk;
}

function rowOf({ loops, a, width }: Pick<Desk, "loops" | "a" | "width">, i: number, length: number): Float64Array {
  return loops.doubles.subarray(a / 8 + i * width, a / 8 + i * width + length);
}

/** A symmetric matrix with numbers on its diagonal and beside it alone: off[i] stands left of diagonal[i]. */
type Tridiagonal = { readonly diagonal: Float64Array; readonly off: Float64Array };

/** Reduces to tridiagonal form; afterwards row i holds the first i numbers of reflection i. */
function tridiagonalize(desk: Desk, hooks: Hooks): Tridiagonal {
  const { loops, d, width, a, lengths } = desk;
  const [diagonal, off] = [new Float64Array(d), new Float64Array(d)];
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
  return { diagonal, off };
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

/** Turns of a sweep: the highest row, where in the list they begin, and how many there are from that row on downwards. */
type Sweep = { readonly row: number; readonly at: number; readonly count: number };

/** Where the cosines and sines of `keptSweeps` sweeps have room. */
function turnsOf({ loops, turns, d }: Desk): Float64Array {
  return loops.doubles.subarray(turns / 8, turns / 8 + keptSweeps * d * 2);
}

/** The eigenvalues by QL with implicit shifts, on a copy; `follow` is told of each batch of sweeps while `turns` holds their turns. */
function diagonalize(
  from: Tridiagonal,
  turns: Float64Array,
  follow: (sweeps: readonly Sweep[]) => void,
  hooks: Hooks,
): Float64Array {
  const [diagonal, off] = [from.diagonal.slice(), from.off.slice()];
  const d = diagonal.length;
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
      const count = sweep(turns.subarray(next), diagonal, off, l, m);
      sweeps.push({ row: m, at: next, count });
      next += 2 * count;
      if (next + 2 * d <= turns.length) continue;
      follow(sweeps);
      sweeps.length = 0;
      next = 0;
    }
  }
  follow(sweeps);
  return diagonal;
}

/** Turns the rows as all the sweeps say; a few columns at a time, which stay in the cache. */
function turnAlong(
  { loops, a, width, turns }: Pick<Desk, "loops" | "a" | "width" | "turns">,
  sweeps: readonly Sweep[],
  hooks: Hooks,
): void {
  const stride = width * 8;
  for (let column = 0; column < width; column += turnedColumns) {
    checkCancelled(hooks);
    for (const { row, at, count } of sweeps)
      loops.turnRows(a + row * stride + column * 8, stride, turns + at * 8, count);
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
