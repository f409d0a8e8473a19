import { createGram, GRAM_ROWS } from "../algebra/gram.ts";
import { checkCancelled, type Hooks, type Matrix, quiet } from "../types.ts";
import { createLoops } from "../wasm/loops.ts";
import { type Dependence, dependence, isNothing } from "./dependent.ts";
import { cholesky, dot, inverseDiagonal, isAboveTolerance, solveScaled, triangularize } from "./least-squares.ts";
import { type ProductSums, productsOf } from "./products.ts";
import { truncatedSolution } from "./truncated-solution.ts";

/** What `fitLinear` needs to know. */
export type LinearInput = {
  /** n×d features. */
  x: Matrix;
  /** n×targets. */
  y: Matrix;
  /** False sends the plane through the origin (default true). */
  intercept?: boolean;
  /** Singular values of the (centred) features up to this share of the largest count as 0 (default 1e-6). */
  tolerance?: number;
};

/** A fitted linear regression. */
export type Linear = {
  /** d×targets column-major: target t's coefficients are coef[t·d] to coef[t·d + d−1]. */
  coef: Float64Array;
  /** One number per target; zeros without intercept. */
  intercept: Float64Array;
  /** Rank of the (centred) features, by the tolerance; below d the coefficients are the shortest of many that fit alike. */
  rank: number;
  /** How sure the coefficients of one target are; absent where they are many, not told apart, or leave no error to judge by. */
  sureness?: Sureness;
};

/** Standard errors of coefficients, and how many rows more than coefficients there were. */
export type Sureness = { readonly errors: Float64Array; readonly freedom: number };

/** Coefficients up to which their errors are worked out. */
const fewCoefficients = 200;
/** What is left of the target's squares, as a share of them, is an error from here on, and rounding below. */
const leastError = 1e-10;

/** Columns that can be had block by block, so that derived ones never lie in memory all at once. */
export type Design = {
  /** Rows. */
  readonly n: number;
  /** Columns. */
  readonly d: number;
  /** Writes rows start…start+rows−1 of all columns: column j's begin at out[j·height + offset]. */
  read(start: number, rows: number, out: Float64Array, height: number, offset: number): void;
};

/** A matrix in memory as a design. */
export function designOf(x: Matrix): Design {
  return {
    n: x.n,
    d: x.d,
    read(start, rows, out, height, offset) {
      for (let j = 0; j < x.d; j++) {
        const from = j * x.n + start;
        const to = j * height + offset;
        for (let i = 0; i < rows; i++) out[to + i] = x.data[from + i]!;
      }
    },
  };
}

const BLOCK = 512;
// Normal equations square the condition number; with pivots above this they still leave 9 digits or more.
const LEAST_PIVOT = 1e-6;

/** The share of the largest singular value up to which scikit-learn's LinearRegression takes the others for 0. */
const usualTolerance = 1e-6;

/**
 * Ordinary least squares, as scikit-learn's LinearRegression, for one target or several.
 *
 * Centred normal equations by Cholesky, O(nd²) in one pass over blocks of rows, where no singular value can be within
 * the tolerance; so, too, where columns, or with n ≤ d rows, are sums of others to the last digits. Else QR block by
 * block, then the singular values. Either way the solution of least norm that lstsq gives. The tolerance is never below
 * machine precision. NaN gives NaN. RangeError without rows. Sources: Golub and Van Loan, §5.3, §5.5; of the errors Seber
 * and Lee, Linear Regression Analysis, 2nd ed., §3.8.
 */
export function fitLinear(input: LinearInput, hooks: Hooks = quiet): Linear {
  const { intercept = true, tolerance } = input;
  return fitDesign(designOf(input.x), designOf(input.y), { centred: intercept, tolerance }, hooks);
}

/** `fitLinear` over columns that are made block by block; each block is made twice. */
export function fitDesign(
  x: Design,
  y: Design,
  { centred, tolerance = usualTolerance }: { centred: boolean; tolerance?: number | undefined },
  hooks: Hooks = quiet,
): Linear {
  if (x.n < 1 || x.n !== y.n) throw new RangeError(`linear regression got ${x.n} rows of x and ${y.n} of y`);
  const means = centred
    ? [columnMeans(x, hooks), columnMeans(y, hooks)]
    : [new Float64Array(x.d), new Float64Array(y.d)];
  const [meanX, meanY] = means as [Float64Array, Float64Array];
  const least = Math.max(tolerance, Math.max(x.n, x.d) * 2 ** -52);
  const { coef, rank, inverse } =
    (x.n > x.d ? byNormalEquations : byRowProducts)(x, y, meanX, meanY, least, hooks) ??
    byFactoring(x, y, meanX, meanY, least, hooks);
  const intercept = new Float64Array(y.d);
  if (centred) for (let t = 0; t < y.d; t++) intercept[t] = meanY[t]! - dot(meanX, 0, coef, t * x.d, x.d);
  const freedom = x.n - x.d - (centred ? 1 : 0);
  if (!inverse || freedom < 1) return { coef, intercept, rank };
  return { coef, intercept, rank, sureness: { errors: inverse.map((each) => Math.sqrt(each / freedom)), freedom } };
}

/** What `predictLinear` needs to know. */
export type LinearPredictInput = {
  x: Matrix;
  coef: Float64Array;
  intercept: Float64Array;
  /** Judge only the rows from…to−1 (default all). */
  from?: number;
  to?: number;
};

/** x·coef + intercept for every row: rows×targets, fresh. NaN spreads along its row. O(n·d·targets). */
export function predictLinear(input: LinearPredictInput, hooks: Hooks = quiet): Matrix {
  const { x, coef, intercept, from = 0, to = x.n } = input;
  const targets = intercept.length;
  if (coef.length !== x.d * targets) {
    throw new RangeError(`the model has ${coef.length / targets} coefficients, got ${x.d} columns`);
  }
  const n = to - from;
  const data = new Float64Array(n * targets);
  for (let t = 0; t < targets; t++) {
    const out = data.subarray(t * n, (t + 1) * n).fill(intercept[t]!);
    for (let start = 0; start < n; start += PREDICTED) {
      checkCancelled(hooks);
      addColumns(out, x, coef, t * x.d, from, start, Math.min(n, start + PREDICTED));
    }
  }
  return { n, d: targets, data };
}

/** Rows predicted together, so that their sums stay in the cache while the columns pass. */
const PREDICTED = 4096;

/** out[i] += Σ_j coef[at + j] · x[from + i, j] for i from start to end−1, four columns at a time. */
function addColumns(
  out: Float64Array,
  { n, d, data }: Matrix,
  coef: Float64Array,
  at: number,
  from: number,
  start: number,
  end: number,
): void {
  let j = 0;
  for (; j + 3 < d; j += 4) {
    const [a, b, c, e] = [coef[at + j]!, coef[at + j + 1]!, coef[at + j + 2]!, coef[at + j + 3]!];
    for (let i = start, p = j * n + from + start; i < end; i++, p++) {
      out[i] = out[i]! + a * data[p]! + b * data[p + n]! + c * data[p + 2 * n]! + e * data[p + 3 * n]!;
    }
  }
  for (; j < d; j++) for (let i = start; i < end; i++) out[i]! += coef[at + j]! * data[j * n + from + i]!;
}

function columnMeans(x: Design, hooks: Hooks): Float64Array {
  const out = new Float64Array(x.d);
  const block = new Float64Array(BLOCK * x.d);
  for (let start = 0; start < x.n; start += BLOCK) {
    if (start % (BLOCK * 32) === 0) checkCancelled(hooks);
    const rows = Math.min(BLOCK, x.n - start);
    x.read(start, rows, block, BLOCK, 0);
    for (let j = 0; j < x.d; j++) {
      let sum = out[j]!;
      for (let i = 0; i < rows; i++) sum += block[j * BLOCK + i]!;
      out[j] = sum;
    }
  }
  return out.map((sum) => sum / x.n);
}

type Solved = {
  coef: Float64Array;
  rank: number;
  /** The diagonal of (XᵀX)⁻¹, times the squared errors of all rows. */
  inverse?: Float64Array;
};

function byNormalEquations(
  x: Design,
  y: Design,
  meanX: Float64Array,
  meanY: Float64Array,
  tolerance: number,
  hooks: Hooks,
): Solved | undefined {
  const { n, d } = x;
  const all = d + y.d;
  const { block, sums, width, add } = createGram(all);
  for (let start = 0; start < n; start += GRAM_ROWS) {
    if (start % (GRAM_ROWS * 32) === 0) {
      checkCancelled(hooks);
      hooks.progress(start, n);
    }
    const rows = Math.min(GRAM_ROWS, n - start);
    centreBlock(block, x, meanX, start, rows, GRAM_ROWS, 0);
    centreBlock(block, y, meanY, start, rows, GRAM_ROWS, d);
    add(rows, hooks);
  }
  const found = byPivots({ sums, width, d, targets: y.d, tolerance }, hooks);
  return found === "dependent" ? byKeptColumns(x, y, meanX, { sums, width }, tolerance, hooks) : found;
}

/** The diagonal of (XᵀX)⁻¹ times what `coef` leaves of the target's squares; undefined where that is hardly more than rounding. */
function inverseOf({ sums, width, d }: Normal, coef: Float64Array, solve: (b: Float64Array) => void) {
  const square = sums[d * width + d]!;
  const left = square - dot(coef, 0, sums, d * width, d);
  if (!(left > leastError * square)) return undefined;
  return inverseDiagonal(solve, d).map((each) => each * left);
}

/** Products of all pairs of columns of [x y], that of columns i and j ≤ i at i · width + j. */
type Normal = {
  readonly sums: Float64Array;
  readonly width: number;
  readonly d: number;
  readonly targets: number;
  readonly tolerance: number;
};

/** Normal equations by Cholesky: "dependent" where columns depend on others or nearly; undefined where a singular value may be within the tolerance. */
function byPivots(normal: Normal, hooks: Hooks): Solved | "dependent" | undefined {
  const { sums, width, d, targets, tolerance } = normal;
  const scale = Float64Array.from({ length: d }, (_, j) => Math.sqrt(sums[j * width + j]!));
  const l = new Float64Array(d * d);
  for (let i = 0; i < d; i++) {
    for (let j = 0; j <= i; j++) l[i * d + j] = sums[i * width + j]! / (scale[i]! * scale[j]!);
  }
  // Also refuses NaN, from a constant column's 0/0 too.
  if (!cholesky(l, d, LEAST_PIVOT, hooks)) return "dependent";
  const solve = (b: Float64Array) => solveScaled(l, d, scale, b);
  if (!isAboveTolerance(solve, d, { trace: dot(scale, 0, scale, 0, d), tolerance })) return undefined;
  const coef = new Float64Array(d * targets);
  for (let t = 0; t < targets; t++) {
    const part = coef.subarray(t * d, (t + 1) * d);
    for (let j = 0; j < d; j++) part[j] = sums[(d + t) * width + j]!;
    solve(part);
  }
  const inverse = targets === 1 && d <= fewCoefficients ? inverseOf(normal, coef, solve) : undefined;
  return { coef, rank: d, ...(inverse && { inverse }) };
}

/** The solution of least norm where columns depend on others, which were found to leave nothing. */
function fromKept({ kept, others, made, solve, solveMade }: Dependence, { sums, width, d, targets }: Normal): Solved {
  const rank = kept.length;
  const coef = new Float64Array(d * targets);
  for (let t = 0; t < targets; t++) {
    const part = Float64Array.from(kept, (j) => sums[(d + t) * width + j]!);
    solve(part);
    // Shares of the others that take nothing from the answer and make the whole shortest.
    solveMade(part);
    for (const [j, own] of kept.entries()) coef[t * d + own] = part[j]!;
    for (const [k, other] of others.entries()) coef[t * d + other] = dot(made, k * rank, part, 0, rank);
  }
  return { coef, rank };
}

/** What `linearOfProducts` needs to know. */
export type ProductsInput = {
  /** The products of some more rows than columns, run by run, as of `productSums`. */
  readonly parts: readonly ProductSums[];
  readonly shift: Float64Array;
  readonly intercept: boolean;
  readonly tolerance?: number;
  /** The squared lengths of what the kept columns leave of the others, where an earlier call asked for them. */
  readonly left?: Float64Array;
};

/** A regression, or what has to be looked at first: columns that may be sums of others. */
export type ProductsFit =
  | ({ readonly kind: "fitted" } & Linear)
  | {
      readonly kind: "dependent";
      /** The columns that don't depend on each other, the others, and the means of all. */
      readonly kept: Int32Array;
      readonly others: Int32Array;
      /** kept×others column-major: what each of the others is made of. */
      readonly made: Float64Array;
      readonly means: Float64Array;
    }
  /** Sums of products have too few digits for these columns. */
  | { readonly kind: "lost" };

/**
 * `fitLinear` by sums of products alone, where the rows are too many to come into memory.
 *
 * Columns that may depend on others are named first; who then says what is `left` of them gets the solution of least
 * norm. O(d³).
 */
export function linearOfProducts(input: ProductsInput, hooks: Hooks = quiet): ProductsFit {
  const { parts, shift, intercept, tolerance = usualTolerance, left } = input;
  const { n, d, gram, cross, means } = productsOf(parts, shift, intercept);
  const width = d + 1;
  const sums = new Float64Array(width * width);
  for (let i = 0; i < d; i++) for (let j = 0; j <= i; j++) sums[i * width + j] = gram[i * d + j]!;
  sums.set(cross, d * width);
  const least = Math.max(tolerance, Math.max(n, d) * 2 ** -52);
  const normal: Normal = { sums, width, d, targets: 1, tolerance: least };
  const fitted = ({ coef, rank }: Solved): ProductsFit => {
    const bias = intercept ? means[d]! - dot(means, 0, coef, 0, d) : 0;
    return { kind: "fitted", coef, intercept: Float64Array.of(bias), rank };
  };
  if (n <= d) return { kind: "lost" };
  const solved = byPivots(normal, hooks);
  if (solved === undefined) return { kind: "lost" };
  if (solved !== "dependent") return fitted(solved);
  const found = dependence(sums, width, d, least, hooks);
  if (!found) return { kind: "lost" };
  const { kept, others, made } = found;
  if (!left) return { kind: "dependent", kept, others, made, means };
  const squares = Float64Array.from(others, (j) => sums[j * width + j]!);
  return isNothing(left, squares) ? fitted(fromKept(found, normal)) : { kind: "lost" };
}

/** The shortest solution where columns depend on others, given the products of all pairs of columns of [x y]. */
function byKeptColumns(
  x: Design,
  y: Design,
  meanX: Float64Array,
  { sums, width }: { readonly sums: Float64Array; readonly width: number },
  tolerance: number,
  hooks: Hooks,
): Solved | undefined {
  const { n, d } = x;
  const found = dependence(sums, width, d, tolerance, hooks);
  if (!found) return undefined;
  const { kept, others, made } = found;
  const rank = kept.length;
  const left = new Float64Array(others.length);
  const vector = BLOCK * 8;
  const { loops, at } = createLoops(d * vector, rank * vector, others.length * vector, rank * others.length * 8);
  const [all, own, rest, shares] = at.map((place) => place / 8) as [number, number, number, number];
  const { doubles } = loops;
  for (let at = 0; at < made.length; at++) doubles[shares + at] = -made[at]!;
  for (let start = 0; start < n; start += BLOCK) {
    checkCancelled(hooks);
    const rows = Math.min(BLOCK, n - start);
    const block = doubles.subarray(all, all + d * BLOCK);
    if (rows < BLOCK) block.fill(0);
    centreBlock(block, x, meanX, start, rows, BLOCK, 0);
    const move = (columns: Int32Array, to: number) => {
      for (const [k, j] of columns.entries()) doubles.set(block.subarray(j * BLOCK, (j + 1) * BLOCK), to + k * BLOCK);
    };
    move(kept, own);
    move(others, rest);
    loops.combine(own * 8, shares * 8, rest * 8, BLOCK, rank, others.length);
    for (let k = 0; k < others.length; k++) {
      const from = rest + k * BLOCK;
      left[k] = left[k]! + dot(doubles, from, doubles, from, rows);
    }
  }
  if (
    !isNothing(
      left,
      Float64Array.from(others, (j) => sums[j * width + j]!),
    )
  )
    return undefined;
  return fromKept(found, { sums, width, d, targets: y.d, tolerance });
}

/** The shortest solution with no more rows than columns, by the products of all pairs of rows. */
function byRowProducts(
  x: Design,
  y: Design,
  meanX: Float64Array,
  meanY: Float64Array,
  tolerance: number,
  hooks: Hooks,
): Solved | undefined {
  const { n, d } = x;
  const a = new Float64Array(n * d);
  centreBlock(a, x, meanX, 0, n, n, 0);
  const { block, sums, width, add } = createGram(n);
  for (let start = 0; start < d; start += GRAM_ROWS) {
    checkCancelled(hooks);
    const columns = Math.min(GRAM_ROWS, d - start);
    for (let j = 0; j < columns; j++) for (let i = 0; i < n; i++) block[i * GRAM_ROWS + j] = a[(start + j) * n + i]!;
    add(columns, hooks);
  }
  const found = dependence(sums, width, n, tolerance, hooks);
  if (!found) return undefined;
  const { kept, others, made } = found;
  const rank = kept.length;
  const left = new Float64Array(others.length);
  for (let j = 0; j < d; j++) {
    const values = Float64Array.from(kept, (i) => a[j * n + i]!);
    for (const [k, other] of others.entries())
      left[k] = left[k]! + (a[j * n + other]! - dot(made, k * rank, values, 0, rank)) ** 2;
  }
  if (
    !isNothing(
      left,
      Float64Array.from(others, (i) => sums[i * width + i]!),
    )
  )
    return undefined;
  const targets = new Float64Array(n * y.d);
  centreBlock(targets, y, meanY, 0, n, n, 0);
  const coef = new Float64Array(d * y.d);
  for (let t = 0; t < y.d; t++) {
    // What the kept rows have to answer, so that all rows come closest to their targets.
    const wanted = Float64Array.from(kept, (i) => targets[t * n + i]!);
    for (const [k, other] of others.entries())
      for (let j = 0; j < rank; j++) wanted[j] = wanted[j]! + made[k * rank + j]! * targets[t * n + other]!;
    found.solveMade(wanted);
    found.solve(wanted);
    for (let j = 0; j < d; j++) {
      let sum = 0;
      for (let k = 0; k < rank; k++) sum += a[j * n + kept[k]!]! * wanted[k]!;
      coef[t * d + j] = sum;
    }
  }
  return { coef, rank };
}

/** Copies rows start…start+rows−1 less the means into columns at… of `block`, which has `height` rows. */
function centreBlock(
  block: Float64Array,
  x: Design,
  means: Float64Array,
  start: number,
  rows: number,
  height: number,
  at: number,
  offset = 0,
): void {
  x.read(start, rows, block, height, at * height + offset);
  for (let j = 0; j < x.d; j++) {
    const mean = means[j]!;
    const to = (at + j) * height + offset;
    for (let i = 0; i < rows; i++) block[to + i] = block[to + i]! - mean;
  }
}

function byFactoring(
  x: Design,
  y: Design,
  meanX: Float64Array,
  meanY: Float64Array,
  tolerance: number,
  hooks: Hooks,
): Solved {
  const { n, d } = x;
  // A table that is hardly longer than wide is not worth the way to its triangle.
  const tall = n > 4 * (d + y.d);
  const height = tall ? d + y.d : n;
  const reduced = tall ? reduceRows(x, y, meanX, meanY, hooks) : new Float64Array(n * (d + y.d));
  if (!tall) {
    centreBlock(reduced, x, meanX, 0, n, n, 0);
    centreBlock(reduced, y, meanY, 0, n, n, d);
  }
  const a = reduced.subarray(0, height * d);
  if (reduced.some(Number.isNaN)) return { coef: new Float64Array(d * y.d).fill(NaN), rank: 0 };
  const { solution, rank } = truncatedSolution(a, height, d, reduced.subarray(height * d), y.d, tolerance, hooks);
  return { coef: solution, rank };
}

/** The triangle of [x y]'s QR factorisation, square, folding in one block of rows after the other. */
function reduceRows(x: Design, y: Design, meanX: Float64Array, meanY: Float64Array, hooks: Hooks): Float64Array {
  const all = x.d + y.d;
  const height = all + Math.max(BLOCK, 2 * all);
  const block = new Float64Array(height * all);
  const take = height - all;
  for (let start = 0; start < x.n; start += take) {
    checkCancelled(hooks);
    const rows = Math.min(take, x.n - start);
    for (let j = 0; j < all; j++) block.fill(0, j * height + all, (j + 1) * height);
    centreBlock(block, x, meanX, start, rows, height, 0, all);
    centreBlock(block, y, meanY, start, rows, height, x.d, all);
    triangularize(block, height, all);
  }
  const out = new Float64Array(all * all);
  for (let j = 0; j < all; j++) out.set(block.subarray(j * height, j * height + all), j * all);
  return out;
}
