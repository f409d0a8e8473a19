import type { Cell } from "./cell.ts";
import type { Json } from "./record.ts";

/** What an axis or a colour shows. */
export interface Axis {
  readonly title: string;
  readonly type: "number" | "datetime" | "category";
}

/** Marks at x and y: points, or lines in the order of x. A series may have a name, shown in the legend. */
export interface PointsChart {
  readonly kind: "points" | "lines";
  readonly title: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly series: readonly { readonly name: string; readonly x: readonly Cell[]; readonly y: readonly Cell[] }[];
  /** What tells the series apart, as the legend's title. */
  readonly colour?: string;
  /** One small picture per series instead of one colour each. */
  readonly grid?: boolean;
  /** Join the marks of a line in the order they are given, not in that of x, such as a curve that goes straight up. */
  readonly path?: boolean;
  /** How many marks there were before binning or sampling; absent when all are shown. */
  readonly sampledFrom?: number;
  /** How many rows the marks stand for, where a mark is not a row: points of a curve, or means. */
  readonly rows?: number;
  /** A straight reference line, such as y = x. */
  readonly reference?: { readonly from: readonly [number, number]; readonly to: readonly [number, number] };
}

/** Shares of a whole. */
export interface PieChart {
  readonly kind: "pie";
  readonly title: string;
  readonly slices: readonly { readonly label: string; readonly value: number }[];
}

/** Horizontal bars, such as feature importances. */
export interface BarsChart {
  readonly kind: "bars";
  readonly title: string;
  readonly value: string;
  readonly bars: readonly { readonly label: string; readonly value: number }[];
}

/** A grid of coloured cells with their values. `diverging` centres the colours on zero. */
export interface HeatmapChart {
  readonly kind: "heatmap";
  readonly title: string;
  readonly rowTitle?: string;
  readonly columnTitle?: string;
  readonly rows: readonly string[];
  readonly columns: readonly string[];
  /** Row by row; null where there is no value. */
  readonly values: readonly (readonly (number | null)[])[];
  readonly scale: "sequential" | "diverging";
  /** The values count rows, so that their sum is how many there are. */
  readonly isCount?: boolean;
}

/** How many values a heatmap stands for, for the line below its title. */
export function heatmapSize(chart: HeatmapChart): number {
  const values = chart.values.flat().filter((value) => value !== null && Number.isFinite(value));
  return chart.isCount ? values.reduce<number>((sum, value) => sum + (value ?? 0), 0) : values.length;
}

/** A picture that somebody described in Vega-Lite, and what it shows for those who read it as text. */
export interface SpecChart {
  readonly kind: "spec";
  readonly title: string;
  /** How many marks there are, and what they stand for. */
  readonly subtitle: string;
  /** The specification, with its numbers in it, and nothing in it that loads or runs. */
  readonly parts: { readonly [key: string]: Json | undefined };
  /** What each of its views shows, as a chart of another kind, or as rows. */
  readonly told: readonly (PointsChart | PieChart | BarsChart | HeatmapChart | ToldRows)[];
  readonly marks: number;
  /** How many marks there were before sampling; absent when all are shown. */
  readonly sampledFrom?: number;
}

/** A view that no other kind of chart shows, by the numbers in it. */
export interface ToldRows {
  readonly kind: "rows";
  readonly title: string;
  readonly columns: readonly { readonly name: string; readonly isNumber: boolean }[];
  readonly rows: readonly (readonly Cell[])[];
}

/** A picture described by its data, which render/ draws as Vega-Lite, as SVG, or in text. */
export type Chart = PointsChart | PieChart | BarsChart | HeatmapChart | SpecChart;
