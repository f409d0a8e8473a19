import type { BoxesChart } from "./chart.ts";
import { axisFor, distinct } from "./marks.ts";
import { scaled } from "./vega-axis.ts";
import { type Drawn, emptyParts, label, palette, tipTitles, type VegaLiteSpec } from "./vega-base.ts";

/** "n = 240 rows in 3 boxes", below the title. */
export function boxesSize({ rows, boxes }: BoxesChart): string {
  const box = boxes.length === 1 ? "1 box" : `${boxes.length} boxes`;
  return `n = ${rows.toLocaleString("en-US")} ${rows === 1 ? "row" : "rows"} in ${box}`;
}

/** Boxes side by side, with their whiskers and what lies beyond. */
export function boxesParts(chart: BoxesChart): Drawn {
  const { boxes } = chart;
  const subtitle = boxesSize(chart);
  if (boxes.length === 0) return emptyParts(subtitle);
  const names = distinct(boxes.map(({ name }) => label(name) || (chart.x.title === "" ? " " : "(empty)")));
  const values = boxes.map(({ n, low, q1, median, q3, high }, k) => ({ l: names[k], n, low, q1, m: median, q3, high }));
  const points = boxes.flatMap(({ outliers }, k) => outliers.map((v) => ({ l: names[k], v })));
  const axis = axisFor(
    chart.y,
    boxes.map(({ low, high, outliers }) => [low, high, ...outliers]),
  );
  const isLong = names.some((name) => name.length > 6) && names.length > 5;
  const x = {
    field: "l",
    type: "nominal",
    title: label(chart.x.title) || null,
    scale: { domain: names },
    axis: { labelAngle: isLong ? -45 : 0, labelOverlap: true },
  };
  const room = { padding: 8, nice: false, ...(axis.log ? {} : { zero: false }) };
  const scale = axis.isCommon ? { ...room, domain: [axis.min, axis.max] } : room;
  const y = (field: string): VegaLiteSpec => ({ field, ...scaled(axis, scale) });
  const size = Math.max(4, Math.min(28, Math.floor(260 / boxes.length)));
  const [tipName, tipValue] = tipTitles([
    [chart.x.title, "box"],
    [chart.y.title, "value"],
  ]);
  const words = { n: "n", low: "lower whisker", q1: "q1", m: "median", q3: "q3", high: "upper whisker" };
  const tooltip = [
    { field: "l", type: "nominal", title: tipName },
    ...Object.entries(words).map(([field, title]) => ({ field, type: "quantitative", title })),
  ];
  const color = palette[0];
  const layer: VegaLiteSpec[] = [
    { mark: { type: "rule", color }, encoding: { x, y: y("low"), y2: { field: "high" } } },
    { mark: { type: "tick", color, size: size / 2 }, encoding: { x, y: y("low") } },
    { mark: { type: "tick", color, size: size / 2 }, encoding: { x, y: y("high") } },
    { mark: { type: "bar", color, size }, encoding: { x, y: y("q1"), y2: { field: "q3" }, tooltip } },
    { mark: { type: "tick", color: "white", thickness: 2, size }, encoding: { x, y: y("m"), tooltip } },
  ];
  if (points.length > 0) {
    layer.push({
      data: { values: points },
      mark: { type: "point", color, size: 18, opacity: 0.6 },
      encoding: {
        x,
        y: y("v"),
        tooltip: [
          { field: "l", type: "nominal", title: tipName },
          { field: "v", type: "quantitative", title: tipValue },
        ],
      },
    });
  }
  return {
    subtitle,
    parts: {
      width: chart.width ?? Math.max(80, Math.min(640, boxes.length * 70)),
      height: chart.height ?? 280,
      data: { values },
      layer,
    },
  };
}
