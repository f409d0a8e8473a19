import { type BarsChart, type Chart, type HeatmapChart, heatmapSize, type PieChart } from "./chart.ts";
import { distinct } from "./marks.ts";
import { emptySpec, grey, label, palette, tipTitles, type VegaLiteSpec, whole } from "./vega-base.ts";
import { pointsSpec } from "./vega-points.ts";
import { ownSpec } from "./vega-spec.ts";

export type { VegaLiteSpec } from "./vega-base.ts";

/**
 * A chart as a Vega-Lite 5 specification with its data inside.
 *
 * Fields have short names of our own; what came from data stands only in values and titles, where Vega
 * reads plain text. Uses only what vega-lite 5.6 knows, and compiles with 6 as well.
 */
export function toVegaLite(chart: Chart): VegaLiteSpec {
  switch (chart.kind) {
    case "points":
    case "lines":
      return pointsSpec(chart);
    case "pie":
      return pieSpec(chart);
    case "bars":
      return barsSpec(chart);
    case "heatmap":
      return heatmapSpec(chart);
    case "spec":
      return ownSpec(chart);
  }
}

function pieSpec(chart: PieChart): VegaLiteSpec {
  const labels = distinct(chart.slices.map((slice) => label(slice.label) || "(empty)"));
  const amounts = chart.slices.map((slice) => (slice.value > 0 && Number.isFinite(slice.value) ? slice.value : 0));
  const total = amounts.reduce((sum, value) => sum + value, 0);
  const subtitle = `${chart.slices.length} slices, total ${Number(total.toPrecision(6)).toLocaleString("en-US")}`;
  if (total === 0) return emptySpec(chart.title, subtitle);
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
  return whole(chart.title, subtitle, {
    width: 300,
    height: 270,
    data: { values },
    layer: [
      {
        mark: { type: "arc", outerRadius: 105, stroke: "white", strokeWidth: 1 },
        encoding: { ...shared, color, tooltip },
      },
      {
        mark: { type: "text", radius: 124, color: grey, fontSize: 11 },
        encoding: { ...shared, text: { field: "t", type: "nominal" } },
      },
    ],
  });
}

function barsSpec(chart: BarsChart): VegaLiteSpec {
  const labels = distinct(chart.bars.map((bar) => label(bar.label) || "(empty)"));
  const subtitle = `n = ${chart.bars.length}`;
  const values = chart.bars.map((bar, k) => ({
    l: labels[k],
    v: Number.isFinite(bar.value) ? bar.value : null,
    t: Number.isFinite(bar.value) ? String(Number(bar.value.toPrecision(4))) : "no value",
  }));
  if (values.every((row) => row.v === null)) return emptySpec(chart.title, subtitle);
  const value = label(chart.value);
  const y = { field: "l", type: "nominal", sort: null, title: null };
  const x = { field: "v", type: "quantitative", title: value || null, scale: { domain: barsDomain(chart, 420) } };
  const [tipLabel, tipValue] = tipTitles([
    ["label", ""],
    [value, "value"],
  ]);
  const tooltip = [
    { field: "l", type: "nominal", title: tipLabel },
    { field: "v", type: "quantitative", title: tipValue },
  ];
  const end = "datum.v < 0";
  return whole(chart.title, subtitle, {
    width: 420,
    height: { step: 20 },
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
  });
}

/** From zero to the longest bar, on each side that has one, with room for its words. */
function barsDomain(chart: BarsChart, width: number): [number, number] {
  const room = 36;
  const values = chart.bars.map((bar) => bar.value).filter(Number.isFinite);
  const low = values.reduce((least, value) => Math.min(least, value), 0);
  const high = values.reduce((most, value) => Math.max(most, value), 0);
  if (low === high) return [0, 1];
  const sides = (low < 0 ? 1 : 0) + (high > 0 ? 1 : 0);
  const pad = ((high - low) * room) / (width - sides * room);
  return [low < 0 ? low - pad : 0, high > 0 ? high + pad : 0];
}

function heatmapSpec(chart: HeatmapChart): VegaLiteSpec {
  const rows = distinct(chart.rows.map((name) => label(name)));
  const columns = distinct(chart.columns.map((name) => label(name)));
  const all = chart.values.flat().filter((value): value is number => value !== null && Number.isFinite(value));
  const subtitle = `${rows.length} × ${columns.length} cells, n = ${heatmapSize(chart)}`;
  if (all.length === 0) return emptySpec(chart.title, subtitle);
  const low = all.reduce((least, value) => Math.min(least, value));
  const high = all.reduce((most, value) => Math.max(most, value));
  const isDiverging = chart.scale === "diverging";
  const reach = Math.max(Math.abs(low), Math.abs(high)) || 1;
  const domain = isDiverging ? [-reach, reach] : [low, high > low ? high : low + 1];
  const places = all.every(Number.isInteger) ? 0 : Math.max(0, Math.min(4, 2 - Math.ceil(Math.log10(reach))));
  const values = rows.flatMap((r, i) =>
    columns.flatMap((c, j) => {
      const v = chart.values[i]?.[j] ?? null;
      if (v === null || !Number.isFinite(v)) return [];
      const strength = isDiverging ? Math.abs(v) / reach : (v - domain[0]) / (domain[1] - domain[0]);
      return [{ r, c, v, t: v.toFixed(places), k: strength > 0.6 ? 1 : 0 }];
    }),
  );
  const step = Math.max(12, Math.min(56, Math.floor(460 / columns.length)));
  const hasWords = values.every((row) => row.t.length * 6 + 4 <= step);
  const scheme = isDiverging ? { scheme: "redblue", reverse: true, domain } : { scheme: "blues", domain };
  const color = { field: "v", type: "quantitative", title: null, scale: scheme };
  const axes = heatmapPlaces(chart, rows, columns, step);
  const cells = { mark: "rect", encoding: { ...axes, color, tooltip: heatmapTips(chart) } };
  const ink = { condition: { test: "datum.k === 1", value: "white" }, value: "#222222" };
  const words = {
    mark: { type: "text", fontSize: 10 },
    encoding: { ...axes, text: { field: "t", type: "nominal" }, color: ink },
  };
  return whole(chart.title, subtitle, {
    width: { step },
    height: { step: Math.max(14, Math.min(32, step)) },
    data: { values },
    layer: hasWords ? [cells, words] : [cells],
  });
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
