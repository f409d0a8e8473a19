import { vectorProducts } from "../algebra/gram.ts";
import { symmetricEigen } from "../algebra/symmetric-eigen.ts";
import { checkCancelled, type Hooks } from "../types.ts";
import { createLoops } from "../wasm/loops.ts";
import { dot, reflect, reflector } from "./least-squares.ts";

/** Sweeps over all pairs of columns at most; after the eigenvectors two or three are usual. */
const mostSweeps = 30;
/** Columns this close to a right angle count as orthogonal; what is left moves answers by as much of their size. */
const rightAngle = 1e-12;
/** Columns of a product that are made together. */
const together = 32;

/**
 * The shortest x that brings a·x closest to b when singular values up to `tolerance` times the largest count as 0.
 *
 * a: rows×cols column-major, any shape and rank, and b: rows×targets; both are overwritten. Returns cols×targets and
 * the rank. The singular value decomposition is one-sided Jacobi's, begun from the eigenvectors of aᵀ·a, which leaves
 * little to do and keeps small singular values as exact as a itself. O(rows·cols²). Sources: Golub and Van Loan,
 * §5.5.4 and §8.6.3; Drmač and Veselić (2008), "New fast and accurate Jacobi SVD algorithm"; LAPACK's gelsd.
 */
export function truncatedSolution(
  a: Float64Array,
  rows: number,
  cols: number,
  b: Float64Array,
  targets: number,
  tolerance: number,
  hooks: Hooks,
): { solution: Float64Array; rank: number } {
  if (rows >= cols) return solveTall(a, rows, cols, b, targets, tolerance, hooks);
  // Wide: aᵀ = q·r, so the shortest x is q·z, with z the solution of the square rᵀ·z = b.
  const q = new Float64Array(cols * rows);
  for (let j = 0; j < cols; j++) for (let i = 0; i < rows; i++) q[i * cols + j] = a[j * rows + i]!;
  const square = new Float64Array(rows * rows);
  for (let j = 0; j < rows; j++) {
    const alpha = reflector(q, j * cols + j, cols - j);
    for (let k = j + 1; k < rows; k++) reflect(q, j * cols + j, q, k * cols + j, cols - j);
    square[j * rows + j] = alpha;
    for (let k = j + 1; k < rows; k++) square[j * rows + k] = q[k * cols + j]!;
  }
  const inner = solveTall(square, rows, rows, b, targets, tolerance, hooks);
  const solution = new Float64Array(cols * targets);
  for (let t = 0; t < targets; t++) {
    solution.set(inner.solution.subarray(t * rows, (t + 1) * rows), t * cols);
    for (let j = rows - 1; j >= 0; j--) reflect(q, j * cols + j, solution, t * cols + j, cols - j);
  }
  return { solution, rank: inner.rank };
}

function solveTall(
  a: Float64Array,
  rows: number,
  cols: number,
  b: Float64Array,
  targets: number,
  tolerance: number,
  hooks: Hooks,
): { solution: Float64Array; rank: number } {
  const v = symmetricEigen(vectorProducts(a, cols, rows, hooks), cols, hooks).vectors;
  const w = product(a, rows, v, cols, hooks);
  const squares = orthogonalize(w, rows, v, cols, tolerance, hooks);
  const solution = new Float64Array(cols * targets);
  const least = tolerance ** 2 * squares.reduce((most, square) => Math.max(most, square), 0);
  let rank = 0;
  for (let k = 0; k < cols; k++) {
    const square = squares[k]!;
    if (square <= least) continue;
    rank += 1;
    for (let t = 0; t < targets; t++) {
      const f = dot(w, k * rows, b, t * rows, rows) / square;
      for (let j = 0; j < cols; j++) solution[t * cols + j]! += f * v[k * cols + j]!;
    }
  }
  return { solution, rank };
}

/** a·v, with the columns of both one after the other. */
function product(a: Float64Array, rows: number, v: Float64Array, cols: number, hooks: Hooks): Float64Array {
  const width = Math.ceil(rows / 8) * 8;
  const { loops, at } = createLoops(cols * width * 8, cols * width * 8, together * cols * 8);
  const [from, to, shares] = at as [number, number, number];
  const { doubles } = loops;
  for (let j = 0; j < cols; j++) doubles.set(a.subarray(j * rows, (j + 1) * rows), from / 8 + j * width);
  for (let k = 0; k < cols; k += together) {
    checkCancelled(hooks);
    const count = Math.min(together, cols - k);
    doubles.set(v.subarray(k * cols, (k + count) * cols), shares / 8);
    loops.combine(from, shares, to + k * width * 8, width, cols, count);
  }
  const out = new Float64Array(rows * cols);
  for (let k = 0; k < cols; k++) {
    const column = to / 8 + k * width;
    out.set(doubles.subarray(column, column + rows), k * rows);
  }
  return out;
}

/**
 * Turns pairs of w's columns, and v's along, until all of w's are at right angles; returns their squared lengths.
 *
 * Pairs that are both well below what counts as 0 are left as they are.
 */
function orthogonalize(
  w: Float64Array,
  rows: number,
  v: Float64Array,
  cols: number,
  tolerance: number,
  hooks: Hooks,
): Float64Array {
  const squares = Float64Array.from({ length: cols }, (_, k) => dot(w, k * rows, w, k * rows, rows));
  for (let sweep = 0; sweep < mostSweeps; sweep++) {
    const least = (tolerance / 100) ** 2 * squares.reduce((most, square) => Math.max(most, square), 0);
    let turned = 0;
    // Most pairs are at right angles already; turns of others move them by less than the next sweep would miss.
    const gammas = vectorProducts(w, cols, rows, hooks);
    for (let p = 0; p < cols - 1; p++) {
      checkCancelled(hooks);
      for (let q = p + 1; q < cols; q++) {
        const [alpha, beta] = [squares[p]!, squares[q]!];
        if (Math.max(alpha, beta) <= least) continue;
        const slight = (rightAngle / 2) * Math.sqrt(alpha * beta);
        if (Math.abs(gammas[p * cols + q]!) <= slight) continue;
        const gamma = dot(w, p * rows, w, q * rows, rows);
        if (Math.abs(gamma) <= rightAngle * Math.sqrt(alpha * beta)) continue;
        turned += 1;
        const zeta = (beta - alpha) / (2 * gamma);
        const t = Math.sign(zeta || 1) / (Math.abs(zeta) + Math.hypot(1, zeta));
        const c = 1 / Math.hypot(1, t);
        turn(w, p * rows, q * rows, rows, c, c * t);
        turn(v, p * cols, q * cols, cols, c, c * t);
        squares[p] = dot(w, p * rows, w, p * rows, rows);
        squares[q] = dot(w, q * rows, w, q * rows, rows);
      }
    }
    if (turned === 0) break;
  }
  return squares;
}

function turn(a: Float64Array, p: number, q: number, n: number, c: number, s: number): void {
  for (let i = 0; i < n; i++) {
    const [x, y] = [a[p + i]!, a[q + i]!];
    a[p + i] = c * x - s * y;
    a[q + i] = s * x + c * y;
  }
}
