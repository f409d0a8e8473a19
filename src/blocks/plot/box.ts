import { z } from "zod";
import { type BlockContext, columnList, columnRef, defineBlock } from "../../core/block.ts";
import type { Box, BoxesChart } from "../../core/chart.ts";
import { ArgsError, DataError } from "../../core/errors.ts";
import { type Column, cell, type Frame } from "../../core/frame.ts";
import { byCodePoint, count, quoted } from "../../core/names.ts";
import type { Json } from "../../core/record.ts";
import type { Cell } from "../../core/view.ts";
import { allOf, call, type Expr, numberList, value } from "../../plan/expr.ts";
import { orders } from "./bar-values.ts";
import {
  drawable,
  facetted,
  noticeLeft,
  numberColumn,
  type Parting,
  partedBy,
  pictureArgs,
  pictureColumn,
  pictured,
  pictureView,
  refuseLog,
  yScale,
} from "./picture.ts";

/** More boxes than this are no picture; those with most rows are drawn. */
const mostBoxes = 50;

/** Numbers beyond the whiskers, in all boxes; of more a sample. */
const mostOutliers = 1000;

/** The whiskers are at most so many times as long as the box. */
const reach = 1.5;

/**
 * BL_BOX. Draws the middle half of a column's numbers as a box, one for each value of another column.
 *
 * Quartiles are those of pandas, between two numbers on the straight line. Whiskers are Tukey's: they end at the farthest
 * numbers within 1.5 times the box's length, and numbers beyond are drawn as points, a sample of very many. `output` holds
 * `boxes: [{x, n, min, q1, median, q3, max, outliers}]`: `min` and `max` are the least and the greatest of all numbers,
 * `whisker_low` and `whisker_high` the ends of the whiskers, `outlier_count` how many lie beyond. Boxes stand in the
 * order of x. Rows without x or y are left out, and counted in a notice.
 */
export const box = defineBlock({
  code: "BL_BOX",
  name: "box",
  args: {
    /** The column of numbers; several, without x, have a box each. */
    y: columnList(),
    /** A column; the rows of each of its values have a box (default: one box of all rows). */
    x: columnRef().optional(),
    /** The order of the boxes: by x or by their median y, "-" for descending (default "x"). */
    sort: z.literal(orders).default("x"),
    ...yScale,
    ...pictureArgs,
  },
  positional: ["y", "x"],
  example: 'session.input("sample:penguins").box("body_mass_g", "species")',
  async run(frame, args, context) {
    const wanted = Array.isArray(args.y) ? args.y : [args.y];
    const columns = wanted.map((each) => numberColumn(frame, each, "y", context));
    if (columns.length === 0) throw refusal("y names no column.", context);
    if (columns.length > 1 && (args.x !== undefined || args.facet !== undefined))
      throw refusal("several columns y have a box each, so neither x nor facet can be given.", context);
    const isLog = columns.map((each) => refuseLog(args.y_scale, each, "y_scale", context))[0];
    const by = args.x === undefined ? null : pictureColumn(frame, args.x, "x", context);
    const found: Found[] = [];
    let facet: Parting | null = null;
    for (const y of columns) {
      const where = allOf([y, ...(by ? [by] : [])].map((each) => drawable(each, isLog && each === y)));
      facet = await partedBy(frame, args.facet, "facet", { relation: frame.relation, rows: {}, where }, context);
      found.push(...(await boxesOf(frame, { y, by, facet, where, isLog, isAlone: columns.length === 1 }, context)));
    }
    const sorted = columns.length > 1 && args.sort === "x" ? found : inOrder(found, by, args.sort, facet);
    const title = columns.length === 1 ? columns[0].name : "value";
    const draw = (panel: string | null): BoxesChart => {
      const own = sorted.filter((each) => panel === null || each.panel === panel);
      return {
        kind: "boxes",
        title: by ? `${title} by ${by.name}` : columns.map(({ name }) => name).join(", "),
        x: { title: by?.name ?? "", type: "category" },
        y: { title, type: "number", log: isLog },
        boxes: own.map((each) => each.box),
        rows: own.reduce((sum, each) => sum + each.box.n, 0),
      };
    };
    const boxes = sorted.map(
      ({ x, panel, box: { name: _, low, high, outliers, ...rest }, min, max, beyond }): Json => ({
        x,
        ...rest,
        min,
        max,
        outliers: [...outliers],
        whisker_low: low,
        whisker_high: high,
        outlier_count: beyond,
        ...(panel === null ? {} : { facet: panel }),
      }),
    );
    const isSampled = found.some(({ box: { outliers }, beyond }) => outliers.length < beyond);
    return pictured(frame, facetted(facet, `${title} by ${facet?.title}`, draw), args, { boxes }, isSampled);
  },
  view: pictureView,
});

function refusal(sentence: string, { block }: Pick<BlockContext, "block">): ArgsError {
  return new ArgsError(`${block.name} (${block.code}): ${sentence}`, { path: "y" });
}

/** A box with what stands beside it in the output. */
interface Found {
  readonly x: Cell;
  readonly panel: string | null;
  readonly box: Box;
  readonly min: number;
  readonly max: number;
  readonly beyond: number;
}

interface Asked {
  readonly y: Column;
  readonly by: Column | null;
  readonly facet: Parting | null;
  readonly where: Expr;
  readonly isLog: boolean;
  readonly isAlone: boolean;
}

async function boxesOf(frame: Frame, asked: Asked, context: BlockContext): Promise<Found[]> {
  const { y, by, facet, where, isLog, isAlone } = asked;
  const { name, code } = context.block;
  const x = by ? cell(by) : value("");
  const word = by ? call("written", cell(by)) : value("");
  const panel = facet?.label ?? value("");
  const keys = [...(by ? [x] : []), ...(facet ? [panel] : [])];
  const number = call("number", cell(y));
  const shares = [0.25, 0.5, 0.75].map((share) => call("quantile", number, value(share)));
  const numbers = [call("count"), call("min", number), ...shares, call("max", number)];
  const { found, groups, rows } = await context.tables.groups(
    frame.relation,
    {},
    {
      by: keys,
      where,
      outputs: [x, word, panel, ...numbers],
      order: [{ expr: call("count"), descending: true }, { expr: word }, { expr: panel }],
      limit: mostBoxes * (facet?.names.length ?? 1),
    },
  );
  if (rows === 0) {
    const names = [y, ...(by ? [by] : [])].map((each) => quoted(each.name)).join(" and ");
    throw new DataError(`${name} (${code}): no row has ${by ? "both " : ""}${names}, so there is nothing to draw.`, {
      path: "y",
    });
  }
  noticeLeft({ all: frame.rows, drawn: rows }, by ? [y, by] : [y], isLog, context);
  if (groups > found.length)
    context.notice(
      `${name} (${code}): ${quoted(by?.name ?? "")} has ${count(groups, "value")}; the ${found.length} with most rows are drawn.`,
    );
  const words = [...new Set(found.map((row) => String(row[1])))];
  const panels = facet?.names ?? [""];
  const at = (row: readonly Cell[]) => words.indexOf(String(row[1])) * panels.length + panels.indexOf(String(row[2]));
  const fences = new Array<readonly [number, number]>(words.length * panels.length).fill([-Infinity, Infinity]);
  for (const row of found) fences[at(row)] = fencesOf(Number(row[5]), Number(row[7]));
  const ofWord = !by ? value(0) : call("multiply", call("placeOf", word, { list: words }), value(panels.length));
  const place = facet ? call("add", ofWord, call("placeOf", panel, { list: panels })) : ofWord;
  const [low, high] = [0, 1].map((side) => call("itemAt", place, numberList(fences.map((each) => each[side]))));
  // Nearly all numbers lie between the fences of every box, and those of their own need not be looked up.
  const inner = [0, 1].map((side) => value(innermost(fences, side)));
  const isWithin = call("and", call("greaterEqual", number, inner[0]), call("lessEqual", number, inner[1]));
  const beyondOwn = call("or", call("less", number, low), call("greater", number, high));
  const isBeyond = call("choose", isWithin, value(false), beyondOwn);
  const isCut = by && groups > found.length;
  const shown = isCut ? allOf([where, call("oneOf", word, { list: words })]) : where;
  const unless = (isFar: Expr) => call("choose", call("choose", isWithin, value(false), isFar), value(null), number);
  const ends = await context.tables.groups(
    frame.relation,
    {},
    {
      by: keys,
      where: shown,
      outputs: [
        word,
        panel,
        call("min", unless(call("less", number, low))),
        call("max", unless(call("greater", number, high))),
        call("count", call("choose", isBeyond, number, value(null))),
      ],
      order: [],
    },
  );
  const whiskers = new Map(ends.found.map((row) => [at(["", ...row]), row.slice(2).map(Number)]));
  const outliers = await outliersOf(
    frame,
    { place, number, where: allOf([shown, isBeyond]), ends: ends.found },
    context,
  );
  return found.map((row): Found => {
    const [n, min, q1, median, q3, max] = row.slice(3).map(Number);
    const [lower, upper, beyond] = whiskers.get(at(row)) ?? [min, max, 0];
    // A sample may leave out the farthest, which the ends of the picture are.
    const own = outliers.get(at(row)) ?? [];
    const farthest = [min, max].filter((each) => (each < lower || each > upper) && !own.includes(each));
    return {
      x: by ? row[0] : isAlone ? null : y.name,
      panel: facet ? String(row[2]) : null,
      box: {
        name: by ? String(row[1]).replace(/ 00:00:00(?:\.0+)?$/, "") : isAlone ? "" : y.name,
        n,
        low: lower,
        q1,
        median,
        q3,
        high: upper,
        outliers: [...own, ...farthest].sort((a, b) => a - b),
      },
      min,
      max,
      beyond,
    };
  });
}

/** The fence of a side that lies farthest in; -0 and infinite ones are numbers as well. */
function innermost(fences: readonly (readonly [number, number])[], side: number): number {
  const own = fences.map((each) => each[side]).filter(Number.isFinite);
  return side === 0 ? Math.max(...own) : Math.min(...own);
}

function fencesOf(q1: number, q3: number): readonly [number, number] {
  const margin = reach * (q3 - q1);
  return [q1 - margin, q3 + margin];
}

/** Numbers beyond the whiskers, by the place of their box. */
async function outliersOf(
  { relation }: Frame,
  asked: { place: Expr; number: Expr; where: Expr; ends: readonly (readonly Cell[])[] },
  context: BlockContext,
): Promise<Map<number, number[]>> {
  const outliers = new Map<number, number[]>();
  if (asked.ends.every((row) => Number(row.at(-1)) === 0)) return outliers;
  const { place: x, number: y, where } = asked;
  const { found } = await context.tables.sketch(relation, {}, { where, x, y, isJoined: false, most: mostOutliers });
  for (const [place, number] of found) {
    const own = outliers.get(Number(place)) ?? [];
    own.push(Number(number));
    outliers.set(Number(place), own);
  }
  return outliers;
}

/** Numbers ascending, texts by code point, or by the medians. */
function inOrder(
  found: readonly Found[],
  by: Column | null,
  order: (typeof orders)[number],
  facet: Parting | null,
): Found[] {
  const byX = (a: Found, b: Found) =>
    by?.type === "number" ? Number(a.x) - Number(b.x) : byCodePoint(String(a.x), String(b.x));
  const sign = order.startsWith("-") ? -1 : 1;
  const byMedian = (a: Found, b: Found) => a.box.median - b.box.median || sign * byX(a, b);
  const byPanel = (a: Found, b: Found) =>
    (facet?.names.indexOf(a.panel ?? "") ?? 0) - (facet?.names.indexOf(b.panel ?? "") ?? 0);
  return [...found].sort((a, b) => byPanel(a, b) || sign * (order.endsWith("y") ? byMedian(a, b) : byX(a, b)));
}
