import type {
  BarsChart,
  BoxesChart,
  Chart,
  ColumnsChart,
  ForecastChart,
  GapsChart,
  HeatmapChart,
  PairsChart,
  PanelsChart,
  PieChart,
  PointsChart,
  SwarmChart,
  ToldRows,
  WaterfallChart,
} from "../core/chart.ts";
import { countOfMarks, type MarkAxis, marksOf } from "../core/marks.ts";
import { forecastSize } from "../core/vega-forecast.ts";
import { gapsSize } from "../core/vega-gaps.ts";
import { pairsSize } from "../core/vega-pairs.ts";
import { swarmSize } from "../core/vega-swarm.ts";
import { waterfallSize } from "../core/vega-waterfall.ts";
import { formatNumber } from "./numbers.ts";
import type { Pen } from "./pen.ts";
import { wrap } from "./words.ts";

const mostLines = 20;

/** A chart in words, for who listens to it: what it shows, its ranges, and what each series does. */
export function describedLines(chart: Chart, pen: Pen): string[] {
  const lines = [`Chart: ${chart.title}.`, ...wordsOf(chart)];
  return lines.flatMap((line) => wrap(pen.safe(line), pen.width));
}

function wordsOf(chart: Chart): string[] {
  switch (chart.kind) {
    case "points":
    case "lines":
      return pointsWords(chart);
    case "pie":
      return pieWords(chart);
    case "bars":
      return barsWords(chart);
    case "columns":
      return columnsWords(chart);
    case "boxes":
      return boxesWords(chart);
    case "heatmap":
      return heatmapWords(chart);
    case "gaps":
      return gapsWords(chart);
    case "pairs":
      return pairsWords(chart);
    case "spec":
      return [
        `${chart.subtitle}.`,
        ...chart.told.flatMap((told) => (told.kind === "rows" ? rowsWords(told) : wordsOf(told))),
      ];
    case "swarm":
      return swarmWords(chart);
    case "waterfall":
      return waterfallWords(chart);
    case "forecast":
      return forecastWords(chart);
    case "panels":
      return panelsWords(chart);
  }
}

function pointsWords(chart: PointsChart): string[] {
  const marks = marksOf(chart);
  const series = marks.series.map(({ name, x, y }) => {
    const drawn = y.map((_, k) => k).filter((k) => !Number.isNaN(y[k]));
    const [xs, ys] = [drawn.map((k) => x[k]), drawn.map((k) => y[k])];
    const label = name === "" ? "All" : name;
    if (ys.length === 0) return `${label}: no marks.`;
    if (chart.kind === "lines") return `${label}: ${lineWords(xs, ys, marks.x, marks.y)}.`;
    const mean = ys.reduce((sum, value) => sum + value, 0) / ys.length;
    const trend = marks.x.type === "category" || marks.y.type === "category" ? "" : trendWords(xs, ys);
    const middle = marks.y.type === "number" ? `, mean ${formatNumber(mean, 4)}` : "";
    return `${label}: ${ys.length} points, ${rangeWords(ys, marks.y)}${middle}${trend}.`;
  });
  const axes = [marks.x, marks.y].map((axis) => `${axis.title} ${axisWords(axis)}`);
  return [`${countOfMarks(marks, chart)}.`, `${axes.join("; ")}.`, ...shortened(series)];
}

function lineWords(xs: readonly number[], ys: readonly number[], x: MarkAxis, y: MarkAxis): string {
  const at = (k: number) => `${said(ys[k], y)} at ${said(xs[k], x)}`;
  return `from ${at(0)} to ${at(ys.length - 1)}, ${rangeWords(ys, y)}`;
}

function rangeWords(values: readonly number[], axis: MarkAxis): string {
  const [least, most] = ends(values);
  return `${axis.title} from ${said(least, axis)} to ${said(most, axis)}`;
}

function axisWords(axis: MarkAxis): string {
  if (axis.type === "category") return `with ${axis.categories.length} categories`;
  return Number.isNaN(axis.min) ? "without values" : `from ${said(axis.min, axis)} to ${said(axis.max, axis)}`;
}

function said(value: number, axis: MarkAxis): string {
  if (axis.type === "category") return axis.categories[value] ?? String(value);
  if (axis.type === "datetime") return new Date(value).toISOString().replace(/T00:00:00\.000Z$/, "");
  return formatNumber(value, 4);
}

/** How y goes with x, by Pearson's correlation. */
function trendWords(xs: readonly number[], ys: readonly number[]): string {
  const n = xs.length;
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / n;
  const [mx, my] = [mean(xs), mean(ys)];
  let [xy, xx, yy] = [0, 0, 0];
  for (let k = 0; k < n; k++) {
    xy += (xs[k] - mx) * (ys[k] - my);
    xx += (xs[k] - mx) ** 2;
    yy += (ys[k] - my) ** 2;
  }
  const r = xy / Math.sqrt(xx * yy);
  return Number.isFinite(r) ? `, correlation ${r.toFixed(2)}` : "";
}

function pieWords({ slices }: PieChart): string[] {
  const total = slices.reduce((sum, { value }) => sum + Math.max(0, value), 0);
  const share = (value: number) => (total > 0 ? `, ${((100 * Math.max(0, value)) / total).toFixed(1)}%` : "");
  return shortened(slices.map(({ label, value }) => `${label}: ${formatNumber(value)}${share(value)}.`));
}

function barsWords({ bars, value: title }: BarsChart): string[] {
  return [`${title}:`, ...shortened(bars.map(({ label, value }) => `${label}: ${formatNumber(value, 4)}.`))];
}

function columnsWords({ places, series, y, rows }: ColumnsChart): string[] {
  const bars = series.flatMap(({ name, values }) =>
    values.flatMap((value, k) => {
      if (value === null) return [];
      return [`${places[k]}${name === "" ? "" : `, ${name}`}: ${formatNumber(value, 4)}.`];
    }),
  );
  return [`${rows} rows, ${y.title}:`, ...shortened(bars)];
}

function boxesWords({ boxes, y }: BoxesChart): string[] {
  const one = ({ name, n, low, q1, median, q3, high, outliers }: BoxesChart["boxes"][number]) => {
    const [from, left, middle, right, to] = [low, q1, median, q3, high].map((value) => formatNumber(value, 4));
    const beyond = outliers.length === 0 ? "" : `, ${outliers.length} beyond`;
    return `${name === "" ? "All" : name}: ${n} values, median ${middle}, half of them from ${left} to ${right}, whiskers from ${from} to ${to}${beyond}.`;
  };
  return [`${y.title}:`, ...shortened(boxes.map(one))];
}

function swarmWords(chart: SwarmChart): string[] {
  const [first] = chart.swarms;
  if (!first) return ["Nothing to draw."];
  const one = ({ name, size, x }: SwarmChart["swarms"][number]) => {
    const [least, most] = ends(x);
    return `${name}: ${chart.size} ${formatNumber(size, 4)}, from ${formatNumber(least, 4)} to ${formatNumber(most, 4)}.`;
  };
  return [`${swarmSize(chart)}; ${chart.value}:`, ...shortened(chart.swarms.map(one))];
}

function waterfallWords(chart: WaterfallChart): string[] {
  const steps = chart.steps.map(({ name, value }) => `${name}: ${value > 0 ? "+" : ""}${formatNumber(value, 4)}.`);
  return [`${chart.value} ${waterfallSize(chart)}.`, ...shortened(steps)];
}

function forecastWords(chart: ForecastChart): string[] {
  const { x, mean, low, high } = chart.ahead;
  const last = chart.history.y.at(-1);
  const ahead = mean.map(
    (value, k) =>
      `${String(x[k])}: ${formatNumber(value, 4)}, from ${formatNumber(low[k], 4)} to ${formatNumber(high[k], 4)}.`,
  );
  return [
    `${forecastSize(chart)}.`,
    ...(last === undefined ? [] : [`The last ${chart.y.title} is ${formatNumber(last, 4)}. Foreseen:`]),
    ...shortened(ahead),
  ];
}

function panelsWords({ by, panels }: PanelsChart): string[] {
  return panels.flatMap(({ name, chart }) => [`${by} ${name}:`, ...wordsOf(chart)]);
}

function heatmapWords({ rows, columns, values }: HeatmapChart): string[] {
  const cells = values.flatMap((row, i) => row.map((value, k) => ({ value, name: `${rows[i]}, ${columns[k]}` })));
  const known = cells.filter((cell): cell is { value: number; name: string } => Number.isFinite(cell.value));
  const ranked = known.toSorted((a, b) => b.value - a.value);
  const words = ranked.map(({ name, value }) => `${name}: ${formatNumber(value, 4)}.`);
  const size = `${rows.length} rows by ${columns.length} columns`;
  if (words.length <= mostLines) return [`${size}, the largest first.`, ...words];
  return [`${size}. The largest:`, ...words.slice(0, 5), "The smallest:", ...words.slice(-5)];
}

function gapsWords(chart: GapsChart): string[] {
  const { columns, rows, stretches, counts } = chart;
  const told = columns.map(({ name, missing }, k) => {
    const at = stretches.filter((_, i) => counts[k][i] > 0);
    const where = at.length === 0 ? "" : `, between rows ${at[0].from} and ${at[at.length - 1].to - 1}`;
    return `${name}: ${missing} missing, ${((100 * missing) / rows).toFixed(1)}%${where}.`;
  });
  return [`${gapsSize(chart)}.`, ...shortened(told)];
}

function pairsWords(chart: PairsChart): string[] {
  const { columns, correlations } = chart;
  const pairs = columns.flatMap(({ name }, i) =>
    columns.slice(0, i).map((other, j) => ({ words: `${other.name} and ${name}`, r: correlations[i][j] ?? 0 })),
  );
  const ranked = pairs.toSorted((a, b) => Math.abs(b.r) - Math.abs(a.r));
  return [
    `${pairsSize(chart)}. Correlations, the strongest first.`,
    ...shortened(ranked.map(({ words, r }) => `${words}: ${r.toFixed(2)}.`)),
  ];
}

function rowsWords({ title, columns, rows }: ToldRows): string[] {
  const said = (cell: unknown) => (typeof cell === "number" ? formatNumber(cell, 4) : String(cell ?? "missing"));
  return [
    `${title}:`,
    ...shortened(rows.map((row) => `${row.map((cell, k) => `${columns[k].name} ${said(cell)}`).join(", ")}.`)),
  ];
}

function shortened(lines: readonly string[]): string[] {
  const rest = lines.length - mostLines;
  return rest > 0 ? [...lines.slice(0, mostLines), `And ${rest} more.`] : [...lines];
}

function ends(values: readonly number[]): [number, number] {
  return values.reduce<[number, number]>(
    ([least, most], value) => [Math.min(least, value), Math.max(most, value)],
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  );
}
