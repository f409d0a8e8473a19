import { createRequire } from "node:module";
import type { MarkSeries } from "../../core/marks.ts";
import type { Pen } from "../pen.ts";
import type { Canvas } from "./canvas.ts";
import type { Scale } from "./scale.ts";

interface AsciiChart {
  plot(values: readonly number[], options: object): string;
}

const asciichart = createRequire(import.meta.url)("asciichart") as AsciiChart;

/** Draws a series as a line: one value per column, the mean of the marks that fall into it. */
export function drawLine(canvas: Canvas, series: MarkSeries, k: number, x: Scale, y: Scale, pen: Pen): void {
  for (const run of runsOf(series)) {
    const { from, heights } = resample(run, canvas.width, x, y);
    // asciichart 1.5 stumbles over NaN, so each run without a gap is drawn by itself and placed here.
    const text = asciichart.plot(
      heights.map((height) => height * (canvas.height - 1)),
      {
        min: 0,
        max: canvas.height - 1,
        height: canvas.height - 1,
        offset: 2,
        format: () => " ",
        symbols: pen.unicode
          ? ["─", " ", "╶", "╴", "─", "╰", "╭", "╮", "╯", "│"]
          : ["-", " ", "-", "-", "-", "`", ".", ".", "'", "|"],
      },
    );
    // Its first column mixes the first value with an axis, so that mark is set here too.
    const start = Math.round((1 - heights[0]) * (canvas.height - 1));
    canvas.over(from, start, heights.length > 1 ? pen.pick("─", "-") : pen.pick("•", "*"), k);
    text.split("\n").forEach((line, row) => {
      Array.from(line)
        .slice(2)
        .forEach((letter, i) => {
          if (letter !== " ") canvas.over(from + 1 + i, row, letter, k);
        });
    });
  }
}

/** Joins a series' marks in the order they are given, dot by dot. */
export function drawPath(canvas: Canvas, series: MarkSeries, k: number, x: Scale, y: Scale): void {
  for (const run of runsOf(series)) {
    const places = run.x.map((value, i) => [x.place(value), y.place(run.y[i])] as const);
    canvas.point(places[0][0], places[0][1], k);
    for (let i = 1; i < places.length; i++) {
      const [fromX, fromY] = places[i - 1];
      const [toX, toY] = places[i];
      const dots = Math.max(Math.abs(toX - fromX) * canvas.width * 2, Math.abs(toY - fromY) * canvas.height * 4);
      const steps = Math.max(1, Math.ceil(dots));
      for (let s = 1; s <= steps; s++) {
        canvas.point(fromX + ((toX - fromX) * s) / steps, fromY + ((toY - fromY) * s) / steps, k);
      }
    }
  }
}

/** Heights (0 to 1) of a series for all columns; 0 where it is not. */
export function heightsOf(series: MarkSeries, width: number, x: Scale, y: Scale): number[] {
  const all = new Array<number>(width).fill(0);
  for (const run of runsOf(series)) {
    const { from, heights } = resample(run, width, x, y);
    heights.forEach((height, k) => {
      all[from + k] = height;
    });
  }
  return all;
}

interface Run {
  readonly x: readonly number[];
  readonly y: readonly number[];
}

/** The stretches between gaps. */
function runsOf(series: MarkSeries): Run[] {
  const runs: { x: number[]; y: number[] }[] = [];
  let isOpen = false;
  series.x.forEach((x, i) => {
    const y = series.y[i];
    if (Number.isNaN(y)) {
      isOpen = false;
      return;
    }
    if (!isOpen) runs.push({ x: [], y: [] });
    isOpen = true;
    const run = runs[runs.length - 1];
    run.x.push(x);
    run.y.push(y);
  });
  return runs;
}

/** Heights (0 to 1) for the columns from the run's first to its last; columns between marks are interpolated. */
function resample(run: Run, width: number, x: Scale, y: Scale): { from: number; heights: number[] } {
  const columnOf = (value: number) => Math.round(x.place(value) * (width - 1));
  const from = columnOf(run.x[0]);
  const count = columnOf(run.x[run.x.length - 1]) - from + 1;
  const sums = new Float64Array(count);
  const counts = new Int32Array(count);
  run.x.forEach((value, i) => {
    const at = columnOf(value) - from;
    sums[at] += y.place(run.y[i]);
    counts[at]++;
  });
  const heights = Array.from(sums, (sum, i) => (counts[i] > 0 ? sum / counts[i] : Number.NaN));
  let before = 0;
  for (let i = 1; i < count; i++) {
    if (Number.isNaN(heights[i])) continue;
    for (let j = before + 1; j < i; j++) {
      heights[j] = heights[before] + ((heights[i] - heights[before]) * (j - before)) / (i - before);
    }
    before = i;
  }
  return { from, heights };
}
