import { rowMajor } from "../neighbors/distance.ts";
import { nearestRows } from "../neighbors/neighbors.ts";
import { createMatrix, type Hooks, type Matrix, quiet } from "../types.ts";

/** What `neighbourTable` is asked: the nearest `k` other rows of the rows from…to−1 (default: of all). */
export type NeighbourInput = {
  readonly x: Matrix;
  readonly k: number;
  readonly from?: number;
  readonly to?: number;
};

/**
 * The nearest k other rows of each row, the nearest first, as a matrix: k columns of row numbers, then k of distances.
 *
 * Distances are Euclidean. Of equally near rows the first comes first, so the answer is the same in whatever parts it is
 * asked for. RangeError unless k < n. O(rows·n·d).
 */
export function neighbourTable({ x, k, from = 0, to = x.n }: NeighbourInput, hooks: Hooks = quiet): Matrix {
  if (!(k >= 1 && k < x.n)) throw new RangeError(`there are not ${k} other rows to be near to`);
  const all = rowMajor(x);
  const asked = { d: x.d, rows: all.rows.subarray(from * x.d, to * x.d) };
  const wide = nearestRows(all, asked, k + 1, hooks);
  const m = to - from;
  const out = createMatrix(m, 2 * k);
  for (let i = 0; i < m; i++) {
    let place = 0;
    // A row that is among its own neighbours is left out; where equal rows crowd it out, the farthest is.
    for (let j = 0; j <= k && place < k; j++) {
      const at = i * (k + 1) + j;
      if (wide.rows[at] === from + i) continue;
      out.data[place * m + i] = wide.rows[at];
      out.data[(k + place) * m + i] = wide.distances[at];
      place++;
    }
  }
  return out;
}
