import { checkCancelled, type Hooks } from "../types.ts";
import { createLoops, type Loops } from "../wasm/loops.ts";

/** A matrix as U·B·Vᵀ, where U and V are products of reflections, and B has numbers on and right above its diagonal alone. */
export type Bidiagonal = {
  readonly diagonal: Float64Array;
  /** above[k] stands over diagonal[k]; above[0] is 0. */
  readonly above: Float64Array;
  /** Uᵀ·b in place of b, or U·b with `back`. */
  turnRows(b: Float64Array, back?: boolean): void;
  /** Vᵀ·b in place of b, or V·b with `back`. */
  turnColumns(b: Float64Array, back?: boolean): void;
};

/**
 * Reduces a matrix to bidiagonal form by reflections from both sides; `matrix` is kept.
 *
 * matrix: rows×cols column-major, rows ≥ cols, no number beyond about 1e150 in size. O(4·rows·cols² − 4/3·cols³).
 * Sources: Golub and Kahan (1965), "Calculating the singular values and pseudo-inverse of a matrix"; one pass a step as
 * in Howell et al. (2008), "Cache efficient bidiagonalization using BLAS 2.5 operators".
 */
export function bidiagonalize(matrix: Float64Array, rows: number, cols: number, hooks: Hooks): Bidiagonal {
  const height = Math.ceil(rows / 2) * 2;
  const stride = height * 8;
  // Columns are taken two at a time, the last beside one of zeros.
  const { loops, at } = createLoops((cols + 1) * stride, stride, stride, stride, (cols + 2) * 8, (cols + 2) * 8);
  const a = at[0]!;
  const [u, w, sums] = [1, 2, 3].map((k) => vectorAt(loops, at[k]!, height)) as [Vector, Vector, Vector];
  let [v, x] = [4, 5].map((k) => vectorAt(loops, at[k]!, cols + 2)) as [Vector, Vector];
  const column = (j: number) => loops.doubles.subarray(a / 8 + j * height, a / 8 + (j + 1) * height);
  for (let j = 0; j < cols; j++) column(j).set(matrix.subarray(j * rows, (j + 1) * rows));
  const diagonal = new Float64Array(cols);
  const above = new Float64Array(cols);
  const shares = { rows: new Float64Array(cols), columns: new Float64Array(cols) };
  // What the reflection from the right before takes from the columns, w·vᵀ, is taken when they are next looked at.
  for (let i = 0; i < cols; i++) {
    checkCancelled(hooks);
    const own = column(i);
    for (let k = i; k < rows; k++) own[k] = own[k]! - v.values[i]! * w.values[k]!;
    [diagonal[i], shares.rows[i]] = reflector(own, i, rows);
    if (i + 1 === cols) break;
    u.values.fill(0, 0, i);
    u.values.set(own.subarray(i), i);
    sums.values.fill(0, i);
    const first = i & ~1;
    loops.reflectColumns(
      a + (i + 1) * stride + first * 8,
      stride,
      cols - i - 1,
      stride - first * 8,
      u.at + first * 8,
      shares.rows[i]!,
      w.at + first * 8,
      v.at + (i + 1) * 8,
      (i - first) * 8,
      x.at + (i + 1) * 8,
      sums.at + first * 8,
    );
    [v, x] = [x, v];
    const before = v.values[i + 1]!;
    [above[i + 1], shares.columns[i]] = reflector(v.values, i + 1, cols);
    const [share, next] = [shares.columns[i]!, column(i + 1)];
    w.values[i] = 0;
    for (let k = i + 1; k < rows; k++) w.values[k] = (sums.values[k]! + (v.values[i + 1]! - before) * next[k]!) * share;
    for (let j = i + 1; j < cols; j++) column(j)[i] = v.values[j]!;
  }
  const steps = (back: boolean) => Array.from({ length: cols }, (_, k) => (back ? cols - 1 - k : k));
  return {
    diagonal,
    above,
    turnRows(b, back = false) {
      for (const i of steps(back)) {
        const own = column(i);
        let sum = 0;
        for (let k = i; k < rows; k++) sum += own[k]! * b[k]!;
        sum *= shares.rows[i]!;
        for (let k = i; k < rows; k++) b[k] = b[k]! - sum * own[k]!;
      }
    },
    turnColumns(b, back = false) {
      for (const i of steps(back)) {
        const row = loops.doubles.subarray(a / 8 + i);
        let sum = 0;
        for (let j = i + 1; j < cols; j++) sum += row[j * height]! * b[j]!;
        sum *= shares.columns[i]!;
        for (let j = i + 1; j < cols; j++) b[j] = b[j]! - sum * row[j * height]!;
      }
    },
  };
}

type Vector = { readonly at: number; readonly values: Float64Array };

function vectorAt(loops: Loops, at: number, length: number): Vector {
  return { at, values: loops.doubles.subarray(at / 8, at / 8 + length) };
}

/** Turns numbers into the vector u of their reflection onto the first; answers where it leads, and 2/|u|², or 0 for zeros. */
function reflector(x: Float64Array, from: number, end: number): [to: number, share: number] {
  let square = 0;
  for (let k = from; k < end; k++) square += x[k]! * x[k]!;
  if (square === 0) return [0, 0];
  const first = x[from]!;
  const length = Math.sqrt(square);
  const to = first > 0 ? -length : length;
  x[from] = first - to;
  return [to, 1 / (length * (length + Math.abs(first)))];
}

/** A turn of two rows or columns: (i, j) becomes (c·i + s·j, c·j − s·i). */
export type Turn = (i: number, j: number, c: number, s: number) => void;

/** Rounds that one singular value may take; two are usual. */
const mostRounds = 60;

/**
 * Makes a bidiagonal matrix diagonal, in place, by turns of its rows and of its columns, which it tells in order.
 *
 * The diagonal holds the singular values then, some with a sign, in no order. O(cols²). Source: Golub and Reinsch (1970),
 * "Singular value decomposition and least squares solutions".
 */
export function diagonalize(
  { diagonal: d, above: e }: Pick<Bidiagonal, "diagonal" | "above">,
  turnRows: Turn,
  turnColumns: Turn,
  hooks: Hooks,
): void {
  let most = 0;
  for (let k = 0; k < d.length; k++) most = Math.max(most, Math.abs(d[k]!) + Math.abs(e[k]!));
  const least = Number.EPSILON * most;
  for (let k = d.length - 1; k >= 0; k--) {
    checkCancelled(hooks);
    for (let round = 0; ; round++) {
      let l = k;
      while (Math.abs(e[l]!) > least && Math.abs(d[l - 1]!) > least) l -= 1;
      if (Math.abs(e[l]!) > least) separate(d, e, l, k, least, turnRows);
      e[l] = 0;
      if (l === k) break;
      if (round === mostRounds) throw new RangeError("the singular values did not converge");
      chase(d, e, l, k, turnRows, turnColumns);
    }
  }
}

/** Where d[l − 1] is nothing, turns its row against rows l…k until nothing is right of it. */
function separate(d: Float64Array, e: Float64Array, l: number, k: number, least: number, turnRows: Turn): void {
  let f = e[l]!;
  for (let i = l; Math.abs(f) > least; i++) {
    const h = Math.hypot(f, d[i]!);
    const [c, s] = [d[i]! / h, -f / h];
    d[i] = h;
    turnRows(l - 1, i, c, s);
    if (i === k) break;
    f = s * e[i + 1]!;
    e[i + 1] = c * e[i + 1]!;
  }
}

/** One step of QR with an implicit shift on rows l…k, whose numbers are all something. */
function chase(d: Float64Array, e: Float64Array, l: number, k: number, turnRows: Turn, turnColumns: Turn): void {
  const [last, before, beside, over] = [d[k]!, d[k - 1]!, e[k - 1]!, e[k]!];
  let x = d[l]!;
  let f = ((before - last) * (before + last) + (beside - over) * (beside + over)) / (2 * over * before);
  f += f < 0 ? -Math.hypot(f, 1) : Math.hypot(f, 1);
  f = ((x - last) * (x + last) + over * (before / f - over)) / x;
  let [c, s] = [1, 1];
  for (let i = l; i < k; i++) {
    let g = c * e[i + 1]!;
    let h = s * e[i + 1]!;
    let z = Math.hypot(f, h);
    e[i] = z;
    [c, s] = [f / z, h / z];
    f = x * c + g * s;
    g = g * c - x * s;
    h = d[i + 1]! * s;
    const y = d[i + 1]! * c;
    turnColumns(i, i + 1, c, s);
    z = Math.hypot(f, h);
    d[i] = z;
    if (z > 0) [c, s] = [f / z, h / z];
    f = c * g + s * y;
    x = c * y - s * g;
    turnRows(i, i + 1, c, s);
  }
  e[l] = 0;
  e[k] = f;
  d[k] = x;
}
