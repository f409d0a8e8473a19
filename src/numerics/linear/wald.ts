import { createGram, GRAM_ROWS, type Gram } from "../algebra/gram.ts";
import { checkCancelled, type Hooks, type Matrix, quiet } from "../types.ts";
import { cholesky, inverseDiagonal, solveScaled } from "./least-squares.ts";

/** A fit without penalty: x are its n×d rows, and intercept is null where it has none. */
export type WaldFit = { x: Matrix; coef: Float64Array; intercept: number | null };

/**
 * Wald's standard errors of a generalized linear model: roots of the diagonal of (XᵀWX)⁻¹, the intercept's last.
 *
 * `information` is a row's own, W, by its linear score. Null where columns depend on each other, or there are no more rows
 * than coefficients. O(nd² + d³). Source: McCullagh and Nelder, Generalized Linear Models, 2nd ed., §2.5.
 */
export function waldErrors(
  { x, coef, intercept }: WaldFit,
  information: (score: number, row: number) => number,
  hooks: Hooks,
): Float64Array | null {
  const { n, d, data } = x;
  const size = intercept === null ? d : d + 1;
  if (n <= size) return null;
  const { sums, width } = weighedProducts(
    { x, size },
    (roots, start, rows) => {
      roots.fill(intercept ?? 0);
      for (let j = 0; j < d; j++) for (let i = 0; i < rows; i++) roots[i]! += coef[j]! * data[j * n + start + i]!;
      for (let i = 0; i < rows; i++) roots[i] = Math.sqrt(information(roots[i]!, start + i));
    },
    hooks,
  );
  return errorsBy(size, (i, j) => sums[i * width + j]!);
}

/** XᵀWX, with a last column of ones where `size` is d + 1; `rootsOf` writes the roots of the weights of some rows. */
function weighedProducts(
  { x: { n, d, data }, size }: { readonly x: Matrix; readonly size: number },
  rootsOf: (roots: Float64Array, start: number, rows: number) => void,
  hooks: Hooks,
): Gram {
  const gram = createGram(size);
  const roots = new Float64Array(GRAM_ROWS);
  for (let start = 0; start < n; start += GRAM_ROWS) {
    checkCancelled(hooks);
    const rows = Math.min(GRAM_ROWS, n - start);
    rootsOf(roots, start, rows);
    for (let j = 0; j < d; j++) {
      for (let i = 0; i < rows; i++) gram.block[j * GRAM_ROWS + i] = roots[i]! * data[j * n + start + i]!;
    }
    if (size > d) gram.block.set(roots.subarray(0, rows), d * GRAM_ROWS);
    gram.add(rows);
  }
  return gram;
}

/** Roots of the diagonal of an information's inverse, given its numbers up to the diagonal; null where it has none. */
function errorsBy(size: number, information: (i: number, j: number) => number): Float64Array | null {
  const scale = Float64Array.from({ length: size }, (_, j) => Math.sqrt(information(j, j)));
  const factor = new Float64Array(size * size);
  for (let i = 0; i < size; i++) {
    for (let j = 0; j <= i; j++) factor[i * size + j] = information(i, j) / (scale[i]! * scale[j]!);
  }
  if (!cholesky(factor, size, 1e-12)) return null;
  return inverseDiagonal((each) => solveScaled(factor, size, scale, each), size).map(Math.sqrt);
}

/** Wald's standard errors of a logistic regression of two classes without penalty; a row's information is p·(1 − p). */
export function logisticErrors(fit: WaldFit, hooks: Hooks = quiet): Float64Array | null {
  const information = (score: number) => {
    const odds = Math.exp(-Math.abs(score));
    return odds / (1 + odds) ** 2;
  };
  return waldErrors(fit, information, hooks);
}

/** A fit of several classes without penalty: its n×d rows, how likely it takes each of n×classes to be. */
export type MultinomialFit = { readonly x: Matrix; readonly shares: Matrix; readonly intercept: boolean };

/**
 * Wald's standard errors of what coefficients of several classes differ by from those of the first one.
 *
 * Only these differences are known: a number added to all classes' coefficients changes no probability. Class after class
 * from the second on, d numbers and the intercept's last. Of classes k and l a row's information is p_k·([k = l] − p_l).
 * Null where columns depend on each other, or there are no more rows than numbers. O(classes²·nd² + (classes·d)³). Source:
 * Agresti, Categorical Data Analysis, 3rd ed., §8.1.
 */
export function multinomialErrors({ x, shares, intercept }: MultinomialFit, hooks: Hooks = quiet): Float64Array | null {
  const { n, d } = x;
  const own = intercept ? d + 1 : d;
  const others = shares.d - 1;
  if (n <= others * own) return null;
  const share = (k: number, i: number) => shares.data[(k + 1) * n + i]!;
  const products = Array.from({ length: others }, (_, k) =>
    Array.from({ length: k + 1 }, (_, l) => {
      hooks.progress((k * (k + 1)) / 2 + l, (others * (others + 1)) / 2);
      const weight = (i: number) => share(k, i) * (k === l ? 1 - share(k, i) : share(l, i));
      const rootsOf = (roots: Float64Array, start: number, rows: number) => {
        for (let i = 0; i < rows; i++) roots[i] = Math.sqrt(weight(start + i));
      };
      return weighedProducts({ x, size: own }, rootsOf, hooks);
    }),
  );
  return errorsBy(others * own, (i, j) => {
    const [k, l] = [Math.floor(i / own), Math.floor(j / own)];
    const { sums, width } = products[k]![l]!;
    const [a, b] = [i - k * own, j - l * own];
    return (k === l ? 1 : -1) * sums[Math.max(a, b) * width + Math.min(a, b)]!;
  });
}
