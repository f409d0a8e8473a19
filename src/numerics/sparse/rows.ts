/** Sparse rows: row i holds `values[at]` in column `columns[at]` for at = start[i] … start[i + 1] − 1, else zeros. */
export type SparseRows = {
  /** Rows. */
  readonly n: number;
  /** Columns. */
  readonly d: number;
  readonly start: Int32Array;
  /** Each column at most once a row, in any order. */
  readonly columns: Int32Array;
  readonly values: Float32Array | Float64Array;
};

/** The rows of `x` named by `rows`, in that order, as fresh sparse rows. O(values of those rows). */
export function gatherSparse(x: SparseRows, rows: Int32Array): SparseRows {
  const start = new Int32Array(rows.length + 1);
  for (let i = 0; i < rows.length; i++) start[i + 1] = start[i]! + x.start[rows[i]! + 1]! - x.start[rows[i]!]!;
  const size = start[rows.length]!;
  const columns = new Int32Array(size);
  const values = x.values instanceof Float32Array ? new Float32Array(size) : new Float64Array(size);
  for (let i = 0; i < rows.length; i++) {
    const [from, to] = [x.start[rows[i]!]!, x.start[rows[i]! + 1]!];
    columns.set(x.columns.subarray(from, to), start[i]!);
    values.set(x.values.subarray(from, to), start[i]!);
  }
  return { n: rows.length, d: x.d, start, columns, values };
}

/** A linear model over sparse rows: `rows` scores per row of x. */
export type SparseLinear = {
  /** d×rows, column after column of x: the weights of one column lie side by side, so that a value is looked up once. */
  readonly coef: Float64Array | Float32Array;
  /** One number per score. */
  readonly intercept: Float64Array;
};

/** The scores of every row, row after row: n×rows, fresh. O(values · rows). */
export function sparseScores(x: SparseRows, { coef, intercept }: SparseLinear): Float64Array {
  const rows = intercept.length;
  if (coef.length !== x.d * rows) throw new RangeError(`the model has ${coef.length / rows} columns, got ${x.d}`);
  const out = new Float64Array(x.n * rows);
  for (let i = 0; i < x.n; i++) {
    const to = i * rows;
    out.set(intercept, to);
    for (let at = x.start[i]!; at < x.start[i + 1]!; at++) {
      const value = x.values[at]!;
      const from = x.columns[at]! * rows;
      for (let k = 0; k < rows; k++) out[to + k]! += value * coef[from + k]!;
    }
  }
  return out;
}
