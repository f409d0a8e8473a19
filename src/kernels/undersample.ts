import type { Rows } from "./distance.ts";
import { nearestOthers, nearestRows, rowsAt } from "./neighbors.ts";
import type { Hooks } from "./types.ts";

/** What `nearMiss` needs of a resampling. */
type NearMissInput = {
  readonly y: Int32Array;
  readonly wanted: Float64Array;
  readonly neighbors: number;
  readonly border: number;
  readonly version: number;
};

/**
 * The rows that NearMiss keeps, in order: of each class with too many, those near to the smallest class.
 *
 * 1: with the least mean distance to their k nearest rows of the smallest class; 2: to their k farthest ones; 3: among
 * the nearest of each row of the smallest class, those with the greatest mean distance to their k nearest of it.
 */
export function nearMiss(input: NearMissInput, all: Rows, members: readonly Int32Array[], hooks: Hooks): Int32Array {
  const sizes = members.map((rows) => (rows.length > 0 ? rows.length : Infinity));
  const smallest = sizes.indexOf(Math.min(...sizes));
  const minority = rowsAt(all, members[smallest]!);
  const kept: number[] = [];
  for (const [code, rows] of members.entries()) {
    const count = input.wanted[code]!;
    if (code === smallest || count >= rows.length) for (const row of rows) kept.push(row);
    else for (const row of chosen(input, all, minority, rows, count, hooks)) kept.push(row);
  }
  return Int32Array.from(kept).sort();
}

function chosen(
  { version, neighbors, border }: NearMissInput,
  all: Rows,
  minority: Rows,
  rows: Int32Array,
  count: number,
  hooks: Hooks,
): number[] {
  const size = minority.rows.length / all.d;
  const candidates = version === 3 ? nearAny(all, minority, rows, border, hooks) : rows;
  const k = version === 2 ? size : neighbors;
  const { distances } = nearestRows(minority, rowsAt(all, candidates), k, hooks);
  const mean = Float64Array.from(candidates, (_, i) => {
    const own = distances.subarray(i * k, (i + 1) * k);
    const counted = version === 2 ? own.subarray(k - neighbors) : own;
    return counted.reduce((sum, value) => sum + value, 0) / counted.length;
  });
  const sign = version === 3 ? -1 : 1;
  const order = Array.from(mean.keys()).sort((a, b) => sign * (mean[a]! - mean[b]!) || a - b);
  return order.slice(0, count).map((i) => candidates[i]!);
}

/** The rows that are among the nearest of some row of the smallest class. */
function nearAny(all: Rows, minority: Rows, rows: Int32Array, k: number, hooks: Hooks): Int32Array {
  const near = nearestRows(rowsAt(all, rows), minority, Math.min(k, rows.length), hooks);
  return Int32Array.from(new Set(near.rows), (at) => rows[at]!).sort();
}

/** 1 for each row of a cleaned class that stands in a Tomek link: two rows of two classes, each nearest to the other. */
export function tomekLinks(all: Rows, y: Int32Array, isCleaned: (code: number) => boolean, hooks: Hooks): Uint8Array {
  const { rows: nearest } = nearestOthers(all, 1, hooks);
  return Uint8Array.from(y, (code, i) => {
    const other = nearest[i]!;
    return y[other] !== code && nearest[other] === i && isCleaned(code) ? 1 : 0;
  });
}
