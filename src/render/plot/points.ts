import type { PointsChart } from "../../core/chart.ts";
import { countOfMarks, type MarkSeries, marksOf } from "../../core/marks.ts";
import { colourCount, type Pen } from "../pen.ts";
import { cut, widthOf, wrap, wrapNames } from "../words.ts";
import { Canvas } from "./canvas.ts";
import { drawUpright } from "./columns.ts";
import { type Frame, framed, frameFor } from "./frame.ts";
import { drawLine, drawPath, heightsOf } from "./lines.ts";
import { type Scale, scaleOf } from "./scale.ts";

interface Drawing {
  readonly chart: PointsChart;
  readonly pen: Pen;
  readonly x: Scale;
  readonly y: Scale;
}

const mostPanels = 9;

/** Points as a braille raster, lines by asciichart; several series in colours, or in a panel each. */
export function pointsLines(chart: PointsChart, pen: Pen): string[] {
  const marks = marksOf(chart);
  const { reference } = chart;
  const x = scaleOf(marks.x, pen, reference ? [reference.from[0], reference.to[0]] : []);
  const y = scaleOf(marks.y, pen, reference ? [reference.from[1], reference.to[1]] : chart.fill ? [0] : []);
  const drawing = { chart, pen, x, y };
  const lines = wrap(countOfMarks(marks, chart), pen.width).map(pen.quiet);
  if (marks.shown === 0) return [...lines, pen.quiet("(nothing to draw)")];
  // One of several pictures has a place for each series of all of them.
  const series = marks.series
    .map((one, k) => ({ one, k }))
    .filter(({ one }) => !marks.y.isCommon || marks.shown === 0 || one.x.length > 0);
  const isOverlay = series.length === 1 || (pen.colour && !chart.grid && series.length <= colourCount);
  if (isOverlay) {
    const height = plotHeight(y, 15);
    const raster = panel(drawing, series, frameFor(y, pen.width, height));
    lines.push(...raster, ...legend(drawing, marks.series));
  } else {
    lines.push(...panels(drawing, series), ...panelNotes(drawing, marks.series));
  }
  if (reference) {
    const [x0, x1] = x.labels([reference.from[0], reference.to[0]]);
    const [y0, y1] = y.labels([reference.from[1], reference.to[1]]);
    const dots = pen.pick("· · ", ". . ");
    lines.push(...wrap(`${dots}reference line from (${x0}, ${y0}) to (${x1}, ${y1})`, pen.width).map(pen.quiet));
  }
  return lines;
}

/** A row per category where there are few. */
function plotHeight(y: Scale, usual: number): number {
  const { type, categories } = y.axis;
  if (type !== "category") return usual;
  return categories.length > 20
    ? usual
    : Math.max(3, categories.length * 2 - 1 <= usual ? categories.length * 2 - 1 : categories.length);
}

/** Faint lines that a raster can take before it is full. */
const mostFaint = 12;

/** Some of the lines behind the others, spread evenly over all. */
function faintLines({ behind = [] }: PointsChart): NonNullable<PointsChart["behind"]> {
  const step = Math.max(1, Math.ceil(behind.length / mostFaint));
  return behind.filter((_, k) => k % step === 0);
}

type Numbered = readonly { readonly one: MarkSeries; readonly k: number }[];

function panel(drawing: Drawing, series: Numbered, frame: Frame): string[] {
  const { chart, pen, x, y } = drawing;
  const canvas = new Canvas(frame.width, frame.height);
  if (chart.reference) drawReference(canvas, drawing);
  for (const line of faintLines(chart)) drawPath(canvas, { name: "", ...line }, series[0].k, x, y);
  for (const { one, k } of series) {
    const isUpright = chart.fill !== undefined && series.length === 1 && y.min >= 0;
    if (isUpright) drawUpright(canvas, heightsOf(one, frame.width, x, y), k, pen);
    else if (chart.kind === "lines" && chart.path) drawPath(canvas, one, k, x, y);
    else if (chart.kind === "lines") drawLine(canvas, one, k, x, y, pen);
    else for (const [i, value] of one.x.entries()) canvas.point(x.place(value), y.place(one.y[i]), k);
  }
  return framed(canvas.lines(pen, pen.series), frame, x, y, pen);
}

function drawReference(canvas: Canvas, { chart, pen, x, y }: Drawing): void {
  if (!chart.reference) return;
  const [from, to] = [chart.reference.from, chart.reference.to].map((end) => [x.place(end[0]), y.place(end[1])]);
  const steps = 2 * Math.max(canvas.width, canvas.height);
  for (let i = 0; i <= steps; i++) {
    const column = Math.round((from[0] + ((to[0] - from[0]) * i) / steps) * (canvas.width - 1));
    const row = Math.round((1 - from[1] - ((to[1] - from[1]) * i) / steps) * (canvas.height - 1));
    canvas.under(column, row, pen.pick("·", "."));
  }
}

/** Which colour is which series, and how many marks each has where a mark is a row. */
function legend({ chart, pen }: Drawing, series: readonly MarkSeries[]): string[] {
  if (series.length === 1 && series[0].name === "") return [];
  const mark = chart.kind === "lines" ? pen.pick("─", "-") : pen.pick("●", "*");
  const rows: string[] = [];
  let row = chart.colour ? `${cut(pen.safe(chart.colour), 20)}:` : "";
  let width = widthOf(row);
  series.forEach((one, k) => {
    const n = countOf(chart, one);
    const words = cut(pen.safe(one.name) || "(no name)", Math.max(4, Math.min(30, pen.width - 2 - n.length))) + n;
    const size = widthOf(words) + 4;
    if (width > 0 && width + size > pen.width) {
      rows.push(row);
      row = "";
      width = 0;
    }
    row += `${width > 0 ? "  " : ""}${pen.series(k, mark)} ${words}`;
    width += size - (width > 0 ? 0 : 2);
  });
  return [...rows, row];
}

/** " (50)", how many rows a series has; nothing where its marks are no rows. */
function countOf({ rows }: PointsChart, series: MarkSeries): string {
  if (rows !== undefined) return "";
  const n = series.y.reduce((sum, value) => sum + (Number.isNaN(value) ? 0 : 1), 0);
  return ` (${n.toLocaleString("en-US")})`;
}

/** A small picture per series on common scales, side by side or one under the other. */
function panels(drawing: Drawing, series: Numbered): string[] {
  const { chart, pen, y } = drawing;
  const shown = series.slice(0, mostPanels);
  const isStacked = chart.kind === "lines" && !chart.path && shown.length <= 4;
  const across = isStacked
    ? 1
    : Math.max(1, Math.min(shown.length === 4 ? 2 : 3, shown.length, Math.floor((pen.width + 2) / 26)));
  const down = Math.ceil(shown.length / across);
  const width = Math.floor((pen.width - 2 * (across - 1)) / across);
  const height = plotHeight(y, chart.path ? 7 : Math.max(5, [0, 13, 7, 6, 5][down] ?? 5));
  const lines: string[] = [];
  for (let start = 0; start < shown.length; start += across) {
    const row = shown.slice(start, start + across).map(({ one, k }) => {
      const name = `${cut(pen.safe(one.name) || "(no name)", width - 8)}${countOf(chart, one)}`;
      const picture = panel(drawing, [{ one, k }], frameFor(y, width, height));
      return [pen.bold(cut(name, width)), ...picture].map(
        (line) => line + " ".repeat(Math.max(0, width - widthOf(line))),
      );
    });
    for (let i = 0; i < row[0].length; i++)
      lines.push(
        row
          .map((picture) => picture[i])
          .join("  ")
          .trimEnd(),
      );
  }
  return lines;
}

function panelNotes({ chart, pen }: Drawing, series: readonly MarkSeries[]): string[] {
  const by = chart.colour ? `each ${cut(pen.safe(chart.colour), 24)}` : "each series";
  const counted = chart.rows === undefined ? ", with its number of marks" : "";
  const notes = wrap(`A panel for ${by}${counted}; the axes are the same.`, pen.width);
  const left = series.slice(mostPanels).map((one) => pen.safe(one.name));
  if (left.length > 0)
    notes.push(...wrapNames(`${pen.pick("…", "...")} and ${left.length} more: `, left, pen.width, 2));
  return notes.map(pen.quiet);
}
