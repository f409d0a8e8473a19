import type { BlockContext } from "../../core/block.ts";
import { DataError } from "../../core/errors.ts";
import { type Column, cell, column, type Frame } from "../../core/frame.ts";
import { keepRows } from "../../core/keep-rows.ts";
import { listed, quoted } from "../../core/names.ts";
import { fitSelection, replaceColumns } from "../../core/scope.ts";
import type { Cell } from "../../core/view.ts";
import { allOf, call, type Expr, value } from "../../plan/expr.ts";
import type { Output } from "../../plan/node.ts";
import { columnQuantilesOf } from "../shared/column-turns.ts";
import { meansAndRanges } from "./moments.ts";

/** Strategies that fill a column's missing cells with one value. */
const byOneValue = ["mean", "median", "mode", "constant"] as const;
type ByOneValue = (typeof byOneValue)[number];

/** How a missing cell is filled; "drop" removes its row, "drop_columns" its column. */
export const strategies = [...byOneValue, "drop", "drop_columns", "ffill", "bfill", "linear"] as const;
export type Strategy = (typeof strategies)[number];

/** Does the strategy fill each column with one value? */
export function isByOneValue(strategy: Strategy): strategy is ByOneValue {
  return byOneValue.some((each) => each === strategy);
}

/** What happened to one column: cells that were filled, and the one value for all, if there is one. */
export interface Filled {
  readonly column: string;
  readonly cells: number;
  readonly value: Cell;
}

/** How many cells of each column are missing. */
export async function countMissing(
  frame: Frame,
  names: readonly string[],
  context: BlockContext,
): Promise<Map<string, number>> {
  const found = await context.tables.missing(frame.relation, names);
  return new Map(names.map((name, k) => [name, found[k]]));
}

/** The constant each column is filled with, learnt from the rows a fit may see. */
export async function fillValues(
  frame: Frame,
  names: readonly string[],
  strategy: ByOneValue,
  fill: Cell | undefined,
  context: BlockContext,
): Promise<Map<string, Cell>> {
  const values = new Map<string, Cell>();
  if (names.length === 0) return values;
  if (strategy === "constant") for (const name of names) values.set(name, fitting(column(frame, name), fill));
  else if (strategy === "mean") {
    const found = (await meansAndRanges(frame, names, context)).map(({ mean }) => mean);
    for (const [k, name] of names.entries()) values.set(name, found[k]);
    const infinite = names.find((_, k) => found[k] !== null && !Number.isFinite(found[k]));
    if (infinite !== undefined) {
      throw new DataError(
        `missing (DP_2): column ${quoted(infinite)} holds infinity, so it has no mean. Use strategy "median", or leave it out.`,
        { got: infinite, expected: "finite columns" },
      );
    }
  } else if (strategy === "median") {
    const found = await columnQuantilesOf(frame, names, [0.5], context, "median");
    for (const [k, name] of names.entries()) values.set(name, Number.isNaN(found[k][0]) ? null : found[k][0]);
  } else {
    for (const name of names) {
      const each = cell(column(frame, name));
      const { found } = await context.tables.groups(frame.relation, fitSelection(frame), {
        by: [each],
        where: call("not", call("isMissing", each)),
        outputs: [each],
        order: [{ expr: call("count"), descending: true }, { expr: each }],
        limit: 1,
      });
      values.set(name, found[0]?.[0] ?? null);
    }
  }
  const unknown = names.filter((name) => (values.get(name) ?? null) === null);
  if (unknown.length > 0) {
    context.notice(
      `missing (DP_2): ${listed(unknown)} ${unknown.length === 1 ? "has" : "have"} no value at all, so nothing could be filled in.`,
    );
  }
  return values;
}

/** Fills each column with its value, as a projection that new rows go through as well. */
export function fillWith(
  frame: Frame,
  values: ReadonlyMap<string, Cell>,
  strategy: Strategy,
  context: BlockContext,
): Frame {
  const replacements = new Map<string, readonly Output[]>();
  for (const [name, filled] of values) {
    if (filled === null) continue;
    const old = column(frame, name);
    // An integer column stays one when what is filled in is whole.
    const integer = old.integer === true && Number.isInteger(filled);
    const expr = call("coalesce", cell(old), asStored(old, filled, integer));
    replacements.set(name, [{ column: { ...old, ...(old.type === "number" ? { integer } : {}) }, expr }]);
  }
  return replaceColumns(frame, context, replacements, strategy === "constant" ? [] : [...replacements.keys()]);
}

function asStored(old: Column, filled: Cell, integer: boolean): Expr {
  if (old.type === "number") return value(filled, integer ? "integer" : "number");
  if (old.type !== "datetime") return value(filled);
  // A column of days alone is stored as such, and stays one.
  return value(filled, isDay.test(String(filled)) ? "day" : "datetime");
}

const isDay = /^\d{4}-\d\d-\d\d$/;
const isTime = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?)?$/;

/** A constant as a column holds it: numbers, true, false and dates may be given as text; null where it does not fit. */
export function fitting(candidate: Column, fill: Cell | undefined): Cell {
  if (fill === undefined || fill === null) return null;
  switch (candidate.type) {
    case "number": {
      const number = typeof fill === "string" && fill.trim() !== "" ? Number(fill) : fill;
      return typeof number === "number" && Number.isFinite(number) ? number : null;
    }
    case "boolean": {
      const word = String(fill).trim().toLowerCase();
      return word === "true" ? true : word === "false" ? false : null;
    }
    case "datetime":
      return typeof fill === "string" && isTime.test(fill) && !Number.isNaN(Date.parse(fill)) ? fill : null;
    case "tensor":
      return null;
    default:
      return typeof fill === "string" ? fill : null;
  }
}

/** Drops the rows with a missing cell in any of these columns. */
export async function dropRows(frame: Frame, holey: readonly string[], context: BlockContext): Promise<Frame> {
  if (holey.length === 0) return frame;
  const present = holey.map((name) => call("not", call("isMissing", cell(column(frame, name)))));
  const kept = await keepRows(frame, context, allOf(present));
  if (kept.rows === 0) {
    throw new DataError(
      `missing (DP_2): every row has a missing cell in ${listed(holey)}, so "drop" would leave none. Name fewer columns, or fill them.`,
      { got: 0 },
    );
  }
  return kept;
}
