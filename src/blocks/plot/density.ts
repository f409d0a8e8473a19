import { z } from "zod";
import { type BlockContext, columnRef, defineBlock } from "../../core/block.ts";
import type { PointsChart } from "../../core/chart.ts";
import { DataError } from "../../core/errors.ts";
import { type Column, cell, type Frame } from "../../core/frame.ts";
import { count, quoted } from "../../core/names.ts";
import type { Json } from "../../core/record.ts";
import type { Cell } from "../../core/view.ts";
import { unitOf } from "../../numerics/statistics/unit.ts";
import { call, type Expr, value } from "../../plan/expr.ts";
import { type Curve, curveOf, type Lump } from "./density-curve.ts";
import {
  drawable,
  facetted,
  noticeLeft,
  numberColumn,
  type Parting,
  partedBy,
  pictureArgs,
  pictured,
  pictureView,
  refuseLog,
  xScale,
} from "./picture.ts";
import { mostMarks } from "./plot-operands.ts";

/** Points of a curve, where there is room for so many. */
const mostPoints = 200;

/** A bandwidth has so many lumps of rows, which stand for the rows themselves. */
const lumpsInBandwidth = 8;

/** How many bandwidths a curve goes on beyond its least and its greatest number. */
const reach = 3;

/**
 * BL_DENSITY. Draws how densely a column's numbers lie, as a smooth curve.
 *
 * The estimate has a Gaussian kernel whose bandwidth is Scott's, n^(-1/5) times the standard deviation, as pandas and
 * scipy choose it; the area below each curve is 1. The engine puts the rows into bins an eighth of a bandwidth wide,
 * and the curve is made of the means of these. `output` holds `curves: [{n, bandwidth, x, y}]`, with `color` and `facet`
 * where they are asked for. Missing and infinite numbers are left out, and counted in a notice.
 */
export const density = defineBlock({
  code: "BL_DENSITY",
  name: "density",
  args: {
    /** The column of numbers. */
    x: columnRef(),
    /** A column; the rows of each of its values have a curve. */
    color: columnRef().optional(),
    /** The standard deviation of the kernel, above 0; larger is smoother (default: Scott's rule, for each curve). */
    bandwidth: z.number().positive().optional(),
    ...xScale,
    ...pictureArgs,
  },
  positional: ["x"],
  example: 'session.input("sample:penguins").density("body_mass_g", { color: "species" })',
  async run(frame, args, context) {
    const column = numberColumn(frame, args.x, "x", context, " Use bar for other columns.");
    const isLog = refuseLog(args.x_scale, column, "x_scale", context);
    const where = drawable(column, isLog);
    const number = call("number", cell(column));
    const along = isLog ? call("log10", number) : number;
    const counted = { relation: frame.relation, rows: {}, where };
    const color = await partedBy(frame, args.color, "color", counted, context);
    const facet = await partedBy(frame, args.facet, "facet", counted, context);
    const parts = { where, color, facet };
    const found = await groupsOf(frame, { ...parts, x: along, bandwidth: args.bandwidth }, context);
    const rows = found.reduce((sum, { n }) => sum + n, 0);
    if (rows === 0)
      throw new DataError(`${who(context)}: column ${quoted(column.name)} has no numbers to draw.`, { path: "x" });
    noticeLeft({ all: frame.rows, drawn: rows }, [column], isLog, context);
    // Squares of numbers such as 1e200 would overflow, those of 1e-200 vanish.
    const unit = unitOf(Float64Array.from(found.flatMap(({ min, max }) => [min, max])));
    const x = unit === 1 ? along : call("divide", along, value(unit, "number"));
    const bandwidth = args.bandwidth === undefined ? undefined : args.bandwidth / unit;
    const groups = unit === 1 ? found : await groupsOf(frame, { ...parts, x, bandwidth }, context);
    const smooth = groups.filter(({ bandwidth }) => bandwidth > 0);
    refuseConstant(smooth, groups, column, context);
    const curves = await curvesOf(frame, smooth, { ...parts, x }, context);
    const back = (at: number) => (isLog ? 10 ** (at * unit) : within(at * unit));
    const drawn = curves.map((curve) => ({
      ...curve,
      bandwidth: curve.bandwidth * unit,
      x: curve.x.map(back),
      y: curve.y.map((height) => within(height / unit)),
    }));
    const draw = (panel: string | null): PointsChart => {
      const own = drawn.filter((curve) => panel === null || curve.facet === panel);
      return {
        kind: "lines",
        fill: "each",
        title: color ? `density of ${column.name} by ${color.title}` : `density of ${column.name}`,
        x: { title: column.name, type: "number", ...(isLog ? { log: true } : {}) },
        y: { title: isLog ? "density in a power of ten" : "density", type: "number" },
        series: (color?.names ?? [""]).flatMap((name) => {
          const found = own.find((curve) => !color || curve.color === name);
          if (found) return [{ name, x: found.x, y: found.y }];
          return panel === null ? [] : [{ name, x: [], y: [] }];
        }),
        ...(color ? { colour: color.title } : {}),
        rows: own.reduce((sum, { n }) => sum + n, 0),
      };
    };
    const numbers = drawn.map(
      ({ color: name, facet: panel, n, bandwidth, x: along, y }): Json => ({
        n,
        bandwidth,
        x: [...along],
        y: [...y],
        ...(color ? { color: name } : {}),
        ...(facet ? { facet: panel } : {}),
      }),
    );
    const title = `density of ${column.name} by ${facet?.title}`;
    return pictured(frame, facetted(facet, title, draw), args, { curves: numbers });
  },
  view: pictureView,
});

/** A number that went beyond the largest, as one that three digits can write. */
function within(number: number): number {
  return Math.min(Math.max(number, -1.79e308), 1.79e308);
}

function who({ block }: Pick<BlockContext, "block">): string {
  return `${block.name} (${block.code})`;
}

/** What is asked of the engine. */
interface Asked {
  readonly x: Expr;
  readonly where: Expr;
  readonly color: Parting | null;
  readonly facet: Parting | null;
}

/** The rows of one curve. */
interface Group {
  readonly color: string;
  readonly facet: string;
  readonly n: number;
  readonly min: number;
  readonly max: number;
  readonly bandwidth: number;
}

function labels({ color, facet }: Asked): Expr[] {
  return [color, facet].flatMap((part) => (part ? [part.label] : []));
}

function names(row: readonly Cell[], { color, facet }: Asked): { color: string; facet: string } {
  return { color: color ? String(row[0]) : "", facet: facet ? String(row[color ? 1 : 0]) : "" };
}

async function groupsOf(
  { relation }: Frame,
  asked: Asked & { readonly bandwidth: number | undefined },
  context: BlockContext,
): Promise<Group[]> {
  const { x, where, bandwidth } = asked;
  const by = labels(asked);
  const outputs = [...by, call("count"), call("min", x), call("max", x), call("std", x)];
  const { found } = await context.tables.groups(relation, {}, { by, where, outputs, order: [] });
  const place = (group: Group) =>
    (asked.facet?.names.indexOf(group.facet) ?? 0) * 1000 + (asked.color?.names.indexOf(group.color) ?? 0);
  return found
    .map((row) => {
      const [n, min, max, std] = row.slice(-4).map(Number);
      return { ...names(row, asked), n, min, max, bandwidth: bandwidth ?? n ** (-1 / 5) * std };
    })
    .sort((a, b) => place(a) - place(b));
}

/** One value alone has no breadth; curves of such are left out, and all of them are refused. */
function refuseConstant(smooth: readonly Group[], all: readonly Group[], column: Column, context: BlockContext): void {
  if (smooth.length === all.length) return;
  if (smooth.length === 0)
    throw new DataError(
      `${who(context)}: ${quoted(column.name)} has one value alone, and a density needs two; give a bandwidth, or use histogram.`,
      { path: "x" },
    );
  const left = all.filter((group) => !smooth.includes(group)).length;
  context.notice(`${who(context)}: ${count(left, "curve")} of one value alone left out; a density needs two.`);
}

async function curvesOf(
  { relation }: Frame,
  groups: readonly Group[],
  asked: Asked,
  context: BlockContext,
): Promise<(Group & Curve)[]> {
  const least = Math.min(...groups.map(({ min }) => min));
  const most = Math.max(...groups.map(({ max }) => max));
  const narrowest = Math.min(...groups.map(({ bandwidth }) => bandwidth));
  const widest = Math.max(...groups.map(({ bandwidth }) => bandwidth));
  const wanted = Math.ceil((lumpsInBandwidth * (most - least)) / narrowest);
  const bins = Math.max(1, Math.min(65_536, Number.isFinite(wanted) ? Math.max(512, wanted) : 65_536));
  // Which lump a row is in matters little, since its mean stands for it. Halves: the ends may be as far apart as doubles go.
  const scale = bins / 2 / (most / 2 - least / 2 || 1);
  const scaled = call("multiply", asked.x, value(scale, "number"));
  const place = call("floor", call("subtract", scaled, value(least * scale, "number")));
  const by = [...labels(asked), place];
  const outputs = [...labels(asked), call("mean", asked.x), call("count")];
  const order = [{ expr: place }];
  const { found } = await context.tables.groups(relation, {}, { by, where: asked.where, outputs, order });
  const points = Math.max(16, Math.min(mostPoints, Math.floor(mostMarks / groups.length)));
  const from = least - reach * widest;
  const to = most + reach * widest;
  return groups.map((group) => {
    const lumps = found.flatMap((row): Lump[] => {
      const own = names(row, asked);
      if (own.color !== group.color || own.facet !== group.facet) return [];
      return [{ at: Number(row.at(-2)), n: Number(row.at(-1)) }];
    });
    return { ...group, ...curveOf(lumps, group.bandwidth, { from, to, points }) };
  });
}
