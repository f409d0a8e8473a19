import { checkCancelled, type Hooks } from "../types.ts";
import { cholesky, dot, isAboveTolerance, solveCholesky, solveScaled } from "./least-squares.ts";

/** Vectors whose part that the others don't explain is at most this share of their squared length depend on them … */
const dependentPivot = 1e-11;
/** … and above this share they don't: their inner products keep 9 digits or more. Between the two nobody can say. */
const ownPivot = 1e-6;
/** What may be left of a vector that depends on others, as a share of its length. */
const mostLeft = 1e-9;

/** Vectors of which some are sums of the others: which are kept, and what the others are made of. */
export type Dependence = {
  /** The places of vectors that don't depend on each other. */
  readonly kept: Int32Array;
  /** Those of the others, each of which is a sum of the kept ones. */
  readonly others: Int32Array;
  /** kept×others column-major: other k is Σ_j made[k·kept + j] · kept vector j. */
  readonly made: Float64Array;
  /** Solves G·x = b in place of b, where G holds the inner products of the kept vectors. */
  solve(b: Float64Array): void;
  /** Solves (I + made·madeᵀ)·x = b in place of b. */
  solveMade(b: Float64Array): void;
};

/**
 * Takes vectors apart into those that don't depend on each other and those that do, by their inner products.
 *
 * sums: the product of vectors i and j ≤ i at i·width + j. Cholesky's factorisation of the products of vectors of length
 * 1, the vector with most that is its own first. Null where it can't be told safely: for NaN, a vector that almost
 * depends on others, and where a singular value that isn't 0 may be below `tolerance` times the largest. O(size³).
 * Source: Golub and Van Loan, §4.2.8 and §5.5.
 */
export function dependence(
  sums: Float64Array,
  width: number,
  size: number,
  tolerance: number,
  hooks: Hooks,
): Dependence | null {
  const lengths = Float64Array.from({ length: size }, (_, j) => Math.sqrt(sums[j * width + j]!));
  if (!lengths.every(Number.isFinite)) return null;
  const order = Int32Array.from({ length: size }, (_, j) => j);
  const own = lengths.map((length) => (length > 0 ? 1 : 0));
  const l = new Float64Array(size * size);
  let rank = 0;
  for (; rank < size; rank++) {
    if (rank % 16 === 0) checkCancelled(hooks);
    let next = rank;
    for (let i = rank + 1; i < size; i++) if (own[i]! > own[next]!) next = i;
    if (own[next]! <= dependentPivot) break;
    if (!(own[next]! > ownPivot)) return null;
    swap(order, rank, next);
    swap(own, rank, next);
    const row = l.slice(rank * size, rank * size + rank);
    l.copyWithin(rank * size, next * size, next * size + rank);
    l.set(row, next * size);
    const root = Math.sqrt(own[rank]!);
    l[rank * size + rank] = root;
    const at = order[rank]!;
    for (let i = rank + 1; i < size; i++) {
      const to = order[i]!;
      const both = lengths[at]! * lengths[to]!;
      if (both === 0) continue;
      const product = sums[Math.max(at, to) * width + Math.min(at, to)]! / both;
      const entry = (product - dot(l, i * size, l, rank * size, rank)) / root;
      l[i * size + rank] = entry;
      own[i] = own[i]! - entry ** 2;
    }
  }
  const kept = order.slice(0, rank);
  const scale = Float64Array.from(kept, (j) => lengths[j]!);
  const factor = new Float64Array(rank * rank);
  for (let i = 0; i < rank; i++) factor.set(l.subarray(i * size, i * size + i + 1), i * rank);
  const others = order.slice(rank);
  const made = new Float64Array(rank * others.length);
  others.forEach((other, k) => {
    const part = made.subarray(k * rank, (k + 1) * rank);
    part.set(l.subarray((rank + k) * size, (rank + k) * size + rank));
    for (let i = rank - 1; i >= 0; i--) {
      part[i] = part[i]! / factor[i * rank + i]!;
      for (let j = 0; j < i; j++) part[j] = part[j]! - factor[i * rank + j]! * part[i]!;
    }
    for (let i = 0; i < rank; i++) part[i] = (part[i]! * lengths[other]!) / scale[i]!;
  });
  const solve = (b: Float64Array) => solveScaled(factor, rank, scale, b);
  const solveMade = madeSolver(made, rank, others.length);
  // The squared singular values of all vectors are the eigenvalues of (I + made·madeᵀ)·G.
  const solveAll = (b: Float64Array) => {
    solve(b);
    solveMade(b);
  };
  const trace = dot(lengths, 0, lengths, 0, size);
  return isAboveTolerance(solveAll, rank, { trace, tolerance }) ? { kept, others, made, solve, solveMade } : null;
}

/** Solves (I + made·madeᵀ)·x = b in place of b: b − made·(I + madeᵀ·made)⁻¹·madeᵀ·b. Source: Golub and Van Loan, §2.1.4. */
function madeSolver(made: Float64Array, kept: number, others: number): (b: Float64Array) => void {
  const inner = new Float64Array(others * others);
  for (let i = 0; i < others; i++) {
    for (let j = 0; j <= i; j++) inner[i * others + j] = dot(made, i * kept, made, j * kept, kept) + (i === j ? 1 : 0);
  }
  cholesky(inner, others, 0);
  return (b) => {
    const part = Float64Array.from({ length: others }, (_, k) => dot(made, k * kept, b, 0, kept));
    solveCholesky(inner, others, part);
    part.forEach((share, k) => {
      for (let j = 0; j < kept; j++) b[j] = b[j]! - share * made[k * kept + j]!;
    });
  };
}

/** Is what is left of each other vector, squared and added up in `left`, nothing beside its squared length? */
export function isNothing(left: Float64Array, squares: Float64Array): boolean {
  return left.every((square, k) => square <= mostLeft ** 2 * squares[k]!);
}

function swap(list: Int32Array | Float64Array, i: number, j: number): void {
  const one = list[i]!;
  list[i] = list[j]!;
  list[j] = one;
}
