import type { BlockContext } from "../../core/block.ts";
import { type Column, cell, columnsNamed, type Frame } from "../../core/frame.ts";
import { lowsOf } from "../../core/lows.ts";
import { fitSelection } from "../../core/scope.ts";
import type { Cell } from "../../core/view.ts";
import type { Moments } from "../../numerics/statistics/moments.ts";
import type { Summary } from "../../numerics/statistics/summaries.ts";
import { call, type Expr, value } from "../../plan/expr.ts";

/** What is learnt of columns of numbers where no column can come into memory: all of it by aggregates. */
type Asking = Pick<BlockContext, "tables">;

const numberOf = (column: Column): Expr => (column.type === "boolean" ? call("number", cell(column)) : cell(column));

/** Several aggregates of each column, asked together; column by column. */
async function ofEach(
  frame: Frame,
  columns: readonly Column[],
  measures: (x: Expr, k: number) => readonly Expr[],
  { tables }: Asking,
): Promise<Cell[][]> {
  const asked = columns.map((each, k) => measures(numberOf(each), k));
  const cells = await tables.aggregate(frame.relation, fitSelection(frame), asked.flat());
  const left = cells.values();
  return asked.map(({ length }) => left.take(length).toArray());
}

/** Moments of numeric columns over the rows that a fit may see; deviations, which take another reading, where they are wanted. */
export async function farMoments(
  frame: Frame,
  names: readonly string[],
  context: Asking,
  squares = true,
): Promise<Moments[]> {
  const columns = columnsNamed(frame.columns, names);
  return (await ofEach(frame, columns, (x) => momentsIn(x, squares), context)).map(momentsOf);
}

function momentsIn(x: Expr, squares = true): Expr[] {
  const measures = [call("count", x), call("min", x), call("max", x), call("mean", x)];
  return squares ? [...measures, call("std", x)] : measures;
}

function momentsOf([count, ...others]: readonly Cell[]): Moments {
  const n = Number(count);
  const [min, max, mean, std = null] = others.map((each) => (each === null ? null : Number(each)));
  // Of one value, and of values that are all alike, nothing deviates.
  const deviation = std === null ? (n === 1 ? 0 : null) : std * Math.sqrt((n - 1) / n);
  return { n, min, max, mean, deviation };
}

/** Exact quantiles of numeric columns over the rows that a fit may see; NaN where a column has no value. */
export async function farQuantiles(
  frame: Frame,
  names: readonly string[],
  at: readonly number[],
  context: Asking,
): Promise<Float64Array[]> {
  const columns = columnsNamed(frame.columns, names);
  const measures = (x: Expr) => at.map((share) => call("quantile", x, value(share, "number")));
  const found = await ofEach(frame, columns, measures, context);
  return found.map((cells) => Float64Array.from(cells, (each) => (each === null ? NaN : Number(each))));
}

const parts = 8;

/** Count, mean, deviation, extremes and quartiles of numeric columns, and a histogram of eight equal parts. */
export async function farSummaries(frame: Frame, names: readonly string[], context: Asking): Promise<Summary[]> {
  const columns = columnsNamed(frame.columns, names);
  const quantiles = (x: Expr) => [0.25, 0.5, 0.75].map((share) => call("quantile", x, value(share, "number")));
  // Asked together, they share a reading.
  const found = await ofEach(frame, columns, (x) => [...momentsIn(x), ...quantiles(x)], context);
  const moments = found.map((cells) => momentsOf(cells.slice(0, -3)));
  const ranges = moments.map(({ min, max }) => {
    const width = (max ?? 0) - (min ?? 0);
    if (min === null || max === null || !(width > 0 && width < Number.POSITIVE_INFINITY)) return null;
    return Array.from({ length: parts }, (_, k) => min + k * (width / parts));
  });
  // Of whole numbers with none between their ends the mean tells how many are low.
  const lows = moments.map(({ n, min, max, mean }, k) => {
    const isWhole = columns[k].type === "boolean" || columns[k].integer === true;
    return isWhole ? lowsOf({ low: min ?? 0, high: max ?? 0, n, mean: mean ?? 0 }) : null;
  });
  const below = (x: Expr, k: number) => {
    const inside = lows[k] === null ? (ranges[k] ?? []).slice(1) : [];
    return inside.map((edge) => call("count", call("choose", call("less", x, value(edge, "number")), x, value(null))));
  };
  const isAsked = ranges.some((range, k) => range && lows[k] === null);
  const counted = isAsked ? await ofEach(frame, columns, below, context) : [];
  return moments.map(({ n, min, max, mean, deviation }, k) => {
    const low = lows[k];
    const ends = ranges[k] ? [...(low === null ? counted[k].map(Number) : Array(parts - 1).fill(low)), n] : [];
    return {
      count: n,
      mean: mean ?? NaN,
      std: n < 2 || deviation === null ? NaN : deviation * Math.sqrt(n / (n - 1)),
      min: min ?? NaN,
      max: max ?? NaN,
      quartiles: Float64Array.from(found[k].slice(-3), (each) => (each === null ? NaN : Number(each))),
      histogram: Float64Array.from(ends, (end, part) => end - (part === 0 ? 0 : ends[part - 1])),
    };
  });
}

/** How many different values each column has, missing cells aside. */
export async function farDistinct(frame: Frame, names: readonly string[], { tables }: Asking): Promise<number[]> {
  const columns = columnsNamed(frame.columns, names);
  const asked = columns.map((each) => call("countDistinct", cell(each)));
  return (await tables.aggregate(frame.relation, {}, asked)).map(Number);
}
