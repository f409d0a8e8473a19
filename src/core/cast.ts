import { call, type Expr } from "../plan/expr.ts";
import type { Relation } from "../plan/node.ts";
import type { BlockContext } from "./block.ts";
import { DataError } from "./errors.ts";
import { type Column, type ColumnType, cell, wideCell } from "./frame.ts";
import { count, quoted } from "./names.ts";

/** A cell as another type; what can't be read as it is missing, and so is a text that reads as NaN. */
export function castTo(of: Expr, type: ColumnType): Expr {
  switch (type) {
    case "number":
      return call("number", of);
    case "boolean":
      return call("boolean", of);
    case "datetime":
      return call("date", of);
    default:
      return call("written", of);
  }
}

/** Is there a cell, though the cast one is missing? A text for NaN is not lost by becoming a missing number. */
export function isLost(of: Expr, made: Expr, type: ColumnType): Expr {
  const lost = call("and", call("not", call("isMissing", of)), call("isMissing", made));
  if (type !== "number") return lost;
  const word = call("lower", call("trim", call("written", of)));
  return call("and", lost, call("not", call("oneOf", word, { list: ["nan", "-nan", "+nan"] })));
}

/** How many of the rows fulfil a condition. */
export function countWhere(condition: Expr): Expr {
  return call("count", call("choose", condition, { value: 1 }, { value: null }));
}

/** A column's cells as text. New rows may bring fractions to a column of integers, whose 2 must not become "2.0" then. */
export function asWords(of: Column): Expr {
  return of.integer ? call("text", wideCell(of)) : call("written", cell(of));
}

/** A column as it is, and the type it should have. */
export interface Recast {
  readonly from: Column;
  readonly type: ColumnType;
}

/** Refuses columns with a cell that can't be cast, naming the first; `who` says who wants the type. */
export async function refuseOtherTypes(
  relation: Relation,
  recasts: readonly Recast[],
  who: string,
  { tables }: Pick<BlockContext, "tables">,
): Promise<void> {
  if (recasts.length === 0) return;
  const lost = recasts.map(({ from, type }) => isLost(cell(from), castTo(cell(from), type), type));
  const counts = (await tables.aggregate(relation, {}, lost.map(countWhere))).map(Number);
  const k = counts.findIndex((each) => each > 0);
  if (k < 0) return;
  const { from, type } = recasts[k];
  const outputs = [call("written", cell(from))];
  const [[row, value]] = await tables.find(relation, {}, { where: lost[k], outputs, limit: 1 });
  throw new DataError(
    `${who} was fitted on column ${quoted(from.name)} as a ${type}, but ${count(counts[k], "cell")} can't be read as one, the first in row ${row}: ${quoted(String(value))}.`,
    { code: "other_type", got: from.name, expected: type },
  );
}
