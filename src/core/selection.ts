import type { Split, Subset } from "./frame.ts";

/** Which part of a relation to read. */
export interface Selection {
  /** Columns in order (default: all). */
  readonly columns?: readonly string[];
  /** Rows of a subset in the subset's own order (default: all, in table order). */
  readonly subset?: Subset;
  readonly split?: Split | null;
  readonly offset?: number;
  readonly limit?: number;
  /** Carry the row number of the source as `__row`; with no columns, it is all that is read. */
  readonly row?: boolean;
  /** Only these rows of the table, by their numbers. */
  readonly rows?: readonly number[];
  /** The column to sort by, missing cells last and equal ones in table order (default: table order). */
  readonly sort?: string;
  readonly descending?: boolean;
  /** Only rows that hold this text, in any case, in one of these columns. */
  readonly search?: { readonly text: string; readonly columns: readonly string[] };
}

/** The part of a table that a selection takes, where it takes one. */
export function subsetOf({ subset, split }: Pick<Selection, "subset" | "split">): {
  readonly subset: "train" | "test";
  readonly split: Split;
} | null {
  return subset && subset !== "all" && split ? { subset, split } : null;
}

/** Does a selection take all rows of the table or of a subset, in their own order? */
export function takesAll({ offset, limit, rows, sort, search }: Selection): boolean {
  return [offset, limit, rows, sort, search].every((each) => each === undefined);
}
