import { createGram, GRAM_ROWS } from "../algebra/gram.ts";
import { cholesky } from "../linear/least-squares.ts";
import { checkCancelled, createMatrix, type Hooks, type Matrix, quiet } from "../types.ts";
import { createLoops } from "../wasm/loops.ts";

/** What components have of their own: a covariance each, one for all, a variance per column each, or one variance each. */
export type CovarianceType = "full" | "tied" | "diag" | "spherical";

/** Normal distributions, each with a share of the rows. */
export type Mixture = {
  readonly type: CovarianceType;
  /** k shares, which add up to 1. */
  readonly weights: Float64Array;
  /** k·d numbers. */
  readonly means: Float64Array;
  /** full: k·d·d, tied: d·d, diag: k·d, spherical: k numbers. */
  readonly covariances: Float64Array;
  /** The covariances' Cholesky factors inverted, of the same shape: rows less the mean times it have variance 1. */
  readonly whitening: Float64Array;
};

/** What a step of EM needs of some rows, added up; differences are those from the means of the step. */
export type MixtureSums = {
  /** The logarithms of the rows' densities. */
  readonly logLikelihood: number;
  /** The components' shares in the rows: k numbers. */
  readonly counts: Float64Array;
  /** The differences, by those shares: k·d numbers. */
  readonly sums: Float64Array;
  /** The products of differences: full: k·d·d numbers, the squares of diag and spherical: k·d, tied: none. */
  readonly products: Float64Array;
};

/** What `mixtureSums` needs to know. */
export type MixtureSumsInput = {
  readonly x: Matrix;
  readonly mixture: Mixture;
  /** Whole rows for these components, in place of the shares that the mixture gives. */
  readonly labels?: Int32Array;
  /** Only the rows from…to−1. */
  readonly from: number;
  readonly to: number;
};

/**
 * The E-step of expectation maximisation for some rows, and the sums from which the M-step goes on.
 *
 * O(rows · k · d²), of diag and spherical O(rows · k · d). Source: Bishop (2006), §9.2.2.
 */
export function mixtureSums({ x, mixture, labels, from, to }: MixtureSumsInput, hooks: Hooks = quiet): MixtureSums {
  const { d } = x;
  const k = mixture.weights.length;
  const counts = new Float64Array(k);
  const sums = new Float64Array(k * d);
  const products = new Float64Array(mixture.type === "full" ? k * d * d : mixture.type === "tied" ? 0 : k * d);
  const densities = labels ? null : createDensities(mixture, d);
  const shares = new Float64Array(k * GRAM_ROWS);
  const add =
    mixture.type === "full" ? productAdder(mixture, x, sums, products) : squareAdder(mixture, x, sums, products);
  let logLikelihood = 0;
  for (let start = from; start < to; start += GRAM_ROWS) {
    checkCancelled(hooks);
    const rows = Math.min(GRAM_ROWS, to - start);
    if (densities) logLikelihood += sumOf(densities.shares(x, start, rows, shares), rows);
    else {
      shares.fill(0);
      for (let i = 0; i < rows; i++) shares[labels![start + i]! * GRAM_ROWS + i] = 1;
    }
    for (let c = 0; c < k; c++) {
      const share = shares.subarray(c * GRAM_ROWS, c * GRAM_ROWS + rows);
      const count = sumOf(share, rows);
      // A component that has no part in these rows adds nothing.
      if (count === 0) continue;
      counts[c]! += count;
      add(c, start, share);
    }
  }
  return { logLikelihood, counts, sums, products };
}

/** The first numbers added up. */
function sumOf(values: Float64Array, count: number): number {
  let sum = 0;
  for (let i = 0; i < count; i++) sum += values[i]!;
  return sum;
}

/** Adds rows' differences from a component's mean, and their products, by the component's share in each. */
type Adder = (component: number, start: number, share: Float64Array) => void;

/** All products of differences, by the vector loops: differences times the roots of the shares. */
function productAdder({ means }: Mixture, { n, d, data }: Matrix, sums: Float64Array, products: Float64Array): Adder {
  const gram = createGram(d + 1);
  const { block, width } = gram;
  return (c, start, share) => {
    const rows = share.length;
    const root = block.subarray(d * GRAM_ROWS, d * GRAM_ROWS + rows);
    for (let i = 0; i < rows; i++) root[i] = Math.sqrt(share[i]!);
    for (let j = 0; j < d; j++) {
      const [mean, column, to] = [means[c * d + j]!, j * n + start, j * GRAM_ROWS];
      for (let i = 0; i < rows; i++) block[to + i] = (data[column + i]! - mean) * root[i]!;
    }
    gram.sums.fill(0);
    gram.add(rows);
    for (let i = 0; i < d; i++) {
      sums[c * d + i]! += gram.sums[d * width + i]!;
      for (let j = 0; j <= i; j++) products[(c * d + i) * d + j]! += gram.sums[i * width + j]!;
    }
  };
}

/** The squares of differences alone; none where there is no room for them. */
function squareAdder({ means }: Mixture, { n, d, data }: Matrix, sums: Float64Array, products: Float64Array): Adder {
  return (c, start, share) => {
    for (let j = 0; j < d; j++) {
      const [mean, column] = [means[c * d + j]!, j * n + start];
      let [sum, square] = [0, 0];
      for (let i = 0; i < share.length; i++) {
        const off = data[column + i]! - mean;
        sum += share[i]! * off;
        square += share[i]! * off * off;
      }
      sums[c * d + j]! += sum;
      if (products.length > 0) products[c * d + j]! += square;
    }
  };
}

/** Works out how likely rows are of the components, a block of rows at a time. */
type Densities = {
  /** Writes the shares, component after component, GRAM_ROWS apart; answers the logarithms of the rows' densities. */
  shares(x: Matrix, start: number, rows: number, out: Float64Array): Float64Array;
};

function createDensities(mixture: Mixture, d: number): Densities {
  const { type, weights } = mixture;
  const k = weights.length;
  const squares = type === "full" || type === "tied" ? productSquares(mixture, d) : columnSquares(mixture, d);
  const base = logBases(mixture, d);
  const density = new Float64Array(GRAM_ROWS);
  return {
    shares(x, start, rows, out) {
      const most = density.fill(Number.NEGATIVE_INFINITY);
      for (let c = 0; c < k; c++) {
        const own = out.subarray(c * GRAM_ROWS, (c + 1) * GRAM_ROWS);
        squares(x, c, start, rows, own);
        for (let i = 0; i < rows; i++) {
          own[i] = base[c]! - own[i]! / 2;
          if (own[i]! > most[i]!) most[i] = own[i]!;
        }
      }
      for (let i = 0; i < rows; i++) {
        // Where no component comes near, as far as numbers go, all are alike.
        const top = Math.max(most[i]!, -Number.MAX_VALUE);
        let sum = 0;
        for (let at = i; at < k * GRAM_ROWS; at += GRAM_ROWS) {
          const part = Math.exp(out[at]! - top);
          out[at] = part;
          sum += part;
        }
        for (let at = i; at < k * GRAM_ROWS; at += GRAM_ROWS) out[at] = sum > 0 ? out[at]! / sum : 1 / k;
        density[i] = top + Math.log(sum);
      }
      return density;
    },
  };
}

/** The logarithm of each component's density at its mean, with its weight: k numbers. */
export function logBases({ type, weights, whitening }: Mixture, d: number): Float64Array {
  return weights.map((weight, c) => {
    let determinant = 0;
    for (let j = 0; j < d; j++) {
      const at = type === "full" ? (c * d + j) * d + j : type === "tied" ? j * d + j : type === "diag" ? c * d + j : c;
      determinant += Math.log(whitening[at]!);
    }
    return Math.log(weight) + determinant - (d / 2) * Math.log(2 * Math.PI);
  });
}

/** The matrix by which a component's differences have variance 1, d×d row-major, whatever the type. */
export function whiteningOf({ type, whitening }: Mixture, c: number, d: number): Float64Array {
  if (type === "full") return whitening.slice(c * d * d, (c + 1) * d * d);
  if (type === "tied") return whitening.slice();
  const out = new Float64Array(d * d);
  for (let j = 0; j < d; j++) out[j * d + j] = whitening[type === "diag" ? c * d + j : c]!;
  return out;
}

/** Writes the squared lengths of whitened differences from a component's mean. */
type Squares = (x: Matrix, component: number, start: number, rows: number, out: Float64Array) => void;

function productSquares({ type, means, whitening }: Mixture, d: number): Squares {
  const { loops, at } = createLoops(whitening.length * 8, d * GRAM_ROWS * 8, GRAM_ROWS * 8);
  const [matrices, block, one] = at as [number, number, number];
  const { doubles } = loops;
  doubles.set(whitening, matrices / 8);
  const whitened = doubles.subarray(one / 8, one / 8 + GRAM_ROWS);
  return (x, c, start, rows, out) => {
    for (let j = 0; j < d; j++) {
      const [mean, column, to] = [means[c * d + j]!, j * x.n + start, block / 8 + j * GRAM_ROWS];
      for (let i = 0; i < rows; i++) doubles[to + i] = x.data[column + i]! - mean;
    }
    out.fill(0);
    const matrix = matrices + (type === "full" ? c * d * d * 8 : 0);
    // The matrix is triangular: a row of it for each sum.
    for (let j = 0; j < d; j++) {
      whitened.fill(0);
      loops.combine(block, matrix + j * d * 8, one, GRAM_ROWS, j + 1, 1);
      for (let i = 0; i < rows; i++) out[i]! += whitened[i]! * whitened[i]!;
    }
  };
}

function columnSquares({ type, means, whitening }: Mixture, d: number): Squares {
  return (x, c, start, rows, out) => {
    out.fill(0);
    for (let j = 0; j < d; j++) {
      const scale = whitening[type === "diag" ? c * d + j : c]!;
      const [mean, column] = [means[c * d + j]!, j * x.n + start];
      for (let i = 0; i < rows; i++) {
        const off = (x.data[column + i]! - mean) * scale;
        out[i]! += off * off;
      }
    }
  };
}

/** What `nextMixture` needs to know. */
export type NextMixtureInput = {
  readonly type: CovarianceType;
  /** The means of the step before, from which the differences are. */
  readonly means: Float64Array;
  /** The sums of all rows. */
  readonly sums: Omit<MixtureSums, "logLikelihood">;
  /** Added to each variance. */
  readonly floor: number;
  /** Of tied: the mean of all rows, and the products of their differences from it, as of one full component. */
  readonly scatter?: { readonly mean: Float64Array; readonly products: Float64Array };
};

/** The component whose covariance is singular, or no number. */
export type Singular = { readonly singular: number };

/** The M-step of expectation maximisation: the mixture that fits the sums best. O(k · d³) where there are products. */
export function nextMixture(input: NextMixtureInput, hooks: Hooks = quiet): Mixture | Singular {
  const { type, means: before, sums } = input;
  const k = sums.counts.length;
  const d = before.length / k;
  // A hair more, as scikit-learn has it, so that a component without rows has a mean.
  const counts = sums.counts.map((count) => count + 10 * Number.EPSILON);
  const moves = sums.sums.map((sum, at) => sum / counts[Math.floor(at / d)]!);
  const means = before.map((value, at) => value + moves[at]!);
  const total = sumOf(counts, k);
  const weights = counts.map((count) => count / total);
  const covariances = covariancesOf(input, counts, means, moves);
  const whitening = covariances.slice();
  if (type === "diag" || type === "spherical") {
    for (const [at, value] of covariances.entries()) {
      if (!(value > 0)) return { singular: type === "diag" ? Math.floor(at / d) : at };
      whitening[at] = 1 / Math.sqrt(value);
    }
  } else {
    for (let at = 0; at < covariances.length; at += d * d) {
      checkCancelled(hooks);
      const matrix = whitening.subarray(at, at + d * d);
      if (!cholesky(matrix, d, 0)) return { singular: at / (d * d) };
      invertTriangle(matrix, d);
    }
  }
  return { type, weights, means, covariances, whitening };
}

function covariancesOf(
  { type, sums: { products }, floor, scatter }: NextMixtureInput,
  counts: Float64Array,
  means: Float64Array,
  moves: Float64Array,
): Float64Array {
  const k = counts.length;
  const d = means.length / k;
  if (type === "diag" || type === "spherical") {
    const all = products.map((square, at) => square / counts[Math.floor(at / d)]! - moves[at]! ** 2 + floor);
    if (type === "diag") return all;
    return Float64Array.from({ length: k }, (_, c) => all.subarray(c * d, (c + 1) * d).reduce((a, b) => a + b, 0) / d);
  }
  const out = new Float64Array(type === "full" ? k * d * d : d * d);
  const put = (matrix: number, i: number, j: number, value: number) => {
    out[(matrix * d + i) * d + j] = value;
    out[(matrix * d + j) * d + i] = value;
  };
  if (type === "full") {
    for (let c = 0; c < k; c++) {
      for (let i = 0; i < d; i++) {
        for (let j = 0; j <= i; j++) {
          const product = products[(c * d + i) * d + j]! / counts[c]! - moves[c * d + i]! * moves[c * d + j]!;
          put(c, i, j, i === j ? product + floor : product);
        }
      }
    }
    return out;
  }
  const { mean, products: all } = scatter!;
  const total = sumOf(counts, k);
  for (let i = 0; i < d; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = all[i * d + j]!;
      for (let c = 0; c < k; c++) sum -= counts[c]! * (means[c * d + i]! - mean[i]!) * (means[c * d + j]! - mean[j]!);
      put(0, i, j, i === j ? sum / total + floor : sum / total);
    }
  }
  return out;
}

/** Inverts a lower triangle in place; what is above it becomes 0. O(d³/3). */
function invertTriangle(l: Float64Array, d: number): void {
  for (let j = 0; j < d; j++) {
    l.fill(0, j * d + j + 1, (j + 1) * d);
    l[j * d + j] = 1 / l[j * d + j]!;
    for (let i = 0; i < j; i++) {
      let sum = 0;
      // Column i is inverted down to row j − 1, row j is not yet.
      for (let m = i; m < j; m++) sum += l[j * d + m]! * l[m * d + i]!;
      l[j * d + i] = -sum * l[j * d + j]!;
    }
  }
}

/** What `mixtureShares` needs to know. */
export type MixtureSharesInput = {
  readonly x: Matrix;
  readonly mixture: Mixture;
  readonly from?: number;
  readonly to?: number;
};

/** How likely each row is of each component, rows×(k + 1), fresh; the last column is the logarithm of its density. */
export function mixtureShares({ x, mixture, from = 0, to = x.n }: MixtureSharesInput, hooks: Hooks = quiet): Matrix {
  const k = mixture.weights.length;
  const out = createMatrix(to - from, k + 1);
  const densities = createDensities(mixture, x.d);
  const shares = new Float64Array(k * GRAM_ROWS);
  for (let start = from; start < to; start += GRAM_ROWS) {
    checkCancelled(hooks);
    hooks.progress(start - from, to - from);
    const rows = Math.min(GRAM_ROWS, to - start);
    const density = densities.shares(x, start, rows, shares);
    for (let c = 0; c < k; c++) {
      out.data.set(shares.subarray(c * GRAM_ROWS, c * GRAM_ROWS + rows), c * out.n + start - from);
    }
    out.data.set(density.subarray(0, rows), k * out.n + start - from);
  }
  return out;
}

/** How well a mixture fits n rows for the numbers that it has free; the least is best. */
export type Criteria = { readonly aic: number; readonly bic: number };

/** Akaike's and the Bayesian information criterion of a mixture, given the log likelihood of n rows of d columns. */
export function criteriaOf({ type, weights }: Mixture, n: number, d: number, logLikelihood: number): Criteria {
  const k = weights.length;
  const own = { full: (k * d * (d + 1)) / 2, tied: (d * (d + 1)) / 2, diag: k * d, spherical: k }[type];
  const free = own + k * d + k - 1;
  return { aic: 2 * free - 2 * logLikelihood, bic: free * Math.log(n) - 2 * logLikelihood };
}
