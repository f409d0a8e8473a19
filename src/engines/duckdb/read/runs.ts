/** Numbers of some rows of a query, column by column. They may be read until the call that brings them returns. */
export interface Run {
  readonly rows: number;
  column(k: number): Float64Array;
}

/** The most rows that the engine works on together. */
export const mostRows = 2048;
