import {
  type BarsChart,
  type Chart,
  type HeatmapChart,
  heatmapSize,
  type PanelsChart,
  type PieChart,
  type SingleChart,
} from "./chart.ts";
import { distinct } from "./marks.ts";
import { type Drawn, emptyParts, grey, label, palette, tipTitles, type VegaLiteSpec, whole } from "./vega-base.ts";
import { boxesParts } from "./vega-boxes.ts";
import { columnsParts } from "./vega-columns.ts";
import { forecastSpec } from "./vega-forecast.ts";
import { gapsParts } from "./vega-gaps.ts";
import { pairsParts } from "./vega-pairs.ts";
import { pointsParts } from "./vega-points.ts";
import { ownSpec } from "./vega-spec.ts";
import { swarmSpec } from "./vega-swarm.ts";
import { waterfallSpec } from "./vega-waterfall.ts";

export type { VegaLiteSpec } from "./vega-base.ts";

/**
 * A chart as a Vega-Lite 5 specification with its data inside.
 *
 * Fields have short names of our own; what came from data stands only in values and titles, where Vega
 * reads plain text. Uses only what vega-lite 5.6 knows, and compiles with 6 as well.
 */
export function toVegaLite(chart: Chart): VegaLiteSpec {
  if (chart.kind === "spec") return ownSpec(chart);
  if (chart.kind === "swarm") return swarmSpec(chart);
  if (chart.kind === "waterfall") return waterfallSpec(chart);
  if (chart.kind === "forecast") return forecastSpec(chart);
  const { subtitle, parts } = chart.kind === "panels" ? panelsParts(chart) : partsOf(chart);
  return whole(chart.title, subtitle, parts);
}

/** A picture; one of several is still, since what a mouse does in it has no meaning in the others. */
function partsOf(chart: SingleChart, isStill = false): Drawn {
  switch (chart.kind) {
    case "points":
    case "lines":
      return pointsParts(chart, isStill);
    case "pie":
      return pieParts(chart);
    case "bars":
      return barsParts(chart);
    case "columns":
      return columnsParts(chart);
    case "boxes":
      return boxesParts(chart);
    case "heatmap":
      return heatmapParts(chart);
    case "gaps":
      return gapsParts(chart);
    case "pairs":
      return pairsParts(chart);
  }
}

/** The size of each of several pictures that stand beside each other, where nobody asked for another. */
function panelSize({ kind }: SingleChart): { readonly width?: number; readonly height?: number } {
  if (kind === "heatmap" || kind === "pie" || kind === "gaps") return {};
  return kind === "pairs" ? { width: 90, height: 90 } : { width: 190, height: 150 };
}

/** Pictures beside each other, with one legend for all of them. */
function panelsParts({ by, panels }: PanelsChart): Drawn {
  const concat = panels.map(({ name, chart }) => {
    const { subtitle, parts } = partsOf({ ...panelSize(chart), ...chart }, true);
    return { title: { text: label(name) || "(empty)", subtitle: label(subtitle), fontSize: 11 }, ...parts };
  });
  const isBroad = panels.some(({ chart }) => chart.kind === "pairs" || chart.kind === "gaps");
  const shared = { color: "shared", shape: "shared", strokeDash: "shared" };
  return {
    subtitle: `a picture for each ${by}`,
    parts: {
      concat,
      columns: isBroad ? 1 : Math.min(3, panels.length),
      resolve: { scale: shared },
    },
  };
}

function pieParts(chart: PieChart): Drawn {
  const labels = distinct(chart.slices.map((slice) => label(slice.label) || "(empty)"));
  const amounts = chart.slices.map((slice) => (slice.value > 0 && Number.isFinite(slice.value) ? slice.value : 0));
  const total = amounts.reduce((sum, value) => sum + value, 0);
  const subtitle = `${chart.slices.length} slices, total ${Number(total.toPrecision(6)).toLocaleString("en-US")}`;
  if (total === 0) return emptyParts(subtitle);
  const values = amounts.map((v, o) => {
    const share = v / total;
    const p = `${(100 * share).toFixed(1)}%`;
    return { l: labels[o], v, o, p, t: share >= 0.03 ? p : "" };
  });
  const shared = {
    theta: { field: "v", type: "quantitative", stack: true },
    order: { field: "o", type: "quantitative" },
    detail: { field: "l", type: "nominal" },
  };
  const tooltip = [
    { field: "l", type: "nominal", title: "label" },
    { field: "v", type: "quantitative", title: "value" },
    { field: "p", type: "nominal", title: "share" },
  ];
  const color = { field: "l", type: "nominal", sort: null, title: null, scale: { domain: labels, range: palette } };
  const width = chart.width ?? 300;
  const height = chart.height ?? 270;
  const radius = Math.max(10, Math.min(width - 90, height - 60) / 2);
  const parts = {
    width,
    height,
    data: { values },
    layer: [
      {
        mark: { type: "arc", outerRadius: radius, stroke: "white", strokeWidth: 1 },
        encoding: { ...shared, color, tooltip },
      },
      {
        mark: { type: "text", radius: radius + 19, color: grey, fontSize: 11 },
        encoding: { ...shared, text: { field: "t", type: "nominal" } },
      },
    ],
  };
  return { subtitle, parts };
}

function barsParts(chart: BarsChart): Drawn {
  const labels = distinct(chart.bars.map((bar) => label(bar.label) || "(empty)"));
  const subtitle = `n = ${chart.bars.length}`;
  const values = chart.bars.map((bar, k) => ({
    l: labels[k],
    v: Number.isFinite(bar.value) ? bar.value : null,
    t: barWords(bar.value),
  }));
  if (values.every((row) => row.v === null)) return emptyParts(subtitle);
  const value = label(chart.value);
  const width = chart.width ?? 420;
  const y = { field: "l", type: "nominal", sort: null, title: null };
  const x = { field: "v", type: "quantitative", title: value || null, scale: { domain: barsDomain(chart, width) } };
  const [tipLabel, tipValue] = tipTitles([
    ["label", ""],
    [value, "value"],
  ]);
  const tooltip = [
    { field: "l", type: "nominal", title: tipLabel },
    { field: "v", type: "quantitative", title: tipValue },
  ];
  const end = "datum.v < 0";
  const parts = {
    width,
    height: chart.height ?? { step: 20 },
    data: { values },
    layer: [
      { mark: { type: "bar", color: palette[0] }, encoding: { y, x, tooltip } },
      {
        mark: {
          type: "text",
          color: grey,
          align: { expr: `${end} ? 'right' : 'left'` },
          dx: { expr: `${end} ? -3 : 3` },
        },
        encoding: { y, x, text: { field: "t", type: "nominal" } },
      },
    ],
  };
  return { subtitle, parts };
}

function barWords(value: number): string {
  return Number.isFinite(value) ? String(Number(value.toPrecision(4))) : "no value";
}

/** From zero to the longest bar, on each side that has one, with room for its words. */
function barsDomain(chart: BarsChart, width: number): [number, number] {
  const values = chart.bars.map((bar) => bar.value).filter(Number.isFinite);
  // A digit takes seven pixels.
  const letters = values.reduce((most, value) => Math.max(most, barWords(value).length), 5);
  const room = Math.min(width / 4, 7 * letters + 1);
  const low = values.reduce((least, value) => Math.min(least, value), 0);
  const high = values.reduce((most, value) => Math.max(most, value), 0);
  if (low === high) return [0, 1];
  const sides = (low < 0 ? 1 : 0) + (high > 0 ? 1 : 0);
  const pad = ((high - low) * room) / (width - sides * room);
  return [low < 0 ? low - pad : 0, high > 0 ? high + pad : 0];
}

/** Of so many cells a heatmap has words in each; of more, those that are 0 are left blank. */
const mostSingly = 2500;

function heatmapParts(chart: HeatmapChart): Drawn {
  const rows = distinct(chart.rows.map((name) => label(name)));
  const columns = distinct(chart.columns.map((name) => label(name)));
  const all = chart.values.flat().filter((value): value is number => value !== null && Number.isFinite(value));
  const subtitle = `${rows.length} × ${columns.length} cells, n = ${heatmapSize(chart)}`;
  if (all.length === 0) return emptyParts(subtitle);
  const low = all.reduce((least, value) => Math.min(least, value));
  const high = all.reduce((most, value) => Math.max(most, value));
  const isDiverging = chart.scale === "diverging";
  const reach = Math.max(Math.abs(low), Math.abs(high)) || 1;
  const domain = isDiverging ? [-reach, reach] : [low, high > low ? high : low + 1];
  const places = all.every(Number.isInteger) ? 0 : Math.max(0, Math.min(4, 2 - Math.ceil(Math.log10(reach))));
  const isSingly = all.length <= mostSingly;
  const isBlank = (v: number) => !isSingly && !isDiverging && v === 0 && low === 0 && high > 0;
  const values = rows.flatMap((r, i) =>
    columns.flatMap((c, j) => {
      const v = chart.values[i]?.[j] ?? null;
      if (v === null || !Number.isFinite(v) || isBlank(v)) return [];
      const strength = isDiverging ? Math.abs(v) / reach : (v - domain[0]) / (domain[1] - domain[0]);
      return [{ r, c, v, t: v.toFixed(places), k: strength > 0.6 ? 1 : 0 }];
    }),
  );
  const step = chart.width
    ? Math.max(1, Math.floor(chart.width / columns.length))
    : Math.max(12, Math.min(56, Math.floor(460 / columns.length)));
  const hasWords = isSingly && values.every((row) => row.t.length * 6 + 4 <= step);
  const scheme = isDiverging ? { scheme: "redblue", reverse: true, domain } : { scheme: "blues", domain };
  const color = { field: "v", type: "quantitative", title: null, scale: scheme };
  const axes = heatmapPlaces(chart, rows, columns, step);
  const cells = { mark: "rect", encoding: { ...axes, color, tooltip: heatmapTips(chart) } };
  const ink = { condition: { test: "datum.k === 1", value: "white" }, value: "#222222" };
  const words = {
    mark: { type: "text", fontSize: 10 },
    encoding: { ...axes, text: { field: "t", type: "nominal" }, color: ink },
  };
  const parts = {
    width: chart.width ?? { step },
    height: chart.height ?? { step: Math.max(14, Math.min(32, step)) },
    data: { values },
    layer: hasWords ? [cells, words] : [cells],
  };
  return { subtitle, parts };
}

/** The axes of a heatmap; their domains are given, so that a row of holes keeps its place. */
function heatmapPlaces(chart: HeatmapChart, rows: string[], columns: string[], step: number): VegaLiteSpec {
  const isLong = columns.some((name) => name.length * 6 > step);
  const title = (words: string | undefined) => (words ? label(words) : null);
  return {
    x: {
      field: "c",
      type: "nominal",
      title: title(chart.columnTitle),
      scale: { domain: columns },
      axis: { labelAngle: isLong ? -45 : 0, labelLimit: 160 },
    },
    y: { field: "r", type: "nominal", title: title(chart.rowTitle), scale: { domain: rows } },
  };
}

function heatmapTips(chart: HeatmapChart): VegaLiteSpec[] {
  const [row, column, value] = tipTitles([
    [chart.rowTitle ?? "", "row"],
    [chart.columnTitle ?? "", "column"],
    ["value", ""],
  ]);
  return [
    { field: "r", type: "nominal", title: row },
    { field: "c", type: "nominal", title: column },
    { field: "v", type: "quantitative", title: value },
  ];
}
