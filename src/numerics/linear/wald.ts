import { createGram, GRAM_ROWS } from "../algebra/gram.ts";
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
  const { block, sums, width, add } = createGram(size);
  const roots = new Float64Array(GRAM_ROWS);
  for (let start = 0; start < n; start += GRAM_ROWS) {
    checkCancelled(hooks);
    const rows = Math.min(GRAM_ROWS, n - start);
    roots.fill(intercept ?? 0);
    for (let j = 0; j < d; j++) for (let i = 0; i < rows; i++) roots[i]! += coef[j]! * data[j * n + start + i]!;
    for (let i = 0; i < rows; i++) roots[i] = Math.sqrt(information(roots[i]!, start + i));
    for (let j = 0; j < d; j++) {
      for (let i = 0; i < rows; i++) block[j * GRAM_ROWS + i] = roots[i]! * data[j * n + start + i]!;
    }
    if (size > d) block.set(roots.subarray(0, rows), d * GRAM_ROWS);
    add(rows);
  }
  const scale = Float64Array.from({ length: size }, (_, j) => Math.sqrt(sums[j * width + j]!));
  const factor = new Float64Array(size * size);
  for (let i = 0; i < size; i++) {
    for (let j = 0; j <= i; j++) factor[i * size + j] = sums[i * width + j]! / (scale[i]! * scale[j]!);
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
