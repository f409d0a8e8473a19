import type {
  BarsChart,
  BoxesChart,
  ColumnsChart,
  ForecastChart,
  HeatmapChart,
  PanelsChart,
  PieChart,
  PointsChart,
  SwarmChart,
  WaterfallChart,
} from "../../src/core/chart.ts";
import { onCommonAxes } from "../../src/core/panels.ts";
import type { FactsView, TableView, TreeView } from "../../src/core/view.ts";

/** Pseudo-random numbers from 0 to 1, the same in every run. */
export function randoms(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1664525 + 1013904223) % 4294967296;
    return state / 4294967296;
  };
}

/** A table with roles, types, holes and a total. */
export const penguins: TableView = {
  kind: "table",
  title: "penguins",
  columns: [
    { name: "species", type: "category", role: "y" },
    { name: "island", type: "string", role: "x" },
    { name: "bill_length_mm", type: "number", role: "x", missing: 2 },
    { name: "bill_depth_mm", type: "number", role: "x", missing: 2 },
    { name: "body_mass_g", type: "integer", role: "x" },
    { name: "tagged", type: "datetime" },
    { name: "ok", type: "boolean" },
  ],
  rows: [
    ["Adelie", "Torgersen", 39.1, 18.7, 3750, "2007-11-11T00:00:00", true],
    ["Adelie", "Torgersen", 39.5, 17.4, 3800, "2007-11-11T00:00:00", false],
    ["Adelie", null, null, null, null, null, null],
    ["Chinstrap", "Dream", 46.125, 17, 3500, "2008-11-16T00:00:00", true],
  ],
  total: 344,
};

/** Everything that could steer a terminal or a browser, in cells and names. */
export const hostile: TableView = {
  kind: "table",
  title: "<script>alert(1)</script>\x1b[31m",
  columns: [
    { name: '<img src=x onerror="alert(1)">', type: "string" },
    { name: "red\x1b[31m", type: "string" },
    { name: "$\\alpha$", type: "number" },
  ],
  rows: [
    ["<b>&amp;</b>", "\x1b]0;owned\x07line\nbreak\ttab", 1],
    ['"; DROP TABLE x', "\u202etxt.exe\u200b", Number.NaN],
    ["", "·", null],
    [" padded ", null, Number.POSITIVE_INFINITY],
  ],
};

/** Correlations, tinted. */
export const correlations: TableView = {
  kind: "table",
  columns: [
    { name: "", type: "text" },
    { name: "age", type: "number", tint: "diverging", digits: 2 },
    { name: "fare", type: "number", tint: "diverging", digits: 2 },
  ],
  rows: [
    ["age", 1, -0.63],
    ["fare", -0.63, 1],
  ],
};

/** Labelled values. */
export const facts: FactsView = {
  kind: "facts",
  title: "Linear regression",
  items: [
    { label: "R²", value: 0.93215678, note: "on 40 test rows" },
    { label: "features", value: "bill_length_mm, bill_depth_mm, body_mass_g, flipper_length_mm, sex_male, year" },
    { label: "intercept", value: null },
    { label: "exact", value: true },
    { label: "rows", value: 1234567 },
  ],
};

function cluster(name: string, n: number, cx: number, cy: number, seed: number) {
  const next = randoms(seed);
  const round = (value: number) => Math.round(value * 10) / 10 + 0;
  const bell = () => next() + next() + next() - 1.5;
  return {
    name,
    x: Array.from({ length: n }, () => round(cx + bell())),
    y: Array.from({ length: n }, () => round(cy + bell() * 0.6)),
  };
}

/** Three groups of points. */
export const scatter: PointsChart = {
  kind: "points",
  title: "petal_length and petal_width",
  x: { title: "petal_length", type: "number" },
  y: { title: "petal_width", type: "number" },
  colour: "species",
  series: [
    cluster("setosa", 50, 1.5, 0.4, 1),
    cluster("versicolor", 50, 4.2, 1.3, 2),
    cluster("virginica", 50, 5.5, 2, 3),
  ],
};

/** Predictions against the truth, with the line where they agree. */
export const fit: PointsChart = {
  kind: "points",
  title: "Predicted and actual fare",
  x: { title: "actual", type: "number" },
  y: { title: "predicted", type: "number" },
  series: [cluster("", 200, 10, 10, 7)],
  sampledFrom: 48_211,
  reference: { from: [8.5, 8.5], to: [11.5, 11.5] },
};

const days = Array.from({ length: 200 }, (_, i) => new Date(Date.UTC(2024, 0, 1 + i)).toISOString());

/** A year of days in two cities, one with a gap. */
export const lines: PointsChart = {
  kind: "lines",
  title: "Temperature by day",
  x: { title: "day", type: "datetime" },
  y: { title: "°C", type: "number" },
  colour: "city",
  series: [
    { name: "Lagos", x: days, y: days.map((_, i) => 27 + 3 * Math.sin(i / 20)) },
    { name: "Oslo", x: days, y: days.map((_, i) => (i > 80 && i < 110 ? null : 6 + 12 * Math.sin(i / 60 - 1))) },
  ],
};

/** The same as areas on each other, in whole numbers. */
export const areas: PointsChart = {
  ...lines,
  title: "Rain by day",
  fill: "stacked",
  series: [
    { name: "Lagos", x: days, y: days.map((_, i) => (i * 7) % 30) },
    { name: "Oslo", x: days, y: days.map((_, i) => (i > 80 && i < 110 ? 0 : (i * 3) % 20)) },
  ],
};

/** Marks over categories. */
export const categories: PointsChart = {
  kind: "points",
  title: "Bill by island",
  x: { title: "bill_length_mm", type: "number" },
  y: { title: "island", type: "category" },
  series: [
    {
      name: "",
      x: [39.1, 40, 46, 50, 38.5, null],
      y: ["Torgersen", "Torgersen", "Dream", "Biscoe", "Biscoe", "Dream"],
    },
  ],
};

/** Shares of passengers. */
export const pie: PieChart = {
  kind: "pie",
  title: "counts of class",
  slices: [
    { label: "Third", value: 491 },
    { label: "First", value: 216 },
    { label: "Second", value: 184 },
    { label: "Crew", value: 1 },
  ],
};

/** Coefficients, some negative. */
export const bars: BarsChart = {
  kind: "bars",
  title: "Coefficients",
  value: "coefficient",
  bars: [
    { label: "sex_female", value: 2.5123 },
    { label: "age", value: -0.0412 },
    { label: "pclass", value: -1.1 },
    { label: "fare", value: 0.0021 },
  ],
};

/** Counts of bins, in two colours. */
export const bins: ColumnsChart = {
  kind: "columns",
  title: "age by sex",
  x: { title: "age", type: "number" },
  y: { title: "rows", type: "number" },
  places: ["0 – 20", "20 – 40", "40 – 60", "60 – 80"],
  edges: [0, 20, 40, 60, 80],
  series: [
    { name: "female", values: [20, 60, 30, 2] },
    { name: "male", values: [35, 120, 55, 0] },
  ],
  colour: "sex",
  isStacked: true,
  rows: 322,
};

/** Means side by side, some below zero, one that is not there. */
export const means: ColumnsChart = {
  kind: "columns",
  title: "mean change by city and year",
  x: { title: "city", type: "category" },
  y: { title: "mean change", type: "number" },
  places: ["Accra", "Lagos <b>", "Zurich"],
  series: [
    { name: "2023", values: [-1.5, 0.25, 2] },
    { name: "2024", values: [3, null, -0.125] },
  ],
  colour: "year",
  isStacked: false,
  rows: 60,
};

/** Shares of each bar in colours, lying, below zero too. */
export const stacked: ColumnsChart = {
  ...means,
  title: "sum of change by city and year",
  isStacked: true,
  isHorizontal: true,
};

/** Boxes, one of them of a single value, on a logarithmic scale. */
export const boxes: BoxesChart = {
  kind: "boxes",
  title: "fare by class",
  x: { title: "class", type: "category" },
  y: { title: "fare", type: "number", log: true },
  boxes: [
    { name: "First", n: 216, low: 5, q1: 30.9, median: 60.3, q3: 93.5, high: 164.9, outliers: [211.5, 263, 512.3] },
    { name: "Second", n: 184, low: 10.5, q1: 13, median: 14.3, q3: 26, high: 41.6, outliers: [65, 73.5] },
    { name: "Crew", n: 1, low: 7, q1: 7, median: 7, q3: 7, high: 7, outliers: [] },
  ],
  rows: 401,
};

/** A swarm of numbers, one of words, which have no order, and one in which nothing moves. */
export const swarm: SwarmChart = {
  kind: "swarm",
  title: "SHAP values: share in fare",
  value: "share in fare",
  size: "mean share",
  swarms: [
    { name: "age", size: 4.2, x: [-6.1, 2.4, 4.1, 4.2], shade: [0, 0.4, 0.9, 1], cells: ["4", "22", "61", "70"] },
    { name: "sex", size: 1.5, x: [-1.5, 1.5, 1.5, -1.5], shade: [null, null, null, null], cells: ["m", "f", "f", "m"] },
    { name: "deck", size: 0, x: [0, 0, 0, 0], shade: [null, null, null, null], cells: ["A", "B", "", "A"] },
  ],
  rows: 4,
  sampledFrom: 2201,
};

/** Steps up and down, from a base to an answer. */
export const waterfall: WaterfallChart = {
  kind: "waterfall",
  title: "why row 17: from the base to fare",
  value: "fare",
  start: 33.3,
  steps: [
    { name: "class = First", value: 41.25 },
    { name: "age = 4", value: -6.1 },
    { name: "sex = m", value: 0 },
  ],
};

/** A series with its forecast, and some of what then came. */
export const forecast: ForecastChart = {
  kind: "forecast",
  title: "sales: 4 months ahead",
  x: { title: "month", type: "datetime" },
  y: { title: "sales", type: "number" },
  history: {
    x: Array.from({ length: 24 }, (_, k) => `${2024 + Math.floor(k / 12)}-${String((k % 12) + 1).padStart(2, "0")}-01`),
    y: Array.from({ length: 24 }, (_, k) => 100 + 2 * k + (k % 12 < 6 ? 0 : 30)),
  },
  steps: 60,
  ahead: {
    x: ["2026-01-01", "2026-02-01", "2026-03-01", "2026-04-01"],
    mean: [148, 150, 152, 154],
    low: [140, 138, 136, 134],
    high: [156, 162, 168, 174],
  },
  level: 0.95,
  actual: { x: ["2026-01-01", "2026-02-01"], y: [151, 139] },
};

/** The least that can be foreseen: one step, after one that is known. */
export const shortForecast: ForecastChart = {
  ...forecast,
  title: "one step",
  history: { x: ["2025-12-01"], y: [7] },
  ahead: { x: ["2026-01-01"], mean: [7], low: [7], high: [7] },
  actual: { x: [], y: [] },
};

/** Small pictures on common axes. */
export const panels: PanelsChart = {
  kind: "panels",
  title: "age by class",
  by: "class",
  panels: onCommonAxes([
    { name: "First", chart: { ...bins, rows: 322 } },
    {
      name: "Crew",
      chart: { ...bins, series: bins.series.map((each) => ({ ...each, values: [1, 0, 0, 0] })), rows: 2 },
    },
    { name: "", chart: { ...bins, series: [], rows: 0 } },
  ]),
};

/** Correlations as a picture. */
export const heatmap: HeatmapChart = {
  kind: "heatmap",
  title: "Correlations",
  rows: ["bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g"],
  columns: ["bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g"],
  values: [
    [1, -0.2351, 0.6562, 0.5951],
    [-0.2351, 1, -0.5839, -0.4719],
    [0.6562, -0.5839, 1, 0.8712],
    [0.5951, -0.4719, 0.8712, null],
  ],
  scale: "diverging",
};

/** Counts of a classifier's answers. */
export const confusion: HeatmapChart = {
  kind: "heatmap",
  title: "Confusion",
  rowTitle: "actual",
  columnTitle: "predicted",
  rows: ["Adelie", "Chinstrap", "Gentoo"],
  columns: ["Adelie", "Chinstrap", "Gentoo"],
  values: [
    [50, 2, 0],
    [3, 20, 1],
    [0, 0, 41],
  ],
  scale: "sequential",
  isCount: true,
};

/** More cells than a terminal has columns. */
export const wideHeatmap: HeatmapChart = {
  kind: "heatmap",
  title: "Many correlations",
  rows: Array.from({ length: 24 }, (_, i) => `feature_${i}`),
  columns: Array.from({ length: 24 }, (_, i) => `feature_${i}`),
  values: Array.from({ length: 24 }, (_, i) =>
    Array.from({ length: 24 }, (_, j) => (i === j ? 1 : Math.cos(i * 2 + j * j))),
  ),
  scale: "diverging",
};

/** A curve that goes straight up, and the diagonal. */
export const roc: PointsChart = {
  kind: "lines",
  path: true,
  rows: 90,
  title: "ROC and the area under it",
  x: { title: "false positive rate", type: "number" },
  y: { title: "true positive rate", type: "number" },
  series: [{ name: "0.880 yes", x: [0, 0, 0.2, 0.2, 0.6, 1], y: [0, 0.6, 0.6, 0.9, 1, 1] }],
  reference: { from: [0, 0], to: [1, 1] },
};

/** A small decision tree, one name far too long. */
export const tree: TreeView = {
  kind: "tree",
  title: "tree of 4 leaves, 3 levels of questions",
  root: {
    label: "petal_width",
    rest: " ≤ 0.8",
    branches: [
      { when: "yes", then: { label: "setosa", note: "36 rows" } },
      {
        when: "no",
        then: {
          label: `petal_length_${"as_it_was_measured_".repeat(5)}`,
          rest: " ≤ 4.75",
          branches: [
            { when: "yes", then: { label: "versicolor", note: "97% of 31 rows" } },
            { when: "no", then: { label: "…", note: "2 leaves for 38 rows" } },
          ],
        },
      },
    ],
  },
};
