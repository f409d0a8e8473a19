import { DataError } from "./errors.ts";
import { count } from "./names.ts";

/** Rows that a table has at most: their numbers are 32 bits, and their cells must find room on a disk. */
export const mostRows = 200_000_000;

/**
 * Refuses a table of more rows than one has at most, before any of them is made.
 *
 * `what` would have them, and `cure` is a sentence; `path` is the argument that asks for so many.
 */
export function refuseRows(rows: number, what: string, cure: string, path: string): void {
  if (rows <= mostRows) return;
  throw new DataError(
    `${what} would have ${count(Math.round(rows), "row")}, and a table has at most ${mostRows.toLocaleString("en-US")}. ${cure}`,
    { path, got: Math.round(rows), expected: mostRows },
  );
}
