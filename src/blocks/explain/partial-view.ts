import type { Chart } from "../../core/chart.ts";
import { type BlockExplain, plain } from "../../core/explanation.ts";
import type { Finished } from "../../core/finished.ts";
import { count, listed, quoted } from "../../core/names.ts";
import { type Cell, stack, text, type View } from "../../core/view.ts";
import type { Grid } from "./partial-grid.ts";
import { rowsFrom } from "./rows.ts";

/** What partial dependence keeps for its view. */
export interface PartialReport {
  readonly model: string;
  /** What the model's answers are, such as "probability of Adelie". */
  readonly quantity: string;
  readonly columns: readonly string[];
  readonly from: string;
  readonly rows: number;
  /** Rows with lines of their own. */
  readonly lines: number;
  /** Each answer's least and greatest mean, and where they are. */
  readonly spans: readonly Span[];
  readonly picture: Chart;
}

/** How far the mean answer goes. */
export interface Span {
  /** The class; null where there is one answer alone. */
  readonly output: string | null;
  readonly low: number;
  readonly high: number;
  readonly lowAt: string;
  readonly highAt: string;
}

/** What a picture is made of. */
export interface Drawn {
  readonly grids: readonly Grid[];
  readonly quantity: string;
  /** Names of the answers; one empty name where there is one alone. */
  readonly outputs: readonly string[];
  /** Answer after answer: the mean at each value, the second column's changing fastest. */
  readonly means: readonly Float64Array[];
  /** Row after row: its own answers along the values. */
  readonly lines: readonly Float64Array[];
  readonly rows: number;
}

/** The values of a grid as people read them. */
export function valueWords(cell: Cell): string {
  if (typeof cell === "number") return String(Number(cell.toPrecision(4)));
  const words = String(cell);
  return words.length > 40 ? `${words.slice(0, 39)}…` : words;
}

/** A line along numbers and dates, bars of categories, and a heat map of two columns. */
export function partialPicture({ grids, quantity, outputs, means, lines, rows }: Drawn): Chart {
  const [grid, other] = grids;
  const title = `${quantity} by ${grids.map(({ name }) => name).join(" and ")}: partial dependence`;
  if (other) {
    const width = other.values.length;
    return {
      kind: "heatmap",
      title,
      rowTitle: grid.name,
      columnTitle: other.name,
      rows: grid.values.map(valueWords),
      columns: other.values.map(valueWords),
      values: grid.values.map((_, i) => [...means[0].subarray(i * width, (i + 1) * width)]),
      scale: "sequential",
    };
  }
  if (grid.kind === "category") {
    const names = grid.values.map(valueWords);
    if (means.length === 1) {
      return {
        kind: "bars",
        title,
        value: `mean ${quantity}`,
        bars: names.map((label, k) => ({ label, value: means[0][k] })),
      };
    }
    return {
      kind: "heatmap",
      title,
      rowTitle: grid.name,
      columnTitle: "class",
      rows: names,
      columns: outputs,
      values: names.map((_, k) => means.map((mean) => mean[k])),
      scale: "sequential",
    };
  }
  // Dates of a line are read as text, those of the lines behind it are milliseconds.
  const places = grid.values.map((value) =>
    grid.kind === "datetime" ? Date.parse(utc(String(value))) : Number(value),
  );
  return {
    kind: "lines",
    title,
    rows,
    x: { title: grid.name, type: grid.kind },
    y: { title: quantity, type: "number" },
    series: means.map((mean, k) => ({ name: outputs[k], x: grid.values, y: [...mean] })),
    ...(lines.length > 0 ? { behind: lines.map((line) => ({ x: places, y: [...line] })) } : {}),
  };
}

function utc(date: string): string {
  return date.includes("T") && !date.endsWith("Z") ? `${date}Z` : date;
}

/** Where each answer is least and greatest. */
export function spansOf({ grids, outputs, means }: Pick<Drawn, "grids" | "outputs" | "means">): Span[] {
  const width = grids[1]?.values.length ?? 1;
  const at = (k: number) =>
    [grids[0].values[Math.floor(k / width)], ...(grids[1] ? [grids[1].values[k % width]] : [])]
      .map(valueWords)
      .join(" and ");
  return means.map((mean, k) => {
    const [least, most] = mean.reduce(
      ([low, high], value, i) => [value < mean[low] ? i : low, value > mean[high] ? i : high],
      [0, 0],
    );
    const output = outputs[k] === "" ? null : outputs[k];
    return { output, low: mean[least], high: mean[most], lowAt: at(least), highAt: at(most) };
  });
}

/** What partial dependence shows: what was asked of how many rows, how far it goes, and the picture. */
export function partialView({ model, quantity, columns, from, rows, lines, spans, picture }: PartialReport): View {
  const head = `Model ${model}, ${quantity}: the mean answer for ${rowsFrom(rows, from)}, with ${listed(columns)} set to the same value in all of them.`;
  const [span] = spans;
  const reach =
    spans.length === 1
      ? `It goes from ${plain(span.low)} at ${span.lowAt} to ${plain(span.high)} at ${span.highAt}.`
      : "Each class is told; class asks for one of them.";
  const behind = lines > 0 ? ` The faint lines are ${count(lines, "single row")}.` : "";
  return stack(text(head), text(`${reach}${behind}`, "quiet"), { kind: "chart", chart: picture });
}

/** Partial dependence in words. */
export const explainPartial: BlockExplain = {
  why: "A column may matter much and one still not know which way: this is the answer's course along it, all else as it is. Where columns go together, such as height and weight, it asks about rows that don't exist; look at the single rows and at shap() besides.",
  did({ report }: Finished) {
    const { model, quantity, columns, rows, spans } = report as PartialReport;
    return [
      `Model ${quoted(model)} was asked for ${count(rows, "row")} what it would answer if ${listed(columns)} had each of some values, all else as it is; its answers (${quantity}) were averaged.`,
      ...spans.map(
        ({ output, low, high, lowAt, highAt }) =>
          `${output === null ? "The mean" : `The mean for ${quoted(output)}`} goes from ${plain(low)} at ${lowAt} to ${plain(high)} at ${highAt}.`,
      ),
    ];
  },
};
