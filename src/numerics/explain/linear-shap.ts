import { checkCancelled, createMatrix, type Hooks, type Matrix, quiet } from "../types.ts";

/** What `linearShap` needs to know. */
export type LinearShapInput = {
  /** n×d rows to explain. */
  readonly x: Matrix;
  /** outputs×d row-major. */
  readonly coef: Float64Array;
  /** What each column is on average where it is not known. */
  readonly mean: Float64Array;
  /** Which group each column is of: the values of a group are added up. */
  readonly groups: Int32Array;
  readonly groupCount: number;
  /** Explain only the rows from…to−1 (default all). */
  readonly from?: number;
  readonly to?: number;
};

/**
 * Shapley values of a sum of columns times coefficients, exact: a coefficient times how far its column is from the mean.
 *
 * Returns rows×(outputs · groupCount), output after output. O(rows · d · outputs). Source: Štrumbelj and Kononenko,
 * Explaining prediction models and individual predictions with feature contributions (2014), §3.
 */
export function linearShap(input: LinearShapInput, hooks: Hooks = quiet): Matrix {
  const { x, coef, mean, groups, groupCount, from = 0, to = x.n } = input;
  const outputs = coef.length / x.d;
  const out = createMatrix(to - from, outputs * groupCount);
  for (let j = 0; j < x.d; j++) {
    checkCancelled(hooks);
    for (let k = 0; k < outputs; k++) {
      const weight = coef[k * x.d + j]!;
      const at = (k * groupCount + groups[j]!) * out.n - from;
      if (weight === 0) continue;
      for (let i = from; i < to; i++) out.data[at + i]! += weight * (x.data[j * x.n + i]! - mean[j]!);
    }
    hooks.progress(j + 1, x.d);
  }
  return out;
}
