/** Rows from the highest score down, as one of several parts of equal size. */
export type GainPart = {
  /** How many rows it has. */
  n: number;
  /** The lowest score among them. */
  score: number;
  /** How many of them are positive; of rows with equal scores on both sides of its end each counts its part. */
  positives: number;
};

/**
 * How many positive rows are among those with the highest scores, part by part; the first parts are a row longer.
 *
 * positive: n numbers, 1 or 0. score: n. parts between 1 and n. Rows with equal scores have no order, so that each counts
 * as their mean. O(n log n).
 */
export function gainParts(positive: Uint8Array, score: Float64Array, parts: number): GainPart[] {
  const n = score.length;
  const order = Array.from(score.keys()).sort((a, b) => score[b]! - score[a]!);
  const mean = new Float64Array(n);
  for (let start = 0; start < n; ) {
    let end = start;
    let hits = 0;
    while (end < n && score[order[end]!] === score[order[start]!]) hits += positive[order[end++]!]!;
    mean.fill(hits / (end - start), start, end);
    start = end;
  }
  const out: GainPart[] = [];
  for (let part = 0, at = 0; part < parts; part++) {
    const end = at + Math.floor(n / parts) + (part < n % parts ? 1 : 0);
    const positives = mean.subarray(at, end).reduce((sum, each) => sum + each, 0);
    out.push({ n: end - at, score: score[order[end - 1]!]!, positives });
    at = end;
  }
  return out;
}
