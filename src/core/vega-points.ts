import type { PointsChart } from "./chart.ts";
import { countOfMarks, distinct, type MarkAxis, type Marks, marksOf } from "./marks.ts";
import type { Json } from "./record.ts";
import { scaled, vegaTypes } from "./vega-axis.ts";
import { type Drawn, emptyParts, grey, label, palette, tipTitles, type VegaLiteSpec } from "./vega-base.ts";

function channel(marks: Marks, field: "x" | "y", isFilled = false): VegaLiteSpec {
  const axis = marks[field];
  if (axis.type === "category") return { field, type: "nominal", sort: null, title: label(axis.title) || null };
  if (isFilled) return { field, ...scaled(axis, axis.isCommon ? { domain: [axis.min, axis.max] } : { zero: true }) };
  // Some room keeps marks off the edges; a "nice" axis besides would count shares to 1.1 and costs from below nothing.
  const room = { padding: 8, nice: false };
  const domain = axis.isCommon ? { domain: [axis.min, axis.max] } : {};
  const scale = { ...(axis.type === "number" && !axis.log ? { zero: false } : {}), ...room, ...domain };
  const isWhole = marks.series.every((series) => series[field].every((at) => Number.isNaN(at) || Number.isInteger(at)));
  return { field, ...scaled(axis, scale, isWhole) };
}

function tip(axis: MarkAxis, field: string, title: string): VegaLiteSpec {
  if (axis.type === "datetime") return { field: `${field}t`, type: "nominal", title };
  return { field, type: vegaTypes[axis.type], title };
}

/** Points or lines, one colour or one small picture for each series. */
export function pointsParts(chart: PointsChart, isStill: boolean): Drawn {
  const marks = marksOf(chart);
  const subtitle = countOfMarks(marks, chart);
  if (marks.shown === 0) return emptyParts(subtitle);
  const names = distinct(marks.series.map((series) => label(series.name)));
  const hasSeries = names.length > 1 || names[0] !== "";
  const data = { values: valuesOf(marks, names, hasSeries, chart.path === true) };
  const layers = [
    ...behindLayers(chart, marks),
    markLayer(chart, marks, names, hasSeries, isStill),
    ...referenceLayers(chart, marks),
  ];
  const picture = layers.length === 1 ? layers[0] : { layer: layers };
  const { width, height } = chart;
  if (!chart.grid || !hasSeries)
    return { subtitle, parts: { data, width: width ?? 420, height: height ?? 280, ...picture } };
  const facet = { field: "s", type: "nominal", sort: null, title: chart.colour ? label(chart.colour) : null };
  const columns = Math.min(3, names.length);
  const spec = { width: width ?? 190, height: height ?? 150, ...picture };
  return { subtitle, parts: { data, facet, columns, spec } };
}

function valuesOf(marks: Marks, names: readonly string[], hasSeries: boolean, isPath: boolean): VegaLiteSpec[] {
  const labels = {
    x: distinct(marks.x.categories.map((name) => label(name))),
    y: distinct(marks.y.categories.map((name) => label(name))),
  };
  const put = (row: { [key: string]: Json }, field: "x" | "y", value: number) => {
    const { type } = marks[field];
    row[field] = Number.isNaN(value) ? null : type === "category" ? labels[field][value] : value;
    if (type === "datetime") row[`${field}t`] = timeText(value);
  };
  return marks.series.flatMap((series, k) =>
    series.x.map((x, i) => {
      const row: { [key: string]: Json } = {};
      put(row, "x", x);
      put(row, "y", series.y[i]);
      if (hasSeries) row.s = names[k];
      if (isPath) row.o = i;
      return row;
    }),
  );
}

function timeText(value: number): string {
  const date = new Date(value);
  if (Number.isNaN(date.getTime())) return "";
  return date
    .toISOString()
    .replace("T00:00:00.000Z", "")
    .replace(/\.000Z$|Z$/, "")
    .replace("T", " ");
}

function markLayer(
  chart: PointsChart,
  marks: Marks,
  names: readonly string[],
  hasSeries: boolean,
  isStill: boolean,
): VegaLiteSpec {
  const isLines = chart.kind === "lines";
  const isFilled = chart.fill !== undefined;
  const canZoom = chart.x.type !== "category" && chart.y.type !== "category" && !chart.grid && !isStill && !isFilled;
  const encoding: { [key: string]: Json | undefined } = {
    x: channel(marks, "x"),
    y: {
      ...channel(marks, "y", isFilled),
      ...(isFilled ? { stack: chart.fill === "stacked" ? "zero" : null } : {}),
    },
  };
  const [tipX, tipY, tipS] = tipTitles([
    [marks.x.title, "x"],
    [marks.y.title, "y"],
    [chart.colour ?? "", "series"],
  ]);
  const tooltip = [tip(marks.x, "x", tipX), tip(marks.y, "y", tipY)];
  const params: Json[] = [];
  if (hasSeries) {
    const by = { field: "s", type: "nominal", sort: null, title: chart.colour ? label(chart.colour) : null };
    tooltip.push({ field: "s", type: "nominal", title: tipS });
    encoding.color = { ...by, scale: { range: palette }, ...(chart.grid ? { legend: null } : {}) };
    // Shapes and dashes tell series apart where colours can't be seen.
    if (!chart.grid && !isFilled && names.length > 1 && names.length <= 6)
      encoding[isLines ? "strokeDash" : "shape"] = by;
    if (!chart.grid && !isStill) {
      params.push({ name: "pick", select: { type: "point", fields: ["s"] }, bind: "legend" });
      encoding.opacity = { condition: { param: "pick", value: isLines ? 1 : 0.75 }, value: 0.12 };
    }
  }
  if (chart.path) encoding.order = { field: "o", type: "quantitative" };
  if (canZoom) {
    params.push({ name: "zoom", select: { type: "interval", zoom: "wheel![event.shiftKey]" }, bind: "scales" });
  }
  encoding.tooltip = tooltip;
  const isAlone = names.length === 1 || chart.fill === "stacked";
  const mark = isFilled
    ? { type: "area", line: true, fillOpacity: isAlone ? 0.6 : 0.25 }
    : isLines
      ? { type: "line", strokeWidth: 1.8, point: marks.shown <= 60 && !chart.path ? { filled: true, size: 30 } : false }
      : { type: "point", filled: true, size: marks.shown > 1000 ? 18 : 40, ...(hasSeries ? {} : { opacity: 0.7 }) };
  return {
    mark: hasSeries ? mark : { ...mark, color: palette[0] },
    ...(params.length > 0 ? { params } : {}),
    encoding,
  };
}

/** Faint lines, without tips and legend. */
function behindLayers({ behind = [] }: PointsChart, marks: Marks): VegaLiteSpec[] {
  if (behind.length === 0) return [];
  const values = behind.flatMap((line, g) => line.x.map((x, i) => ({ x, y: line.y[i], g })));
  return [
    {
      data: { values },
      mark: { type: "line", strokeWidth: 0.7, opacity: 0.35, color: grey },
      encoding: { x: channel(marks, "x"), y: channel(marks, "y"), detail: { field: "g", type: "nominal" } },
    },
  ];
}

function referenceLayers({ reference, x, y }: PointsChart, marks: Marks): VegaLiteSpec[] {
  if (!reference || x.type === "category" || y.type === "category") return [];
  const [from, to] = [reference.from, reference.to];
  if (![...from, ...to].every(Number.isFinite)) return [];
  return [
    {
      data: { values: [{ x: from[0], y: from[1], x2: to[0], y2: to[1] }] },
      mark: { type: "rule", strokeDash: [5, 4], color: grey, clip: true },
      encoding: { x: channel(marks, "x"), y: channel(marks, "y"), x2: { field: "x2" }, y2: { field: "y2" } },
    },
  ];
}
