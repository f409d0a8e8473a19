import { checkCancelled, type Hooks, quiet } from "../types.ts";

/** Rows after which a layout asks whether it is still wanted: a step over a hundred thousand takes half a second. */
export const rowsPerCheck = 512;

/** A symmetric sparse matrix, row after row: the entries of row i are those from start[i] to start[i + 1] − 1. */
export type Graph = {
  readonly start: Int32Array;
  readonly columns: Int32Array;
  readonly values: Float64Array;
};

/**
 * A graph of each row's k neighbours made symmetric: `join` answers an edge's value from those of both directions.
 *
 * rows, values: n·k, row after row; an edge that only one side knows is 0 on the other. O(n·k·log k).
 */
export function symmetric(
  { n, k, rows, values }: { n: number; k: number; rows: Int32Array; values: Float64Array },
  join: (one: number, other: number) => number,
  hooks: Hooks = quiet,
): Graph {
  const degrees = new Int32Array(n + 1);
  // Edges by the row that they point at, in the order of the rows that they come from.
  for (let at = 0; at < n * k; at++) degrees[rows[at] + 1]++;
  for (let i = 0; i < n; i++) degrees[i + 1] += degrees[i];
  const from = new Int32Array(n * k);
  const back = new Float64Array(n * k);
  const next = degrees.slice(0, n);
  for (let i = 0; i < n; i++) {
    for (let at = i * k; at < (i + 1) * k; at++) {
      const place = next[rows[at]]++;
      from[place] = i;
      back[place] = values[at];
    }
  }
  const start = new Int32Array(n + 1);
  const columns = new Int32Array(2 * n * k);
  const out = new Float64Array(2 * n * k);
  const own = new Float64Array(n);
  const mark = new Int32Array(n).fill(-1);
  let size = 0;
  for (let i = 0; i < n; i++) {
    if (i % rowsPerCheck === 0) checkCancelled(hooks);
    const first = size;
    for (let at = i * k; at < (i + 1) * k; at++) {
      own[rows[at]] = values[at];
      mark[rows[at]] = i;
      columns[size++] = rows[at];
    }
    const known = size;
    const other = new Map<number, number>();
    for (let at = degrees[i]; at < degrees[i + 1]; at++) {
      other.set(from[at], back[at]);
      if (mark[from[at]] !== i) columns[size++] = from[at];
    }
    for (let at = first; at < size; at++) {
      const j = columns[at];
      out[at] = join(at < known ? own[j] : 0, other.get(j) ?? 0);
    }
    start[i + 1] = size;
  }
  return { start, columns: columns.slice(0, size), values: out.slice(0, size) };
}
