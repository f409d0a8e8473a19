/** Rows whose probability lies in one stretch. */
export type CalibrationBin = {
  /** Where the stretch begins (not with it, but for the first) and ends. */
  from: number;
  to: number;
  /** How many rows lie in it. */
  n: number;
  /** Their mean probability, and the share of them that is positive. */
  mean: number;
  share: number;
};

/**
 * How often what is said to be likely happens, stretch by stretch, as scikit-learn's calibration_curve.
 *
 * positive: n numbers, 1 or 0. score: n probabilities. `uniform` stretches are equally long, `quantile` ones hold as many
 * rows each, up to ties. Empty ones are left out. O(n log n).
 */
export function calibrationBins(
  positive: Uint8Array,
  score: Float64Array,
  bins: number,
  strategy: "uniform" | "quantile",
): CalibrationBin[] {
  const edges = strategy === "uniform" ? evenEdges(bins) : quantileEdges(score, bins);
  const found = Array.from({ length: bins }, () => ({ n: 0, sum: 0, hits: 0 }));
  const inner = edges.slice(1, -1);
  for (const [i, value] of score.entries()) {
    const bin = found[below(inner, value)]!;
    bin.n++;
    bin.sum += value;
    bin.hits += positive[i]!;
  }
  return found.flatMap(({ n, sum, hits }, k) =>
    n === 0 ? [] : [{ from: edges[k]!, to: edges[k + 1]!, n, mean: sum / n, share: hits / n }],
  );
}

/** The mean squared distance of probabilities from 1 and 0: scikit-learn's brier_score_loss. NaN without rows. */
export function brierScore(positive: Uint8Array, score: Float64Array): number {
  let sum = 0;
  for (const [i, value] of score.entries()) sum += (positive[i]! - value) ** 2;
  return sum / score.length;
}

function evenEdges(bins: number): Float64Array {
  return Float64Array.from({ length: bins + 1 }, (_, k) => (k === bins ? 1 : k * (1 / bins)));
}

/** Quantiles between the two nearest numbers, as numpy's percentile. */
function quantileEdges(score: Float64Array, bins: number): Float64Array {
  const sorted = score.slice().sort();
  return Float64Array.from({ length: bins + 1 }, (_, k) => {
    const at = (k / bins) * (sorted.length - 1);
    const low = Math.min(Math.floor(at), sorted.length - 1);
    const high = Math.min(low + 1, sorted.length - 1);
    return sorted[low]! + (at - low) * (sorted[high]! - sorted[low]!);
  });
}

/** How many of the sorted edges are below a number. */
function below(edges: Float64Array, value: number): number {
  let low = 0;
  let high = edges.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (edges[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
