import type { ColumnsChart } from "./chart.ts";
import { axisFor, distinct } from "./marks.ts";
import type { Json } from "./record.ts";
import { baseOf, type Ranged, scaled } from "./vega-axis.ts";
import { type Drawn, emptyParts, label, palette, tipTitles, type VegaLiteSpec } from "./vega-base.ts";

/** A bar: where it begins and ends, and what it says. */
interface Bar {
  readonly place: number;
  readonly series: number;
  readonly value: number;
  readonly from: number;
  readonly to: number;
}

/** The bars of a chart, those of one place on each other where they are stacked: negative ones go down from zero. */
export function barsIn({ series, isStacked, y }: ColumnsChart): Bar[] {
  const known = series.flatMap(({ values }) => values.filter((value) => value !== null && Number.isFinite(value)));
  const base = baseOf(known as number[], y.log === true);
  const ends = new Map<string, number>();
  return series.flatMap(({ values }, k) =>
    values.flatMap((value, place) => {
      if (value === null || !Number.isFinite(value) || (y.log && value <= 0)) return [];
      const side = `${place} ${value < 0 ? "below" : "above"}`;
      const from = isStacked ? (ends.get(side) ?? base) : base;
      const to = isStacked && !y.log ? from + value : value;
      ends.set(side, to);
      return [{ place, series: k, value, from, to }];
    }),
  );
}

/** "n = 344 rows", below the title. */
export function columnsSize({ rows, edges, places }: ColumnsChart): string {
  const whole = (n: number, noun: string) => `${n.toLocaleString("en-US")} ${noun}${n === 1 ? "" : "s"}`;
  return `n = ${whole(rows, "row")}, ${whole(places.length, edges ? "bin" : "bar")}`;
}

/** Bars over categories or bins, in one colour for each series. */
export function columnsParts(chart: ColumnsChart): Drawn {
  const subtitle = columnsSize(chart);
  const bars = barsIn(chart);
  if (bars.length === 0) return emptyParts(subtitle);
  const names = distinct(chart.series.map(({ name }) => label(name)));
  const hasSeries = names.length > 1 || names[0] !== "";
  const places = distinct(chart.places.map((name) => label(name) || "(empty)"));
  const { edges } = chart;
  const values = bars.map(({ place, series, value, from, to }) => ({
    ...(edges ? { a: edges[place], b: edges[place + 1] } : {}),
    l: places[place],
    v: value,
    from,
    to,
    ...(hasSeries ? { s: names[series] } : {}),
  }));
  const ends = axisFor(
    chart.y,
    bars.map(({ from, to }) => [from, to]),
  );
  const along = edges ? binned(chart, edges) : banded(chart, places, hasSeries, names);
  const isWhole = bars.every(({ from, to }) => Number.isInteger(from) && Number.isInteger(to)) && !ends.log;
  const across = { y: { field: "from", ...scaled(ends, domainOf(ends), isWhole) }, y2: { field: "to" } };
  const [tipPlace, tipValue, tipSeries] = tipTitles([
    [chart.x.title, "x"],
    [chart.y.title, "value"],
    [chart.colour ?? "", "series"],
  ]);
  const tooltip: VegaLiteSpec[] = [
    { field: "l", type: "nominal", title: tipPlace },
    { field: "v", type: "quantitative", title: tipValue },
    ...(hasSeries ? [{ field: "s", type: "nominal", title: tipSeries }] : []),
  ];
  const title = chart.colour ? label(chart.colour) : null;
  const scale = { domain: names, range: palette };
  const color = hasSeries ? { color: { field: "s", type: "nominal", sort: null, title, scale } } : {};
  const encoding = turned({ ...along, ...across, ...color, tooltip }, chart.isHorizontal === true);
  const mark = edges ? { type: "rect", stroke: "white", strokeWidth: edges.length > 60 ? 0 : 0.5 } : { type: "bar" };
  const [wide, high] = sizeOf(chart, places.length * (chart.isStacked ? 1 : names.length));
  return {
    subtitle,
    parts: {
      width: chart.width ?? wide,
      height: chart.height ?? high,
      data: { values },
      mark: hasSeries ? mark : { ...mark, color: palette[0] },
      encoding,
    },
  };
}

function domainOf(axis: Ranged & { readonly isCommon: boolean }): VegaLiteSpec {
  if (axis.log) return { domain: [axis.min, axis.max], nice: false };
  return axis.isCommon ? { domain: [Math.min(0, axis.min), Math.max(0, axis.max)] } : { zero: true };
}

function binned({ x }: ColumnsChart, edges: readonly number[]): VegaLiteSpec {
  const axis = axisFor(x, [edges]);
  return {
    x: { field: "a", ...scaled(axis, { nice: false, ...(x.type === "number" && !x.log ? { zero: false } : {}) }) },
    x2: { field: "b" },
  };
}

function banded(
  { x, isStacked, isHorizontal }: ColumnsChart,
  places: readonly string[],
  hasSeries: boolean,
  names: readonly string[],
): VegaLiteSpec {
  const isLong = places.some((name) => name.length > 6) && places.length > 5;
  const angle = isHorizontal ? {} : { axis: { labelAngle: isLong ? -45 : 0, labelOverlap: true } };
  const scale = { domain: [...places] };
  const offset = hasSeries && !isStacked ? { xOffset: { field: "s", type: "nominal", sort: [...names] } } : {};
  return { x: { field: "l", type: "nominal", title: label(x.title) || null, scale, ...angle }, ...offset };
}

/** The picture lying: what stood along x goes down. */
function turned(encoding: { readonly [key: string]: Json | undefined }, isHorizontal: boolean): VegaLiteSpec {
  if (!isHorizontal) return encoding;
  const other: Record<string, string> = { x: "y", x2: "y2", xOffset: "yOffset", y: "x", y2: "x2" };
  return Object.fromEntries(Object.entries(encoding).map(([channel, parts]) => [other[channel] ?? channel, parts]));
}

/** Bars keep their breadth as long as the picture stays of some size. */
function sizeOf({ edges, isHorizontal }: ColumnsChart, bars: number): [VegaLiteSpec | number, VegaLiteSpec | number] {
  if (edges) return isHorizontal ? [420, 420] : [420, 280];
  const room = Math.min(900, Math.max(60, bars * 40));
  const length = Math.max(room < 420 ? room : Math.min(420, room), bars * 8);
  return isHorizontal ? [420, Math.max(60, bars * 18)] : [length, 280];
}
