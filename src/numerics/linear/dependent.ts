import { addProducts } from "../algebra/gram.ts";
import { checkCancelled, type Hooks } from "../types.ts";
import { createLoops } from "../wasm/loops.ts";
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
  const { order, l, rank } = pivoted(sums, width, size, lengths, hooks);
  if (rank < 0) return null;
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

/** Steps of a factorisation after which the products follow, in blocks. */
const together = 32;

/** The factor's rows in the order of the vectors chosen; a rank of −1 where a vector almost depends on others. */
type Pivoted = { readonly order: Int32Array; readonly l: Float64Array; readonly rank: number };

/** Cholesky's factorisation of the products of vectors of length 1. Source: Hammarling, Higham and Lucas (2007). */
function pivoted(sums: Float64Array, width: number, size: number, lengths: Float64Array, hooks: Hooks): Pivoted {
  const order = Int32Array.from({ length: size }, (_, j) => j);
  const own = lengths.map((length) => (length > 0 ? 1 : 0));
  const l = new Float64Array(size * size);
  const line = Math.ceil(size / 4) * 4;
  const { loops, at } = createLoops(line * together * 8, line * together * 8, line * line * 8);
  const [less, block, to] = at as [number, number, number];
  // What the steps so far, but for those since `start`, leave of the products; vectors are in their first order.
  const left = loops.doubles.subarray(to / 8, to / 8 + line * line);
  for (let i = 0; i < size; i++) {
    for (let j = 0; j <= i; j++) {
      const both = lengths[i]! * lengths[j]!;
      if (both > 0) left[i * line + j] = sums[i * width + j]! / both;
    }
  }
  let rank = 0;
  let start = 0;
  for (; rank < size; rank++) {
    if (rank % 16 === 0) checkCancelled(hooks);
    let next = rank;
    for (let i = rank + 1; i < size; i++) if (own[i]! > own[next]!) next = i;
    if (own[next]! <= dependentPivot) break;
    if (!(own[next]! > ownPivot)) return { order, l, rank: -1 };
    swap(order, rank, next);
    swap(own, rank, next);
    const row = l.slice(rank * size, rank * size + rank);
    l.copyWithin(rank * size, next * size, next * size + rank);
    l.set(row, next * size);
    const root = Math.sqrt(own[rank]!);
    l[rank * size + rank] = root;
    const chosen = order[rank]!;
    for (let i = rank + 1; i < size; i++) {
      const other = order[i]!;
      if (lengths[chosen]! * lengths[other]! === 0) continue;
      const product = left[Math.max(chosen, other) * line + Math.min(chosen, other)]!;
      const entry = (product - dot(l, i * size + start, l, rank * size + start, rank - start)) / root;
      l[i * size + rank] = entry;
      own[i] = own[i]! - entry ** 2;
    }
    if (rank + 1 - start < together) continue;
    for (let i = 0; i < size; i++) {
      // Nothing is asked any more of the vectors that are chosen.
      const entries = i > rank ? l.subarray(i * size + start, i * size + rank + 1) : none;
      loops.doubles.set(entries, block / 8 + order[i]! * together);
      for (let k = 0; k < together; k++) loops.doubles[less / 8 + order[i]! * together + k] = -entries[k]!;
    }
    addProducts(loops, { from: less, length: together, by: block, to, width: line }, hooks);
    start = rank + 1;
  }
  return { order, l, rank };
}

const none = new Float64Array(together);

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
