import { RandomState } from "../random.ts";
import { checkCancelled, type Hooks, quiet } from "../types.ts";
import { createLoops } from "../wasm/loops.ts";

/** Inner product of `n` numbers of `a` from `p` and of `b` from `q`. */
export function dot(a: Float64Array, p: number, b: Float64Array, q: number, n: number): number {
  let sum = 0;
  for (let i = 0; i < n; i++) sum += a[p + i]! * b[q + i]!;
  return sum;
}

/** Columns of a factor that are found together; below twice as many rows, loops in place are as quick. */
const together = 16;

/**
 * Cholesky factor of a symmetric matrix in place, or false when it is not safely positive definite.
 *
 * a: d×d, overwritten by L in its lower triangle. `least` is the smallest pivot allowed; scale the
 * diagonal to 1 before, so that it says something. O(d³/3). Source: Golub and Van Loan, §4.2.
 */
export function cholesky(a: Float64Array, d: number, least: number, hooks: Hooks = quiet): boolean {
  if (d < 2 * together) return factorColumns(a, d, { start: 0, end: d, least });
  const width = Math.ceil(d / 2) * 2;
  const line = together * 8;
  const { loops, at } = createLoops((d + together) * width * 8, line, (d + 2) * line);
  const [rows, zeros, products] = at as [number, number, number];
  const { doubles } = loops;
  const stride = width * 8;
  for (let start = 0; start < d; start += together) {
    checkCancelled(hooks);
    const end = Math.min(d, start + together);
    // What the columns before take from these.
    for (let i = start; i < d && start > 0; i += 2) {
      const table = rows + start * stride;
      const out = products + i * line;
      loops.rowDots(rows + i * stride, stride, table, table + together * stride, stride, zeros, out, line, start * 8);
    }
    for (let i = start; i < d; i++) {
      const from = products / 8 + i * together;
      for (let j = start; j < Math.min(end, i + 1); j++) a[i * d + j] = a[i * d + j]! - doubles[from + j - start]!;
    }
    if (!factorColumns(a, d, { start, end, least })) return false;
    for (let i = start; i < d; i++)
      doubles.set(a.subarray(i * d + start, i * d + Math.min(end, i + 1)), rows / 8 + i * width + start);
  }
  return true;
}

/** Columns start…end−1 of a factor, given what the columns before them leave; false for a pivot up to `least`. */
function factorColumns(
  a: Float64Array,
  d: number,
  { start, end, least }: { readonly start: number; readonly end: number; readonly least: number },
): boolean {
  for (let j = start; j < end; j++) {
    for (let i = j; i < d; i++) {
      const sum = a[i * d + j]! - dot(a, i * d + start, a, j * d + start, j - start);
      if (i > j) a[i * d + j] = sum / a[j * d + j]!;
      else if (sum > least) a[j * d + j] = Math.sqrt(sum);
      else return false;
    }
  }
  return true;
}

/** Solves L·Lᵀ·x = b in place of b, given `cholesky`'s L. O(d²). */
export function solveCholesky(l: Float64Array, d: number, b: Float64Array): void {
  solveLower(l, d, b);
  solveUpper(l, d, b);
}

/** Solves L·x = b in place of b, given `cholesky`'s L. O(d²). */
export function solveLower(l: Float64Array, d: number, b: Float64Array): void {
  for (let i = 0; i < d; i++) b[i] = (b[i]! - dot(l, i * d, b, 0, i)) / l[i * d + i]!;
}

/** Solves Lᵀ·x = b in place of b, given `cholesky`'s L. O(d²). */
export function solveUpper(l: Float64Array, d: number, b: Float64Array): void {
  for (let i = d - 1; i >= 0; i--) {
    b[i] = b[i]! / l[i * d + i]!;
    for (let k = 0; k < i; k++) b[k] = b[k]! - l[i * d + k]! * b[i]!;
  }
}

/** Solves D·L·Lᵀ·D·x = b in place of b, given `cholesky`'s L and the diagonal of D. O(d²). */
export function solveScaled(l: Float64Array, d: number, scale: Float64Array, b: Float64Array): void {
  for (let j = 0; j < d; j++) b[j] = b[j]! / scale[j]!;
  solveCholesky(l, d, b);
  for (let j = 0; j < d; j++) b[j] = b[j]! / scale[j]!;
}

/** The diagonal of a d×d matrix's inverse, given how to solve by the matrix in place. O(d) solutions. */
export function inverseDiagonal(solve: (b: Float64Array) => void, d: number): Float64Array {
  return Float64Array.from({ length: d }, (_, j) => {
    const unit = new Float64Array(d);
    unit[j] = 1;
    solve(unit);
    return unit[j]!;
  });
}

/** Steps of a power iteration; after 24 of them it is within a third of the largest eigenvalue, for d in the thousands. */
const [fewSteps, manySteps] = [24, 300];

/**
 * Is every singular value that isn't 0 above `tolerance` times the largest, given how to solve by their squares?
 *
 * `solve` works in place of d numbers, and its eigenvalues are one over those squares. The largest is at most the square
 * root of `trace`, their sum; the least is found by powers, and taken for smaller than it came out to be sure. Source:
 * Kuczyński and Woźniakowski (1992), "Estimating the largest eigenvalue by the power and Lanczos algorithms with a
 * random start".
 */
export function isAboveTolerance(
  solve: (b: Float64Array) => void,
  d: number,
  { trace, tolerance }: { readonly trace: number; readonly tolerance: number },
): boolean {
  const random = new RandomState(0);
  const vector = Float64Array.from({ length: d }, () => random.uniform() - 0.5);
  let greatest = 0;
  for (let step = 1; step <= manySteps && d > 0; step++) {
    const length = Math.sqrt(dot(vector, 0, vector, 0, d));
    for (let j = 0; j < d; j++) vector[j] = vector[j]! / length;
    solve(vector);
    const before = greatest;
    greatest = Math.sqrt(dot(vector, 0, vector, 0, d));
    const share = trace * greatest * tolerance ** 2;
    if (step < fewSteps) continue;
    if (4 * share < 1) return true;
    if (1.2 * share >= 1) return false;
    if (Math.abs(greatest - before) < 1e-3 * greatest) return true;
  }
  return d === 0;
}

/**
 * The triangle R of a QR factorisation, by Householder reflections in place.
 *
 * a: rows×cols column-major; its upper triangle becomes R, what is below becomes 0.
 * O(rows·cols²). Source: Golub and Van Loan, §5.2.
 */
export function triangularize(a: Float64Array, rows: number, cols: number): void {
  for (let j = 0; j < Math.min(rows, cols); j++) {
    const at = j * rows + j;
    const alpha = reflector(a, at, rows - j);
    for (let k = j + 1; k < cols; k++) reflect(a, at, a, k * rows + j, rows - j);
    a[at] = alpha;
    a.fill(0, at + 1, at + rows - j);
  }
}

/** Turns n numbers at `at` into the vector whose reflection maps them onto the first axis; returns where. */
export function reflector(a: Float64Array, at: number, n: number): number {
  const norm = Math.sqrt(dot(a, at, a, at, n));
  const alpha = a[at]! > 0 ? -norm : norm;
  a[at] = a[at]! - alpha;
  return alpha;
}

/** Reflects n numbers of `b` from `to` by the vector at `at`. */
export function reflect(a: Float64Array, at: number, b: Float64Array, to: number, n: number): void {
  const square = dot(a, at, a, at, n);
  if (square === 0) return;
  const f = (2 * dot(a, at, b, to, n)) / square;
  for (let i = 0; i < n; i++) b[to + i] = b[to + i]! - f * a[at + i]!;
}
