import { z } from "zod";
import { type BlockContext, columnRef, defineBlock } from "../../core/block.ts";
import type { ColumnsChart } from "../../core/chart.ts";
import { ArgsError, DataError } from "../../core/errors.ts";
import { type Column, cell, type Frame } from "../../core/frame.ts";
import { count, quoted } from "../../core/names.ts";
import type { Json } from "../../core/record.ts";
import type { Groups } from "../../core/tables.ts";
import type { Cell } from "../../core/view.ts";
import { allOf, call, type Expr, value } from "../../plan/expr.ts";
import { countedBars } from "./bar-values.ts";
import {
  type Bins,
  type BinUnit,
  binOf,
  binsBetween,
  binUnits,
  dateBins,
  dateText,
  evenBins,
  mostBins,
  powerBins,
  unitsBetween,
} from "./bins.ts";
import {
  drawable,
  facetted,
  noticeLeft,
  type Parting,
  partedBy,
  pictureArgs,
  pictureColumn,
  pictured,
  pictureView,
  refuseLog,
  xScale,
  yScale,
} from "./picture.ts";

/** Bins that nobody asked for are at most so many. */
const mostOwnBins = 100;

/** Of so many rows the rule makes as many bins as there may be, wherever the quartiles lie. */
const rowsOfMostBins = (2 * mostOwnBins) ** 3;

/**
 * BL_HISTOGRAM. Draws how many rows lie in each bin of a column of numbers or dates.
 *
 * Bins are those of numpy's histogram: of equal breadth from the least to the greatest value, each open above but the
 * last. Their number is numpy's "auto" rule, 100 at most; dates have bins of a day, a week, a month and so on. Values of
 * text, true and false are counted each. `output` holds `bins: [{from, to, n}]`, with `color` and `facet` where they are
 * asked for; missing and infinite values are left out, and counted in a notice.
 */
export const histogram = defineBlock({
  code: "BL_HISTOGRAM",
  name: "histogram",
  args: {
    /** The column whose values are put into bins. */
    x: columnRef(),
    /** How many bins, 1 to 1000; their edges, ascending; of dates also a unit such as "month" (default: numpy's "auto"). */
    bins: z
      .union([
        z.int().min(1).max(mostBins),
        z
          .array(z.number())
          .min(2)
          .max(mostBins + 1),
        z.literal(binUnits),
      ])
      .optional(),
    /** A column; the rows of each of its values have a colour, and stand on each other. */
    color: columnRef().optional(),
    ...xScale,
    ...yScale,
    ...pictureArgs,
  },
  positional: ["x"],
  example: 'session.input("sample:penguins").histogram("body_mass_g", { color: "species" })',
  async run(frame, args, context) {
    const column = pictureColumn(frame, args.x, "x", context);
    const isLog = refuseLog(args.x_scale, column, "x_scale", context);
    if (column.type !== "number" && column.type !== "datetime") {
      if (args.bins !== undefined) throw noBins(column, args.bins, context);
      return await countedBars(frame, column, args, context);
    }
    const where = drawable(column, isLog);
    const { bins, rows, hasDays } = await binsOf(frame, column, { bins: args.bins, isLog, where }, context);
    const x = cell(column);
    const last = bins.edges.length - 1;
    const within =
      Array.isArray(args.bins) && column.type === "number"
        ? allOf([
            where,
            call("greaterEqual", x, value(bins.edges[0], "number")),
            call("lessEqual", x, value(bins.edges[last], "number")),
          ])
        : where;
    const counted = { relation: frame.relation, rows: {}, where: within };
    const color = await partedBy(frame, args.color, "color", counted, context);
    const facet = await partedBy(frame, args.facet, "facet", counted, context);
    const parts = [color, facet].flatMap((part) => (part ? [part.label] : []));
    const { found, rows: drawn } = await countedIn(frame, { x, bins, parts, where: within }, context);
    noticeLeft({ all: frame.rows, drawn: rows }, [column], isLog, context);
    if (drawn < rows) {
      const { name, code } = context.block;
      context.notice(`${name} (${code}): ${count(rows - drawn, "row")} without a value within the bins left out.`);
    }
    const counts = countsOf(found, { color, facet, bins: last });
    const draw = (panel: string | null): ColumnsChart => {
      const series = (color?.names ?? [""]).map((name) => ({ name, values: counts(panel, name) }));
      return {
        kind: "columns",
        title: color ? `${column.name} by ${color.title}` : column.name,
        x: { title: column.name, type: column.type === "datetime" ? "datetime" : "number", log: isLog },
        y: { title: "rows", type: "number", log: args.y_scale === "log" },
        places: bins.edges.slice(0, -1).map((from, k) => `${word(from, column)} – ${word(bins.edges[k + 1], column)}`),
        edges: bins.edges,
        series,
        ...(color ? { colour: color.title } : {}),
        isStacked: args.y_scale !== "log",
        rows: series.reduce((sum, { values }) => sum + values.reduce((all, n) => all + n, 0), 0),
      };
    };
    const title = facet ? `${column.name} by ${facet.title}` : "";
    const written = (edge: number) => (column.type === "datetime" ? dateText(edge, hasDays) : edge);
    const numbers = (facet?.names ?? [null]).flatMap((panel) =>
      bins.edges.slice(0, -1).flatMap((from, k) =>
        (color?.names ?? [""]).map(
          (name): Json => ({
            from: written(from),
            to: written(bins.edges[k + 1]),
            n: counts(panel, name)[k],
            ...(color ? { color: name } : {}),
            ...(panel === null ? {} : { facet: panel }),
          }),
        ),
      ),
    );
    return pictured(frame, facetted(facet, title, draw), args, { bins: numbers });
  },
  view: pictureView,
});

type Wanted = number | readonly number[] | BinUnit | undefined;

function noBins(column: Column, bins: unknown, { block }: Pick<BlockContext, "block">): ArgsError {
  return new ArgsError(
    `${block.name} (${block.code}): bins are for numbers and dates, and ${quoted(column.name)} is ${column.type}: its values are counted each. Leave bins out.`,
    { path: "bins", got: bins },
  );
}

/** The bins of a column, how many rows have a value to put into them, and whether its dates have no times. */
async function binsOf(
  frame: Frame,
  column: Column,
  { bins, isLog, where }: { readonly bins: Wanted; readonly isLog: boolean; readonly where: Expr },
  context: BlockContext,
): Promise<{ readonly bins: Bins; readonly rows: number; readonly hasDays: boolean }> {
  const who = `${context.block.name} (${context.block.code})`;
  const x = cell(column);
  const isOwn = bins === undefined && column.type === "number";
  const quartilesOf = (cells: Expr) => [0.25, 0.75].map((share) => call("quantile", cells, value(share)));
  const aboutCells = async (cells: Expr) => {
    const ends = [call("count", cells), call("min", cells), call("max", cells)];
    const asked = isOwn && frame.rows < rowsOfMostBins ? [...ends, ...quartilesOf(cells)] : ends;
    return await context.tables.aggregate(frame.relation, {}, asked);
  };
  // A file knows the ends of its columns; rows are looked at where some of them are not drawn.
  const all = await aboutCells(x);
  const isDrawnWhole = column.type !== "number" || (Number.isFinite(all[1]) && Number.isFinite(all[2]) && !isLog);
  const shown = call("choose", where, x, value(null));
  const [rows, least, most, ...found] = isDrawnWhole ? all : await aboutCells(shown);
  if (Number(rows) === 0) {
    const what = isLog ? "values above zero" : "values";
    throw new DataError(`${who}: column ${quoted(column.name)} has no ${what} to draw.`, { path: "x" });
  }
  const n = Number(rows);
  if (typeof bins === "object")
    return { bins: binsBetween(x, ascending(bins, column, who), "number"), rows: n, hasDays: false };
  if (column.type === "datetime") {
    if (typeof bins === "string" && unitsBetween(least, most, bins) > mostBins)
      throw new DataError(`${who}: bins of a ${bins} would be more than ${mostBins}; choose a longer unit.`, {
        path: "bins",
        got: bins,
      });
    return { bins: dateBins(x, least, most, bins), rows: n, hasDays: !String(least).includes(":") };
  }
  if (typeof bins === "string")
    throw new ArgsError(`${who}: bins ${quoted(bins)} are for dates, and ${quoted(column.name)} is a number.`, {
      path: "bins",
      got: bins,
    });
  const [low, high] = [Number(least), Number(most)];
  const isLacking = isOwn && found.length === 0 && n < rowsOfMostBins;
  const [q1, q3] = isLacking ? await context.tables.aggregate(frame.relation, {}, quartilesOf(shown)) : found;
  const wanted =
    bins ?? ownBins({ n, low, high, iqr: Number(q3 ?? 0) - Number(q1 ?? 0), isWhole: column.integer === true });
  return { bins: isLog ? powerBins(x, low, high, wanted) : evenBins(x, low, high, wanted), rows: n, hasDays: false };
}

function ascending(edges: readonly number[], column: Column, who: string): readonly number[] {
  if (column.type === "datetime")
    throw new ArgsError(`${who}: edges of bins are for numbers; of dates give a number of bins, or a unit.`, {
      path: "bins",
    });
  const at = edges.findIndex((edge, k) => k > 0 && !(edge > edges[k - 1]));
  if (at < 0) return edges;
  throw new ArgsError(`${who}: the edges in bins must ascend, and ${edges[at]} follows ${edges[at - 1]}.`, {
    path: "bins",
    got: edges[at],
  });
}

/** The bin, the parts and the count of each group of rows. */
async function countedIn(
  { relation }: Frame,
  { x, bins, parts, where }: { x: Expr; bins: Bins; parts: readonly Expr[]; where: Expr },
  context: BlockContext,
): Promise<Pick<Groups, "found" | "rows">> {
  if (bins.rough) {
    // Where the ends of a group lie in one bin, all of it does.
    const outputs = [...parts, call("min", x), call("max", x), call("count")];
    const rough = await context.tables.groups(relation, {}, { by: [bins.rough, ...parts], where, outputs, order: [] });
    const found = rough.found.map((row) => {
      const [low, high] = row.slice(-3, -1).map((end) => binOf(bins.edges, Number(end)));
      return low === high ? [low, ...row.slice(0, -3), row[row.length - 1]] : null;
    });
    const isExact = (rows: typeof found): rows is Cell[][] => !rows.includes(null);
    if (isExact(found)) return { found, rows: rough.rows };
  }
  const by = [bins.place, ...parts];
  return await context.tables.groups(relation, {}, { by, where, outputs: [...by, call("count")], order: [] });
}

/** How many bins numpy's rule "auto" makes: the narrower of Sturges' and Freedman and Diaconis' bins, not too narrow. */
function ownBins(of: { n: number; low: number; high: number; iqr: number; isWhole: boolean }): number {
  const { n, low, high, iqr, isWhole } = of;
  const span = high - low;
  if (!(span > 0)) return 1;
  const sturges = span / (Math.log2(n) + 1);
  const relaxed = Math.max(2 * iqr * n ** (-1 / 3), span / Math.sqrt(n) / 2);
  const narrower = Math.min(relaxed, sturges);
  const breadth = isWhole ? Math.max(1, narrower) : narrower;
  const bins = Number.isFinite(span) ? Math.ceil(span / breadth) : Math.ceil(Math.log2(n) + 1);
  return Math.max(1, Math.min(mostOwnBins, bins));
}

/** The counts of the bins, of a panel and a series. */
function countsOf(
  found: readonly (readonly Cell[])[],
  { color, facet, bins }: { readonly color: Parting | null; readonly facet: Parting | null; readonly bins: number },
): (panel: string | null, name: string) => number[] {
  const known = new Map<string, number[]>();
  const key = (panel: string | null, name: string) => JSON.stringify([panel, name]);
  for (const row of found) {
    const name = color ? String(row[1]) : "";
    const panel = facet ? String(row[color ? 2 : 1]) : null;
    const counts = known.get(key(panel, name)) ?? new Array<number>(bins).fill(0);
    known.set(key(panel, name), counts);
    counts[Number(row[0])] += Number(row[row.length - 1]);
  }
  return (panel, name) => known.get(key(panel, name)) ?? new Array<number>(bins).fill(0);
}

function word(edge: number, column: Column): string {
  return column.type === "datetime" ? dateText(edge, true) : String(Number(edge.toPrecision(6)));
}
