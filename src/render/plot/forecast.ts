import type { ForecastChart } from "../../core/chart.ts";
import { axisFor } from "../../core/marks.ts";
import { forecastSize, intervalName, placeOf } from "../../core/vega-forecast.ts";
import type { Cell } from "../../core/view.ts";
import type { Pen } from "../pen.ts";
import { widthOf, wrap } from "../words.ts";
import { Canvas } from "./canvas.ts";
import { framed, frameFor } from "./frame.ts";
import { drawLine } from "./lines.ts";
import { type Scale, scaleOf } from "./scale.ts";

const rows = 15;

/** A series and its forecast in one picture: the forecast lies in the shaded interval, so that no colour is needed. */
export function forecastLines(chart: ForecastChart, pen: Pen): string[] {
  const lines = wrap(forecastSize(chart), pen.width).map(pen.quiet);
  const { history, ahead, actual } = chart;
  if (history.x.length + ahead.x.length === 0) return [...lines, pen.quiet("(nothing to draw)")];
  const places = (cells: readonly Cell[]) => cells.map((cell) => placeOf(cell, chart.x));
  const [before, after, then] = [places(history.x), places(ahead.x), places(actual?.x ?? [])];
  const x = scaleOf(axisFor(chart.x, [before, after, then]), pen);
  const y = scaleOf(axisFor(chart.y, [history.y, ahead.low, ahead.high, actual?.y ?? []]), pen);
  const frame = frameFor(y, pen.width, rows);
  const canvas = new Canvas(frame.width, frame.height);
  const shade = pen.pick("░", ":");
  drawBand(canvas, { x: after, low: ahead.low, high: ahead.high }, { x, y, shade });
  drawLine(canvas, { name: "", x: before, y: history.y }, 0, x, y, pen);
  drawLine(canvas, { name: "", x: after, y: ahead.mean }, 1, x, y, pen);
  const dot = pen.pick("●", "o");
  then.forEach((value, k) => {
    const column = Math.round(x.place(value) * (canvas.width - 1));
    const row = Math.round((1 - y.place((actual as { y: readonly number[] }).y[k])) * (canvas.height - 1));
    canvas.over(column, row, dot, 2);
  });
  const line = pen.pick("─", "-");
  const legend = [
    [line, "series", pen.series(0, line)],
    [line, "forecast", pen.series(1, line)],
    [shade, intervalName(chart), pen.quiet(shade)],
    ...(then.length > 0 ? ([[dot, "what came", pen.series(2, dot)]] as const) : []),
  ] as const;
  return [...lines, ...framed(canvas.lines(pen, pen.series), frame, x, y, pen), ...inRows(legend, pen)];
}

/** Shades what lies between both ends, in the columns from the first step to the last. */
function drawBand(
  canvas: Canvas,
  band: { readonly x: readonly number[]; readonly low: readonly number[]; readonly high: readonly number[] },
  { x, y, shade }: { readonly x: Scale; readonly y: Scale; readonly shade: string },
): void {
  const columns = band.x.map((value) => x.place(value) * (canvas.width - 1));
  const [first, last] = [Math.round(columns[0]), Math.round(columns[columns.length - 1])];
  let step = 0;
  for (let column = first; column <= last; column++) {
    while (step + 2 < columns.length && columns[step + 1] < column) step++;
    const next = Math.min(step + 1, columns.length - 1);
    const width = columns[next] - columns[step];
    const share = width > 0 ? Math.max(0, Math.min(1, (column - columns[step]) / width)) : 0;
    const between = (ends: readonly number[]) => y.place(ends[step] + share * (ends[next] - ends[step]));
    const bottom = Math.round((1 - between(band.low)) * (canvas.height - 1));
    for (let row = Math.round((1 - between(band.high)) * (canvas.height - 1)); row <= bottom; row++) {
      canvas.under(column, row, shade);
    }
  }
}

/** The entries of a legend, as many in a line as fit. */
function inRows(entries: readonly (readonly [mark: string, words: string, drawn: string])[], pen: Pen): string[] {
  const lines: { row: string; width: number }[] = [];
  for (const [mark, words, drawn] of entries) {
    const width = widthOf(mark) + 1 + widthOf(words);
    const last = lines.at(-1);
    if (last && last.width + 3 + width <= pen.width) {
      last.row += `   ${drawn} ${words}`;
      last.width += 3 + width;
    } else lines.push({ row: `${drawn} ${words}`, width });
  }
  return lines.map(({ row }) => row);
}
