import { rowMajor } from "../neighbors/distance.ts";
import { RandomState } from "../random.ts";
import { checkCancelled, type Hooks, type Matrix, quiet } from "../types.ts";

/** What `trustworthiness` is asked. */
export type TrustInput = {
  /** The rows, and their places. */
  readonly x: Matrix;
  readonly places: Matrix;
  /** Neighbours that are looked at (default 5). */
  readonly k?: number;
  /** Rows whose neighbours are looked at, drawn with seed 0 (default: all). */
  readonly rows?: number;
};

/**
 * How far neighbours in a layout are neighbours in truth: 1 is all, 0 none of them (Venna and Kaski 2001).
 *
 * As scikit-learn's `trustworthiness`, where all rows are looked at. NaN unless k < n / 2. O(rows·n·d).
 */
export function trustworthiness({ x, places, k = 5, rows = x.n }: TrustInput, hooks: Hooks = quiet): number {
  const n = x.n;
  if (!(k < n / 2)) return Number.NaN;
  const data = rowMajor(x).rows;
  const flat = rowMajor(places).rows;
  const some =
    rows < n ? new RandomState(0).permutation(n).subarray(0, rows) : Int32Array.from({ length: n }, (_, i) => i);
  const true_ = new Float64Array(n);
  const shown = new Float64Array(n);
  const order = new Int32Array(n);
  let penalty = 0;
  for (const [done, i] of some.entries()) {
    if ((done & 63) === 0) {
      checkCancelled(hooks);
      hooks.progress(done, some.length);
    }
    distances(data, x.d, i, true_);
    distances(flat, places.d, i, shown);
    for (let j = 0; j < n; j++) order[j] = j;
    const nearest = order.toSorted((a, b) => shown[a] - shown[b] || a - b).subarray(0, k);
    for (const j of nearest) {
      let rank = 1;
      for (let l = 0; l < n; l++) if (true_[l] < true_[j] || (true_[l] === true_[j] && l < j)) rank++;
      penalty += Math.max(0, rank - k);
    }
  }
  return 1 - ((2 / (k * (2 * n - 3 * k - 1))) * penalty) / some.length;
}

/** Squared distances from row i to all, infinite to itself. */
function distances(rows: Float64Array, d: number, i: number, out: Float64Array): void {
  for (let j = 0; j < out.length; j++) {
    let sum = 0;
    for (let c = 0; c < d; c++) sum += (rows[i * d + c] - rows[j * d + c]) ** 2;
    out[j] = sum;
  }
  out[i] = Number.POSITIVE_INFINITY;
}
