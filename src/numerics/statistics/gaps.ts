import { checkCancelled, columnOf, type Hooks, type Matrix, quiet } from "../types.ts";

/** What `fillGaps` needs to know. */
export type GapsInput = {
  x: Matrix;
  /** How many gaps each column has. */
  counts: readonly number[];
  /** The value before a gap, the one behind it, or the straight line between these two by the rows' numbers. */
  by: "ffill" | "bfill" | "linear";
  /** The part of each row, 0 to 255, across which nothing is filled; null where all rows are in one. */
  parts: Uint8Array | null;
  from?: number;
  to?: number;
};

/** The gaps of a column, in ascending order of their rows. */
export type Gaps = {
  /** The rows that miss a value. */
  rows: Int32Array;
  /** The row of the value that is taken over, with "linear" the one before; -1 where there is none. */
  sources: Int32Array;
  /** What fills each; NaN where nothing does. */
  fills: Float64Array;
};

/**
 * What fills the gaps of columns from…to−1 (default all).
 *
 * Before the first value, and behind the last of "bfill", gaps stay; behind the last of "linear" it is repeated, as
 * pandas' interpolate does. O(rows) for each column.
 */
export function fillGaps(input: GapsInput, hooks: Hooks = quiet): Gaps[] {
  const { x, counts, by, parts, from = 0, to = x.d } = input;
  return Array.from({ length: to - from }, (_, k) => {
    checkCancelled(hooks);
    const values = columnOf(x, from + k);
    const n = counts[from + k]!;
    const found = by === "linear" ? onLines(values, n, parts) : nearest(values, n, parts, by === "ffill" ? 1 : -1);
    hooks.progress(k + 1, to - from);
    return found;
  });
}

/** The value last passed on the way through `n` gaps, forwards (1) or backwards (-1); rows without a gap cost nothing but a look. */
function nearest(values: Float64Array, n: number, parts: Uint8Array | null, step: 1 | -1): Gaps {
  const [rows, sources, fills] = [new Int32Array(n), new Int32Array(n), new Float64Array(n)];
  const lastGaps = new Int32Array(256);
  let k = step > 0 ? 0 : n - 1;
  const end = step > 0 ? values.length : -1;
  for (let row = step > 0 ? 0 : values.length - 1; row !== end; row += step) {
    if (!Number.isNaN(values[row]!)) continue;
    const part = parts === null ? 0 : parts[row]!;
    let source = row - step;
    if (parts !== null) while (source >= 0 && source < values.length && parts[source] !== part) source -= step;
    if (source >= values.length) source = -1;
    else if (source >= 0 && Number.isNaN(values[source]!)) source = sources[lastGaps[part]!]!;
    rows[k] = row;
    sources[k] = source;
    fills[k] = source < 0 ? Number.NaN : values[source]!;
    lastGaps[part] = k;
    k += step;
  }
  return { rows, sources, fills };
}

function onLines(values: Float64Array, n: number, parts: Uint8Array | null): Gaps {
  const before = nearest(values, n, parts, 1);
  const behind = nearest(values, n, parts, -1);
  const { rows, sources, fills } = before;
  for (let k = 0; k < rows.length; k++) {
    const [from, to] = [sources[k]!, behind.sources[k]!];
    if (from < 0 || to < 0) continue;
    fills[k] = fills[k]! + ((behind.fills[k]! - fills[k]!) * (rows[k]! - from)) / (to - from);
  }
  return before;
}
