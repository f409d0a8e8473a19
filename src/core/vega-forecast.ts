import type { Axis, ForecastChart } from "./chart.ts";
import { axisFor, instant } from "./marks.ts";
import type { Json } from "./record.ts";
import { scaled } from "./vega-axis.ts";
import { emptyParts, grey, label, palette, tipTitles, type VegaLiteSpec, whole } from "./vega-base.ts";
import type { Cell } from "./view.ts";

/** The colour of the interval: that of the forecast, paler, so that the legend tells them apart. */
const shade = "#f0c09a";

/** "95% interval", as the legend calls it. */
export function intervalName({ level }: Pick<ForecastChart, "level">): string {
  return `${Number((100 * level).toPrecision(4))}% interval`;
}

/** "n = 144 steps, 12 ahead", below the title. */
export function forecastSize({ steps, ahead, history }: ForecastChart): string {
  const shown = history.x.length < steps ? `, the last ${history.x.length.toLocaleString("en-US")} drawn` : "";
  return `n = ${steps.toLocaleString("en-US")} steps${shown}, ${ahead.x.length.toLocaleString("en-US")} ahead`;
}

/** A place along the axis as a number: milliseconds of a date. */
export function placeOf(cell: Cell, axis: Axis): number {
  return axis.type === "datetime" ? instant(cell) : Number(cell);
}

/** The series as a line, what is foreseen as a dashed one within its interval, and what then came as points. */
export function forecastSpec(chart: ForecastChart): VegaLiteSpec {
  return whole(chart.title, forecastSize(chart), partsOf(chart));
}

function partsOf(chart: ForecastChart): VegaLiteSpec {
  const { history, ahead, actual, width, height } = chart;
  if (history.x.length + ahead.x.length === 0) return emptyParts(forecastSize(chart)).parts;
  const range = intervalName(chart);
  const at = (cell: Cell) => placeOf(cell, chart.x);
  const axis = (of: Axis, values: readonly number[]) => {
    const { min, max, log } = axisFor(of, [values]);
    return { title: of.title, type: of.type, log, min, max };
  };
  const xs = [...history.x, ...ahead.x].map(at);
  const ys = [...history.y, ...ahead.low, ...ahead.high, ...(actual?.y ?? [])];
  const room = { padding: 8, nice: false };
  const x = { field: "x", ...scaled(axis(chart.x, xs), chart.x.type === "number" ? { zero: false, ...room } : room) };
  const y = { field: "y", ...scaled(axis(chart.y, ys), { zero: false, ...room }) };
  const points = (s: string, cells: readonly Cell[], values: readonly number[]): VegaLiteSpec[] =>
    cells.map((cell, k) => ({ x: at(cell), y: values[k], s, t: label(String(cell)) }));
  const [tipX, tipY, tipLow, tipHigh, tipS] = tipTitles([
    [chart.x.title, "x"],
    [chart.y.title, "y"],
    ["from", ""],
    ["to", ""],
    ["series", ""],
  ]);
  const names = ["series", "forecast", range, ...(actual && actual.x.length > 0 ? ["what came"] : [])];
  const colours = [palette[0], palette[1], shade, grey].slice(0, names.length);
  const color = {
    field: "s",
    type: "nominal",
    sort: null,
    title: null,
    scale: { domain: names, range: colours },
  };
  const when = { field: "t", type: "nominal", title: tipX };
  const tooltip: Json[] = [
    when,
    { field: "y", type: "quantitative", title: tipY },
    { field: "s", type: "nominal", title: tipS },
  ];
  // A band or a line of one step has no length, so its ends are marked as well.
  const few = { filled: true, size: 24 };
  const isFew = ahead.x.length <= 60;
  const band = ahead.x.map((cell, k) => ({
    x: at(cell),
    y: ahead.low[k],
    z: ahead.high[k],
    m: ahead.mean[k],
    s: range,
    t: label(String(cell)),
  }));
  const bounds = [
    when,
    { field: "m", type: "quantitative", title: tipY },
    { field: "y", type: "quantitative", title: tipLow },
    { field: "z", type: "quantitative", title: tipHigh },
  ];
  const mark =
    ahead.x.length === 1 ? { type: "rule", strokeWidth: 6, opacity: 0.6 } : { type: "area", fillOpacity: 0.5 };
  return {
    width: width ?? 480,
    height: height ?? 260,
    layer: [
      { data: { values: band }, mark, encoding: { x, y, y2: { field: "z" }, color, tooltip: bounds } },
      {
        data: { values: points("series", history.x, history.y) },
        mark: { type: "line", strokeWidth: 1.6, point: history.x.length === 1 ? few : false },
        encoding: { x, y, color, tooltip },
      },
      {
        data: { values: points("forecast", ahead.x, ahead.mean) },
        mark: { type: "line", strokeWidth: 1.8, strokeDash: [5, 3], point: isFew ? few : false },
        encoding: { x, y, color, tooltip },
      },
      ...(actual && actual.x.length > 0
        ? [
            {
              data: { values: points("what came", actual.x, actual.y) },
              mark: { type: "point", filled: true, size: 22 },
              encoding: { x, y, color, tooltip },
            },
          ]
        : []),
    ],
  };
}
