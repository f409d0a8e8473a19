/** What boosting makes small. */
export type BoostLoss = "squared_error" | "absolute_error" | "poisson" | "quantile" | "log_loss";

/** What a loss is worked out over: columns of `n` numbers one after the other, a column for each tree of a round. */
export interface LossData {
  readonly loss: BoostLoss;
  /** The share of rows below a quantile; unused by other losses. */
  readonly quantile: number;
  readonly n: number;
  /** Trees of a round: the classes where there are more than two, else 1. */
  readonly width: number;
  /** Numbers, or class codes. */
  readonly y: Float64Array;
  /** A weight for each row; null when all are 1. */
  readonly weight: Float64Array | null;
  /** What the trees so far add up to. */
  readonly raw: Float64Array;
}

/** Is every row's second derivative 1, or its weight? */
export function isFlat(loss: BoostLoss): boolean {
  return loss === "squared_error" || loss === "absolute_error" || loss === "quantile";
}

/** Are the leaves' values worked out anew from what is left over in them, since gradients tell only its sign? */
export function isByRank(loss: BoostLoss): boolean {
  return loss === "absolute_error" || loss === "quantile";
}

/**
 * First and second derivatives of rows from…to−1; answers the largest gradient and the sum of hessians.
 *
 * `hessians` is left alone for a loss whose second derivatives are all 1. Loss functions are scikit-learn's, and so is the
 * rounding to float32: which of two splits that are as good as equal is taken hangs on it.
 */
export function derivatives(
  data: LossData,
  gradients: Float64Array,
  hessians: Float64Array,
  from: number,
  to: number,
): { readonly largest: number; readonly sum: number } {
  const { loss, n, width, weight } = data;
  if (loss === "log_loss") (width === 1 ? binary : multinomial)(data, gradients, hessians, from, to);
  else if (loss === "poisson") poisson(data, gradients, hessians, from, to);
  else flat(data, gradients, from, to);
  const isPlain = isFlat(loss) && !weight;
  let largest = 0;
  let sum = 0;
  for (let k = 0; k < width; k++) {
    for (let i = k * n + from; i < k * n + to; i++) {
      if (weight) {
        const w = weight[i - k * n]!;
        gradients[i]! *= w;
        if (isFlat(loss)) hessians[i] = w;
        else hessians[i]! *= w;
      }
      const gradient = single(gradients[i]!);
      gradients[i] = gradient;
      const size = Math.abs(gradient);
      if (size > largest) largest = size;
      if (!isPlain) sum += hessians[i] = single(hessians[i]!);
    }
  }
  return { largest, sum };
}

/** Rounded to float32; what that can't hold stays as it is. */
function single(value: number): number {
  const rounded = Math.fround(value);
  const size = Math.abs(rounded);
  return size >= 2 ** -126 && size < Infinity ? rounded : value;
}

function flat({ loss, quantile, y, raw }: LossData, g: Float64Array, from: number, to: number): void {
  if (loss === "squared_error") for (let i = from; i < to; i++) g[i] = raw[i]! - y[i]!;
  else {
    const below = loss === "quantile" ? 1 - quantile : 1;
    const above = loss === "quantile" ? -quantile : -1;
    for (let i = from; i < to; i++) g[i] = y[i]! < raw[i]! ? below : above;
  }
}

function poisson({ y, raw }: LossData, g: Float64Array, h: Float64Array, from: number, to: number): void {
  for (let i = from; i < to; i++) {
    const mean = Math.exp(raw[i]!);
    g[i] = mean - y[i]!;
    h[i] = mean;
  }
}

function binary({ y, raw }: LossData, g: Float64Array, h: Float64Array, from: number, to: number): void {
  for (let i = from; i < to; i++) {
    const p = 1 / (1 + Math.exp(-raw[i]!));
    g[i] = p - y[i]!;
    h[i] = p * (1 - p);
  }
}

function multinomial({ n, width, y, raw }: LossData, g: Float64Array, h: Float64Array, from: number, to: number): void {
  for (let i = from; i < to; i++) {
    let most = -Infinity;
    for (let at = i; at < width * n; at += n) if (raw[at]! > most) most = raw[at]!;
    let sum = 0;
    for (let at = i; at < width * n; at += n) sum += g[at] = Math.exp(raw[at]! - most);
    const truth = y[i]! * n + i;
    for (let at = i; at < width * n; at += n) {
      const p = g[at]! / sum;
      g[at] = at === truth ? p - 1 : p;
      h[at] = p * (1 - p);
    }
  }
}

/** The mean loss of some rows, weighted; scikit-learn's halves (of the squared error, of log loss none) are kept. */
export function meanLoss(data: LossData, rows: Int32Array): number {
  let sum = 0;
  let weights = 0;
  for (let k = 0; k < rows.length; k++) {
    const w = data.weight ? data.weight[rows[k]!]! : 1;
    sum += w * rowLoss(data, rows[k]!);
    weights += w;
  }
  return weights > 0 ? sum / weights : 0;
}

function rowLoss({ loss, quantile, n, width, y, raw }: LossData, i: number): number {
  const truth = y[i]!;
  const answer = raw[i]!;
  const off = truth - answer;
  if (loss === "squared_error") return (off * off) / 2;
  if (loss === "absolute_error") return Math.abs(off);
  if (loss === "quantile") return off >= 0 ? quantile * off : (quantile - 1) * off;
  if (loss === "poisson") return Math.exp(answer) - truth * answer;
  if (width === 1) return Math.max(answer, 0) - truth * answer + Math.log1p(Math.exp(-Math.abs(answer)));
  let most = -Infinity;
  for (let at = i; at < width * n; at += n) if (raw[at]! > most) most = raw[at]!;
  let sum = 0;
  for (let at = i; at < width * n; at += n) sum += Math.exp(raw[at]! - most);
  return Math.log(sum) + most - raw[truth * n + i]!;
}

/** What to begin with: the best answer that is the same for all rows, a number for each tree of a round. */
export function baselines(data: LossData, rows: Int32Array): Float64Array {
  const { loss, width, y, weight } = data;
  if (isByRank(loss)) return Float64Array.of(rankedValue(data, rows, y));
  const sums = new Float64Array(Math.max(2, width));
  let weights = 0;
  for (let k = 0; k < rows.length; k++) {
    const i = rows[k]!;
    const w = weight ? weight[i]! : 1;
    weights += w;
    if (loss === "log_loss") sums[y[i]!]! += w;
    else sums[0]! += w * y[i]!;
  }
  const tiny = 2 ** -52;
  if (loss === "squared_error") return Float64Array.of(sums[0]! / weights);
  if (loss === "poisson") return Float64Array.of(Math.log(Math.max(sums[0]! / weights, tiny)));
  const share = (k: number) => Math.min(1 - tiny, Math.max(tiny, sums[k]! / weights));
  if (width === 1) return Float64Array.of(Math.log(share(1) / (1 - share(1))));
  const logs = Float64Array.from({ length: width }, (_, k) => Math.log(share(k)));
  const mean = logs.reduce((sum, value) => sum + value, 0) / width;
  return logs.map((value) => value - mean);
}

/** The median or quantile of `y` less `raw` (of `y` alone where there is none) over some rows. */
export function rankedValue(
  { loss, quantile, weight }: Pick<LossData, "loss" | "quantile" | "weight">,
  rows: Int32Array,
  y: Float64Array,
  raw?: Float64Array,
): number {
  const share = loss === "quantile" ? quantile : 0.5;
  const values = new Float64Array(rows.length);
  for (let k = 0; k < rows.length; k++) values[k] = y[rows[k]!]! - (raw ? raw[rows[k]!]! : 0);
  if (!weight) {
    const sorted = values.sort();
    const position = share * (sorted.length - 1);
    const [low, high] = [sorted[Math.floor(position)]!, sorted[Math.ceil(position)]!];
    const part = position - Math.floor(position);
    // As numpy rounds them: whether a cell lies above its answer may hang on the last bit.
    if (loss === "absolute_error") return (low + high) / 2;
    return part < 0.5 ? low + (high - low) * part : high - (high - low) * (1 - part);
  }
  const order = Array.from(rows.keys()).sort((a, b) => values[a]! - values[b]!);
  const total = order.reduce((sum, k) => sum + weight[rows[k]!]!, 0);
  let sum = 0;
  for (const k of order) {
    sum += weight[rows[k]!]!;
    if (sum >= share * total && weight[rows[k]!]! > 0) return values[k]!;
  }
  return values[order[order.length - 1]!]!;
}
