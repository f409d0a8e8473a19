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
