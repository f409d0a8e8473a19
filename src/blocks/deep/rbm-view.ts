import { count } from "../../core/names.ts";
import { stack, text, type View } from "../../core/view.ts";

/** What a training reports for its view. */
export interface TrainReport {
  readonly model: string;
  readonly from: string;
  readonly features: number;
  readonly hidden: number;
  /** The pseudo-likelihood after each epoch. */
  readonly curve: readonly number[];
  readonly shown: View | null;
}

/** Numbers that are kept for the pictures of the hidden units, at most. */
const mostNumbers = 40_000;
const mostTiles = 64;
/** More rows and columns than these are not legible as a table of colours. */
const mostUnits = 12;
const mostFeatures = 20;

/** What a training shows: how well it went, epoch by epoch, and what the hidden units look at. */
export function trainView({ model, from, features, hidden, curve, shown }: TrainReport): View {
  const [first, last] = [curve[0], curve[curve.length - 1]].map((score) => score.toFixed(2));
  const course = curve.length > 1 ? `went from ${first} to ${last} in ${count(curve.length, "epoch")}` : `is ${last}`;
  const words = `Model ${model}: ${count(features, "feature")} to ${count(hidden, "hidden unit")}, trained on ${from}. The pseudo-likelihood ${course}; an untrained machine has about ${(-features * Math.LN2).toFixed(1)}.`;
  const chart: View = {
    kind: "chart",
    chart: {
      kind: "lines",
      title: "learning curve",
      x: { title: "epoch", type: "number" },
      y: { title: "pseudo-likelihood", type: "number" },
      series: [{ name: "", x: curve.map((_, k) => k + 1), y: [...curve] }],
    },
  };
  return stack(text(words), curve.length > 1 && chart, shown);
}

/**
 * The weights of the first hidden units: as pictures where the features are pixels, else as a grid of colours.
 *
 * `weights`: a row of features per hidden unit. Pixels are a square number of columns named alike, such as pixel_3.
 */
export function weightsView(features: readonly string[], hidden: number, weights: Float64Array): View {
  const d = features.length;
  const side = Math.round(Math.sqrt(d));
  const isPicture =
    side >= 4 && side * side === d && new Set(features.map((name) => name.replace(/\d+/g, "#"))).size === 1;
  const row = (k: number, most: number) =>
    // Three digits are all that a picture shows.
    Array.from(weights.subarray(k * d, k * d + most), (value) => Number(value.toPrecision(3)));
  if (isPicture) {
    const n = Math.max(1, Math.min(hidden, mostTiles, Math.floor(mostNumbers / d)));
    return {
      kind: "tiles",
      title: "what the hidden units look at",
      rows: side,
      columns: side,
      scale: "diverging",
      tiles: Array.from({ length: n }, (_, k) => row(k, d)),
      total: hidden,
    };
  }
  const [units, columns] = [Math.min(hidden, mostUnits), Math.min(d, mostFeatures)];
  const cut = units < hidden || columns < d ? `, the first ${units} × ${columns}` : "";
  return {
    kind: "chart",
    chart: {
      kind: "heatmap",
      title: `weights of the hidden units${cut}`,
      rowTitle: "hidden unit",
      columnTitle: "feature",
      rows: Array.from({ length: units }, (_, k) => `h${k + 1}`),
      columns: features.slice(0, columns),
      values: Array.from({ length: units }, (_, k) => row(k, columns)),
      scale: "diverging",
    },
  };
}

const bars = "▁▂▃▄▅▆▇█";

/** The first `n` numbers as bars, in at most 12 characters. */
export function sparkline(values: ArrayLike<number>, n: number): string {
  const shown = Math.min(n, 12);
  const picked = Array.from({ length: shown }, (_, k) => values[Math.round((k * (n - 1)) / Math.max(1, shown - 1))]);
  const [low, high] = [Math.min(...picked), Math.max(...picked)];
  return picked
    .map((value) => bars[high > low ? Math.round(((bars.length - 1) * (value - low)) / (high - low)) : 3])
    .join("");
}
