import type { BlockContext } from "../../core/block.ts";
import type { PanelsChart, PointsChart } from "../../core/chart.ts";
import { ArgsError, DataError } from "../../core/errors.ts";
import { type Column, cell, type Frame } from "../../core/frame.ts";
import { count, listed } from "../../core/names.ts";
import { onCommonAxes } from "../../core/panels.ts";
import type { Cell } from "../../core/view.ts";
import { allOf, call, type Expr, value } from "../../plan/expr.ts";
import { type NamedTable, sameRows } from "../shared/sources.ts";
import { joinedExpr, joiningOf, type LineAggregate } from "./line-values.ts";
import { type Parting, partedBy, refuseLog } from "./picture.ts";
import { chartOfArrays, type Wanted } from "./plot-arrays.ts";
import { axisOf, mostMarks, mostSeries, operand, type PlotValue } from "./plot-operands.ts";

export type { Wanted } from "./plot-arrays.ts";

/** What scatter and line ask for. */
export interface PointsArgs {
  readonly xvalue?: PlotValue | undefined;
  readonly yvalue?: PlotValue | undefined;
  readonly color?: string | number | undefined;
  readonly facet?: string | number | undefined;
  readonly x_scale?: "linear" | "log" | undefined;
  readonly y_scale?: "linear" | "log" | undefined;
  readonly is_grid: boolean;
  /** What a line shows where several rows have the same x (default: their mean, where they do). */
  readonly aggregate?: LineAggregate | undefined;
}

/** Builds the chart of points or lines that scatter (DP_SCP) and line (DP_ORD) show: a panel for each part of a facet. */
export async function pointsChart(
  kind: PointsChart["kind"],
  frame: Frame,
  args: PointsArgs,
  context: BlockContext,
  most = mostMarks,
): Promise<PointsChart | PanelsChart> {
  const y = await operand(frame, args.yvalue, "y", context);
  const x = await operand(frame, args.xvalue, "x", context, y);
  const grid = args.is_grid ? { grid: true } : {};
  const logs = { x: args.x_scale === "log", y: args.y_scale === "log" };
  const wanted = { kind, most, aggregate: args.aggregate, logs };
  if (args.facet !== undefined && args.is_grid)
    throw new ArgsError("facet and is_grid both make small pictures; give one of them.", { path: "facet" });
  if (x.kind === "table" && y.kind === "table" && sameRows(x.table, y.table)) {
    const chart = await chartOfTable(wanted, frame, x.table, y.table, args, context);
    return chart.kind === "panels" ? chart : { ...chart, ...grid };
  }
  for (const path of ["color", "facet"] as const) {
    if (args[path] !== undefined)
      throw new ArgsError(`${path} needs xvalue and yvalue to be columns of one table.`, { path });
  }
  return { ...(await chartOfArrays(wanted, x, y, context)), ...grid };
}

async function chartOfTable(
  { kind, most, aggregate, logs }: Wanted,
  frame: Frame,
  x: NamedTable,
  y: NamedTable,
  args: PointsArgs,
  context: BlockContext,
): Promise<PointsChart | PanelsChart> {
  const [target] = y.columns;
  for (const each of x.columns) refuseLog(args.x_scale ?? "linear", each, "x_scale", context);
  refuseLog(args.y_scale ?? "linear", target, "y_scale", context);
  if (args.color !== undefined && x.columns.length > 1)
    throw new ArgsError("color tells series apart for one xvalue; several were given.", { path: "color" });
  const share = Math.floor(most / x.columns.length);
  const isAlone = x.columns.length === 1;
  const yAxis = axisOf(target.name, [target]);
  const { relation, selection } = x;
  const known = { ...frame, columns: x.known };
  const counted = { relation, rows: selection, where: bothOf(x.columns[0], target) };
  const color = await partedBy(known, args.color, "color", counted, context);
  const facet = await partedBy(known, args.facet, "facet", counted, context);
  const line = seriesOf(color, facet);
  const parts = x.columns.map((each) => ({
    where: logs.x ? allOf([bothOf(each, target), isAbove(each)]) : bothOf(each, target),
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
  const stretches = Math.max(1, Math.floor(share / (line ? 2 * mostSeries : 2)));
  const shownY = joining ? `${joining} ${target.name}` : target.name;
  const panels = (facet?.names ?? [""]).map(() => [] as PointsChart["series"][number][]);
  let marks = 0;
  let isSampled = false;
  for (const [k, points] of parts.entries()) {
    const sketch = await context.tables.sketch(relation, selection, {
      ...points,
      // A mean of a row's cells may be above zero where some of them are not.
      where: logs.y && !joining ? allOf([points.where, isAbove(target)]) : points.where,
      ...(joining ? { y: joinedExpr(joining, points.y) } : {}),
      isJoined: joining !== null,
      most: share,
      ...(kind === "lines" ? { stretches } : {}),
    });
    marks += sketch.rows;
    if (sketch.rows < x.rows)
      context.notice(
        `${count(x.rows - sketch.rows, "row")} without ${logs.x || logs.y ? "numbers above zero in " : ""}${listed([names[k]])} or ${listed([target.name])} left out of the picture.`,
      );
    isSampled ||= sketch.marks > share;
    const found = logs.y && joining ? sketch.found.filter((row) => Number(row[1]) > 0) : sketch.found;
    for (const [at, series] of panels.entries()) {
      series.push(...split(found, isAlone ? target.name : names[k], color, facet ? at : null));
    }
  }
  if (panels.every((series) => series.every(({ x: drawn }) => drawn.length === 0))) {
    const both = `${listed([x.columns[0].name])} and ${listed([target.name])}`;
    const log = logs.x || logs.y ? " above zero" : "";
    throw new DataError(`no row has both ${both}${log}, so there is nothing to draw.`);
  }
  const draw = (series: PointsChart["series"], rows: number): PointsChart => ({
    kind,
    title: `${shownY} by ${isAlone ? x.columns[0].name : `${x.columns.length} features`}`,
    x: { ...axisOf(isAlone ? x.columns[0].name : "value", x.columns), ...(logs.x ? { log: true } : {}) },
    y: { ...(joining ? { title: shownY, type: "number" } : yAxis), ...(logs.y ? { log: true } : {}) },
    series,
    ...(color ? { colour: color.title } : isAlone ? {} : { colour: "feature" }),
    ...(isSampled ? { sampledFrom: rows } : {}),
    ...(joining ? { rows } : {}),
  });
  if (!facet) return draw(panels[0], marks);
  const { found } = await context.tables.groups(relation, selection, {
    by: [facet.label],
    where: parts[0].where,
    outputs: [facet.label, call("count")],
    order: [],
  });
  const rows = new Map(found.map(([name, n]) => [String(name), Number(n)]));
  const drawn = facet.names.map((name, k) => ({ name, chart: draw(panels[k], rows.get(name) ?? 0) }));
  const title = `${shownY} by ${isAlone ? x.columns[0].name : `${x.columns.length} features`} and ${facet.title}`;
  return { kind: "panels", title, by: facet.title, panels: onCommonAxes(drawn) };
}

/** A number for the panel and the colour of a row; null where there is one series. */
function seriesOf(color: Parting | null, facet: Parting | null): Expr | null {
  const place = ({ label, names }: Parting) => call("placeOf", label, { list: [...names] });
  if (!facet) return color && place(color);
  if (!color) return place(facet);
  return call("add", call("multiply", place(facet), value(color.names.length)), place(color));
}

function isAbove(column: Column): Expr {
  return call("greater", cell(column), value(0));
}

/** Has a row both values? */
function bothOf(x: Column, y: Column): Expr {
  return allOf([x, y].map((each) => call("not", call("isMissing", cell(each)))));
}

/** The series of a panel; those without a mark only where they must keep the colours of other panels. */
function split(
  rows: readonly (readonly Cell[])[],
  name: string,
  color: Parting | null,
  panel: number | null,
): PointsChart["series"][number][] {
  const size = color?.names.length ?? 1;
  const groups = (color?.names ?? [name]).map((each) => ({ name: each, x: [] as Cell[], y: [] as Cell[] }));
  for (const [x, y, code] of rows) {
    const place = code === undefined ? 0 : Number(code);
    if (panel !== null && Math.floor(place / size) !== panel) continue;
    const group = groups[color ? place % size : 0];
    group.x.push(x);
    group.y.push(y);
  }
  return panel === null && color ? groups.filter((group) => group.x.length > 0) : groups;
}
