import { z } from "zod";
import { type BlockContext, columnRef, type Outcome } from "../../core/block.ts";
import type { Chart, PanelsChart, SingleChart } from "../../core/chart.ts";
import { ArgsError, DataError } from "../../core/errors.ts";
import { type Column, cell, type Frame, isNumeric } from "../../core/frame.ts";
import { byCodePoint, count, quoted } from "../../core/names.ts";
import { onCommonAxes } from "../../core/panels.ts";
import type { Json } from "../../core/record.ts";
import { chosen } from "../../core/scope.ts";
import type { Rows } from "../../core/tables.ts";
import { toVegaLite } from "../../core/vega-lite.ts";
import { call, type Expr, value } from "../../plan/expr.ts";
import type { Relation } from "../../plan/node.ts";
import { mostSeries } from "./plot-operands.ts";

/** The most pixels of a picture's side. */
const mostPixels = 4000;

/** What every picture can be asked. */
export const pictureArgs = {
  /** A column; each of its values has a small picture of its own, on the same axes. */
  facet: columnRef().optional(),
  /** The words above the picture (default: told from its columns). */
  title: z.string().max(1000).optional(),
  /** Breadth in pixels, without the axes, 40 to 4000; of each picture, where there are several. */
  width: z.int().min(40).max(mostPixels).optional(),
  /** Height in pixels, without the axes, 40 to 4000; of each picture, where there are several. */
  height: z.int().min(40).max(mostPixels).optional(),
};

/** What pictures with an axis of numbers can be asked along x. */
export const xScale = {
  /** "log" puts powers of ten along x at equal distances; numbers of zero and below are left out (default "linear"). */
  x_scale: z.literal(["linear", "log"]).default("linear"),
};

/** What pictures with an axis of numbers can be asked along y. */
export const yScale = {
  /** "log" puts powers of ten along y at equal distances; numbers of zero and below are left out (default "linear"). */
  y_scale: z.literal(["linear", "log"]).default("linear"),
};

/** What `pictureArgs` hold. */
export interface PictureArgs {
  readonly facet?: string | number | undefined;
  readonly title?: string | undefined;
  readonly width?: number | undefined;
  readonly height?: number | undefined;
}

/** What a block of a picture answers: the picture as it was asked for, and its numbers. */
export function pictured(
  frame: Frame,
  chart: Chart,
  { title, width, height }: PictureArgs,
  numbers: { readonly [key: string]: Json } = {},
  isPart = false,
): Outcome {
  const size = { ...(width === undefined ? {} : { width }), ...(height === undefined ? {} : { height }) };
  const titled = title === undefined ? chart : { ...chart, title };
  const shown: Chart =
    titled.kind === "panels"
      ? { ...titled, panels: titled.panels.map((each) => ({ ...each, chart: { ...each.chart, ...size } })) }
      : { ...titled, ...size };
  const { spec, points, sampled } = chartOutput(shown) as { spec: Json; points: number; sampled: boolean };
  return { frame, output: { spec, points, sampled: sampled || isPart, ...numbers }, report: { chart: shown } };
}

/** The picture of a finished block. */
export function pictureView({ report }: { readonly report: unknown }): { kind: "chart"; chart: Chart } {
  // A report is what `pictured` made.
  return { kind: "chart", chart: (report as { chart: Chart }).chart };
}

/** The column that an argument of a picture names. */
export function pictureColumn(
  frame: Frame,
  wanted: string | number,
  path: string,
  { block }: Pick<BlockContext, "block">,
): Column {
  const names = frame.columns.map(({ name }) => name);
  const [name] = chosen(frame, [wanted], { names, where: "the table" });
  const found = frame.columns.find((each) => each.name === name) as Column;
  if (found.type !== "tensor") return found;
  throw new DataError(`${block.name} (${block.code}): column ${quoted(name)} holds arrays, which ${path} can't show.`, {
    path,
    got: name,
  });
}

/** The column of an argument that needs numbers. */
export function numberColumn(
  frame: Frame,
  wanted: string | number,
  path: string,
  context: Pick<BlockContext, "block">,
  cure = "",
): Column {
  const found = pictureColumn(frame, wanted, path, context);
  if (isNumeric(found)) return found;
  const { name, code } = context.block;
  throw new DataError(
    `${name} (${code}): ${path} must be a column of numbers, and ${quoted(found.name)} is ${found.type}.${cure}`,
    { path, got: found.name },
  );
}

/** Is a cell of the column there, and above zero where its scale is logarithmic? Infinite numbers are none to draw. */
export function drawable(column: Column, isLog = false): Expr {
  const isThere = call("not", call("isMissing", cell(column)));
  if (column.type !== "number") return isThere;
  const isOne = column.integer ? isThere : call("and", isThere, call("isFinite", cell(column)));
  return isLog ? call("and", isOne, call("greater", cell(column), value(0))) : isOne;
}

/** Says how many rows are not in the picture, and why. */
export function noticeLeft(
  { all, drawn }: { readonly all: number; readonly drawn: number },
  columns: readonly Column[],
  isLog: boolean,
  context: Pick<BlockContext, "block" | "notice">,
): void {
  if (drawn === all) return;
  const words = columns.map((column) => {
    const name = quoted(column.name);
    if (column.type !== "number" || (column.integer && !isLog)) return name;
    return `a ${column.integer ? "" : "finite "}${name}${isLog ? " above zero" : ""}`;
  });
  const { name, code } = context.block;
  context.notice(`${name} (${code}): ${count(all - drawn, "row")} without ${words.join(" or ")} left out.`);
}

/** A scale that is logarithmic needs numbers. */
export function refuseLog(
  scale: string,
  column: Column,
  path: string,
  { block }: Pick<BlockContext, "block">,
): boolean {
  if (scale !== "log") return false;
  if (column.type === "number") return true;
  throw new ArgsError(
    `${block.name} (${block.code}): ${path} "log" needs numbers, and ${quoted(column.name)} is ${column.type}.`,
    { path, got: scale },
  );
}

/** Bins of equal breadth need a breadth, and edges beyond the ends, that are numbers. */
export function refuseWide(
  [low, high]: readonly [number, number],
  column: Column,
  { block }: Pick<BlockContext, "block">,
): void {
  if (Math.max(-low, high, high - low) < Number.MAX_VALUE / 2) return;
  throw new DataError(
    `${block.name} (${block.code}): column ${quoted(column.name)} goes from ${low} to ${high}, as far as numbers go, and bins go farther; divide it first with derive (BL_DERIVE).`,
    { got: [low, high] },
  );
}

/** What tells marks apart: a column's values, those of fewest rows as one. */
export interface Parting {
  readonly title: string;
  readonly names: readonly string[];
  /** The name of a row. */
  readonly label: Expr;
}

const other = "other";
const missing = "missing";

/** The values of a column by which rows are told apart, in their order; of more than twelve those with fewest rows are "other". */
export async function partedBy(
  frame: Frame,
  wanted: string | number | undefined,
  path: string,
  { relation, rows, where }: { readonly relation: Relation; readonly rows: Rows; readonly where: Expr },
  context: BlockContext,
): Promise<Parting | null> {
  if (wanted === undefined) return null;
  const column = pictureColumn(frame, wanted, path, context);
  const word = call("coalesce", call("written", cell(column)), value(missing));
  const { found, groups } = await context.tables.groups(relation, rows, {
    by: [word],
    where,
    outputs: [word],
    order: [{ expr: call("count"), descending: true }, { expr: word }],
    limit: mostSeries,
  });
  const isMany = groups > mostSeries;
  const kept = found.slice(0, isMany ? mostSeries - 1 : mostSeries).map(([name]) => String(name));
  const names = inOrder(kept, column);
  if (!isMany) return { title: column.name, names, label: word };
  const { name, code } = context.block;
  context.notice(
    `${name} (${code}): ${quoted(column.name)} has ${groups.toLocaleString("en-US")} values; all but the ${kept.length} with most rows are drawn as "other".`,
  );
  const label = call("choose", call("oneOf", word, { list: kept }), word, value(other));
  return { title: column.name, names: [...names.filter((each) => each !== other), other], label };
}

/** Numbers ascending, texts by code point, what is missing last. */
function inOrder(names: readonly string[], column: Column): string[] {
  const isNumbers = column.type === "number";
  return [...names].sort((a, b) => {
    if ((a === missing) !== (b === missing)) return a === missing ? 1 : -1;
    return isNumbers ? Number(a) - Number(b) : byCodePoint(a, b);
  });
}

/** A picture for each part of a facet, on common axes; the picture itself where there is none. */
export function facetted(
  facet: Parting | null,
  title: string,
  draw: (name: string | null) => SingleChart,
): SingleChart | PanelsChart {
  if (!facet) return draw(null);
  const panels = facet.names.map((name) => ({ name, chart: draw(name) }));
  return { kind: "panels", title, by: facet.title, panels: onCommonAxes(panels) };
}

/** What a plot block answers: the Vega-Lite spec, how many marks it has, and whether more were left out. */
export function chartOutput(chart: Chart): Json {
  return {
    spec: toVegaLite(chart) as Json,
    points: marksIn(chart),
    sampled: isSampled(chart),
  };
}

function isSampled(chart: Chart): boolean {
  if (chart.kind === "panels") return chart.panels.some((panel) => isSampled(panel.chart));
  return "sampledFrom" in chart && chart.sampledFrom !== undefined;
}

function marksIn(chart: Chart): number {
  switch (chart.kind) {
    case "points":
    case "lines":
      return chart.series.reduce((sum, series) => sum + series.x.length, 0);
    case "heatmap":
      return chart.rows.length * chart.columns.length;
    case "pie":
      return chart.slices.length;
    case "bars":
      return chart.bars.length;
    case "gaps":
      return chart.counts.reduce((sum, counts) => sum + counts.filter((n) => n > 0).length, 0);
    case "pairs": {
      const bars = chart.columns.flatMap(({ counts }) => counts.flat()).filter((n) => n > 0).length;
      return bars + (chart.groups.length * chart.columns.length * (chart.columns.length - 1)) / 2;
    }
    case "swarm":
      return chart.swarms.reduce((sum, { x }) => sum + x.length, 0);
    case "waterfall":
      return chart.steps.length;
    case "forecast":
      return chart.history.x.length + chart.ahead.x.length + (chart.actual?.x.length ?? 0);
    case "spec":
      return chart.marks;
    case "columns":
      return chart.series.reduce((sum, { values }) => sum + values.filter((value) => value !== null).length, 0);
    case "boxes":
      return chart.boxes.reduce((sum, { outliers }) => sum + 1 + outliers.length, 0);
    case "panels":
      return chart.panels.reduce((sum, panel) => sum + marksIn(panel.chart), 0);
  }
}
