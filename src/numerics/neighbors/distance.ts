/** How far two rows are from each other. */
export type Metric = "minkowski" | "euclidean" | "manhattan" | "chebyshev" | "cosine";

/** Rows one after the other: cell (row i, column j) is `rows[i·d + j]`. */
export type Rows = { readonly d: number; readonly rows: Float64Array };

/** A distance between a row of `a` and a row of `b`, in a form that orders alike but costs less. */
export type Reduced = (a: Float64Array, p: number, b: Float64Array, q: number, d: number) => number;

/** The power behind a metric: 1, 2, Infinity, or that of minkowski. */
export function powerOf(metric: Exclude<Metric, "cosine">, p: number): number {
  return metric === "euclidean" ? 2 : metric === "manhattan" ? 1 : metric === "chebyshev" ? Infinity : p;
}

/** The reduced distance of Minkowski's power `p`: the sum of p-th powers, or the largest difference. */
export function reducedDistance(p: number): Reduced {
  if (p === 2) return squared;
  if (p === 1) return absolute;
  if (p === Infinity) return largest;
  return (a, i, b, k, d) => {
    let sum = 0;
    for (let j = 0; j < d; j++) sum += Math.abs(a[i + j]! - b[k + j]!) ** p;
    return sum;
  };
}

/** The distance behind a reduced one. */
export function wholeDistance(reduced: number, p: number): number {
  return p === 2 ? Math.sqrt(reduced) : p === 1 || p === Infinity ? reduced : reduced ** (1 / p);
}

/** Columns from which on four sums at once pay: one alone waits for each addition. */
const wide = 16;

/** The squared distance of row `i / d` of `a` from row `k / d` of `b`; `i` and `k` are where they begin. */
export function squared(a: Float64Array, i: number, b: Float64Array, k: number, d: number): number {
  let sum = 0;
  let j = 0;
  if (d >= wide) {
    let [s1, s2, s3] = [0, 0, 0];
    for (; j + 3 < d; j += 4) {
      const o0 = a[i + j]! - b[k + j]!;
      const o1 = a[i + j + 1]! - b[k + j + 1]!;
      const o2 = a[i + j + 2]! - b[k + j + 2]!;
      const o3 = a[i + j + 3]! - b[k + j + 3]!;
      sum += o0 * o0;
      s1 += o1 * o1;
      s2 += o2 * o2;
      s3 += o3 * o3;
    }
    sum = sum + s1 + (s2 + s3);
  }
  for (; j < d; j++) {
    const off = a[i + j]! - b[k + j]!;
    sum += off * off;
  }
  return sum;
}

function absolute(a: Float64Array, i: number, b: Float64Array, k: number, d: number): number {
  let sum = 0;
  for (let j = 0; j < d; j++) sum += Math.abs(a[i + j]! - b[k + j]!);
  return sum;
}

function largest(a: Float64Array, i: number, b: Float64Array, k: number, d: number): number {
  let most = 0;
  for (let j = 0; j < d; j++) most = Math.max(most, Math.abs(a[i + j]! - b[k + j]!));
  return most;
}

/**
 * 1 less the cosine of the angle, for rows that `unitRows` brought to length 1.
 *
 * What rounding alone leaves between rows of the same direction counts as 0.
 */
export function cosineOfUnits(a: Float64Array, i: number, b: Float64Array, k: number, d: number): number {
  let sum = 0;
  for (let j = 0; j < d; j++) sum += a[i + j]! * b[k + j]!;
  return 1 - sum < 1e-15 * (d + 1) ? 0 : Math.min(2, 1 - sum);
}

/** Rows that are turned together. */
const together = 64;

/** Rows from…to−1 of a column-major matrix, row by row. O(n·d). */
export function rowMajor(x: { n: number; d: number; data: Float64Array }, from = 0, to = x.n): Rows {
  const { n, d, data } = x;
  const rows = new Float64Array((to - from) * d);
  // Few rows at a time, so that what is written stays in the cache from column to column.
  for (let start = from; start < to; start += together) {
    const end = Math.min(to, start + together);
    for (let j = 0; j < d; j++) for (let i = start; i < end; i++) rows[(i - from) * d + j] = data[j * n + i]!;
  }
  return { d, rows };
}

/** Brings every row to length 1 in place; a row of zeros stays. */
export function unitRows({ d, rows }: Rows): void {
  for (let at = 0; at < rows.length; at += d) {
    let square = 0;
    for (let j = at; j < at + d; j++) square += rows[j]! * rows[j]!;
    const length = Math.sqrt(square) || 1;
    for (let j = at; j < at + d; j++) rows[j] = rows[j]! / length;
  }
}
