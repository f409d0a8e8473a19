/** How a column's values are held while rows come in; its final type is decided when all were seen. */
export type Held = "number" | "bigint" | "boolean" | "text" | "tensor";

/** Takes rows in batches, and counts what came. */
export interface RowSink {
  /** Takes a batch, column by column, null where missing; answers how many rows came so far. */
  append(batch: readonly (readonly unknown[])[]): Promise<number>;
  /** How many of the rows fulfil each condition, in SQL of our own over `c0`, `c1` … */
  count(conditions: readonly string[]): Promise<number[]>;
}

/** How the columns are to be written once all rows came. */
export interface RowOutputs {
  /** SQL of our own over `c0`, `c1` …, one for each column of the table. */
  readonly outputs: readonly string[];
  /** Shapes of tensor columns by name. */
  readonly shapes?: Readonly<Record<string, readonly number[]>>;
}
