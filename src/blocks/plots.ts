import { z } from "zod";
import type { BlockContext } from "../core/block.ts";
import type { Axis, Chart, PointsChart } from "../core/chart.ts";
import { ArgsError, DataError } from "../core/errors.ts";
import { type Column, column, type Frame, foldRows, isNumeric } from "../core/frame.ts";
import { count } from "../core/names.ts";
import type { Json } from "../core/record.ts";
import { type Relation, rowColumn, type Selection, selectFrom } from "../core/relation.ts";
import { chosen } from "../core/scope.ts";
import { col, join, raw, type Sql, sql } from "../core/sql.ts";
import { toVegaLite } from "../core/vega-lite.ts";
import type { Cell } from "../core/view.ts";

/** The most marks a picture has; more are binned or sampled, and the picture says so. */
export const mostMarks = 5000;

/** Beyond this many colours nobody tells series apart. */
const mostSeries = 12;

/** What a plot shows along an axis: a column's name or index, a variable such as "x_train", a URL, or an array. */
export function plotValue() {
  return z.union([z.string(), z.int(), z.array(z.union([z.number(), z.string(), z.null()]))]);
}

/** A value of `plotValue`. */
export type PlotValue = string | number | readonly Cell[];

/** What scatter and line ask for. */
export interface PointsArgs {
  readonly xvalue?: PlotValue | undefined;
  readonly yvalue?: PlotValue | undefined;
  readonly color?: string | number | undefined;
  readonly is_grid: boolean;
}

/** Values for an axis: columns of a table, or an array that came with the request. */
type Operand =
  | {
      readonly kind: "table";
      readonly relation: Relation;
      readonly selection: Selection;
      readonly columns: readonly Column[];
      readonly rows: number;
    }
  | { readonly kind: "inline"; readonly values: readonly Cell[] };

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
  if (x.kind === "table" && y.kind === "table" && sameRows(x, y))
    return await fromTable(kind, frame, x, y, args, context, most);
  return await fromArrays(kind, x, y, args, context, most);
}

async function operand(
  frame: Frame,
  value: PlotValue | undefined,
  axis: "x" | "y",
  context: BlockContext,
  other?: Operand,
): Promise<Operand> {
  const inline = inlineValues(value);
  if (inline) return { kind: "inline", values: inline };
  const all = { kind: "table" as const, relation: frame.relation, selection: {}, rows: frame.rows };
  if (value === undefined) {
    const avoid = other?.kind === "table" ? other.columns.map((each) => each.name) : [];
    return { ...all, columns: defaultColumns(frame, axis, avoid) };
  }
  const names = frame.columns.map((each) => each.name);
  if (typeof value === "string" && !names.includes(value)) {
    const found = await context.resolve(frame, value);
    if (found) return await foreign(frame, found, context);
  }
  const [name] = chosen(frame, [value as string | number], { names, where: "the table" });
  return { ...all, columns: [column(frame, name)] };
}

async function foreign(
  frame: Frame,
  found: { readonly relation: Relation; readonly selection: Selection },
  context: BlockContext,
): Promise<Operand> {
  const described =
    found.relation.artifact === frame.relation.artifact ? null : await context.tables.describe(found.relation.artifact);
  const known = described?.columns ?? frame.columns;
  const columns = (found.selection.columns ?? known.map((each) => each.name)).map(
    (name) => known.find((each) => each.name === name) ?? { name, type: "string" as const },
  );
  const rows = described?.rows ?? foldRows(frame, found.selection.fold ?? "all");
  return { kind: "table", relation: found.relation, selection: found.selection, columns, rows };
}

/** An array given inline, or as JSON text. */
function inlineValues(value: PlotValue | undefined): readonly Cell[] | null {
  if (Array.isArray(value)) return value as readonly Cell[];
  if (typeof value !== "string" || !value.trimStart().startsWith("[")) return null;
  try {
    const parsed: unknown = JSON.parse(value);
    return Array.isArray(parsed) ? parsed.flat().map((item) => item as Cell) : null;
  } catch {
    return null;
  }
}

/** Y: the target, else the last numeric column. X: the numeric features, else the first other numeric column. */
function defaultColumns(frame: Frame, axis: "x" | "y", avoid: readonly string[]): Column[] {
  const numeric = frame.columns.filter((each) => isNumeric(each) && !avoid.includes(each.name));
  if (axis === "y" && frame.y?.length) return [column(frame, frame.y[0])];
  if (axis === "x" && frame.x) {
    const features = numeric.filter((each) => frame.x?.includes(each.name)).slice(0, mostSeries);
    if (features.length > 0) return features;
  }
  const found = axis === "y" ? numeric.at(-1) : numeric[0];
  if (found) return [found];
  throw new DataError("the table has no numeric columns to plot; name xvalue and yvalue.", { path: `${axis}value` });
}

function sameRows(a: Operand & { kind: "table" }, b: Operand & { kind: "table" }): boolean {
  return a.relation === b.relation && (a.selection.fold ?? "all") === (b.selection.fold ?? "all");
}

async function fromTable(
  kind: PointsChart["kind"],
  frame: Frame,
  x: Operand & { kind: "table" },
  y: Operand & { kind: "table" },
  args: PointsArgs,
  context: BlockContext,
  most: number,
): Promise<PointsChart> {
  const [target] = y.columns;
  const colour =
    args.color === undefined
      ? null
      : column(
          frame,
          chosen(frame, [args.color], { names: frame.columns.map((each) => each.name), where: "the table" })[0],
        );
  if (colour && x.columns.length > 1)
    throw new ArgsError("color tells series apart for one xvalue; several were given.", { path: "color" });
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
        `${count(x.rows - Number(n), "row")} without ${each.name} or ${target.name} left out of the picture.`,
      );
    const rows = await context.tables.query(fewer(points, kind, Number(n), share, colour !== null));
    series.push(...split(rows, x.columns.length === 1 ? target.name : each.name, colour !== null));
  }
  if (marks === 0)
    throw new DataError(`no row has both ${x.columns[0].name} and ${target.name}, so there is nothing to draw.`);
  const xTitle = x.columns.length === 1 ? x.columns[0].name : "value";
  return {
    kind,
    title: `${target.name} by ${x.columns.length === 1 ? xTitle : `${x.columns.length} features`}`,
    x: axisOf(xTitle, x.columns),
    y: axisOf(target.name, [target]),
    series,
    ...(colour ? { colour: colour.name } : x.columns.length > 1 ? { colour: "feature" } : {}),
    ...(args.is_grid ? { grid: true } : {}),
    ...(marks > most ? { sampledFrom: marks } : {}),
  };
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

async function fromArrays(
  kind: PointsChart["kind"],
  x: Operand,
  y: Operand,
  args: PointsArgs,
  context: BlockContext,
  most: number,
): Promise<PointsChart> {
  if (args.color !== undefined)
    throw new ArgsError("color needs xvalue and yvalue to be columns of one table.", { path: "color" });
  const [xs, ys] = [await valuesOf(x, context), await valuesOf(y, context)];
  if (xs.values.length !== ys.values.length) {
    throw new ArgsError(
      `xvalue has ${count(xs.values.length, "value")} and yvalue ${count(ys.values.length, "value")}; they must be as many.`,
      {
        path: "xvalue",
        got: [xs.values.length, ys.values.length],
      },
    );
  }
  let pairs = xs.values.map((value, k) => [value, ys.values[k]] as const).filter(([a, b]) => a !== null && b !== null);
  const marks = pairs.length;
  if (marks === 0) throw new DataError("xvalue and yvalue have no pair of values to draw.");
  const step = Math.ceil(marks / most);
  pairs = pairs.filter((_, k) => k % step === 0);
  if (kind === "lines" && xs.type === "number") pairs.sort(([a], [b]) => Number(a) - Number(b));
  return {
    kind,
    title: `${ys.title} by ${xs.title}`,
    x: { title: xs.title, type: xs.type },
    y: { title: ys.title, type: ys.type },
    series: [{ name: ys.title, x: pairs.map(([a]) => a), y: pairs.map(([, b]) => b) }],
    ...(args.is_grid ? { grid: true } : {}),
    ...(step > 1 ? { sampledFrom: marks } : {}),
  };
}

async function valuesOf(
  from: Operand,
  context: BlockContext,
): Promise<{ values: readonly Cell[]; title: string; type: Axis["type"] }> {
  if (from.kind === "inline") {
    const isNumbers = from.values.every((value) => value === null || typeof value === "number");
    return { values: from.values, title: "values", type: isNumbers ? "number" : "category" };
  }
  const [first] = from.columns;
  const [values] = await context.tables.cells(from.relation, { ...from.selection, columns: [first.name] });
  return { values, title: first.name, type: axisOf(first.name, [first]).type };
}

function axisOf(title: string, columns: readonly Column[]): Axis {
  if (columns.every(isNumeric)) return { title, type: "number" };
  return { title, type: columns.every((each) => each.type === "datetime") ? "datetime" : "category" };
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
