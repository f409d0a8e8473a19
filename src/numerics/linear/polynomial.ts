import { checkCancelled, type Hooks, type Matrix, quiet } from "../types.ts";
import { type Design, designOf, fitDesign, type Linear } from "./linear.ts";

/** How features become polynomial ones: term t is the product of term `parent[t]` and feature `feature[t]`. */
export type Terms = {
  /** Features the terms are made of. */
  d: number;
  /** The term that is multiplied, −1 for the feature alone. */
  parent: Int32Array;
  feature: Int32Array;
};

/** How many terms `polynomialTerms` would make; Infinity beyond what a double counts. O(degree). */
export function countTerms(d: number, degree: number, interactionOnly: boolean): number {
  let sum = 0;
  let product = 1;
  for (let k = 1; k <= degree; k++) {
    product *= (interactionOnly ? d - k + 1 : d + k - 1) / k;
    if (product <= 0) break;
    sum += product;
    if (!Number.isFinite(sum)) return Infinity;
  }
  return Math.round(sum);
}

/**
 * The terms of degree 1 to `degree`, in the order of scikit-learn's PolynomialFeatures without its bias.
 *
 * With `interactionOnly` no feature is taken twice. O(terms).
 */
export function polynomialTerms(d: number, degree: number, interactionOnly = false): Terms {
  const parent: number[] = [];
  const feature: number[] = [];
  // Features never fall within a term, so the term without its last feature comes before it.
  let previous = [{ terms: [] as number[], at: -1 }];
  for (let k = 1; k <= degree; k++) {
    const next: typeof previous = [];
    for (const { terms, at } of previous) {
      const last = terms.at(-1);
      for (let j = last === undefined ? 0 : interactionOnly ? last + 1 : last; j < d; j++) {
        next.push({ terms: [...terms, j], at: parent.length });
        parent.push(at);
        feature.push(j);
      }
    }
    previous = next;
  }
  return { d, parent: Int32Array.from(parent), feature: Int32Array.from(feature) };
}

/** The powers in each term, for its name: pairs of feature and exponent. */
export function termPowers(terms: Terms, t: number): [feature: number, power: number][] {
  const found = new Map<number, number>();
  for (let at = t; at >= 0; at = terms.parent[at]!) {
    const j = terms.feature[at]!;
    found.set(j, (found.get(j) ?? 0) + 1);
  }
  return [...found].sort((a, b) => a[0] - b[0]);
}

/** The terms of a matrix as columns, made block by block. */
export function polynomialDesign(x: Matrix, terms: Terms): Design {
  const { parent, feature } = terms;
  if (x.d !== terms.d) throw new RangeError(`the terms are made of ${terms.d} columns, got ${x.d}`);
  return {
    n: x.n,
    d: parent.length,
    read(start, rows, out, height, offset) {
      for (let t = 0; t < parent.length; t++) {
        const from = feature[t]! * x.n + start;
        const to = t * height + offset;
        const before = parent[t]! * height + offset;
        if (parent[t]! < 0) for (let i = 0; i < rows; i++) out[to + i] = x.data[from + i]!;
        else for (let i = 0; i < rows; i++) out[to + i] = out[before + i]! * x.data[from + i]!;
      }
    },
  };
}

/** What `fitPolynomial` needs to know. */
export type PolynomialInput = {
  x: Matrix;
  y: Matrix;
  terms: Terms;
  /** As `fitLinear`'s. */
  tolerance?: number;
};

/**
 * Least squares on polynomial terms with an intercept: PolynomialFeatures before LinearRegression.
 *
 * Solved as `fitLinear` does, the shortest solution where terms depend on each other; the terms are made in blocks
 * of 512 rows, so memory is O(terms²). O(n·terms²).
 */
export function fitPolynomial(input: PolynomialInput, hooks: Hooks = quiet): Linear {
  return fitDesign(
    polynomialDesign(input.x, input.terms),
    designOf(input.y),
    { centred: true, tolerance: input.tolerance },
    hooks,
  );
}

/** What `predictPolynomial` needs to know. */
export type PolynomialPredictInput = {
  x: Matrix;
  terms: Terms;
  coef: Float64Array;
  intercept: Float64Array;
  /** Judge only the rows from…to−1 (default all). */
  from?: number;
  to?: number;
};

const ROWS = 512;

/** The polynomial's value for every row: rows×1, fresh. O(n·terms). */
export function predictPolynomial(input: PolynomialPredictInput, hooks: Hooks = quiet): Matrix {
  const { x, terms, coef, intercept } = input;
  const from = input.from ?? 0;
  const to = input.to ?? x.n;
  const design = polynomialDesign(x, terms);
  const block = new Float64Array(ROWS * design.d);
  const data = new Float64Array(to - from).fill(intercept[0]!);
  for (let start = from; start < to; start += ROWS) {
    if ((start - from) % (ROWS * 16) === 0) {
      checkCancelled(hooks);
      hooks.progress(start - from, to - from);
    }
    const rows = Math.min(ROWS, to - start);
    design.read(start, rows, block, ROWS, 0);
    const out = data.subarray(start - from, start - from + rows);
    for (let t = 0; t < design.d; t++) {
      const c = coef[t]!;
      for (let i = 0; i < rows; i++) out[i] = out[i]! + c * block[t * ROWS + i]!;
    }
  }
  return { n: to - from, d: 1, data };
}
