import { bytesOfRows, mostBytesBeside } from "../../core/beside.ts";
import type { BlockContext } from "../../core/block.ts";
import { type Column, cell, columnsNamed, type Frame } from "../../core/frame.ts";
import { count, listed } from "../../core/names.ts";
import { rowColumn, rowsWithFolds, selectFrom } from "../../core/relation.ts";
import { newTable, replaceColumns, withOwnRows } from "../../core/scope.ts";
import { col, join, raw, type Sql, sql } from "../../core/sql.ts";
import { call } from "../../plan/expr.ts";
import type { Output } from "../../plan/node.ts";
import { type Along, fillsBeside } from "./along-fills.ts";
import { countMissing, type Filled } from "./fills.ts";

export type { Along } from "./along-fills.ts";

/**
 * Fills holes along the table's order, counts what was filled, and says what stayed missing.
 *
 * Training rows are filled from training rows, test rows from test rows, new rows from each other.
 */
export async function fillAlong(
  frame: Frame,
  counts: ReadonlyMap<string, number>,
  strategy: Along,
  context: BlockContext,
): Promise<{ frame: Frame; filled: Filled[] }> {
  const holes = new Map([...counts].filter(([, cells]) => cells > 0));
  const holey = [...holes.keys()];
  if (holey.length === 0) return { frame, filled: [] };
  const planned = replaceColumns(frame, context, alongTheirOrder(frame, holey, strategy), holey);
  const fills = isForLists(frame, holes) ? await fillsBeside(frame, holes, strategy, context) : null;
  const after = fills
    ? withOwnRows(frame, planned, fills)
    : newTable(planned, await filledTable(frame, planned.columns, holey, strategy, context), { rows: frame.rows });
  const left = fills?.left ?? (await countMissing(after, holey, context));
  const still = holey.filter((name) => (left.get(name) ?? 0) > 0);
  const cells = still.reduce((sum, name) => sum + (left.get(name) ?? 0), 0);
  if (cells > 0) {
    context.notice(
      `missing (DP_2): ${count(cells, "cell")} of ${listed(still)} stayed missing, with no value ${strategy === "bfill" ? "behind" : "before"} ${cells === 1 ? "it" : "them"}.`,
    );
  }
  const filled = [...holes].map(([column, cells]) => ({ column, cells: cells - (left.get(column) ?? 0), value: null }));
  return { frame: after, filled: filled.filter((each) => each.cells > 0) };
}

/**
 * Does what fills the holes lie beside the table, or is the table written anew?
 *
 * A column filled by lists takes the engine some milliseconds more whenever it is read, in which it writes so many cells.
 */
function isForLists({ rows, columns }: Frame, holes: ReadonlyMap<string, number>): boolean {
  const cells = [...holes.values()].reduce((sum, each) => sum + each, 0);
  const bytes = holes.size * bytesOfRows(rows) + cells * Float64Array.BYTES_PER_ELEMENT;
  return bytes <= mostBytesBeside && rows * columns.length >= 50_000 * holes.size;
}

/** Writes the table with its holes filled; `columns` are those it has then. */
async function filledTable(
  frame: Frame,
  columns: readonly Column[],
  holey: readonly string[],
  strategy: Along,
  { tables }: BlockContext,
): Promise<string> {
  const rows = selectFrom(frame.relation, { row: true });
  const folded = frame.folds
    ? sql`SELECT t.*, f."fold" AS __fold FROM (${rows}) AS t JOIN (${rowsWithFolds(frame.folds)}) AS f ON f."row" = t.${raw(rowColumn)}`
    : sql`SELECT *, 0 AS __fold FROM (${rows})`;
  const windows: Windows = { back: raw("back"), ahead: raw("ahead") };
  const made = new Set(holey);
  const outputs = columns.map(({ name }) =>
    made.has(name) ? sql`${filledAlong(name, strategy, windows)} AS ${col(name)}` : col(name),
  );
  return await tables.write(
    sql`SELECT ${join(outputs)} FROM (${folded})
WINDOW back AS (PARTITION BY __fold ORDER BY ${raw(rowColumn)} ${back}),
  ahead AS (PARTITION BY __fold ORDER BY ${raw(rowColumn)} ${ahead})
ORDER BY ${raw(rowColumn)}`,
  );
}

/** The same filling for new rows, which have no folds: windows over their own order. */
function alongTheirOrder(frame: Frame, holey: readonly string[], strategy: Along): Map<string, readonly Output[]> {
  const name = ({ ffill: "previous", bfill: "next", linear: "interpolate" } as const)[strategy];
  return new Map(
    columnsNamed(frame.columns, holey).map((old) => {
      const column = strategy === "linear" ? { ...old, integer: false } : old;
      // The window says what that order is. Without it DuckDB 1.5 streams windows, and of two that ignore missing cells
      // one answers wrong values.
      return [old.name, [{ column, expr: { ...call(name, cell(old)), over: { by: [], order: [] } } }]];
    }),
  );
}

const back = raw("ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW");
const ahead = raw("ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING");

/** From the first row to this one, and from this one to the last. */
interface Windows {
  readonly back: Sql;
  readonly ahead: Sql;
}

function filledAlong(name: string, strategy: Along, windows: Windows): Sql {
  const [here, row] = [col(name), col(rowColumn)];
  const last = (value: Sql) => sql`last_value(${value} IGNORE NULLS) OVER ${windows.back}`;
  const first = (value: Sql) => sql`first_value(${value} IGNORE NULLS) OVER ${windows.ahead}`;
  if (strategy === "ffill") return last(here);
  if (strategy === "bfill") return first(here);
  const at = sql`CASE WHEN ${here} IS NOT NULL THEN ${row} END`;
  // As pandas' interpolate: cells after the last value repeat it, cells before the first stay missing.
  const between = sql`${last(here)} + (${first(here)} - ${last(here)}) * ((${row} - ${last(at)})::DOUBLE / (${first(at)} - ${last(at)}))`;
  return sql`CAST(CASE WHEN ${here} IS NOT NULL THEN ${here} ELSE coalesce(${between}, ${last(here)}) END AS DOUBLE)`;
}
