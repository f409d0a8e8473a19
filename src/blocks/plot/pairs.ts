import { type BlockContext, columnList, columnRef, defineBlock } from "../../core/block.ts";
import type { PairsChart, PairsColumn } from "../../core/chart.ts";
import { ArgsError, DataError } from "../../core/errors.ts";
import { type Column, cell, column as columnIn, type Frame, isNumeric } from "../../core/frame.ts";
import { count, listed, quoted } from "../../core/names.ts";
import { chosen } from "../../core/scope.ts";
import { call, type Expr, value } from "../../plan/expr.ts";
import { clusterColumns } from "../shared/clusterings.ts";
import { facetted, partedBy, pictureArgs, pictured, pictureView, refuseWide } from "./picture.ts";
import { mostMarks, mostSeries } from "./plot-operands.ts";
import { niceBins } from "./spec-fields.ts";
import { drawnBy } from "./spec-units.ts";

/** More columns than this are too small to be read in one picture. */
const mostColumns = 12;

/** As many are drawn where nobody names any. */
const usualColumns = 6;

const bins = 16;

/**
 * BL_PAIRS. Draws every two of some columns against each other, with a histogram of each on the diagonal.
 *
 * Below the diagonal stand points, at most 5,000 in all, of more rows a sample that is the same each time; above it
 * correlations. Histograms and correlations are those of all rows.
 */
export const pairs = defineBlock({
  code: "BL_PAIRS",
  name: "pairs",
  args: {
    /** Numeric columns, 2 to 12 (default: the first 6, without clusters). */
    columns: columnList().optional(),
    /** A column that tells the points apart by colour (default: that of the last clustering before, where there is one). */
    color: columnRef().optional(),
    /** A column; each of its values has a picture of its own, on the same axes. */
    facet: pictureArgs.facet,
    /** The words above the picture (default: told from what it shows). */
    title: pictureArgs.title,
    /** Breadth in pixels, without the axes, 40 to 4000, of each small picture. */
    width: pictureArgs.width,
    /** Height in pixels, without the axes, 40 to 4000, of each small picture. */
    height: pictureArgs.height,
  },
  positional: ["columns"],
  example:
    'session.input("sample:penguins").pairs(["bill_length_mm", "bill_depth_mm", "body_mass_g"], { color: "species" })',
  async run(frame, args, context) {
    const columns = columnsOf(frame, args.columns, context);
    const found = clusterColumns(frame).filter((name) => columns.every((each) => each.name !== name));
    const counted = { relation: frame.relation, rows: {}, where: value(true) };
    const facet = await partedBy(frame, args.facet, "facet", counted, context);
    const panels = facet?.names.map((name) => call("equal", facet.label, value(name))) ?? [null];
    const charts = await chartsOf(frame, { columns, color: args.color ?? found.at(-1), panels }, context);
    const names = columns.map(({ name }) => name);
    const title = `${charts[0].title} by ${facet?.title}`;
    const chart = facetted(facet, title, (name) => charts[name === null ? 0 : (facet?.names.indexOf(name) ?? 0)]);
    const numbers = facet
      ? { panels: charts.map((each, k) => ({ facet: facet.names[k], ...numbersOf(each) })) }
      : numbersOf(charts[0]);
    return pictured(frame, chart, args, { columns: names, ...numbers });
  },
  view: pictureView,
});

/** The histograms and correlations that are drawn. */
function numbersOf({ columns, correlations }: PairsChart) {
  const histograms = columns.map(({ name, start, step, counts }) => ({
    column: name,
    bins: counts[0].map((_, k) => ({
      from: tidy(start + k * step),
      to: tidy(start + (k + 1) * step),
      n: counts.reduce((sum, each) => sum + each[k], 0),
    })),
  }));
  return { histograms, correlations };
}

function tidy(number: number): number {
  return Number(number.toPrecision(12));
}

function columnsOf(
  frame: Frame,
  wanted: string | number | (string | number)[] | undefined,
  context: BlockContext,
): readonly Column[] {
  const who = `${context.block.name} (${context.block.code})`;
  const all = frame.columns.map((each) => each.name);
  const clusters = clusterColumns(frame);
  const numeric = frame.columns.filter(({ name, type }) => type === "number" && !clusters.includes(name));
  if (wanted === undefined) {
    if (numeric.length < 2)
      throw new DataError(
        `${who}: two numeric columns are needed, and the table has ${numeric.length === 0 ? "none" : `${quoted(numeric[0].name)} alone`}.`,
      );
    if (numeric.length > usualColumns)
      context.notice(
        `${who}: the first ${usualColumns} of ${numeric.length} numeric columns are drawn; name others in columns.`,
      );
    return numeric.slice(0, usualColumns);
  }
  const names = chosen(frame, wanted, { names: all, where: "the table" });
  if (names.length < 2 || names.length > mostColumns)
    throw new ArgsError(
      `${who}: columns must be 2 to ${mostColumns} different ones, got ${count(names.length, "column")}.`,
      {
        path: "columns",
        got: names.length,
      },
    );
  const found = names.map((name) => columnIn(frame, name));
  const words = found.filter((each) => !isNumeric(each)).map((each) => each.name);
  if (words.length > 0)
    throw new DataError(
      `${who}: columns must be numeric, and ${listed(words)} ${words.length === 1 ? "is" : "are"} not; use color for ${words.length === 1 ? "it" : "one of them"}.`,
      {
        path: "columns",
        got: words.slice(0, 50),
      },
    );
  return found;
}

interface Asked {
  readonly columns: readonly Column[];
  readonly color: string | number | undefined;
  /** Which rows are in each picture; null: all are. */
  readonly panels: readonly (Expr | null)[];
}

/** A picture of each part of the rows, with the same bins and colours. */
async function chartsOf(
  frame: Frame,
  { columns, color, panels }: Asked,
  context: BlockContext,
): Promise<readonly PairsChart[]> {
  const who = `${context.block.name} (${context.block.code})`;
  const all = frame.columns.map((each) => each.name);
  const colour =
    color === undefined ? null : columnIn(frame, chosen(frame, [color], { names: all, where: "the table" })[0]);
  const cells = columns.map((each): Expr => {
    const x = call("number", cell(each));
    return each.integer ? x : call("choose", call("isFinite", x), x, value(null));
  });
  const ends = cells.flatMap((x) => [call("min", x), call("max", x)]);
  const found = await context.tables.aggregate(frame.relation, {}, ends);
  const ranges = columns.map((each, k) => {
    if (found[2 * k] === null) throw new DataError(`${who}: column ${quoted(each.name)} has no values to draw.`);
    const [low, high] = [Number(found[2 * k]), Number(found[2 * k + 1])];
    refuseWide([low, high], each, context);
    return niceBins(low, high, bins, undefined);
  });
  const drawn = { columns, colour, ...(await seriesOf(frame, colour, context)), ranges };
  const most = Math.floor(mostMarks / panels.length);
  const charts: PairsChart[] = [];
  for (const panel of panels) {
    const within = panel ? cells.map((x) => call("choose", panel, x, value(null))) : cells;
    charts.push(await chartOf(frame, { ...drawn, cells: within, most }, context));
  }
  if (charts.every(({ rows }) => rows === 0))
    throw new DataError(
      `${who}: no row has values in two of ${listed(columns.map(({ name }) => name))}, so there is nothing to draw.`,
    );
  return charts;
}

interface Drawn {
  readonly columns: readonly Column[];
  /** The numbers of the columns; missing in rows that are not in the picture. */
  readonly cells: readonly Expr[];
  readonly ranges: readonly ReturnType<typeof niceBins>[];
  readonly colour: Column | null;
  readonly series: readonly string[];
  readonly label: Expr | null;
  /** At most so many marks. */
  readonly most: number;
}

async function chartOf(
  frame: Frame,
  { columns, cells, ranges, colour, series, label, most }: Drawn,
  context: BlockContext,
): Promise<PairsChart> {
  const { tables } = context;
  const { relation } = frame;
  const twos = columns.flatMap((_, i) => columns.slice(0, i).map((_, j) => [i, j] as const));
  const isThere = call(
    "greaterEqual",
    cells
      .map((x): Expr => call("choose", call("isMissing", x), value(0), value(1)))
      .reduce((a, b) => call("add", a, b)),
    value(2),
  );
  const counting = call("sum", call("choose", isThere, value(1), value(0)));
  const [counted, ...found] = await tables.aggregate(relation, {}, [
    counting,
    ...twos.map(([i, j]) => call("corr", cells[i], cells[j])),
  ]);
  const rows = Number(counted ?? 0);
  const correlations = columns.map((_, i) => columns.map((_, j): number | null => (i === j ? 1 : null)));
  twos.forEach(([i, j], k) => {
    const r = found[k] === null ? null : Number(found[k]);
    correlations[i][j] = r;
    correlations[j][i] = r;
  });
  const histograms: PairsColumn[] = [];
  for (const [k, { name }] of columns.entries())
    histograms.push(await histogramOf(frame, name, cells[k], ranges[k], { series, label }, context));
  const bars = histograms.reduce((sum, { counts }) => sum + counts.length * counts[0].length, 0);
  const share = Math.max(1, Math.floor((most - bars) / twos.length));
  const where = rows > share ? call("and", isThere, drawnBy(share / rows)) : isThere;
  const drawn =
    rows === 0
      ? []
      : await tables.find(relation, {}, { where, outputs: [...cells, ...(label ? [label] : [])], limit: share });
  return {
    kind: "pairs",
    title: `${count(columns.length, "column")} against each other`,
    columns: histograms,
    ...(colour ? { colour: colour.name } : {}),
    series,
    values: columns.map((_, k) => drawn.map((row) => (row[k + 1] === null ? null : Number(row[k + 1])))),
    groups: drawn.map((row) => (label ? Math.max(0, series.indexOf(String(row[columns.length + 1]))) : 0)),
    correlations,
    rows,
    ...(rows > drawn.length ? { sampledFrom: rows * twos.length } : {}),
  };
}

/** The names of the series, those with few rows as one, and what a row's is. */
async function seriesOf(
  frame: Frame,
  colour: Column | null,
  { tables }: BlockContext,
): Promise<{ readonly series: readonly string[]; readonly label: Expr | null }> {
  if (!colour) return { series: [""], label: null };
  const words = call("coalesce", call("written", cell(colour)), value("missing"));
  const order = [{ expr: call("count"), descending: true }, { expr: words }];
  const { found, groups } = await tables.groups(
    frame.relation,
    {},
    { by: [words], outputs: [words], order, limit: mostSeries },
  );
  const names = found.map(([name]) => String(name));
  const sorted = (some: readonly string[]) =>
    colour.type === "number" ? some.toSorted((a, b) => Number(a) - Number(b)) : some.toSorted();
  if (groups <= mostSeries) return { series: sorted(names), label: words };
  const kept = names.slice(0, mostSeries - 1);
  return {
    series: [...sorted(kept), "other"],
    label: call("choose", call("oneOf", words, { list: kept }), words, value("other")),
  };
}

async function histogramOf(
  frame: Frame,
  name: string,
  x: Expr,
  { start, step, count: size }: ReturnType<typeof niceBins>,
  { series, label }: { readonly series: readonly string[]; readonly label: Expr | null },
  { tables }: BlockContext,
): Promise<PairsColumn> {
  const place = call("floor", call("divide", call("subtract", x, value(start, "number")), value(step, "number")));
  const by = label ? [place, label] : [place];
  const present = call("not", call("isMissing", x));
  const { found } = await tables.groups(
    frame.relation,
    {},
    { by, where: present, outputs: [...by, call("count")], order: [] },
  );
  const counts = series.map(() => new Array<number>(size).fill(0));
  for (const row of found) {
    // The greatest number lies on the last edge, or is rounded to it.
    const bin = Math.max(0, Math.min(size - 1, Number(row[0])));
    counts[label ? Math.max(0, series.indexOf(String(row[1]))) : 0][bin] += Number(row[row.length - 1]);
  }
  return { name, start, step, counts };
}
