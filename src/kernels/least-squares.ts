import { checkCancelled, type Hooks } from "./types.ts";

/** Inner product of `n` numbers of `a` from `p` and of `b` from `q`. */
export function dot(a: Float64Array, p: number, b: Float64Array, q: number, n: number): number {
  let sum = 0;
  for (let i = 0; i < n; i++) sum += a[p + i]! * b[q + i]!;
  return sum;
}

/**
 * Cholesky factor of a symmetric matrix in place, or false when it is not safely positive definite.
 *
 * a: d×d, overwritten by L in its lower triangle. `least` is the smallest pivot allowed; scale the
 * diagonal to 1 before, so that it says something. O(d³/3). Source: Golub and Van Loan, §4.2.
 */
export function cholesky(a: Float64Array, d: number, least: number): boolean {
  for (let j = 0; j < d; j++) {
    for (let i = j; i < d; i++) {
      const sum = a[i * d + j]! - dot(a, i * d, a, j * d, j);
      if (i > j) a[i * d + j] = sum / a[j * d + j]!;
      else if (sum > least) a[j * d + j] = Math.sqrt(sum);
      else return false;
    }
  }
  return true;
}

/** Solves L·Lᵀ·x = b in place of b, given `cholesky`'s L. O(d²). */
export function solveCholesky(l: Float64Array, d: number, b: Float64Array): void {
  for (let i = 0; i < d; i++) b[i] = (b[i]! - dot(l, i * d, b, 0, i)) / l[i * d + i]!;
  for (let i = d - 1; i >= 0; i--) {
    b[i] = b[i]! / l[i * d + i]!;
    for (let k = 0; k < i; k++) b[k] = b[k]! - l[i * d + k]! * b[i]!;
  }
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
function reflector(a: Float64Array, at: number, n: number): number {
  const norm = Math.sqrt(dot(a, at, a, at, n));
  const alpha = a[at]! > 0 ? -norm : norm;
  a[at] = a[at]! - alpha;
  return alpha;
}

/** Reflects n numbers of `b` from `to` by the vector at `at`. */
function reflect(a: Float64Array, at: number, b: Float64Array, to: number, n: number): void {
  const square = dot(a, at, a, at, n);
  if (square === 0) return;
  const f = (2 * dot(a, at, b, to, n)) / square;
  for (let i = 0; i < n; i++) b[to + i] = b[to + i]! - f * a[at + i]!;
}

/**
 * The shortest x among those that bring a·x closest to b, by a complete orthogonal factorisation.
 *
 * a: rows×cols column-major, any shape and rank, and b: rows×targets; both are overwritten. Returns
 * cols×targets and the rank: columns whose rest is up to `tolerance` times the largest count as dependent.
 * O(rows·cols·rank). Source: Golub and Van Loan, §5.5.2; LAPACK's gelsy.
 */
export function shortestSolution(
  a: Float64Array,
  rows: number,
  cols: number,
  b: Float64Array,
  targets: number,
  tolerance: number,
  hooks: Hooks,
): { solution: Float64Array; rank: number } {
  const { rank, columns } = pivotedTriangle(a, rows, cols, b, targets, tolerance, hooks);
  // R = Tᵀ·Zᵀ, by factoring its transpose; the shortest x lies in the span of Z.
  const z = new Float64Array(cols * rank);
  for (let i = 0; i < rank; i++) for (let j = i; j < cols; j++) z[i * cols + j] = a[j * rows + i]!;
  const diagonal = new Float64Array(rank);
  for (let j = 0; j < rank; j++) {
    diagonal[j] = reflector(z, j * cols + j, cols - j);
    for (let k = j + 1; k < rank; k++) reflect(z, j * cols + j, z, k * cols + j, cols - j);
  }
  const solution = new Float64Array(cols * targets);
  const x = new Float64Array(cols);
  for (let t = 0; t < targets; t++) {
    x.fill(0);
    for (let i = 0; i < rank; i++) x[i] = (b[t * rows + i]! - dot(z, i * cols, x, 0, i)) / diagonal[i]!;
    for (let j = rank - 1; j >= 0; j--) reflect(z, j * cols + j, x, j, cols - j);
    for (let j = 0; j < cols; j++) solution[t * cols + columns[j]!] = x[j]!;
  }
  return { solution, rank };
}

/** Brings `a` to triangular form, the column with the largest rest next, and reflects `b` along. */
function pivotedTriangle(
  a: Float64Array,
  rows: number,
  cols: number,
  b: Float64Array,
  targets: number,
  tolerance: number,
  hooks: Hooks,
): { rank: number; columns: Int32Array } {
  const columns = Int32Array.from({ length: cols }, (_, j) => j);
  const rest = new Float64Array(cols);
  let largest = 0;
  for (let j = 0; j < Math.min(rows, cols); j++) {
    checkCancelled(hooks);
    let pivot = j;
    for (let k = j; k < cols; k++) {
      rest[k] = dot(a, k * rows + j, a, k * rows + j, rows - j);
      if (rest[k]! > rest[pivot]!) pivot = k;
    }
    const norm = Math.sqrt(rest[pivot]!);
    largest = Math.max(largest, norm);
    if (norm <= tolerance * largest) return { rank: j, columns };
    swapColumns(a, rows, columns, j, pivot);
    const at = j * rows + j;
    const alpha = reflector(a, at, rows - j);
    for (let k = j + 1; k < cols; k++) reflect(a, at, a, k * rows + j, rows - j);
    for (let t = 0; t < targets; t++) reflect(a, at, b, t * rows + j, rows - j);
    a[at] = alpha;
  }
  return { rank: Math.min(rows, cols), columns };
}

function swapColumns(a: Float64Array, rows: number, columns: Int32Array, j: number, k: number): void {
  if (j === k) return;
  const kept = a.slice(j * rows, (j + 1) * rows);
  a.copyWithin(j * rows, k * rows, (k + 1) * rows);
  a.set(kept, k * rows);
  const name = columns[j]!;
  columns[j] = columns[k]!;
  columns[k] = name;
}
