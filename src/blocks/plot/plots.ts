import type { BlockContext } from "../../core/block.ts";
import type { Chart, PointsChart } from "../../core/chart.ts";
import { ArgsError, DataError } from "../../core/errors.ts";
import { type Column, cell, type Frame } from "../../core/frame.ts";
import { count, listed } from "../../core/names.ts";
import type { Json } from "../../core/record.ts";
import { chosen } from "../../core/scope.ts";
import { toVegaLite } from "../../core/vega-lite.ts";
import type { Cell } from "../../core/view.ts";
import { allOf, call, type Expr, value } from "../../plan/expr.ts";
import { type NamedTable, sameRows } from "../shared/sources.ts";
import { joinedExpr, joiningOf, type LineAggregate } from "./line-values.ts";
import { chartOfArrays, type Wanted } from "./plot-arrays.ts";
import { axisOf, mostMarks, mostSeries, operand, type PlotValue } from "./plot-operands.ts";

export type { Wanted } from "./plot-arrays.ts";

/** What scatter and line ask for. */
export interface PointsArgs {
  readonly xvalue?: PlotValue | undefined;
  readonly yvalue?: PlotValue | undefined;
  readonly color?: string | number | undefined;
  readonly is_grid: boolean;
  /** What a line shows where several rows have the same x (default: their mean, where they do). */
  readonly aggregate?: LineAggregate | undefined;
}

/** Builds the chart of points or lines that scatter (DP_SCP) and line (DP_ORD) show. */
export async function pointsChart(
  kind: PointsChart["kind"],
  frame: Frame,
  args: PointsArgs,
  context: BlockContext,
  most = mostMarks,
): Promise<PointsChart> {
  const y = await operand(frame, args.yvalue, "y", context);
  const x = await operand(frame, args.xvalue, "x", context, y);
  const grid = args.is_grid ? { grid: true } : {};
  const wanted = { kind, most, aggregate: args.aggregate };
  if (x.kind === "table" && y.kind === "table" && sameRows(x.table, y.table))
    return { ...(await chartOfTable(wanted, frame, x.table, y.table, args.color, context)), ...grid };
  if (args.color !== undefined)
    throw new ArgsError("color needs xvalue and yvalue to be columns of one table.", { path: "color" });
  return { ...(await chartOfArrays(wanted, x, y, context)), ...grid };
}

async function chartOfTable(
  { kind, most, aggregate }: Wanted,
  frame: Frame,
  x: NamedTable,
  y: NamedTable,
  color: string | number | undefined,
  context: BlockContext,
): Promise<PointsChart> {
  const [target] = y.columns;
  const colour = color === undefined ? null : colourColumn(frame, x, color);
  const share = Math.floor(most / x.columns.length);
  const isAlone = x.columns.length === 1;
  const yAxis = axisOf(target.name, [target]);
  const { relation, selection } = x;
  const label = colour && call("coalesce", call("written", cell(colour)), value("missing"));
  // Rows of series too many to be told apart are those of one, "other".
  const kept = label && (await largestSeries(x, bothOf(x.columns[0], target), label, context));
  const line =
    label && kept?.length ? call("choose", call("oneOf", label, { list: kept }), label, value("other")) : label;
  const parts = x.columns.map((each) => ({
    where: bothOf(each, target),
    x: cell(each),
    y: cell(target),
    ...(line ? { series: line } : {}),
  }));
  const isRepeated = async () => {
    for (const { where, x: along } of parts) {
      const by = line ? [along, line] : [along];
      const grouping = { by, where, outputs: [], order: [], limit: 1 };
      const { groups, rows } = await context.tables.groups(relation, selection, grouping);
      if (rows > groups) return true;
    }
    return false;
  };
  const names = x.columns.map(({ name }) => name);
  const joining = kind === "lines" ? await joiningOf({ aggregate, x: names, isRepeated, y: yAxis }, context) : null;
  const stretches = Math.max(1, Math.floor(share / (colour ? 2 * mostSeries : 2)));
  const series: PointsChart["series"][number][] = [];
  let marks = 0;
  let isSampled = false;
  for (const [k, points] of parts.entries()) {
    const sketch = await context.tables.sketch(relation, selection, {
      ...points,
      ...(joining ? { y: joinedExpr(joining, points.y) } : {}),
      isJoined: joining !== null,
      most: share,
      ...(kind === "lines" ? { stretches } : {}),
    });
    marks += sketch.rows;
    if (sketch.rows < x.rows)
      context.notice(
        `${count(x.rows - sketch.rows, "row")} without ${listed([names[k]])} or ${listed([target.name])} left out of the picture.`,
      );
    isSampled ||= sketch.marks > share;
    series.push(...split(sketch.found, isAlone ? target.name : names[k], kept));
  }
  if (marks === 0) {
    const both = `${listed([x.columns[0].name])} and ${listed([target.name])}`;
    throw new DataError(`no row has both ${both}, so there is nothing to draw.`);
  }
  const shownY = joining ? `${joining} ${target.name}` : target.name;
  return {
    kind,
    title: `${shownY} by ${isAlone ? x.columns[0].name : `${x.columns.length} features`}`,
    x: axisOf(isAlone ? x.columns[0].name : "value", x.columns),
    y: joining ? { title: shownY, type: "number" } : yAxis,
    series,
    ...(colour ? { colour: colour.name } : isAlone ? {} : { colour: "feature" }),
    ...(isSampled ? { sampledFrom: marks } : {}),
    ...(joining ? { rows: marks } : {}),
  };
}

/** Has a row both values? */
function bothOf(x: Column, y: Column): Expr {
  return allOf([x, y].map((each) => call("not", call("isMissing", cell(each)))));
}

/** The names of the series; of more than can be told apart those with most rows. */
async function largestSeries(
  { relation, selection }: NamedTable,
  where: Expr,
  label: Expr,
  context: BlockContext,
): Promise<string[]> {
  const { found } = await context.tables.groups(relation, selection, {
    by: [label],
    where,
    outputs: [label],
    order: [{ expr: call("count"), descending: true }, { expr: label }],
    limit: mostSeries + 1,
  });
  const names = found.map(([name]) => String(name));
  return names.length > mostSeries ? names.slice(0, mostSeries - 1) : names;
}

function colourColumn(frame: Frame, x: NamedTable, color: string | number): Column {
  if (x.columns.length > 1)
    throw new ArgsError("color tells series apart for one xvalue; several were given.", { path: "color" });
  const within = { names: x.known.map((each) => each.name), where: "the table" };
  const [name] = chosen({ ...frame, columns: x.known }, [color], within);
  return x.known.find((each) => each.name === name) as Column;
}

function split(
  rows: readonly (readonly Cell[])[],
  name: string,
  kept: readonly string[] | null,
): PointsChart["series"][number][] {
  if (!kept) return [{ name, x: rows.map((row) => row[0]), y: rows.map((row) => row[1]) }];
  const groups = new Map(kept.toSorted().map((label) => [label, { name: label, x: [] as Cell[], y: [] as Cell[] }]));
  for (const [vx, vy, label] of rows) {
    const key = String(label);
    const group = groups.get(key) ?? { name: key, x: [], y: [] };
    groups.set(key, group);
    group.x.push(vx);
    group.y.push(vy);
  }
  return [...groups.values()].filter((group) => group.x.length > 0);
}

/** What a plot block answers: the Vega-Lite spec, how many marks it has, and whether more were left out. */
export function chartOutput(chart: Chart): Json {
  return {
    spec: toVegaLite(chart) as Json,
    points: marksIn(chart),
    sampled: "sampledFrom" in chart && chart.sampledFrom !== undefined,
  };
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
