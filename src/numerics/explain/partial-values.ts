/**
 * The values at which a column's partial dependence is worked out, ascending, as scikit-learn's partial_dependence.
 *
 * values: n numbers, NaN for what is missing. Where fewer than `most` differ, those; else `most` at equal distances
 * between the quantiles `low` and `high`, which are scipy's mquantiles. Empty where nothing is known, or where both
 * quantiles are the same number. O(n log n).
 */
export function partialValues(values: Float64Array, most: number, low: number, high: number): Float64Array {
  const known = values.filter((value) => !Number.isNaN(value)).sort();
  const distinct = known.filter((value, i) => i === 0 || value !== known[i - 1]);
  if (distinct.length < most || most < 2) return distinct.slice(0, most);
  const [from, to] = [quantile(known, low), quantile(known, high)];
  if (!(from < to)) return new Float64Array(0);
  const step = (to - from) / (most - 1);
  return Float64Array.from({ length: most }, (_, k) => (k === most - 1 ? to : from + k * step));
}

/** A quantile of sorted numbers between two of them. Source: Cunnane (1978), as scipy's mquantiles has it. */
function quantile(sorted: Float64Array, share: number): number {
  const n = sorted.length;
  const at = n * share + 0.4 + 0.2 * share;
  const k = Math.floor(Math.min(Math.max(at, 1), n - 1));
  const part = Math.min(Math.max(at - k, 0), 1);
  return (1 - part) * sorted[k - 1]! + part * sorted[k]!;
}
