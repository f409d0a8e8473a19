import { type Hooks, quiet } from "../types.ts";
import { searchEuclidean } from "./brute.ts";
import { type Rows, reducedDistance } from "./distance.ts";

/** The nearest rows of each query, the nearest first. */
export type Neighbors = {
  readonly k: number;
  /** queries·k row numbers; of equally near ones the first row comes first. */
  readonly rows: Int32Array;
  /** Their Euclidean distances. */
  readonly distances: Float64Array;
};

/** The k nearest rows of `train` for each query; RangeError unless 1 ≤ k ≤ rows. O(queries·rows·d). */
export function nearestRows(train: Rows, queries: Rows, k: number, hooks: Hooks = quiet): Neighbors {
  const m = queries.rows.length / train.d;
  if (!(k >= 1 && k <= train.rows.length / train.d)) throw new RangeError(`there are not ${k} rows to be near to`);
  const rows = new Int32Array(m * k);
  const distances = new Float64Array(m * k);
  searchEuclidean(
    train,
    queries,
    k,
    reducedDistance(2),
    (query, { distance, row }) => {
      const order = Array.from(row.keys()).sort((a, b) => distance[a]! - distance[b]! || row[a]! - row[b]!);
      for (const [place, at] of order.entries()) {
        rows[query * k + place] = row[at]!;
        distances[query * k + place] = Math.sqrt(distance[at]!);
      }
    },
    hooks,
  );
  return { k, rows, distances };
}

/** The k nearest other rows of each row of `all`; RangeError unless k < rows. */
export function nearestOthers(all: Rows, k: number, hooks: Hooks = quiet): Neighbors {
  const n = all.rows.length / all.d;
  const wide = nearestRows(all, all, k + 1, hooks);
  const rows = new Int32Array(n * k);
  const distances = new Float64Array(n * k);
  for (let i = 0; i < n; i++) {
    let at = i * k;
    // A row that is among its own neighbours is left out; where equal rows crowd it out, the farthest is.
    for (let place = 0; place <= k && at < (i + 1) * k; place++) {
      const from = i * (k + 1) + place;
      if (wide.rows[from] === i) continue;
      rows[at] = wide.rows[from]!;
      distances[at++] = wide.distances[from]!;
    }
  }
  return { k, rows, distances };
}

/** Some rows of a matrix of rows, in the given order. */
export function rowsAt({ d, rows }: Rows, wanted: ArrayLike<number>): Rows {
  const out = new Float64Array(wanted.length * d);
  for (let i = 0; i < wanted.length; i++) out.set(rows.subarray(wanted[i]! * d, (wanted[i]! + 1) * d), i * d);
  return { d, rows: out };
}
