import { unitOf } from "../statistics/unit.ts";
import { type Hooks, type Matrix, quiet } from "../types.ts";
import { type KernelChoice, KernelRows, type KernelSpec, specOf } from "./kernel.ts";
import { RowCache } from "./row-cache.ts";
import { type Rows, type Solution, Solver } from "./smo.ts";

/** What all support vector machines are told, with scikit-learn's names and defaults. */
export type SvmOptions = {
  kernel: KernelChoice;
  /** Inverse strength of the penalty, above 0 (default 1). */
  c?: number;
  /** The largest violation of the optimality conditions that is left (default 1e-3). */
  tol?: number;
  /** Set variables aside that are stuck at a bound (default true). */
  shrinking?: boolean;
  /** Memory for kernel rows, in bytes (default 200 MiB). */
  cacheBytes?: number;
  /** Steps at most (default: libsvm's own limit, ten million or a hundred per row). */
  maxIter?: number;
};

/** What `fitSvr` needs to know. */
export type SvrInput = SvmOptions & {
  /** n×d features. */
  x: Matrix;
  /** n numbers. */
  y: Float64Array;
  /** Errors up to this size cost nothing, at least 0 (default 0.1). */
  epsilon?: number;
  /** A weight per row, at least 0, which multiplies c (default 1). */
  sampleWeight?: Float64Array;
};

/** A fitted support vector regression: the sum of coef · kernel over the support vectors, plus the intercept. */
export type Svr = {
  spec: KernelSpec;
  vectors: Matrix;
  /** One per support vector. */
  coef: Float64Array;
  intercept: Float64Array;
  /** Rows of x that became support vectors. */
  support: Int32Array;
  iterations: number;
  converged: boolean;
};

/**
 * Support vector regression with an ε-wide tube, as scikit-learn's SVR.
 *
 * O(steps · n), and the kernel rows met on the way. RangeError when no row has weight, or kernel values overflow.
 * Source: Chang and Lin, LIBSVM (2011), §2.4.
 */
export function fitSvr(input: SvrInput, hooks: Hooks = quiet): Svr {
  const rows = weighty(input.x.n, input.sampleWeight);
  const { c = 1, epsilon = 0.1, sampleWeight } = input;
  const most = Float64Array.from(rows, (row) => c * (sampleWeight?.[row] ?? 1));
  const target = Float64Array.from(rows, (row) => input.y[row]!);
  if (!target.every(Number.isFinite)) throw new RangeError("the support vector machine met a target that is no number");
  if (unitOf(target) > 1) {
    throw new RangeError(
      "targets beyond 1e120 are too large for a support vector machine; divide them first, as in derive (BL_DERIVE)",
    );
  }
  const tell = (share: number) => hooks.progress(Math.floor(1000 * share), 1000);
  const spec = specOf(input.x, input.kernel);
  const { beta, rho, iterations, converged } = solve(
    { ...input, spec, rows, target, slack: epsilon, most },
    tell,
    hooks,
  );
  const found = Int32Array.from(beta.keys()).filter((k) => beta[k] !== 0);
  const support = found.map((k) => rows[k]!);
  return {
    spec,
    vectors: pick(input.x, support),
    coef: Float64Array.from(found, (k) => beta[k]!),
    intercept: Float64Array.of(-rho),
    support,
    iterations,
    converged,
  };
}

/** One machine: the rows it learns from, with a target and the bounds of a coefficient for each of them. */
type MachineInput = Omit<SvmOptions, "kernel"> & {
  spec: KernelSpec;
  x: Matrix;
  rows: Int32Array;
  target: Float64Array;
  slack: number;
  least?: Float64Array;
  most: Float64Array;
};

function solve(input: MachineInput, tell: (share: number) => void, hooks: Hooks): Solution {
  const { x, rows, spec, tol = 1e-3, shrinking = true, cacheBytes = 200 * 2 ** 20 } = input;
  const kernel = new CachedRows(x, rows, spec, cacheBytes, hooks);
  const { target, slack, most, least = most.map((value) => -value) } = input;
  const maxIter = input.maxIter ?? Math.max(10_000_000, 100 * rows.length);
  const diagonal = kernel.diagonal();
  const solver = new Solver({ rows: kernel, diagonal, target, slack, least, most, tol, shrinking, maxIter });
  return solver.solve(tell, hooks);
}

/** One machine that tells two classes apart: y is +1 or −1 for each of `rows`, and both occur. */
export type TwoClassInput = Omit<MachineInput, "target" | "slack" | "least" | "most"> & {
  y: Float64Array;
  weight?: Float64Array;
};

/** Fits one machine; β = y·α is per row of `rows`. */
export function solveTwoClasses(input: TwoClassInput, tell: (share: number) => void, hooks: Hooks): Solution {
  const { rows, y, weight, c = 1 } = input;
  const bound = (sign: number) =>
    Float64Array.from(rows, (row, k) => (y[k] === sign ? sign * c * (weight?.[row] ?? 1) : 0));
  return solve({ ...input, target: y.slice(), slack: 0, least: bound(-1), most: bound(1) }, tell, hooks);
}

/** Row numbers that have a weight above 0; libsvm knows no others. */
export function weighty(n: number, weight: Float64Array | undefined): Int32Array {
  const rows = Int32Array.from({ length: n }, (_, i) => i);
  const kept = weight ? rows.filter((i) => weight[i]! > 0) : rows;
  if (kept.length === 0) throw new RangeError("a support vector machine needs at least one row with weight");
  return kept;
}

/** The rows of `x` that `rows` names, in that order. */
export function pick(x: Matrix, rows: Int32Array): Matrix {
  const data = new Float64Array(rows.length * x.d);
  for (let j = 0; j < x.d; j++)
    for (let k = 0; k < rows.length; k++) data[j * rows.length + k] = x.data[j * x.n + rows[k]!]!;
  return { n: rows.length, d: x.d, data };
}

/** Kernel rows, computed when first asked for and kept as long as there is room. */
class CachedRows implements Rows {
  readonly #kernel: KernelRows;
  readonly #cache: RowCache;

  constructor(x: Matrix, rows: Int32Array, spec: KernelSpec, cacheBytes: number, hooks: Hooks) {
    this.#kernel = new KernelRows(x, rows, spec, cacheBytes, hooks);
    this.#cache = new RowCache(rows.length, cacheBytes);
  }

  diagonal(): Float64Array {
    return this.#kernel.diagonal();
  }

  row(i: number, length: number): Float32Array {
    const { data, from } = this.#cache.take(i, length);
    if (from < length) this.#kernel.fill(data, i, from, length);
    return data;
  }

  swap(pairs: readonly number[]): void {
    this.#kernel.swap(pairs);
    this.#cache.swap(pairs);
  }
}
