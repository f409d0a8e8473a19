import { z } from "zod";
import { type BlockContext, columnRef, defineBlock } from "../../core/block.ts";
import type { PointsChart } from "../../core/chart.ts";
import { ArgsError, DataError } from "../../core/errors.ts";
import { type Column, cell, type Frame } from "../../core/frame.ts";
import { count, quoted } from "../../core/names.ts";
import type { Json } from "../../core/record.ts";
import type { Cell } from "../../core/view.ts";
import { allOf, call, type Expr, value } from "../../plan/expr.ts";
import { aggregateOf } from "./bar-values.ts";
import { type Bins, dateBins, dateText, evenBins, powerBins } from "./bins.ts";
import { joinedExpr, lineAggregates } from "./line-values.ts";
import {
  drawable,
  facetted,
  noticeLeft,
  partedBy,
  pictureArgs,
  pictureColumn,
  pictured,
  pictureView,
  refuseLog,
  xScale,
} from "./picture.ts";
import { axisOf, mostMarks } from "./plot-operands.ts";

const aggregates = lineAggregates.filter((each) => each !== "none");

/** Stretches of x, where it has too many values to be drawn each. */
const stretches = 200;

/**
 * BL_AREA. Draws a filled line along x: how many rows each x has, or a number of their y.
 *
 * Without y rows are counted; with y the sum is drawn, or the aggregate that is asked for. Areas of several colours stand
 * on each other where what they add up to means something, as counts and sums do. Where x has too many values, those of
 * equal stretches are taken together, of dates those of a day, a week, a month and so on. `output` holds
 * `areas: [{x, value}]` in the order of x, with `color` and `facet` where they are asked for. Rows without x or y are left
 * out, and counted in a notice.
 */
export const area = defineBlock({
  code: "BL_AREA",
  name: "area",
  args: {
    /** The column along which the area goes. */
    x: columnRef(),
    /** The column whose numbers it shows (default: rows are counted). */
    y: columnRef().optional(),
    /** What is shown of the numbers of the rows that have one x (default: how many rows, with y their sum). */
    aggregate: z.literal(aggregates).optional(),
    /** A column; the rows of each of its values have an area. */
    color: columnRef().optional(),
    /** Do the areas stand on each other? (default: yes for counts and sums) */
    stack: z.boolean().optional(),
    ...xScale,
    ...pictureArgs,
  },
  positional: ["x", "y"],
  example: 'session.input("sample:weather").area("date", "temp_max", { aggregate: "mean" })',
  async run(frame, args, context) {
    const who = `${context.block.name} (${context.block.code})`;
    const x = pictureColumn(frame, args.x, "x", context);
    const y = args.y === undefined ? null : pictureColumn(frame, args.y, "y", context);
    const joining = aggregateOf(y, args, who, "sum");
    const adds = joining === "count" || joining === "sum";
    if (args.stack && args.color !== undefined && !adds)
      throw new ArgsError(`${who}: areas of the ${joining} can't stand on each other; leave stack out.`, {
        path: "stack",
        got: true,
      });
    const isLog = refuseLog(args.x_scale, x, "x_scale", context);
    const columns = y ? [x, y] : [x];
    const where = allOf(columns.map((each) => drawable(each, isLog && each === x)));
    const counted = { relation: frame.relation, rows: {}, where };
    const color = await partedBy(frame, args.color, "color", counted, context);
    const facet = await partedBy(frame, args.facet, "facet", counted, context);
    const most = Math.floor(mostMarks / ((color?.names.length ?? 1) * (facet?.names.length ?? 1)));
    const along = await alongX(frame, x, { where, isLog, most }, context);
    const labels = [color, facet].flatMap((part) => (part ? [part.label] : []));
    const by = [along.key, ...labels];
    const number = y ? joinedExpr(joining, cell(y)) : call("count");
    const { found, groups, rows } = await context.tables.groups(
      frame.relation,
      {},
      {
        by,
        where,
        outputs: [...by, number, call("count")],
        order: [{ expr: along.key }],
      },
    );
    noticeLeft({ all: frame.rows, drawn: rows }, columns, isLog, context);
    if (y && args.aggregate === undefined && rows > groups)
      context.notice(
        `${who}: several rows have the same ${quoted(x.name)}, so the area shows the sum of their ${quoted(y.name)}. Choose another aggregate, such as "mean".`,
      );
    const keys = along.bins
      ? along.bins.edges.slice(0, -1).map((_, k): Cell => k)
      : [...new Set(found.map(([key]) => key))];
    const values = new Map(
      found.map((row) => {
        const name = color ? String(row[1]) : "";
        const panel = facet ? String(row[color ? 2 : 1]) : "";
        const [shown, n] = row.slice(-2).map(Number);
        return [JSON.stringify([row[0], name, panel]), { shown, n }];
      }),
    );
    const at = (key: Cell, name: string, panel: string | null) => values.get(JSON.stringify([key, name, panel ?? ""]));
    const isStacked = args.stack ?? adds;
    const title = y ? `${joining} ${y.name}` : "rows";
    const draw = (panel: string | null): PointsChart => ({
      kind: "lines",
      fill: isStacked ? "stacked" : "each",
      title: `${y ? title : "count"} by ${x.name}${color ? ` and ${color.title}` : ""}`,
      x: { ...axisOf(x.name, [x]), ...(isLog ? { log: true } : {}) },
      y: { title, type: "number" },
      series: (color?.names ?? [""]).map((name) => {
        // No rows are none to count or to add; a mean there is not.
        const own = adds ? keys : keys.filter((key) => at(key, name, panel));
        return { name, x: own.map(along.place), y: own.map((key) => at(key, name, panel)?.shown ?? 0) };
      }),
      ...(color ? { colour: color.title } : {}),
      rows: [...values].reduce((sum, [of, { n }]) => sum + (panel === null || JSON.parse(of)[2] === panel ? n : 0), 0),
    });
    const numbers = (facet?.names ?? [null]).flatMap((panel) =>
      keys.flatMap((key) =>
        (color?.names ?? [""]).flatMap((name): Json[] => {
          const found = at(key, name, panel);
          if (!found) return [];
          const more = { ...(color ? { color: name } : {}), ...(panel === null ? {} : { facet: panel }) };
          return [{ x: along.cell(key), value: found.shown, ...more }];
        }),
      ),
    );
    const whole = `${y ? title : "count"} by ${x.name} and ${facet?.title}`;
    return pictured(frame, facetted(facet, whole, draw), args, { areas: numbers }, along.bins !== null);
  },
  view: pictureView,
});

/** What rows along x are taken together, and where these stand. */
interface Along {
  readonly key: Expr;
  readonly bins: Bins | null;
  /** Where a key stands on the axis, and what it is called in the output. */
  place(key: Cell): Cell;
  cell(key: Cell): Cell;
}

async function alongX(
  { relation }: Frame,
  x: Column,
  { where, isLog, most }: { readonly where: Expr; readonly isLog: boolean; readonly most: number },
  context: BlockContext,
): Promise<Along> {
  const who = `${context.block.name} (${context.block.code})`;
  const own = cell(x);
  const shown = call("choose", where, own, value(null));
  const { found, groups, rows } = await context.tables.groups(
    relation,
    {},
    {
      by: [own],
      where,
      outputs: [call("min", own)],
      order: [],
      limit: 1,
    },
  );
  if (rows === 0 || found.length === 0)
    throw new DataError(`${who}: no row has what the picture shows, so there is nothing to draw.`, { path: "x" });
  if (groups <= most) return { key: own, bins: null, place: (key) => key, cell: (key) => key };
  if (x.type !== "number" && x.type !== "datetime")
    throw new DataError(
      `${who}: ${quoted(x.name)} has ${count(groups, "value")}, which is too many for an area; use bar, which draws the greatest.`,
      { path: "x" },
    );
  const ends = await context.tables.aggregate(relation, {}, [call("min", shown), call("max", shown)]);
  const [low, high] = ends.map(Number);
  const bins =
    x.type === "datetime"
      ? dateBins(own, ends[0], ends[1], undefined)
      : isLog
        ? powerBins(own, low, high, stretches)
        : evenBins(own, low, high, stretches);
  context.notice(
    `${who}: ${quoted(x.name)} has ${count(groups, "value")}, so the rows of ${bins.edges.length - 1} stretches are taken together.`,
  );
  const begin = (key: Cell) => bins.edges[Number(key)];
  const hasDays = !String(ends[0]).includes(":");
  const name = (key: Cell) => (x.type === "datetime" ? dateText(begin(key), hasDays) : begin(key));
  return { key: bins.place, bins, place: begin, cell: name };
}
