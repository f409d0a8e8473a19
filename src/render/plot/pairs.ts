import type { PairsChart } from "../../core/chart.ts";
import { pairsSize } from "../../core/vega-pairs.ts";
import { barSteps, formatNumbers } from "../numbers.ts";
import type { Pen } from "../pen.ts";
import { cut, pad, widthOf, wrap } from "../words.ts";
import { Canvas } from "./canvas.ts";

/** A grid: points below the diagonal, histograms on it, correlations above. */
export function pairsLines(chart: PairsChart, pen: Pen): string[] {
  const { columns, series, correlations } = chart;
  const names = columns.map(({ name }) => pen.safe(name) || "(empty)");
  const dots = pen.pick("…", "..");
  const gap = 2;
  const width = Math.max(3, Math.floor((pen.width - gap * (columns.length - 1)) / columns.length));
  const height = columns.length <= 3 ? 7 : columns.length <= 5 ? 5 : 3;
  const lines = wrap(pairsSize(chart), pen.width).map(pen.quiet);
  const row = (cells: readonly (readonly string[])[]) => {
    for (let at = 0; at < cells[0].length; at++)
      lines.push(
        cells
          .map((cell) => cell[at] + " ".repeat(Math.max(0, width - widthOf(cell[at]))))
          .join(" ".repeat(gap))
          .trimEnd(),
      );
  };
  columns.forEach((_, i) => {
    lines.push(pen.bold(cut(names[i], pen.width, dots)));
    row(
      columns.map((_, j) => {
        if (j < i) return points(chart, i, j, { width, height }, pen);
        if (j === i) return histogram(chart, i, { width, height }, pen);
        return middle(
          correlations[i][j] === null ? "" : `${width >= 9 ? "r = " : ""}${correlations[i][j].toFixed(2)}`,
          width,
          height,
        );
      }),
    );
  });
  row([...names.map((name) => [pen.quiet(cut(name, width, dots))])]);
  row([...columns.map((column) => [pen.quiet(cut(rangeOf(column), width, dots))])]);
  const told = "Each row shows the column named above it, against the column named below; bars are histograms.";
  lines.push(...wrap(told, pen.width).map(pen.quiet));
  if (chart.colour !== undefined) {
    const words = series.map(
      (name, k) => `${pen.series(k, pen.pick("●", "*"))} ${cut(pen.safe(name) || "(empty)", 24, dots)}`,
    );
    const head = `${cut(pen.safe(chart.colour), 24, dots)}${pen.colour ? "" : " (told apart in colour)"}: `;
    lines.push(...(pen.colour ? [head + words.join("  ")] : wrap(head + words.join("  "), pen.width)));
  }
  return lines;
}

function rangeOf({ start, step, counts }: PairsChart["columns"][number]): string {
  return formatNumbers([start, start + step * counts[0].length], 4).join(" – ");
}

interface Size {
  readonly width: number;
  readonly height: number;
}

function points(chart: PairsChart, i: number, j: number, { width, height }: Size, pen: Pen): string[] {
  const canvas = new Canvas(width, height);
  const place = (k: number, value: number) => {
    const { start, step, counts } = chart.columns[k];
    return (value - start) / (step * counts[0].length);
  };
  chart.groups.forEach((group, at) => {
    const [x, y] = [chart.values[j][at], chart.values[i][at]];
    if (x !== null && y !== null) canvas.point(place(j, x), place(i, y), group);
  });
  return canvas.lines(pen, pen.series);
}

/** Bars of all series together. */
function histogram(chart: PairsChart, k: number, { width, height }: Size, pen: Pen): string[] {
  const { counts } = chart.columns[k];
  const sums = counts[0].map((_, bin) => counts.reduce((sum, each) => sum + each[bin], 0));
  const most = Math.max(...sums, 1);
  const heights = Array.from({ length: width }, (_, at) => {
    const n = sums[Math.min(sums.length - 1, Math.floor(((at + 0.5) * sums.length) / width))];
    return n === 0 ? 0 : Math.max(1, Math.round((n / most) * height * 8));
  });
  return Array.from({ length: height }, (_, line) => {
    const below = (height - 1 - line) * 8;
    return heights
      .map((steps) => {
        const part = Math.min(8, steps - below);
        if (part <= 0) return " ";
        return pen.unicode ? barSteps[part - 1] : part >= 4 || below === 0 ? "#" : " ";
      })
      .join("");
  });
}

function middle(words: string, width: number, height: number): string[] {
  const line = pad(words, Math.floor((width + widthOf(words)) / 2), "right");
  return Array.from({ length: height }, (_, k) => (k === height >> 1 ? line : ""));
}
