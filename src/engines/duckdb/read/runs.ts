/** Numbers of some rows of a query, column by column. They may be read until the call that brings them returns. */
export interface Run {
  readonly rows: number;
  column(k: number): Float64Array;
}

/** The most rows that the engine works on together. */
export const mostRows = 2048;

/**
 * Numbers of some consecutive rows of a table, column by column, missing cells as NaN.
 *
 * They may be read until the call that brings them returns.
 */
export interface TableRun {
  /** The number of the first row, and of the one after the last; rows that are not selected count as well. */
  readonly first: number;
  readonly next: number;
  /** The selected rows' numbers of a column. */
  column(k: number): Float64Array;
}
