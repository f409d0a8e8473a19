import type { Rows } from "../neighbors/distance.ts";
import { nearestOthers, nearestRows, rowsAt } from "../neighbors/neighbors.ts";
import { pairwiseSum } from "../statistics/pairwise-sum.ts";
import type { Hooks } from "../types.ts";

/** What `nearMiss` needs of a resampling. */
type NearMissInput = {
  readonly y: Int32Array;
  readonly wanted: Float64Array;
  readonly sampled: readonly number[];
  readonly neighbors: number;
  readonly border: number;
  readonly version: number;
};

/**
 * The rows that NearMiss keeps, class by class: of each that is sampled, those near to the smallest class, the nearest
 * first. Of classes that are equally small the one that comes first among the rows counts as the smallest.
 *
 * 1: with the least mean distance to their k nearest rows of the smallest class; 2: to their k farthest ones; 3: among
 * the nearest of each row of the smallest class, those with the greatest mean distance to their k nearest of it.
 */
export function nearMiss(input: NearMissInput, all: Rows, members: readonly Int32Array[], hooks: Hooks): Int32Array {
  const least = Math.min(...members.map((rows) => rows.length || Infinity));
  const smallest = input.y.find((code) => members[code]!.length === least)!;
  const minority = rowsAt(all, members[smallest]!);
  const kept = members.map((rows, code) =>
    input.sampled.includes(code) ? chosen(input, all, minority, rows, input.wanted[code]!, hooks) : [...rows],
  );
  return Int32Array.from(kept.flat());
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
  const sums = Float64Array.from(candidates, (_, i) =>
    pairwiseSum(distances.subarray((i + 1) * k - neighbors, (i + 1) * k)),
  );
  const sign = version === 3 ? -1 : 1;
  const order = Array.from(sums.keys()).sort((a, b) => sign * (sums[a]! - sums[b]!) || a - b);
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
