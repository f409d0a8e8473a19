import { vectorProducts } from "../algebra/gram.ts";
import type { SparseRows } from "../sparse/rows.ts";
import { checkCancelled, type Hooks } from "../types.ts";
import { dot } from "./least-squares.ts";
import type { Products } from "./products.ts";

/** The products by which a descent goes. */
type Factors = Pick<Products, "d" | "gram" | "cross" | "square">;

/** A least-squares problem that is solved coordinate by coordinate; it keeps what is left over at the coefficients so far. */
export type Coordinates = {
  readonly d: number;
  /** The target's inner product with itself. */
  readonly square: number;
  /** Feature j's inner product with itself. */
  readonly curvature: Float64Array;
  /** Feature j's inner product with what is left over. */
  slope(j: number): number;
  /** Changes coefficient j by so much. */
  move(j: number, by: number): void;
  /** Inner products of what is left over with itself, and with the target. */
  left(w: Float64Array): { readonly square: number; readonly target: number };
  /** The products of these features, where steps by them are cheaper than by the features themselves; else null. */
  products?(those: Int32Array, hooks: Hooks): Factors | null;
};

/** By products of all pairs of columns: a step costs O(d), however many rows there are. */
export function gramCoordinates({ d, gram, cross, square }: Factors): Coordinates {
  const slopes = Float64Array.from(cross);
  return {
    d,
    square,
    curvature: Float64Array.from({ length: d }, (_, j) => gram[j * d + j]!),
    slope: (j) => slopes[j]!,
    move(j, by) {
      const at = j * d;
      for (let k = 0; k < d; k++) slopes[k]! -= by * gram[at + k]!;
    },
    left(w) {
      const fitted = dot(w, 0, cross, 0, d);
      return { square: Math.max(0, square - fitted - dot(w, 0, slopes, 0, d)), target: square - fitted };
    },
  };
}

/** By the columns themselves, n numbers each, (centred) one after the other: a step costs O(n). */
export function columnCoordinates(x: Float64Array, y: Float64Array, d: number): Coordinates {
  const n = y.length;
  const rest = Float64Array.from(y);
  return {
    d,
    square: dot(y, 0, y, 0, n),
    curvature: Float64Array.from({ length: d }, (_, j) => dot(x, j * n, x, j * n, n)),
    slope: (j) => dot4(x, j * n, rest, n),
    move(j, by) {
      const at = j * n;
      for (let i = 0; i < n; i++) rest[i]! -= by * x[at + i]!;
    },
    left: () => ({ square: dot(rest, 0, rest, 0, n), target: dot(rest, 0, y, 0, n) }),
    products(those, hooks) {
      const p = those.length;
      if (p > n) return null;
      const some = new Float64Array(p * n);
      for (const [k, j] of those.entries()) some.set(x.subarray(j * n, (j + 1) * n), k * n);
      const gram = vectorProducts(some, p, n, hooks);
      const cross = Float64Array.from(those, (j) => dot4(x, j * n, y, n));
      return { d: p, gram, cross, square: dot(y, 0, y, 0, n) };
    },
  };
}

/** Four sums at a time: each addition waits for the one before. */
function dot4(a: Float64Array, p: number, b: Float64Array, n: number): number {
  let [s, t, u, v] = [0, 0, 0, 0];
  let i = 0;
  for (; i + 3 < n; i += 4) {
    s += a[p + i]! * b[i]!;
    t += a[p + i + 1]! * b[i + 1]!;
    u += a[p + i + 2]! * b[i + 2]!;
    v += a[p + i + 3]! * b[i + 3]!;
  }
  for (; i < n; i++) s += a[p + i]! * b[i]!;
  return s + t + (u + v);
}

/** Sparse rows turned: column j holds `values[at]` in row `rows[at]` for at = start[j] … start[j + 1] − 1. */
export type SparseTurned = {
  readonly n: number;
  readonly d: number;
  readonly start: Int32Array;
  readonly rows: Int32Array;
  readonly values: Float64Array;
  /** Each column's mean; zeros unless it is centred. */
  readonly means: Float64Array;
};

/** Sparse rows as columns; `centred` takes their means off implicitly, which fills nothing. O(values + d). */
export function turnSparse(x: SparseRows, centred: boolean): SparseTurned {
  const { n, d, columns } = x;
  const start = new Int32Array(d + 1);
  for (let at = 0; at < x.start[n]!; at++) start[columns[at]! + 1]!++;
  for (let j = 0; j < d; j++) start[j + 1]! += start[j]!;
  const next = start.slice(0, d);
  const rows = new Int32Array(start[d]!);
  const values = new Float64Array(start[d]!);
  const means = new Float64Array(d);
  for (let i = 0; i < n; i++) {
    for (let at = x.start[i]!; at < x.start[i + 1]!; at++) {
      const j = columns[at]!;
      const to = next[j]!++;
      rows[to] = i;
      values[to] = x.values[at]!;
      if (centred) means[j]! += x.values[at]! / n;
    }
  }
  return { n, d, start, rows, values, means };
}

/** By sparse columns, centred implicitly: a step costs the values of its column. */
export function sparseCoordinates(x: SparseTurned, y: Float64Array): Coordinates {
  const { n, d, start, rows, values, means } = x;
  // What is left over is rest[i] + offset: the means' part is the same for all rows.
  const rest = Float64Array.from(y);
  let offset = 0;
  return {
    d,
    square: dot(y, 0, y, 0, n),
    curvature: Float64Array.from({ length: d }, (_, j) => {
      const [from, to] = [start[j]!, start[j + 1]!];
      return Math.max(0, dot(values, from, values, from, to - from) - n * means[j]! ** 2);
    }),
    slope(j) {
      let sum = 0;
      let total = 0;
      for (let at = start[j]!; at < start[j + 1]!; at++) {
        sum += values[at]! * rest[rows[at]!]!;
        total += values[at]!;
      }
      // A centred target leaves nothing over in sum, so that the mean's part vanishes.
      return sum + offset * total;
    },
    move(j, by) {
      for (let at = start[j]!; at < start[j + 1]!; at++) rest[rows[at]!]! -= by * values[at]!;
      offset += by * means[j]!;
    },
    left() {
      let square = 0;
      let target = 0;
      for (let i = 0; i < n; i++) {
        const value = rest[i]! + offset;
        square += value * value;
        target += value * y[i]!;
      }
      return { square, target };
    },
  };
}

/** The penalty of a descent, and when it stops. */
export type Penalty = {
  /** Times the sum of the coefficients' sizes. */
  readonly l1: number;
  /** Times half the sum of their squares. */
  readonly l2: number;
  /** Coefficients may not be negative. */
  readonly positive: boolean;
  /** The duality gap, as a share of the target's square, below which it counts as converged. */
  readonly tol: number;
  /** The gap to which it goes on as long as steps are left (default `tol`). */
  readonly aim?: number;
  /** Passes over the coefficients at most. */
  readonly maxIter: number;
};

/**
 * Sums round by about this share of them. Of two columns that say the same, one weighs nothing; what rounding makes of it
 * is no weight.
 */
const rounding = 1e-13;

/** How a descent ended. */
export type Descent = { readonly converged: boolean; readonly sweeps: number };

/**
 * Minimises ½‖y − Xw‖² + l1·‖w‖₁ + ½·l2·‖w‖² by cyclic coordinate descent, in place of w; `problem` stands at w.
 *
 * Passes over all coefficients alternate with passes over those that are not 0, until the duality gap is small. A
 * coefficient that the gap shows to be 0 at the minimum is not looked at again.
 * Constant columns keep 0. NaN, or squares that overflow, give NaN. Source: Friedman, Hastie and Tibshirani (2010), "Regularization paths for generalized
 * linear models via coordinate descent"; the gap as in scikit-learn's ElasticNet; Fercoq, Gramfort and Salmon (2015), "Mind the duality gap", theorem 2.
 */
export function descend(problem: Coordinates, w: Float64Array, penalty: Penalty, hooks: Hooks): Descent {
  const { d } = problem;
  const { tol, aim = tol, maxIter } = penalty;
  if (!Number.isFinite(problem.square) || !problem.curvature.every(Number.isFinite)) {
    w.fill(Number.NaN);
    return { converged: true, sweeps: 0 };
  }
  let open: Int32Array = Int32Array.from({ length: d }, (_, j) => j);
  let gap = Number.POSITIVE_INFINITY;
  let sweeps = 0;
  while (sweeps < maxIter) {
    checkCancelled(hooks);
    const moved = sweep(problem, w, penalty, open);
    sweeps++;
    const found = dualityGap(problem, w, penalty, open);
    gap = found.gap;
    if (gap <= aim * problem.square || moved <= 1e-14) break;
    open = stillOpen(problem, w, penalty, open, found);
    // Half of the passes are over few coefficients in most fits, which cost little.
    const active = open.filter((j) => w[j] !== 0);
    // Where many are, products of all of them end the descent.
    const isMost = 3 * active.length > open.length;
    const those = isMost ? open : active;
    // Products of p features cost as much as p / 40 passes over them.
    const few = active.length > 0 && sweeps >= those.length / 40 ? (problem.products?.(those, hooks) ?? null) : null;
    if (few) {
      const next = isMost ? aim : Math.max(aim, gap / problem.square / 100);
      sweeps += descendAmong(problem, w, those, few, { ...penalty, aim: next, maxIter: maxIter - sweeps }, hooks);
      continue;
    }
    if (active.length === open.length) continue;
    for (let still = moved; still > 0.1 * moved && sweeps < maxIter; sweeps++) {
      still = sweep(problem, w, penalty, active);
    }
  }
  // The last passes may have come after it was measured.
  if (sweeps >= maxIter) gap = dualityGap(problem, w, penalty, open).gap;
  return { converged: gap <= tol * problem.square || isStill(problem, penalty, sweeps), sweeps };
}

/** Descends among a few features by their products; answers the passes that it took. */
function descendAmong(
  problem: Coordinates,
  w: Float64Array,
  those: Int32Array,
  products: Factors,
  penalty: Penalty,
  hooks: Hooks,
): number {
  const few = gramCoordinates(products);
  const own = Float64Array.from(those, (j) => w[j]!);
  own.forEach((value, k) => {
    few.move(k, value);
  });
  const { sweeps } = descend(few, own, penalty, hooks);
  those.forEach((j, k) => {
    if (own[k] !== w[j]) problem.move(j, own[k]! - w[j]!);
    w[j] = own[k]!;
  });
  return sweeps;
}

/** Without a penalty on sizes there is no gap to measure; steps are enough then. */
function isStill({ square }: Coordinates, { l1, l2, maxIter }: Penalty, sweeps: number): boolean {
  return square === 0 || (l1 === 0 && l2 === 0 && sweeps < maxIter);
}

/** One pass; the largest change as a share of the largest coefficient. */
function sweep({ curvature, slope, move }: Coordinates, w: Float64Array, penalty: Penalty, those: Int32Array): number {
  const { l1, l2, positive } = penalty;
  let moved = 0;
  let largest = 0;
  for (let k = 0; k < those.length; k++) {
    const j = those[k]!;
    const own = curvature[j]!;
    if (!(own > 0)) continue;
    const before = w[j]!;
    const pull = slope(j) + own * before;
    const size = Math.abs(pull) - l1;
    const after = size <= l1 * rounding || (positive && pull < 0) ? 0 : (Math.sign(pull) * size) / (own + l2);
    if (after !== before) {
      move(j, after - before);
      w[j] = after;
    }
    moved = Math.max(moved, Math.abs(after - before) * Math.sqrt(own));
    largest = Math.max(largest, Math.abs(after) * Math.sqrt(own));
  }
  return largest === 0 ? 0 : moved / largest;
}

/** A duality gap, and of what it was worked out: how far the dual point is scaled, and each slope, less the penalty's. */
type Gap = { readonly gap: number; readonly scale: number; readonly slopes: Float64Array };

/** How far the loss may still be above the least one, where only `those` coefficients may be other than 0. */
function dualityGap(problem: Coordinates, w: Float64Array, { l1, l2, positive }: Penalty, those: Int32Array): Gap {
  const slopes = new Float64Array(those.length);
  let steepest = 0;
  let steep2 = 0;
  let norm1 = 0;
  let norm2 = 0;
  for (let k = 0; k < those.length; k++) {
    const value = w[those[k]!]!;
    const slope = problem.slope(those[k]!) - l2 * value;
    slopes[k] = slope;
    if (!positive || slope > 0 || value > 0) {
      steepest = Math.max(steepest, positive ? slope : Math.abs(slope));
      steep2 += slope * slope;
    }
    norm1 += Math.abs(value);
    norm2 += value * value;
  }
  // The loss is strongly convex then.
  if (l1 === 0) {
    const gap = l2 > 0 ? steep2 / (2 * l2) : steep2 === 0 ? 0 : Number.POSITIVE_INFINITY;
    return { gap, scale: 1, slopes };
  }
  const { square, target } = problem.left(w);
  const scale = steepest > l1 ? l1 / steepest : 1;
  const gap = 0.5 * (1 + scale * scale) * (square + l2 * norm2) + l1 * norm1 - scale * target;
  return { gap, scale, slopes };
}

/** Those coefficients that may be other than 0 at the minimum; the others are put to 0. */
function stillOpen(
  { curvature, square, move }: Coordinates,
  w: Float64Array,
  { l1, l2, positive }: Penalty,
  those: Int32Array,
  { gap, scale, slopes }: Gap,
): Int32Array {
  // The dual solution is within this of the scaled dual point.
  const radius = Math.sqrt(2 * Math.max(gap, rounding * square));
  return those.filter((j, k) => {
    const slope = scale * (positive ? slopes[k]! : Math.abs(slopes[k]!));
    if (!(slope + radius * Math.sqrt(curvature[j]! + l2) < l1)) return true;
    if (w[j] !== 0) {
      move(j, -w[j]!);
      w[j] = 0;
    }
    return false;
  });
}
