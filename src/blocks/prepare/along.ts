import type { BlockContext } from "../../core/block.ts";
import type { Column, Frame } from "../../core/frame.ts";
import { count, listed } from "../../core/names.ts";
import { type Output, rowColumn, type Step, selectFrom } from "../../core/relation.ts";
import { newTable, remember } from "../../core/scope.ts";
import { col, file, join, raw, type Sql, sql } from "../../core/sql.ts";
import { countMissing, type Filled } from "./fills.ts";

/** Strategies that look along the table's order. */
export type Along = "ffill" | "bfill" | "linear";

/** Fills holes along the table's order, counts what was filled, and says what stayed missing. */
export async function fillAlong(
  frame: Frame,
  holes: ReadonlyMap<string, number>,
  strategy: Along,
  context: BlockContext,
): Promise<{ frame: Frame; filled: Filled[] }> {
  const holey = [...holes.keys()].filter((name) => (holes.get(name) ?? 0) > 0);
  const after = await alongRows(frame, holey, strategy, context);
  const left = await countMissing(after, holey, context);
  const still = holey.filter((name) => (left.get(name) ?? 0) > 0);
  const cells = still.reduce((sum, name) => sum + (left.get(name) ?? 0), 0);
  if (cells > 0) {
    context.notice(
      `missing (DP_2): ${count(cells, "cell")} of ${listed(still)} stayed missing, with no value ${strategy === "bfill" ? "behind" : "before"} ${cells === 1 ? "it" : "them"}.`,
    );
  }
  const filled = holey.map((name) => ({
    column: name,
    cells: (holes.get(name) ?? 0) - (left.get(name) ?? 0),
    value: null,
  }));
  return { frame: after, filled: filled.filter((each) => each.cells > 0) };
}

/** Fills along the table's order; training rows are filled from training rows, test rows from test rows. */
async function alongRows(
  frame: Frame,
  holey: readonly string[],
  strategy: Along,
  context: BlockContext,
): Promise<Frame> {
  if (holey.length === 0) return frame;
  const columns = frame.columns.map((old) =>
    holey.includes(old.name) && strategy === "linear" ? { ...old, integer: false } : old,
  );
  const inner = selectFrom(frame.relation, { row: true });
  const folded = frame.folds
    ? sql`SELECT t.*, f."fold" AS __fold FROM (${inner}) AS t JOIN read_parquet(${file(frame.folds.artifact)}) AS f ON f."row" = t.${raw(rowColumn)}`
    : sql`SELECT *, 0 AS __fold FROM (${inner})`;
  const named: Windows = { row: raw(rowColumn), back: raw("back"), ahead: raw("ahead") };
  const outputs = columns.map(({ name }) =>
    holey.includes(name) ? sql`${filledAlong(name, strategy, named)} AS ${col(name)}` : col(name),
  );
  const artifact = await context.tables.write(
    sql`SELECT ${join(outputs)} FROM (${folded})
WINDOW back AS (PARTITION BY __fold ORDER BY ${raw(rowColumn)} ${back}),
  ahead AS (PARTITION BY __fold ORDER BY ${raw(rowColumn)} ${ahead})
ORDER BY ${raw(rowColumn)}`,
  );
  const step = newRowsStep(columns, holey, strategy, context);
  const next = newTable(frame, artifact, { rows: frame.rows, columns });
  return { ...next, lineage: [...frame.lineage, step], fits: remember(frame, context, holey) };
}

const back = raw("ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW");
const ahead = raw("ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING");

/** The row's number, and the windows from the first row to this one and from this one to the last. */
interface Windows {
  readonly row: Sql;
  readonly back: Sql;
  readonly ahead: Sql;
}

function filledAlong(name: string, strategy: Along, { row, back: before, ahead: after }: Windows): Sql {
  const here = col(name);
  const last = (value: Sql) => sql`last_value(${value} IGNORE NULLS) OVER ${before}`;
  const first = (value: Sql) => sql`first_value(${value} IGNORE NULLS) OVER ${after}`;
  if (strategy === "ffill") return last(here);
  if (strategy === "bfill") return first(here);
  const at = sql`CASE WHEN ${here} IS NOT NULL THEN ${row} END`;
  // As pandas' interpolate: cells after the last value repeat it, cells before the first stay missing.
  const between = sql`${last(here)} + (${first(here)} - ${last(here)}) * ((${row} - ${last(at)})::DOUBLE / (${first(at)} - ${last(at)}))`;
  return sql`CAST(CASE WHEN ${here} IS NOT NULL THEN ${here} ELSE coalesce(${between}, ${last(here)}) END AS DOUBLE)`;
}

/**
 * The same filling for new rows, which have no folds: a projection with windows over their own order.
 *
 * The windows say what that order is. Without it DuckDB 1.5 streams them, and of two that ignore missing cells one
 * answers wrong values.
 */
function newRowsStep(
  columns: readonly Column[],
  holey: readonly string[],
  strategy: Along,
  context: BlockContext,
): Step {
  const row = col(rowColumn);
  const ordered: Windows = { row, back: sql`(ORDER BY ${row} ${back})`, ahead: sql`(ORDER BY ${row} ${ahead})` };
  const outputs = columns.map(
    (column): Output =>
      holey.includes(column.name) ? { column, expr: filledAlong(column.name, strategy, ordered) } : { column },
  );
  return { block: context.block.id, name: context.block.name, outputs };
}
