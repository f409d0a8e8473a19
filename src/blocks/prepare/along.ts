import type { BlockContext } from "../../core/block.ts";
import { columnsNamed, type Frame } from "../../core/frame.ts";
import { count, listed } from "../../core/names.ts";
import { type Output, rowColumn } from "../../core/relation.ts";
import { replaceColumns, withOwnRows } from "../../core/scope.ts";
import { col, raw, type Sql, sql } from "../../core/sql.ts";
import { fillsBeside } from "./along-fills.ts";
import type { Filled } from "./fills.ts";

/** Strategies that look along the table's order. */
export type Along = "ffill" | "bfill" | "linear";

/**
 * Fills holes along the table's order, counts what was filled, and says what stayed missing.
 *
 * Training rows are filled from training rows, test rows from test rows. What fills a hole lies beside the table; new
 * rows are filled from each other.
 */
export async function fillAlong(
  frame: Frame,
  holes: ReadonlyMap<string, number>,
  strategy: Along,
  context: BlockContext,
): Promise<{ frame: Frame; filled: Filled[] }> {
  const holey = [...holes.keys()].filter((name) => (holes.get(name) ?? 0) > 0);
  if (holey.length === 0) return { frame, filled: [] };
  const fills = await fillsBeside(frame, holey, strategy, context);
  const still = holey.filter((name) => fills.left.has(name));
  const cells = still.reduce((sum, name) => sum + (fills.left.get(name) ?? 0), 0);
  if (cells > 0) {
    context.notice(
      `missing (DP_2): ${count(cells, "cell")} of ${listed(still)} stayed missing, with no value ${strategy === "bfill" ? "behind" : "before"} ${cells === 1 ? "it" : "them"}.`,
    );
  }
  const filled = holey.map((name) => ({
    column: name,
    cells: (holes.get(name) ?? 0) - (fills.left.get(name) ?? 0),
    value: null,
  }));
  const after = replaceColumns(frame, context, alongTheirOrder(frame, holey, strategy), holey);
  return { frame: withOwnRows(frame, after, fills), filled: filled.filter((each) => each.cells > 0) };
}

/**
 * The same filling for new rows, which have no folds: a projection with windows over their own order.
 *
 * The windows say what that order is. Without it DuckDB 1.5 streams them, and of two that ignore missing cells one
 * answers wrong values.
 */
function alongTheirOrder(frame: Frame, holey: readonly string[], strategy: Along): Map<string, readonly Output[]> {
  return new Map(
    columnsNamed(frame.columns, holey).map((old) => [
      old.name,
      [
        {
          column: strategy === "linear" ? { ...old, integer: false } : old,
          expr: filledAlong(old.name, strategy),
        },
      ],
    ]),
  );
}

const back = raw("ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW");
const ahead = raw("ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING");

function filledAlong(name: string, strategy: Along): Sql {
  const [here, row] = [col(name), col(rowColumn)];
  const last = (value: Sql) => sql`last_value(${value} IGNORE NULLS) OVER (ORDER BY ${row} ${back})`;
  const first = (value: Sql) => sql`first_value(${value} IGNORE NULLS) OVER (ORDER BY ${row} ${ahead})`;
  if (strategy === "ffill") return last(here);
  if (strategy === "bfill") return first(here);
  const at = sql`CASE WHEN ${here} IS NOT NULL THEN ${row} END`;
  // As pandas' interpolate: cells after the last value repeat it, cells before the first stay missing.
  const between = sql`${last(here)} + (${first(here)} - ${last(here)}) * ((${row} - ${last(at)})::DOUBLE / (${first(at)} - ${last(at)}))`;
  return sql`CAST(CASE WHEN ${here} IS NOT NULL THEN ${here} ELSE coalesce(${between}, ${last(here)}) END AS DOUBLE)`;
}
