import { gatherSparse, type SparseRows } from "../sparse/rows.ts";
import { checkCancelled, gatherRows, type Hooks, type Matrix, quiet } from "../types.ts";
import {
  type Coordinates,
  columnCoordinates,
  type Descent,
  descend,
  gramCoordinates,
  type Penalty,
  sparseCoordinates,
  turnSparse,
} from "./descent.ts";
import { dot } from "./least-squares.ts";
import { type ProductSums, type Products, productsOf } from "./products.ts";

/** Where a penalised fit gets its numbers: products of all columns where rows are many, else the rows themselves. */
export type LinearSource =
  | { readonly kind: "products"; readonly parts: readonly ProductSums[]; readonly shift: Float64Array }
  | { readonly kind: "columns"; readonly x: Matrix; readonly y: Float64Array }
  | { readonly kind: "sparse"; readonly x: SparseRows; readonly y: Float64Array };

/** What `elasticPath` needs to know. */
export type ElasticPathInput = {
  readonly source: LinearSource;
  readonly intercept: boolean;
  /** Strengths of the penalty, the strongest first; each fit begins where the one before ended. */
  readonly alphas: Float64Array;
  /** The share of the penalty that is on sizes, not on squares; 1 is the lasso. */
  readonly l1Ratio: number;
  readonly positive: boolean;
  readonly tol: number;
  /** The gap to which a fit goes on as long as it may (default `tol`). */
  readonly aim?: number;
  readonly maxIter: number;
  /** Holds out these rows, or this part of the products, and judges on them (default: nothing). */
  readonly held?: { readonly part: number } | { readonly rows: Int32Array; readonly others: Int32Array };
};

/** Fits of one path. */
export type ElasticPath = {
  /** alphas×d row-major. */
  readonly coef: Float64Array;
  /** One per alpha; zeros without intercept. */
  readonly intercept: Float64Array;
  /** 1 per alpha whose duality gap fell below `tol`. */
  readonly converged: Uint8Array;
  /** Mean squared error on the held rows, one per alpha; empty without. */
  readonly errors: Float64Array;
};

/**
 * Elastic nets along falling penalties, as scikit-learn's ElasticNet: ‖y − Xw‖²/2n + α·ρ·‖w‖₁ + α·(1 − ρ)/2·‖w‖².
 *
 * NaN gives NaN. See `descend` for the method; with products O(nd²) was spent before, and a pass costs O(d²).
 */
export function elasticPath(input: ElasticPathInput, hooks: Hooks = quiet): ElasticPath {
  const { alphas, l1Ratio, positive, tol, aim = tol, maxIter } = input;
  const { problem, means, n, judge } = problemOf(input);
  const { d } = problem;
  const w = new Float64Array(d);
  const coef = new Float64Array(alphas.length * d);
  const intercept = new Float64Array(alphas.length);
  const converged = new Uint8Array(alphas.length);
  const errors = new Float64Array(judge ? alphas.length : 0);
  for (const [k, alpha] of alphas.entries()) {
    hooks.progress(k, alphas.length);
    const [l1, l2] = [alpha * l1Ratio * n, alpha * (1 - l1Ratio) * n];
    const penalty: Penalty = { l1, l2, positive, tol, aim, maxIter };
    const ended: Descent = descend(problem, w, penalty, hooks);
    converged[k] = ended.converged ? 1 : 0;
    coef.set(w, k * d);
    intercept[k] = means[d]! - dot(means, 0, w, 0, d);
    if (judge) errors[k] = judge(w, intercept[k]!);
  }
  return { coef, intercept, converged, errors };
}

/**
 * The penalty from which on all coefficients are 0; what a path begins with.
 *
 * l1Ratio: as for `elasticPath`, above 0. O(d) with products, else O(nd).
 */
export function strongestAlpha(
  input: Pick<ElasticPathInput, "source" | "intercept" | "l1Ratio" | "positive">,
  hooks: Hooks = quiet,
): number {
  checkCancelled(hooks);
  const { problem, n } = problemOf(input);
  let most = 0;
  for (let j = 0; j < problem.d; j++) {
    const slope = problem.slope(j);
    most = Math.max(most, input.positive ? slope : Math.abs(slope));
  }
  return most / (n * input.l1Ratio);
}

/** The problem of the rows that are learnt from, and how the held ones judge. */
type Problem = {
  readonly problem: Coordinates;
  readonly n: number;
  /** Of the features, the target's last. */
  readonly means: Float64Array;
  /** Mean squared error on the held rows. */
  readonly judge?: (w: Float64Array, intercept: number) => number;
};

function problemOf({ source, intercept, held }: Pick<ElasticPathInput, "source" | "intercept" | "held">): Problem {
  if (source.kind === "products") {
    const { parts, shift } = source;
    const part = held && "part" in held ? held.part : -1;
    const learnt = productsOf(
      parts.filter((_, k) => k !== part),
      shift,
      intercept,
    );
    const problem = { problem: gramCoordinates(learnt), n: learnt.n, means: learnt.means };
    if (part < 0) return problem;
    const other = productsOf([parts[part]!], shift, true);
    return { ...problem, judge: (w, bias) => errorByProducts(other, w, bias) };
  }
  const rows = held && "rows" in held ? held : undefined;
  const y = rows ? Float64Array.from(rows.others, (i) => source.y[i]!) : source.y;
  const meanY = intercept ? mean(y) : 0;
  const target = y.map((value) => value - meanY);
  if (source.kind === "sparse") {
    const x = turnSparse(rows ? gatherSparse(source.x, rows.others) : source.x, intercept);
    const problem = { problem: sparseCoordinates(x, target), n: x.n, means: joined(x.means, meanY) };
    if (!rows) return problem;
    return { ...problem, judge: (w, bias) => errorOfSparse(source.x, source.y, rows.rows, w, bias) };
  }
  const x = rows ? gatherRows(source.x, rows.others) : source.x;
  const { data, means } = centredColumns(x, intercept);
  const problem = {
    problem: columnCoordinates(data, target, x.d),
    n: x.n,
    means: joined(means, meanY),
  };
  if (!rows) return problem;
  const left = gatherRows(source.x, rows.rows);
  return { ...problem, judge: (w, bias) => errorOfRows(left, source.y, rows.rows, w, bias) };
}

/** A matrix's columns less their means, fresh; as they are where not `centred`. */
export function centredColumns(x: Matrix, centred: boolean): { data: Float64Array; means: Float64Array } {
  const data = Float64Array.from(x.data);
  const means = new Float64Array(x.d);
  if (!centred) return { data, means };
  for (let j = 0; j < x.d; j++) {
    const column = data.subarray(j * x.n, (j + 1) * x.n);
    const by = mean(column);
    means[j] = by;
    for (let i = 0; i < x.n; i++) column[i]! -= by;
  }
  return { data, means };
}

function mean(values: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i]!;
  return sum / values.length;
}

/** By the products of the held rows about their own means. */
function errorByProducts({ n, d, gram, cross, square, means }: Products, w: Float64Array, bias: number): number {
  let spread = square;
  for (let i = 0; i < d; i++) {
    if (w[i] === 0) continue;
    spread += w[i]! * (dot(gram, i * d, w, 0, d) - 2 * cross[i]!);
  }
  const off = means[d]! - bias - dot(means, 0, w, 0, d);
  return Math.max(0, spread) / n + off * off;
}

function errorOfRows(x: Matrix, y: Float64Array, rows: Int32Array, w: Float64Array, bias: number): number {
  const answers = new Float64Array(x.n).fill(bias);
  for (let j = 0; j < x.d; j++) {
    const by = w[j]!;
    if (by !== 0) for (let i = 0; i < x.n; i++) answers[i]! += by * x.data[j * x.n + i]!;
  }
  let sum = 0;
  for (let i = 0; i < x.n; i++) sum += (y[rows[i]!]! - answers[i]!) ** 2;
  return sum / x.n;
}

function errorOfSparse(x: SparseRows, y: Float64Array, rows: Int32Array, w: Float64Array, bias: number): number {
  let sum = 0;
  for (const i of rows) {
    let answer = bias;
    for (let at = x.start[i]!; at < x.start[i + 1]!; at++) answer += x.values[at]! * w[x.columns[at]!]!;
    sum += (y[i]! - answer) ** 2;
  }
  return sum / rows.length;
}

function joined(means: Float64Array, last: number): Float64Array {
  const out = new Float64Array(means.length + 1);
  out.set(means);
  out[means.length] = last;
  return out;
}
