import { z } from "zod";
import type { BlockContext } from "../../core/block.ts";
import type { Axis } from "../../core/chart.ts";
import { ArgsError, DataError } from "../../core/errors.ts";
import { type Column, column, type Frame, isNumeric } from "../../core/frame.ts";
import { listed, quoted } from "../../core/names.ts";
import { chosen } from "../../core/scope.ts";
import type { Cell } from "../../core/view.ts";
import { type NamedTable, ownTable, referredTable, tableOf } from "../shared/sources.ts";

/** The most marks a picture has; more are binned or sampled, and the picture says so. */
export const mostMarks = 5000;

/** Beyond this many colours nobody tells series apart. */
export const mostSeries = 12;

/** What a plot shows along an axis: a column's name or index, a variable such as "x_train", a URL, or an array. */
export function plotValue() {
  return z.union([z.string(), z.int(), z.array(z.union([z.number(), z.string(), z.boolean(), z.null()]))]);
}

/** A value of `plotValue`. */
export type PlotValue = string | number | readonly Cell[];

/** Values for an axis: columns of a table, or an array that came with the request. */
export type Operand =
  | { readonly kind: "table"; readonly table: NamedTable }
  | { readonly kind: "inline"; readonly values: readonly Cell[] };

/** What an argument means; left out, columns of the state that don't stand on the other axis already. */
export async function operand(
  frame: Frame,
  value: PlotValue | undefined,
  axis: "x" | "y",
  context: BlockContext,
  other?: Operand,
): Promise<Operand> {
  const inline = inlineValues(value);
  if (inline) return { kind: "inline", values: inline };
  if (value === undefined) {
    const avoid = other?.kind === "table" ? other.table.columns.map((each) => each.name) : [];
    return { kind: "table", table: ownTable(frame, defaultColumns(frame, axis, avoid)) };
  }
  const names = frame.columns.map((each) => each.name);
  if (typeof value === "string" && !names.includes(value)) {
    refuseBrokenArray(value, `${axis}value`, context);
    const found = await referredTable(frame, value, context);
    if (found) return { kind: "table", table: drawable(await tableOf(frame, found, context), axis, context) };
    if (names.length === 0) throw noColumns(context, `${axis}value`, value);
  }
  const [name] = chosen(frame, [value as string | number], { names, where: "the table" });
  return { kind: "table", table: ownTable(frame, [column(frame, name)]) };
}

function noColumns({ block }: BlockContext, path: string, value: string): ArgsError {
  return new ArgsError(
    `${block.name} (${block.code}): ${path} must be a URL or an array where there is no block before, got ${quoted(value)}.`,
    { path, got: value.slice(0, 80) },
  );
}

/** An array given inline, or as JSON text. */
export function inlineValues(value: PlotValue | undefined): readonly Cell[] | null {
  if (Array.isArray(value)) return value as readonly Cell[];
  if (typeof value !== "string" || !value.trimStart().startsWith("[")) return null;
  try {
    const parsed: unknown = JSON.parse(value);
    const isCell = (item: unknown) => item === null || typeof item !== "object";
    const values = Array.isArray(parsed) ? parsed.flat() : [];
    return values.length > 0 && values.every(isCell) ? (values as Cell[]) : null;
  } catch {
    return null;
  }
}

/** Text that begins like an array and is none was meant for one. */
export function refuseBrokenArray(value: string, path: string, { block }: BlockContext): void {
  if (!value.trimStart().startsWith("[")) return;
  throw new ArgsError(
    `${block.name} (${block.code}): ${path} looks like an array but is not JSON of numbers and texts, as in [1, 2].`,
    { path, got: value.slice(0, 80) },
  );
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

/** Of a whole table along x the numeric columns, a series each; along y the first one alone. What is left out is said. */
function drawable(table: NamedTable, axis: "x" | "y", context: BlockContext): NamedTable {
  const { columns } = table;
  if (columns.length === 0) throw new DataError(`the table behind ${axis}value has no columns.`, { path: axis });
  const numeric = columns.filter(isNumeric);
  const shown = (numeric.length > 0 ? numeric : columns).slice(0, axis === "x" && numeric.length > 0 ? mostSeries : 1);
  const left = columns.filter((each) => !shown.includes(each)).map((each) => each.name);
  const { name, code } = context.block;
  if (left.length > 0) context.notice(`${name} (${code}): ${listed(left)} of ${axis}value not drawn.`);
  return { ...table, columns: shown };
}

/** The axis for columns: of numbers, of dates, else of categories. */
export function axisOf(title: string, columns: readonly Column[]): Axis {
  if (columns.every(isNumeric)) return { title, type: "number" };
  return { title, type: columns.every((each) => each.type === "datetime") ? "datetime" : "category" };
}
