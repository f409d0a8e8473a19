import { checkCancelled, columnOf, type Hooks, type Matrix, quiet } from "../types.ts";

/** What `quantiles` needs to know. */
export type QuantilesInput = {
  /** Numbers in any order; NaN counts as missing. */
  values: Float64Array;
  /** Shares 0…1, in any order. */
  at: readonly number[];
  /** Where the values are moved about; the array itself where nobody needs it afterwards (default: an array made for it). */
  room?: Float64Array;
};

/**
 * Exact quantiles by quickselect, interpolated as numpy's default "linear" and pandas do.
 *
 * `values` is kept unless it is the room, NaN is skipped; without any value the answers are NaN. Returns at.length numbers.
 * O(n) expected, for all quantiles together. Source: Floyd and Rivest (1975), Algorithm 489.
 */
export function quantiles(input: QuantilesInput): Float64Array {
  const values = known(input.values, input.room ?? new Float64Array(input.values.length));
  const out = new Float64Array(input.at.length).fill(NaN);
  const n = values.length;
  if (n === 0) return out;
  const wanted = input.at.map((share, slot) => {
    if (!(share >= 0 && share <= 1)) throw new RangeError(`a quantile lies between 0 and 1, got ${share}`);
    return { slot, position: (n - 1) * share };
  });
  wanted.sort((a, b) => a.position - b.position);
  let from = 0;
  for (const { slot, position } of wanted) {
    const k = Math.floor(position);
    select(values, k, from, n - 1);
    from = k;
    out[slot] = between(values[k]!, k + 1 < n ? least(values, k + 1) : values[k]!, position - k);
  }
  return out;
}

/** The same quantiles of columns from…to−1 (default all); with `spend` nobody needs the matrix afterwards. */
export function columnQuantiles(
  input: { x: Matrix; at: readonly number[]; spend?: boolean; from?: number; to?: number },
  hooks: Hooks = quiet,
): Float64Array[] {
  const { x, at, spend = false, from = 0, to = x.d } = input;
  const room = spend ? null : new Float64Array(x.n);
  return Array.from({ length: to - from }, (_, k) => {
    checkCancelled(hooks);
    const values = columnOf(x, from + k);
    const found = quantiles({ values, at, room: room ?? values });
    hooks.progress(k + 1, to - from);
    return found;
  });
}

/** The values without NaN, at the front of `out`; ten times faster than `filter` with a callback. */
function known(values: Float64Array, out: Float64Array): Float64Array {
  let n = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (!Number.isNaN(value)) out[n++] = value;
  }
  return out.subarray(0, n);
}

/** Interpolates as numpy's `_lerp`, from the nearer end, so that the answers are equal to the last bit. */
function between(low: number, high: number, share: number): number {
  if (share === 0 || low === high) return low;
  return share < 0.5 ? low + (high - low) * share : high - (high - low) * (1 - share);
}

function least(values: Float64Array, from: number): number {
  let out = Infinity;
  for (let i = from; i < values.length; i++) if (values[i]! < out) out = values[i]!;
  return out;
}

/** Permutes values[left…right] so that values[k] is where sorting would put it, smaller ones before it. */
function select(values: Float64Array, k: number, left: number, right: number): void {
  while (right > left) {
    if (right - left > 600) {
      const n = right - left + 1;
      const i = k - left + 1;
      const z = Math.log(n);
      const s = 0.5 * Math.exp((2 * z) / 3);
      const sd = 0.5 * Math.sqrt((z * s * (n - s)) / n) * (i < n / 2 ? -1 : 1);
      const low = Math.max(left, Math.floor(k - (i * s) / n + sd));
      select(values, k, low, Math.min(right, Math.floor(k + ((n - i) * s) / n + sd)));
    }
    const pivot = values[k]!;
    let i = left;
    let j = right;
    while (i <= j) {
      while (values[i]! < pivot) i++;
      while (values[j]! > pivot) j--;
      if (i > j) break;
      const kept = values[i]!;
      values[i++] = values[j]!;
      values[j--] = kept;
    }
    if (j < k) left = i;
    if (k < i) right = j;
  }
}
