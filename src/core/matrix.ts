/** Columns of numbers in memory, column after column: a matrix with names. Missing cells are NaN. */
export interface NumberColumns {
  readonly names: readonly string[];
  /** Rows. */
  readonly n: number;
  /** Columns. */
  readonly d: number;
  /** n·d numbers, column after column, over shared memory so that workers take them without a copy. */
  readonly data: Float64Array;
}

/**
 * Sparse rows in memory, with names: row i holds `values[at]` in column `columns[at]` for at = start[i] … start[i + 1] − 1.
 *
 * Each column at most once a row, in any order; the others are 0. Over shared memory, as a matrix is.
 */
export interface SparseColumns {
  readonly names: readonly string[];
  /** Rows. */
  readonly n: number;
  /** Columns. */
  readonly d: number;
  readonly start: Int32Array;
  readonly columns: Int32Array;
  readonly values: Float64Array;
}

/** Sparse rows with some of their columns, which they lack so far, from a matrix of as many rows; fresh. */
export function withPlain(x: SparseColumns, plain: readonly number[], matrix: NumberColumns): SparseColumns {
  if (plain.length === 0) return x;
  const filled = matrix.data.reduce((sum, value) => (value === 0 ? sum : sum + 1), 0);
  const size = x.values.length + filled;
  const start = new Int32Array(new SharedArrayBuffer(4 * (x.n + 1)));
  const columns = new Int32Array(new SharedArrayBuffer(4 * size));
  const values = new Float64Array(new SharedArrayBuffer(8 * size));
  let end = 0;
  for (let i = 0; i < x.n; i++) {
    const [from, to] = [x.start[i], x.start[i + 1]];
    columns.set(x.columns.subarray(from, to), end);
    values.set(x.values.subarray(from, to), end);
    end += to - from;
    for (const [j, column] of plain.entries()) {
      const value = matrix.data[j * x.n + i];
      if (value === 0) continue;
      columns[end] = column;
      values[end++] = value;
    }
    start[i + 1] = end;
  }
  return { ...x, start, columns, values };
}

/** One column of a matrix, as a view. */
export function columnOf(matrix: Pick<NumberColumns, "n" | "data">, k: number): Float64Array {
  return matrix.data.subarray(k * matrix.n, (k + 1) * matrix.n);
}

/** A target of classes in memory: codes into the sorted labels, -1 where missing. */
export interface ClassColumn {
  readonly name: string;
  readonly labels: readonly (string | number | boolean)[];
  readonly codes: Int32Array;
}
