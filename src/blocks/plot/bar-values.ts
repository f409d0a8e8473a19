import type { BlockContext, Outcome } from "../../core/block.ts";
import type { ColumnsChart } from "../../core/chart.ts";
import { ArgsError, DataError } from "../../core/errors.ts";
import { type Column, cell, type Frame, isNumeric } from "../../core/frame.ts";
import { byCodePoint, count, quoted } from "../../core/names.ts";
import type { Json } from "../../core/record.ts";
import type { Cell } from "../../core/view.ts";
import { allOf, call, type Expr, value } from "../../plan/expr.ts";
import { type Joining, joinedExpr } from "./line-values.ts";
import { drawable, facetted, noticeLeft, type Parting, type PictureArgs, partedBy, pictured } from "./picture.ts";
import { mostMarks } from "./plot-operands.ts";

/** Of more places than this the greatest are drawn, where nobody says how many. */
const mostPlaces = 50;

/** In which order bars or boxes stand. */
export const orders = ["x", "-x", "y", "-y"] as const;

/** What bars are drawn of. */
export interface BarsAsked extends PictureArgs {
  readonly color?: string | number | undefined;
  readonly aggregate?: Joining | undefined;
  readonly stack?: boolean | undefined;
  readonly top?: number | undefined;
  readonly horizontal?: boolean | undefined;
  readonly sort?: (typeof orders)[number] | undefined;
  readonly y_scale?: "linear" | "log" | undefined;
}

/** A bar's place along x: its cell, and how it is written. */
interface Place {
  readonly cell: Cell;
  readonly word: string;
  readonly value: number;
}

/** How often each value of a column occurs, as bars. */
export async function countedBars(frame: Frame, x: Column, asked: BarsAsked, context: BlockContext): Promise<Outcome> {
  return await drawnBars(frame, x, null, asked, context);
}

/** A bar for each value of a column: a number of the rows that have it. */
export async function drawnBars(
  frame: Frame,
  x: Column,
  y: Column | null,
  asked: BarsAsked,
  context: BlockContext,
): Promise<Outcome> {
  const who = `${context.block.name} (${context.block.code})`;
  const joining = aggregateOf(y, asked, who);
  const isLog = asked.y_scale === "log";
  const isStacked = stackOf(asked, joining, isLog, who);
  const columns = y ? [x, y] : [x];
  const where = allOf(columns.map((each) => drawable(each)));
  const { relation } = frame;
  const counted = { relation, rows: {}, where };
  const number = y ? joinedExpr(joining, cell(y)) : call("count");
  const color = await partedBy(frame, asked.color, "color", counted, context);
  const facet = await partedBy(frame, asked.facet, "facet", counted, context);
  const each = Math.max(1, Math.floor(mostMarks / ((color?.names.length ?? 1) * (facet?.names.length ?? 1))) - 1);
  const most = Math.min(asked.top ?? mostPlaces, each);
  const written = call("written", cell(x));
  const { found, groups, rows } = await context.tables.groups(
    relation,
    {},
    {
      by: [cell(x)],
      where,
      outputs: [cell(x), written, number],
      order: [{ expr: number, descending: true }, { expr: cell(x) }],
      limit: most,
    },
  );
  if (rows === 0) {
    const names = columns.map(({ name }) => quoted(name)).join(" and ");
    throw new DataError(
      `${who}: no row has ${columns.length > 1 ? "both " : ""}${names}, so there is nothing to draw.`,
      {
        path: "x",
      },
    );
  }
  noticeLeft({ all: frame.rows, drawn: rows }, columns, false, context);
  if (y && asked.aggregate === undefined && rows > groups)
    context.notice(
      `${who}: several rows have the same ${quoted(x.name)}, so each bar is their mean ${quoted(y.name)}. Choose another aggregate, such as "sum" or "median".`,
    );
  const places = found.map(
    ([place, word, value]): Place => ({ cell: place, word: String(word), value: Number(value) }),
  );
  const isCut = groups > places.length;
  if (isCut)
    context.notice(
      `${who}: ${quoted(x.name)} has ${count(groups, "value")}; all but the ${places.length} with the greatest bars are drawn as "other". Choose how many with top.`,
    );
  const key = isCut
    ? call("choose", call("oneOf", written, { list: places.map(({ word }) => word) }), written, value(null))
    : written;
  const isWhole = !isCut && !color && !facet;
  const values = isWhole
    ? new Map(places.map((place) => [keyOf(null, place.word, ""), { value: place.value, n: 0 }]))
    : await valuesOf(frame, { key, number, where, color, facet }, context);
  const at = (panel: string | null, word: string | null, name: string) =>
    values.get(keyOf(panel, word, name))?.value ?? null;
  const sorted = inOrder(places, x, asked.sort ?? "x");
  const bars: { readonly x: Cell; readonly word: string | null }[] = [
    ...sorted.map((place) => ({ x: place.cell, word: place.word })),
    ...(isCut ? [{ x: "other", word: null }] : []),
  ];
  const title = y ? `${joining} ${y.name}` : "rows";
  const rowsOf = (panel: string) =>
    [...values].reduce((sum, [of, { n }]) => sum + (JSON.parse(of)[0] === panel ? n : 0), 0);
  const draw = (panel: string | null): ColumnsChart => ({
    kind: "columns",
    title: `${y ? title : "count"} by ${x.name}${color ? ` and ${color.title}` : ""}`,
    x: { title: x.name, type: "category" },
    y: { title, type: "number", log: isLog },
    places: bars.map((bar) => (bar.word === null ? "other" : plain(bar.word, x))),
    series: (color?.names ?? [""]).map((name) => ({ name, values: bars.map((bar) => at(panel, bar.word, name)) })),
    ...(color ? { colour: color.title } : {}),
    isStacked,
    ...(asked.horizontal ? { isHorizontal: true } : {}),
    rows: panel === null ? rows : rowsOf(panel),
  });
  const numbers = (facet?.names ?? [null]).flatMap((panel) =>
    bars.flatMap((bar) =>
      (color?.names ?? [""]).flatMap((name): Json[] => {
        const value = at(panel, bar.word, name);
        if (value === null) return [];
        const more = { ...(color ? { color: name } : {}), ...(panel === null ? {} : { facet: panel }) };
        return [{ x: bar.x, value, ...more }];
      }),
    ),
  );
  const whole = `${y ? title : "count"} by ${x.name} and ${facet?.title}`;
  return pictured(frame, facetted(facet, whole, draw), asked, { bars: numbers }, isCut);
}

/** What is shown of rows: their number without y, else what is asked for, or the usual. */
export function aggregateOf(
  y: Column | null,
  { aggregate }: Pick<BarsAsked, "aggregate">,
  who: string,
  usual: Joining = "mean",
): Joining {
  if (!y) {
    if (aggregate === undefined || aggregate === "count") return "count";
    throw new ArgsError(`${who}: the ${aggregate} needs a column y; without one, rows are counted.`, {
      path: "aggregate",
      got: aggregate,
    });
  }
  if (aggregate === "count" || isNumeric(y)) return aggregate ?? usual;
  throw new DataError(
    `${who}: there is no ${aggregate ?? usual} of ${quoted(y.name)}, which is ${y.type}; use aggregate "count", or leave y out.`,
    { path: "y", got: y.name },
  );
}

/** Counts and sums stand on each other unless asked otherwise: what they add up to means something. */
function stackOf({ stack, color }: BarsAsked, joining: Joining, isLog: boolean, who: string): boolean {
  const adds = joining === "count" || joining === "sum";
  if (stack && color !== undefined && (!adds || isLog)) {
    const reason = isLog ? "a logarithmic scale" : `the ${joining}`;
    throw new ArgsError(`${who}: bars of ${reason} can't stand on each other; leave stack out.`, {
      path: "stack",
      got: true,
    });
  }
  return stack ?? (adds && !isLog);
}

function keyOf(panel: string | null, word: string | null, name: string): string {
  return JSON.stringify([panel, word, name]);
}

async function valuesOf(
  { relation }: Frame,
  asked: { key: Expr; number: Expr; where: Expr; color: Parting | null; facet: Parting | null },
  context: BlockContext,
): Promise<Map<string, { value: number; n: number }>> {
  const { key, number, where, color, facet } = asked;
  const by = [key, ...[color, facet].flatMap((part) => (part ? [part.label] : []))];
  const outputs = [...by, number, call("count")];
  const { found } = await context.tables.groups(relation, {}, { by, where, outputs, order: [] });
  return new Map(
    found.map((row) => {
      const name = color ? String(row[1]) : "";
      const panel = facet ? String(row[color ? 2 : 1]) : null;
      const [value, n] = row.slice(-2).map(Number);
      return [keyOf(panel, row[0] === null ? null : String(row[0]), name), { value, n }];
    }),
  );
}

/** Numbers ascending, texts by code point, or by the bars themselves. */
function inOrder(places: readonly Place[], { type }: Column, order: (typeof orders)[number]): Place[] {
  const byX = (a: Place, b: Place) =>
    type === "number" ? Number(a.cell) - Number(b.cell) : byCodePoint(a.word, b.word);
  const sign = order.startsWith("-") ? -1 : 1;
  return [...places].sort((a, b) => {
    const own = order.endsWith("y") ? a.value - b.value || sign * byX(a, b) : byX(a, b);
    return sign * own;
  });
}

/** A place as people read it. */
function plain(word: string, { type }: Column): string {
  return type === "datetime" ? word.replace(/ 00:00:00(?:\.0+)?$/, "") : word;
}
