import type { BlockContext } from "../../core/block.ts";
import type { Chart, PointsChart } from "../../core/chart.ts";
import { ArgsError, DataError } from "../../core/errors.ts";
import type { Column, Frame } from "../../core/frame.ts";
import { count, listed } from "../../core/names.ts";
import type { Json } from "../../core/record.ts";
import { rowColumn, selectFrom } from "../../core/relation.ts";
import { chosen } from "../../core/scope.ts";
import { col, join, raw, type Sql, sql } from "../../core/sql.ts";
import { toVegaLite } from "../../core/vega-lite.ts";
import type { Cell } from "../../core/view.ts";
import { type NamedTable, sameRows } from "../shared/sources.ts";
import { joinedSql, joiningOf, type LineAggregate } from "./line-values.ts";
import { chartOfArrays } from "./plot-arrays.ts";
import { axisOf, mostMarks, mostSeries, operand, type PlotValue } from "./plot-operands.ts";

/** What scatter and line ask for. */
export interface PointsArgs {
  readonly xvalue?: PlotValue | undefined;
  readonly yvalue?: PlotValue | undefined;
  readonly color?: string | number | undefined;
  readonly is_grid: boolean;
  /** What a line shows where several rows have the same x (default: their mean, where they do). */
  readonly aggregate?: LineAggregate | undefined;
}

/** What is to be drawn, and of how many marks at most. */
export interface Wanted {
  readonly kind: PointsChart["kind"];
  readonly aggregate: LineAggregate | undefined;
  readonly most: number;
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
  // Rows of series too many to be told apart are those of one, "other".
  const kept = colour && (await largestSeries(pointsOf(x, x.columns[0], target, colour), context));
  const parts = x.columns.map((each) => {
    const points = pointsOf(x, each, target, colour);
    return {
      name: each.name,
      points: kept ? sql`SELECT * REPLACE (${seriesName(kept)} AS vs) FROM (${points})` : points,
    };
  });
  const key = raw(colour ? "vx, vs" : "vx");
  const isRepeated = async () => {
    for (const { points } of parts) {
      const [[n, places]] = await context.tables.query(
        sql`SELECT coalesce(sum(n), 0), count(*) FROM (SELECT count(*) AS n FROM (${points}) GROUP BY ${key})`,
      );
      if (Number(n) > Number(places)) return true;
    }
    return false;
  };
  const names = x.columns.map((each) => each.name);
  const joining = kind === "lines" ? await joiningOf({ aggregate, x: names, isRepeated, y: yAxis }, context) : null;
  const series: PointsChart["series"][number][] = [];
  let marks = 0;
  let isSampled = false;
  for (const { name, points } of parts) {
    const [[n]] = await context.tables.query(sql`SELECT count(*) FROM (${points})`);
    marks += Number(n);
    if (Number(n) < x.rows)
      context.notice(
        `${count(x.rows - Number(n), "row")} without ${listed([name])} or ${listed([target.name])} left out of the picture.`,
      );
    const drawn = joining
      ? sql`SELECT ${key}, ${joinedSql(joining)} AS vy, min(vr) AS vr FROM (${points}) GROUP BY ${key}`
      : points;
    const [[places]] = joining ? await context.tables.query(sql`SELECT count(*) FROM (${drawn})`) : [[n]];
    isSampled ||= Number(places) > share;
    const rows = await context.tables.query(fewer(drawn, kind, Number(places), share, colour !== null));
    series.push(...split(rows, isAlone ? target.name : name, kept));
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

/** The rows that have both values: `vx`, `vy`, the row's number `vr`, and `vs` that tells series apart. */
function pointsOf(x: NamedTable, each: Column, target: Column, colour: Column | null): Sql {
  const names = [each.name, target.name, ...(colour ? [colour.name] : [])];
  const inner = selectFrom(x.relation, { ...x.selection, columns: [...new Set(names)], row: true });
  const outputs = [sql`${col(each.name)} AS vx`, sql`${col(target.name)} AS vy`];
  if (colour) outputs.push(sql`coalesce(CAST(${col(colour.name)} AS VARCHAR), 'missing') AS vs`);
  return sql`SELECT ${join(outputs)}, ${raw(rowColumn)} AS vr FROM (${inner}) WHERE ${col(each.name)} IS NOT NULL AND ${col(target.name)} IS NOT NULL`;
}

/** The names of the series; of more than can be told apart those with most rows. */
async function largestSeries(points: Sql, context: BlockContext): Promise<string[]> {
  const sizes = await context.tables.query(
    sql`SELECT vs FROM (${points}) GROUP BY vs ORDER BY count(*) DESC, vs LIMIT ${mostSeries + 1}`,
  );
  const names = sizes.map(([name]) => String(name));
  return names.length > mostSeries ? names.slice(0, mostSeries - 1) : names;
}

function seriesName(kept: readonly string[]): Sql {
  if (kept.length === 0) return raw("vs");
  return sql`CASE WHEN vs IN (${join(kept.map((name) => sql`${name}`))}) THEN vs ELSE 'other' END`;
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
  }
}
