import type { Cell } from "./cell.ts";
import type { Json } from "./record.ts";

/** What an axis or a colour shows. */
export interface Axis {
  readonly title: string;
  readonly type: "number" | "datetime" | "category";
  /** The scale is logarithmic; all numbers along it are above zero. */
  readonly log?: boolean;
  /** What the axis shows at least, such as what several pictures have in common; of dates milliseconds. */
  readonly range?: readonly [number, number];
  /** The categories that stand first, in this order (default: as they appear). */
  readonly categories?: readonly string[];
}

/** The size of the drawn picture in pixels, without its axes (default: as its kind needs it). Text fills its line. */
export interface Sized {
  readonly width?: number;
  readonly height?: number;
}

/** Marks at x and y: points, or lines in the order of x. A series may have a name, shown in the legend. */
export interface PointsChart extends Sized {
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
  /** The space between a line and zero is filled; stacked, each line begins on the one before. */
  readonly fill?: "each" | "stacked";
  /** Faint lines behind all others, of numbers in the order of x, such as single rows behind their mean. */
  readonly behind?: readonly { readonly x: readonly number[]; readonly y: readonly number[] }[];
  /** A straight reference line, such as y = x. */
  readonly reference?: { readonly from: readonly [number, number]; readonly to: readonly [number, number] };
}

/** Shares of a whole. */
export interface PieChart extends Sized {
  readonly kind: "pie";
  readonly title: string;
  readonly slices: readonly { readonly label: string; readonly value: number }[];
}

/** Horizontal bars, such as feature importances. */
export interface BarsChart extends Sized {
  readonly kind: "bars";
  readonly title: string;
  readonly value: string;
  readonly bars: readonly { readonly label: string; readonly value: number }[];
}

/** Upright (or lying) bars: a number for each place along x, of one series or several. */
export interface ColumnsChart extends Sized {
  readonly kind: "columns";
  readonly title: string;
  readonly x: Axis;
  readonly y: Axis;
  /** The names of the places; of bins, which touch each other, as people read them. */
  readonly places: readonly string[];
  /** Of bins: where each begins, and where the last one ends; of dates milliseconds. */
  readonly edges?: readonly number[];
  /** A number for each place; null where there is none. */
  readonly series: readonly { readonly name: string; readonly values: readonly (number | null)[] }[];
  /** What tells the series apart, as the legend's title. */
  readonly colour?: string;
  /** Do the series stand on each other, and not side by side? */
  readonly isStacked: boolean;
  readonly isHorizontal?: boolean;
  /** How many rows the bars stand for. */
  readonly rows: number;
}

/** The middle half of some numbers as a box, with whiskers and what lies beyond them. */
export interface BoxesChart extends Sized {
  readonly kind: "boxes";
  readonly title: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly boxes: readonly Box[];
  /** How many rows the boxes stand for. */
  readonly rows: number;
}

/** One box; the whiskers end at the farthest numbers within 1.5 times its length. */
export interface Box {
  readonly name: string;
  readonly n: number;
  readonly low: number;
  readonly q1: number;
  readonly median: number;
  readonly q3: number;
  readonly high: number;
  /** Numbers beyond the whiskers; of very many a sample. */
  readonly outliers: readonly number[];
}

/** Small pictures of one kind, one for each value of a column. */
export interface PanelsChart {
  readonly kind: "panels";
  readonly title: string;
  /** What tells the pictures apart. */
  readonly by: string;
  readonly panels: readonly { readonly name: string; readonly chart: SingleChart }[];
}

/** A grid of coloured cells with their values. `diverging` centres the colours on zero. */
export interface HeatmapChart extends Sized {
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

/** Where cells are missing: for each column with gaps, how many there are in each stretch of the rows. */
export interface GapsChart extends Sized {
  readonly kind: "gaps";
  readonly title: string;
  readonly rows: number;
  readonly columns: readonly { readonly name: string; readonly missing: number }[];
  readonly stretches: readonly Stretch[];
  /** Column by column. */
  readonly counts: readonly (readonly number[])[];
}

/** Rows that follow each other: the first one's number, that of the one after the last, and how many of them the picture is of. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly rows: number;
}

/** Every two of some columns against each other: below the diagonal as points, above it as a correlation. */
export interface PairsChart extends Sized {
  readonly kind: "pairs";
  readonly title: string;
  readonly columns: readonly PairsColumn[];
  /** What tells rows apart, and the names of what it tells; one empty name where there is nothing. */
  readonly colour?: string;
  readonly series: readonly string[];
  /** The rows that are drawn: their numbers column by column, NaN where missing, and the place of their series. */
  readonly values: readonly (readonly (number | null)[])[];
  readonly groups: readonly number[];
  /** Correlations, row by row; null where there is none. */
  readonly correlations: readonly (readonly (number | null)[])[];
  readonly rows: number;
  /** How many marks there were before sampling; absent when all are shown. */
  readonly sampledFrom?: number;
}

/** A column of a matrix of pairs, with its own histogram: counts of bins for each series. */
export interface PairsColumn {
  readonly name: string;
  readonly start: number;
  readonly step: number;
  readonly counts: readonly (readonly number[])[];
}

/** A row of points for each of some columns, along a common axis: what the column does in each row. */
export interface SwarmChart extends Sized {
  readonly kind: "swarm";
  readonly title: string;
  /** What lies along the axis, and what each column's `size` is. */
  readonly value: string;
  readonly size: string;
  readonly swarms: readonly {
    readonly name: string;
    readonly size: number;
    readonly x: readonly number[];
    /** Where each row's cell stands among the column's, from 0 to 1; null where cells have no order. */
    readonly shade: readonly (number | null)[];
    /** The cells, as people read them. */
    readonly cells: readonly string[];
  }[];
  /** How many rows are drawn. */
  readonly rows: number;
  /** How many there were before sampling; absent when all are shown. */
  readonly sampledFrom?: number;
}

/** Steps that lead from a number to another, each from where the one before ends. */
export interface WaterfallChart extends Sized {
  readonly kind: "waterfall";
  readonly title: string;
  readonly value: string;
  readonly start: number;
  readonly steps: readonly { readonly name: string; readonly value: number }[];
}

/** A series of numbers in time, what is foreseen of it, and between what it will lie. */
export interface ForecastChart extends Sized {
  readonly kind: "forecast";
  readonly title: string;
  readonly x: Axis;
  readonly y: Axis;
  /** The end of what was learnt from, and how many steps that were. */
  readonly history: { readonly x: readonly Cell[]; readonly y: readonly number[] };
  readonly steps: number;
  readonly ahead: {
    readonly x: readonly Cell[];
    readonly mean: readonly number[];
    readonly low: readonly number[];
    readonly high: readonly number[];
  };
  /** The probability of the interval, such as 0.95. */
  readonly level: number;
  /** What then came, where it is known. */
  readonly actual?: { readonly x: readonly Cell[]; readonly y: readonly number[] };
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

/** One picture. */
export type SingleChart =
  | PointsChart
  | PieChart
  | BarsChart
  | ColumnsChart
  | BoxesChart
  | HeatmapChart
  | GapsChart
  | PairsChart;

/** A picture described by its data, which render/ draws as Vega-Lite, as SVG, or in text. */
export type Chart = SingleChart | PanelsChart | SpecChart | SwarmChart | WaterfallChart | ForecastChart;
