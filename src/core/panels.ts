import type { Axis, PanelsChart, SingleChart } from "./chart.ts";
import { marksOf } from "./marks.ts";
import { barsIn } from "./vega-columns.ts";

type Panels = PanelsChart["panels"];

/** What the marks of a picture reach from and to; null along an axis that has no numbers. */
interface Reach {
  readonly x: readonly [number, number] | null;
  readonly y: readonly [number, number] | null;
}

/** Several pictures, each with axes that hold the marks of all of them, so that they can be compared. */
export function onCommonAxes(panels: Panels): Panels {
  const reaches = panels.map(({ chart }) => reachOf(chart));
  const categories = [...new Set(panels.flatMap(({ chart }) => ("series" in chart ? placesOf(chart) : [])))];
  const common = (axis: Axis, along: "x" | "y"): Axis => {
    if (axis.type === "category") return along === "x" && categories.length > 0 ? { ...axis, categories } : axis;
    const range = union(reaches.map((reach) => reach[along]));
    return range ? { ...axis, range } : axis;
  };
  return panels.map(({ name, chart }) => {
    if (!("x" in chart)) return { name, chart };
    return { name, chart: { ...chart, x: common(chart.x, "x"), y: common(chart.y, "y") } };
  });
}

function reachOf(chart: SingleChart): Reach {
  switch (chart.kind) {
    case "points":
    case "lines": {
      const { x, y, series } = marksOf(chart);
      if (!chart.fill) return { x: [x.min, x.max], y: [y.min, y.max] };
      const tops = new Map<number, number>();
      for (const one of chart.fill === "stacked" ? series : []) {
        one.x.forEach((along, k) => {
          tops.set(along, (tops.get(along) ?? 0) + one.y[k]);
        });
      }
      return { x: [x.min, x.max], y: endsOf([0, y.min, y.max, ...tops.values()]) };
    }
    case "columns": {
      const { edges } = chart;
      const ends = barsIn(chart).flatMap(({ from, to }) => [from, to]);
      return { x: edges ? [edges[0], edges[edges.length - 1]] : null, y: endsOf(ends) };
    }
    case "boxes":
      return { x: null, y: endsOf(chart.boxes.flatMap(({ low, high, outliers }) => [low, high, ...outliers])) };
    default:
      return { x: null, y: null };
  }
}

function placesOf(chart: SingleChart): readonly string[] {
  if (chart.kind !== "points" && chart.kind !== "lines") return [];
  return chart.x.type === "category" ? marksOf(chart).x.categories : [];
}

function endsOf(values: readonly number[]): [number, number] | null {
  if (values.length === 0) return null;
  return [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))];
}

function union(ranges: readonly (readonly [number, number] | null)[]): [number, number] | null {
  return endsOf(ranges.flatMap((range) => range ?? []).filter(Number.isFinite));
}
