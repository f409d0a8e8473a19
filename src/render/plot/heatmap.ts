import { type HeatmapChart, heatmapSize } from "../../core/chart.ts";
import { formatNumbers } from "../numbers.ts";
import type { Pen } from "../pen.ts";
import { cut, pad, widthOf, wrap, wrapNames } from "../words.ts";

const mostRows = 60;

interface Grid {
  readonly chart: HeatmapChart;
  readonly pen: Pen;
  readonly rows: readonly string[];
  readonly columns: readonly string[];
  /** -1 to 1 around zero when diverging, else 0 to 1 between the ends; null where there is no value. */
  share(row: number, column: number): number | null;
}

/** A grid of numbers, tinted in colour; where they don't fit, half-blocks or tenths of the range. */
export function heatmapLines(chart: HeatmapChart, pen: Pen): string[] {
  const values = chart.values.flat().filter((value): value is number => value !== null && Number.isFinite(value));
  const size = `${chart.rows.length} ${pen.pick("×", "x")} ${chart.columns.length} cells, n = ${heatmapSize(chart)}`;
  if (values.length === 0) return [pen.quiet(size), pen.quiet("(nothing to draw)")];
  let low = values[0];
  let high = values[0];
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  const isDiverging = chart.scale === "diverging";
  const reach = Math.max(Math.abs(low), Math.abs(high)) || 1;
  const grid: Grid = {
    chart,
    pen,
    rows: chart.rows.map(pen.safe),
    columns: chart.columns.map(pen.safe),
    share: (row, column) => {
      const value = chart.values[row]?.[column] ?? null;
      if (value === null || !Number.isFinite(value)) return null;
      return isDiverging ? value / reach : high > low ? (value - low) / (high - low) : 0.5;
    },
  };
  const [from, to] = formatNumbers([low, high], 4);
  const titles = [chart.rowTitle && `rows: ${chart.rowTitle}`, chart.columnTitle && `columns: ${chart.columnTitle}`];
  const summary = [`${size}, from ${from} to ${to}`, ...titles.filter(Boolean)].join("; ");
  const picture =
    numberGrid(grid) ?? (pen.colour && pen.unicode ? blockGrid(grid) : tenthsGrid(grid, reach, low, high));
  return [...wrap(pen.safe(summary), pen.width).map(pen.quiet), ...picture];
}

/** Numbers in cells; null when they don't fit. Columns are numbered when their names don't fit. */
function numberGrid(grid: Grid): string[] | null {
  const { chart, pen, rows, columns } = grid;
  if (rows.length > mostRows) return null;
  const flat = chart.rows.flatMap((_, i) => chart.columns.map((_, j) => chart.values[i]?.[j] ?? null));
  const numbers = flat.filter((value) => value !== null);
  // Correlations are compared, so they have the same digits.
  const reach = numbers.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const isCorrelation = chart.scale === "diverging" && reach > 0.1 && reach < 1.005;
  const formatted = formatNumbers(numbers, 3, isCorrelation ? 2 : undefined);
  let next = 0;
  const words = flat.map((value) => (value === null ? pen.pick("·", "null") : formatted[next++]));
  const cell = words.reduce((most, word) => Math.max(most, word.length), 1);
  const named = layout(rows, Math.max(cell, ...columns.map(widthOf)), columns.length, pen);
  const isSquare = rows.length === columns.length && rows.every((name, i) => name === columns[i]);
  const numbered = rows.map((name, i) =>
    isSquare ? `${String(i + 1).padStart(String(rows.length).length)} ${name}` : name,
  );
  const short = named ? null : layout(numbered, Math.max(cell, String(columns.length).length), columns.length, pen);
  const plan = named ?? short;
  if (!plan) return null;
  const heads = named ? columns : columns.map((_, j) => String(j + 1));
  const lines = [`${" ".repeat(plan.label)}${heads.map((head) => ` ${pad(head, plan.cell, "right")}`).join("")}`];
  (named ? rows : numbered).forEach((name, i) => {
    const cells = columns.map((_, j) => {
      const text = ` ${pad(words[i * columns.length + j], plan.cell, "right")}`;
      const share = grid.share(i, j);
      return share === null ? pen.quiet(text) : pen.tint(share, chart.scale === "diverging", text);
    });
    lines.push(`${pad(cut(name, plan.label), plan.label)}${cells.join("")}`);
  });
  const isKeyed = !named && !isSquare;
  const key = isKeyed
    ? wrapNames(
        "columns: ",
        columns.map((name, j) => `${j + 1} ${name}`),
        pen.width,
        6,
      )
    : [];
  return [...lines, ...key.map(pen.quiet)];
}

function layout(
  rows: readonly string[],
  cell: number,
  count: number,
  pen: Pen,
): { label: number; cell: number } | null {
  const longest = Math.max(...rows.map(widthOf));
  const label = Math.min(longest, Math.max(8, pen.width - count * (cell + 1)));
  const isTooNarrow = label < Math.min(longest, 12);
  return isTooNarrow || label + count * (cell + 1) > pen.width ? null : { label, cell };
}

function labelWidth({ rows, pen }: Grid): number {
  return Math.min(Math.max(...rows.map(widthOf)), Math.floor(pen.width * 0.3));
}

/** Two rows per line, in colours alone; the scale stands below. */
function blockGrid(grid: Grid): string[] {
  const { chart, pen, rows, columns } = grid;
  const label = labelWidth(grid);
  const count = Math.min(columns.length, pen.width - label - 1);
  const isDiverging = chart.scale === "diverging";
  const lines: string[] = [];
  for (let i = 0; i < Math.min(rows.length, 2 * mostRows); i += 2) {
    let line = `${pad(cut(rows[i], label), label)} `;
    for (let j = 0; j < count; j++) {
      line += pen.halves(grid.share(i, j), i + 1 < rows.length ? grid.share(i + 1, j) : null, isDiverging);
    }
    lines.push(line);
  }
  const steps = isDiverging ? [-1, -0.75, -0.5, -0.25, 0, 0.25, 0.5, 0.75, 1] : [0, 0.25, 0.5, 0.75, 1];
  const strip = steps.map((step) => pen.halves(step, step, isDiverging)).join("");
  const note = ` ${isDiverging ? "low to high, centred on 0" : "low to high"}; two rows a line, every second one named`;
  return [...lines, strip + pen.quiet(cut(note, pen.width - steps.length)), ...omitted(grid, 2 * mostRows, count)];
}

/** One or two characters a cell: tenths of the range, so that the picture is legible without colour. */
function tenthsGrid(grid: Grid, reach: number, low: number, high: number): string[] {
  const { chart, pen, rows, columns } = grid;
  const label = labelWidth(grid);
  const isDiverging = chart.scale === "diverging";
  const wide = isDiverging ? 3 : 2;
  const count = Math.min(columns.length, Math.floor((pen.width - label) / wide));
  const lines = rows.slice(0, mostRows).map((name, i) => {
    const cells = Array.from({ length: count }, (_, j) => {
      const share = grid.share(i, j);
      if (share === null) return pen.pick("·", ".").padStart(wide);
      const tenths = Math.min(9, Math.floor(Math.abs(share) * 10));
      return `${isDiverging && tenths > 0 ? (share > 0 ? "+" : "-") : ""}${tenths}`.padStart(wide);
    });
    return pad(cut(name, label), label) + cells.join("");
  });
  const [size, from, to] = formatNumbers([reach, low, high], 4);
  const note = isDiverging ? `tenths of ${size}` : `0 is ${from}, 9 the tenth up to ${to}`;
  return [...lines, ...wrap(note, pen.width).map(pen.quiet), ...omitted(grid, mostRows, count)];
}

function omitted({ rows, columns, pen }: Grid, shownRows: number, shownColumns: number): string[] {
  const lines: string[] = [];
  const dots = pen.pick("…", "...");
  const names = columns.slice(0, shownColumns);
  if (columns.every((name, j) => name === rows[j])) lines.push("columns: in the order of the rows");
  else lines.push(...wrapNames("columns: ", names, pen.width, 4));
  const left = columns.slice(shownColumns);
  if (left.length > 0)
    lines.push(
      ...wrapNames(`${dots} and ${left.length} more column${left.length === 1 ? "" : "s"}: `, left, pen.width),
    );
  if (rows.length > shownRows)
    lines.push(`${dots} and ${rows.length - shownRows} more row${rows.length - shownRows === 1 ? "" : "s"}`);
  return lines.flatMap((line) => wrap(line, pen.width)).map(pen.quiet);
}
