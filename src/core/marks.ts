import type { Axis, PointsChart } from "./chart.ts";
import type { Cell } from "./view.ts";

/** An axis with what its values turned out to be. */
export interface MarkAxis {
  readonly title: string;
  readonly type: Axis["type"];
  readonly log: boolean;
  /** Are its ends those of several pictures? */
  readonly isCommon: boolean;
  /** Of a category axis, in order of appearance; a mark's number is its place here. */
  readonly categories: readonly string[];
  /** The range of the marks; both NaN when there are none. */
  readonly min: number;
  readonly max: number;
}

/** A series as numbers: datetimes as milliseconds in UTC, categories as their place. */
export interface MarkSeries {
  readonly name: string;
  readonly x: readonly number[];
  /** NaN is a gap in a line; points have none. */
  readonly y: readonly number[];
}

/** The marks of a chart, ready to be drawn. */
export interface Marks {
  readonly x: MarkAxis;
  readonly y: MarkAxis;
  readonly series: readonly MarkSeries[];
  /** How many marks there are. */
  readonly shown: number;
  /** How many have no x or y and can't be drawn. */
  readonly missing: number;
}

/**
 * A datetime cell as milliseconds in UTC, NaN when it is none.
 *
 * Text without a zone is taken as UTC, so a picture does not depend on the reader's clock.
 */
export function instant(cell: Cell): number {
  if (typeof cell === "number") return cell;
  if (typeof cell !== "string") return Number.NaN;
  const text = cell.trim().replace(/^(\d{4}-\d\d-\d\d) (?=\d)/, "$1T");
  const hasZone = /(?:[zZ]|[+-]\d\d:?\d\d)$/.test(text);
  return Date.parse(text.includes("T") && !hasZone ? `${text}Z` : text);
}

/** The marks of a chart as numbers; lines are put in the order of x. */
export function marksOf(chart: PointsChart): Marks {
  const { behind = [] } = chart;
  const readX = reader(chart.x);
  const readY = reader(chart.y);
  let shown = 0;
  let missing = 0;
  const series = chart.series.map((one) => {
    const pairs: [number, number][] = [];
    for (let i = 0; i < Math.min(one.x.length, one.y.length); i++) {
      const x = readX.read(one.x[i]);
      const y = readY.read(one.y[i]);
      const isWhole = Number.isFinite(x) && Number.isFinite(y);
      if (isWhole) shown++;
      else missing++;
      if (isWhole || (chart.kind === "lines" && Number.isFinite(x))) pairs.push([x, isWhole ? y : Number.NaN]);
    }
    if (chart.kind === "lines" && !chart.path) pairs.sort((a, b) => a[0] - b[0]);
    return { name: one.name, x: pairs.map((pair) => pair[0]), y: pairs.map((pair) => pair[1]) };
  });
  return {
    x: measured(chart.x, readX.categories, [
      ...series.map((one) => one.x.filter((_, i) => !Number.isNaN(one.y[i]))),
      ...behind.map((line) => line.x),
    ]),
    y: measured(chart.y, readY.categories, [...series.map((one) => one.y), ...behind.map((line) => line.y)]),
    series,
    shown,
    missing,
  };
}

function reader(axis: Axis): { readonly categories: string[]; read(cell: Cell): number } {
  const categories = [...(axis.categories ?? [])];
  if (axis.type === "datetime") return { categories, read: instant };
  if (axis.type === "number") {
    return { categories, read: (cell) => (cell === null || cell === "" ? Number.NaN : Number(cell)) };
  }
  const places = new Map(categories.map((name, k) => [name, k]));
  const read = (cell: Cell) => {
    if (cell === null || Number.isNaN(cell)) return Number.NaN;
    const word = String(cell);
    const known = places.get(word);
    if (known !== undefined) return known;
    places.set(word, categories.length);
    return categories.push(word) - 1;
  };
  return { categories, read };
}

/** An axis of its own, for these numbers. */
export function axisFor(axis: Axis, values: readonly (readonly number[])[]): MarkAxis {
  return measured(axis, axis.categories ?? [], values);
}

function measured(axis: Axis, categories: readonly string[], values: readonly (readonly number[])[]): MarkAxis {
  let [min, max] = axis.range ?? [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const list of values) {
    for (const value of list) {
      if (value < min) min = value;
      if (value > max) max = value;
    }
  }
  const isEmpty = min > max;
  return {
    title: axis.title,
    type: axis.type,
    log: axis.log === true,
    isCommon: axis.range !== undefined,
    categories,
    min: isEmpty ? Number.NaN : min,
    max: isEmpty ? Number.NaN : max,
  };
}

/** Labels made different from each other: a repeated one gets " (2)". */
export function distinct(labels: readonly string[]): string[] {
  const taken = new Set<string>();
  return labels.map((label) => {
    let candidate = label;
    for (let k = 2; taken.has(candidate); k++) candidate = `${label} (${k})`;
    taken.add(candidate);
    return candidate;
  });
}

/** "n = 150", and how the marks stand for more where they do. */
export function countOfMarks({ shown, missing }: Pick<Marks, "shown" | "missing">, chart: PointsChart): string {
  const whole = (n: number) => n.toLocaleString("en-US");
  const { rows, sampledFrom } = chart;
  const n =
    rows !== undefined
      ? `n = ${whole(rows)} ${rows === 1 ? "row" : "rows"}, ${whole(shown)} points`
      : sampledFrom !== undefined && sampledFrom > shown
        ? `${whole(shown)} marks stand for ${whole(sampledFrom)} (binned or sampled)`
        : `n = ${whole(shown)}`;
  return missing > 0 ? `${n}, ${whole(missing)} without a value not shown` : n;
}
