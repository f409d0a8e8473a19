import { type BlockContext, columnRef, defineBlock } from "../../core/block.ts";
import type { PanelsChart, PieChart } from "../../core/chart.ts";
import { ArgsError, DataError } from "../../core/errors.ts";
import { type Column, cell, type Frame, isNumeric } from "../../core/frame.ts";
import { count, listed, quoted } from "../../core/names.ts";
import { chosen } from "../../core/scope.ts";
import type { Cell } from "../../core/view.ts";
import { call, type Expr, value } from "../../plan/expr.ts";
import { type NamedTable, ownTable, referredTable, tableBehind, tableOf } from "../shared/sources.ts";
import { type Parting, partedBy, pictureArgs, pictured, pictureView } from "./picture.ts";
import { inlineValues, plotValue, refuseBrokenArray } from "./plot-operands.ts";

/** More slices than this can't be told apart; the smallest are drawn as one. */
const mostSlices = 12;
const who = "pie (DP_PIE)";

/**
 * DP_PIE. Draws the shares of a whole: how often each value of a column occurs, or the sums of another column.
 *
 * A table of two columns, words that occur once each and numbers, is drawn as it stands. At most 12 slices are drawn;
 * the smallest become one, "other". Missing cells are left out, and counted in a notice.
 */
export const pie = defineBlock({
  code: "DP_PIE",
  name: "pie",
  source: "optional",
  args: {
    /** A column, a variable such as "y_train", a URL, or an array (default: the target, else the first column of words). */
    dataset: plotValue().optional(),
    /** A numeric column whose sums are the shares (default: rows are counted). */
    values: columnRef().optional(),
    ...pictureArgs,
  },
  aliases: { column: "dataset" },
  positional: ["dataset"],
  files: ["dataset"],
  example: 'session.input("sample:penguins").pie("species")',
  async run(frame, args, context) {
    const inline = inlineValues(args.dataset);
    if (inline && args.values !== undefined)
      throw new ArgsError(`${who}: values names a column, and dataset is an array.`, { path: "values" });
    if (inline && args.facet !== undefined)
      throw new ArgsError(`${who}: facet names a column, and dataset is an array.`, { path: "facet" });
    const chart = inline
      ? ofArray(inline)
      : await ofColumn(frame, args.dataset as string | number | undefined, args, context);
    return pictured(frame, chart, args);
  },
  view: pictureView,
});

type Slices = readonly { readonly label: string; readonly value: number }[];

/** Numbers are the slices themselves; words are counted. */
function ofArray(values: readonly Cell[]): PieChart {
  const present = values.filter((value) => value !== null);
  if (present.length === 0) throw new ArgsError(`${who}: dataset is an array without values.`, { path: "dataset" });
  if (present.every((value) => typeof value === "number")) {
    const slices = present.map((value, k) => ({ label: String(k), value: Number(value) }));
    refuseShares(slices);
    return { kind: "pie", title: "values", slices: fewer(slices, slices.length) };
  }
  const counts = new Map<string, number>();
  for (const value of present) counts.set(String(value), (counts.get(String(value)) ?? 0) + 1);
  const slices = [...counts].map(([label, value]) => ({ label, value })).sort((a, b) => b.value - a.value);
  return { kind: "pie", title: "values", slices: fewer(slices, slices.length) };
}

async function ofColumn(
  frame: Frame,
  dataset: string | number | undefined,
  {
    values,
    facet: by,
  }: { readonly values?: string | number | undefined; readonly facet?: string | number | undefined },
  context: BlockContext,
): Promise<PieChart | PanelsChart> {
  const { table, label } = await labelsOf(frame, dataset, context);
  const names = table.columns.map((each) => each.name);
  const weight =
    values === undefined
      ? await amountsOf(table, label, context)
      : chosen({ ...frame, columns: table.columns }, [values], { names, where: "the table" })[0];
  const weighing = table.columns.find((each) => each.name === weight);
  if (weighing && !isNumeric(weighing))
    throw new DataError(`${who}: values needs a numeric column, and ${quoted(weighing.name)} is ${weighing.type}.`, {
      path: "values",
    });
  const present = call("not", call("isMissing", cell(label)));
  const words = call("written", cell(label));
  // In their order, or the last digits would tell how the engine's threads went.
  const share = weighing ? call("sortedSum", cell(weighing)) : call("count");
  const { relation, selection } = table;
  const { found, groups, rows } = await context.tables.groups(relation, selection, {
    by: [words],
    where: present,
    outputs: [words, share],
    order: [{ expr: share, descending: true }, { expr: words }],
    limit: mostSlices,
  });
  if (rows === 0)
    throw new DataError(`${who}: column ${quoted(label.name)} has no values, so there is nothing to draw.`);
  if (rows < table.rows)
    context.notice(`${who}: ${count(table.rows - rows, "missing cell")} of ${listed([label.name])} left out.`);
  const slices = found.map(([name, value]) => ({ label: String(name), value: Number(value ?? 0) }));
  refuseShares(slices);
  const title = weighing ? `${weighing.name} by ${label.name}` : label.name;
  const counted = { relation, rows: selection, where: present };
  const facet = await partedBy({ ...frame, columns: table.known }, by, "facet", counted, context);
  if (facet)
    return await ofFacet(table, { title, present, words, share, labels: labelsIn(slices, groups), facet }, context);
  if (!weighing || groups <= mostSlices) return { kind: "pie", title, slices: fewer(slices, groups, rows) };
  const all = call("sortedSum", call("choose", present, cell(weighing), value(null)));
  const [total] = await context.tables.aggregate(relation, selection, [all]);
  return { kind: "pie", title, slices: fewer(slices, groups, Number(total)) };
}

/** The labels of the slices of several pictures: all, or the greatest, so that there is room for the others. */
function labelsIn(slices: Slices, groups: number): string[] {
  const labels = slices.map(({ label }) => label);
  return groups > mostSlices ? labels.slice(0, mostSlices - 1) : labels;
}

interface Facetted {
  readonly title: string;
  readonly present: Expr;
  readonly words: Expr;
  readonly share: Expr;
  readonly labels: readonly string[];
  readonly facet: Parting;
}

/** A pie for each part of a facet, with the same slices in the same colours. */
async function ofFacet(table: NamedTable, asked: Facetted, context: BlockContext): Promise<PanelsChart> {
  const { title, present, words, share, labels, facet } = asked;
  const kept = call("choose", call("oneOf", words, { list: [...labels] }), words, value(null));
  const { found } = await context.tables.groups(table.relation, table.selection, {
    by: [facet.label, kept],
    where: present,
    outputs: [facet.label, kept, share],
    order: [],
  });
  const panels = facet.names.map((name) => {
    const own = new Map(found.filter((row) => String(row[0]) === name).map((row) => [row[1], Number(row[2] ?? 0)]));
    const slices = labels.map((label) => ({ label, value: own.get(label) ?? 0 }));
    refuseShares(slices);
    const hasOther = found.some((row) => row[1] === null);
    const other = hasOther ? [{ label: "other", value: own.get(null) ?? 0 }] : [];
    return { name, chart: { kind: "pie", title, slices: [...slices, ...other] } as const };
  });
  return { kind: "panels", title: `${title} and ${facet.title}`, by: facet.title, panels };
}

/** The column of amounts beside words that occur once each, when the table has these two alone. */
async function amountsOf(table: NamedTable, label: Column, context: BlockContext): Promise<string | null> {
  const amounts = table.columns.find((each) => each.name !== label.name);
  if (table.columns.length !== 2 || !amounts || !isNumeric(amounts) || isNumeric(label)) return null;
  const counts = [call("count"), call("countDistinct", cell(label))];
  const [rows, different] = await context.tables.aggregate(table.relation, table.selection, counts);
  return rows === different ? amounts.name : null;
}

/** The column whose values are the slices, and the table it stands in. */
async function labelsOf(
  frame: Frame,
  dataset: string | number | undefined,
  context: BlockContext,
): Promise<{ table: NamedTable; label: Column }> {
  const own = ownTable(frame);
  const names = frame.columns.map((each) => each.name);
  const isColumn = typeof dataset === "number" || (dataset !== undefined && names.includes(dataset));
  if (isColumn) {
    const [name] = chosen(frame, [dataset], { names, where: "the table" });
    return { table: own, label: frame.columns.find((each) => each.name === name) as Column };
  }
  const table = dataset === undefined ? own : await tableOrColumn(frame, dataset, context);
  if (table.columns.length === 0)
    throw new ArgsError(`${who}: dataset must be a URL or an array where there is no block before.`, {
      path: "dataset",
    });
  const target = dataset === undefined ? table.columns.find((each) => each.name === frame.y?.[0]) : undefined;
  const label = target ?? table.columns.find((each) => !isNumeric(each) && each.type !== "tensor") ?? table.columns[0];
  return { table, label };
}

async function tableOrColumn(frame: Frame, dataset: string, context: BlockContext): Promise<NamedTable> {
  refuseBrokenArray(dataset, "dataset", context);
  const found = await referredTable(frame, dataset, context);
  if (found) return await tableOf(frame, found, context);
  // Not a table either, so it was meant for a column: the error names the nearest.
  if (frame.columns.length > 0)
    chosen(frame, [dataset], { names: frame.columns.map((each) => each.name), where: "the table" });
  return await tableBehind(frame, dataset, { who, path: "dataset" }, context);
}

function refuseShares(slices: Slices): void {
  const odd = slices.find(({ value }) => !(value >= 0 && value < Number.POSITIVE_INFINITY));
  if (!odd) return;
  const rule = odd.value < 0 ? "a share can't be negative" : "a share must be finite";
  throw new DataError(`${who}: ${rule}, and ${quoted(odd.label)} is ${odd.value}.`, { got: String(odd.value) });
}

/** The greatest slices, and one for all others; `all` says how many there are, `total` what they sum to. */
function fewer(slices: Slices, all: number, total = slices.reduce((sum, { value }) => sum + value, 0)): Slices {
  if (all <= mostSlices) return slices;
  const kept = [...slices].sort((a, b) => b.value - a.value).slice(0, mostSlices - 1);
  const rest = total - kept.reduce((sum, { value }) => sum + value, 0);
  return [...kept, { label: `other (${all - kept.length})`, value: rest }];
}
