import type { BlockContext } from "../core/block.ts";
import type { Chart, PointsChart } from "../core/chart.ts";
import { ArgsError, DataError } from "../core/errors.ts";
import type { Column, Frame } from "../core/frame.ts";
import { count, listed } from "../core/names.ts";
import type { Json } from "../core/record.ts";
import { rowColumn, selectFrom } from "../core/relation.ts";
import { chosen } from "../core/scope.ts";
import { col, join, raw, type Sql, sql } from "../core/sql.ts";
import { toVegaLite } from "../core/vega-lite.ts";
import type { Cell } from "../core/view.ts";
import { chartOfArrays } from "./plot-arrays.ts";
import { axisOf, mostMarks, mostSeries, operand, type PlotValue } from "./plot-operands.ts";
import { type NamedTable, sameRows } from "./sources.ts";

/** What scatter and line ask for. */
export interface PointsArgs {
  readonly xvalue?: PlotValue | undefined;
  readonly yvalue?: PlotValue | undefined;
  readonly color?: string | number | undefined;
  readonly is_grid: boolean;
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
  if (x.kind === "table" && y.kind === "table" && sameRows(x.table, y.table))
    return { ...(await chartOfTable(kind, frame, x.table, y.table, args.color, context, most)), ...grid };
  if (args.color !== undefined)
    throw new ArgsError("color needs xvalue and yvalue to be columns of one table.", { path: "color" });
  return { ...(await chartOfArrays(kind, x, y, context, most)), ...grid };
}

async function chartOfTable(
  kind: PointsChart["kind"],
  frame: Frame,
  x: NamedTable,
  y: NamedTable,
  color: string | number | undefined,
  context: BlockContext,
  most: number,
): Promise<PointsChart> {
  const [target] = y.columns;
  const colour = color === undefined ? null : colourColumn(frame, x, color);
  const series: PointsChart["series"][number][] = [];
  let marks = 0;
  const share = Math.floor(most / x.columns.length);
  for (const each of x.columns) {
    const names = [each.name, target.name, ...(colour ? [colour.name] : [])];
    const inner = selectFrom(x.relation, { ...x.selection, columns: [...new Set(names)], row: true });
    const outputs = [sql`${col(each.name)} AS vx`, sql`${col(target.name)} AS vy`];
    if (colour) outputs.push(sql`CAST(${col(colour.name)} AS VARCHAR) AS vs`);
    const points = sql`SELECT ${join(outputs)}, ${raw(rowColumn)} AS vr FROM (${inner}) WHERE ${col(each.name)} IS NOT NULL AND ${col(target.name)} IS NOT NULL`;
    const [[n]] = await context.tables.query(sql`SELECT count(*) FROM (${points})`);
    marks += Number(n);
    if (Number(n) < x.rows)
      context.notice(
        `${count(x.rows - Number(n), "row")} without ${listed([each.name])} or ${listed([target.name])} left out of the picture.`,
      );
    const rows = await context.tables.query(fewer(points, kind, Number(n), share, colour !== null));
    series.push(...split(rows, x.columns.length === 1 ? target.name : each.name, colour !== null));
  }
  if (marks === 0) {
    const both = `${listed([x.columns[0].name])} and ${listed([target.name])}`;
    throw new DataError(`no row has both ${both}, so there is nothing to draw.`);
  }
  const isAlone = x.columns.length === 1;
  const shown = series.reduce((sum, each) => sum + each.x.length, 0);
  return {
    kind,
    title: `${target.name} by ${isAlone ? x.columns[0].name : `${x.columns.length} features`}`,
    x: axisOf(isAlone ? x.columns[0].name : "value", x.columns),
    y: axisOf(target.name, [target]),
    series,
    ...(colour ? { colour: colour.name } : isAlone ? {} : { colour: "feature" }),
    ...(marks > shown ? { sampledFrom: marks } : {}),
  };
}

function colourColumn(frame: Frame, x: NamedTable, color: string | number): Column {
  if (x.columns.length > 1)
    throw new ArgsError("color tells series apart for one xvalue; several were given.", { path: "color" });
  const within = { names: x.known.map((each) => each.name), where: "the table" };
  const [name] = chosen({ ...frame, columns: x.known }, [color], within);
  return x.known.find((each) => each.name === name) as Column;
}

/** At most `share` of the points: for lines the least and greatest of each stretch, else rows drawn by hash. */
function fewer(points: Sql, kind: PointsChart["kind"], n: number, share: number, coloured: boolean): Sql {
  const columns = raw(coloured ? "vx, vy, vs" : "vx, vy");
  if (n <= share) return sql`SELECT ${columns} FROM (${points}) ORDER BY ${raw(kind === "lines" ? "vx, vr" : "vr")}`;
  if (kind === "points") {
    return sql`SELECT ${columns} FROM (SELECT * FROM (${points}) ORDER BY hash(vr), vr LIMIT ${share}) ORDER BY vr`;
  }
  const part = raw(coloured ? "PARTITION BY vs, b" : "PARTITION BY b");
  return sql`SELECT ${columns} FROM (
  SELECT *, row_number() OVER (${part} ORDER BY vy, vr) AS lo, row_number() OVER (${part} ORDER BY vy DESC, vr) AS hi
  FROM (SELECT *, ntile(${Math.max(1, Math.floor(share / (coloured ? 2 * mostSeries : 2)))}) OVER (ORDER BY vx, vr) AS b FROM (${points}))
) WHERE lo = 1 OR hi = 1 ORDER BY vx, vr`;
}

function split(rows: readonly (readonly Cell[])[], name: string, coloured: boolean): PointsChart["series"][number][] {
  if (!coloured) return [{ name, x: rows.map((row) => row[0]), y: rows.map((row) => row[1]) }];
  const sizes = new Map<string, number>();
  for (const [, , label] of rows)
    sizes.set(String(label ?? "missing"), (sizes.get(String(label ?? "missing")) ?? 0) + 1);
  const kept = [...sizes.keys()]
    .sort((a, b) => (sizes.get(b) ?? 0) - (sizes.get(a) ?? 0))
    .slice(0, sizes.size > mostSeries ? mostSeries - 1 : mostSeries);
  const groups = new Map<string, { name: string; x: Cell[]; y: Cell[] }>();
  for (const label of [...kept].sort()) groups.set(label, { name: label, x: [], y: [] });
  for (const [vx, vy, label] of rows) {
    const key = kept.includes(String(label ?? "missing")) ? String(label ?? "missing") : "other";
    const group = groups.get(key) ?? { name: key, x: [], y: [] };
    groups.set(key, group);
    group.x.push(vx);
    group.y.push(vy);
  }
  return [...groups.values()];
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
  }
}
