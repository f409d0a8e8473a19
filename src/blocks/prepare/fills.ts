import type { BlockContext } from "../../core/block.ts";
import { DataError } from "../../core/errors.ts";
import { type Column, column, type Frame, isNumeric } from "../../core/frame.ts";
import { columnOf } from "../../core/matrix.ts";
import { listed } from "../../core/names.ts";
import { type Output, rowColumn, rowsOf, selectFrom } from "../../core/relation.ts";
import { fitSelection, keepRows, newTable, remember, replaceColumns } from "../../core/scope.ts";
import { col, file, join, raw, type Sql, sql } from "../../core/sql.ts";
import type { Cell } from "../../core/view.ts";
import { quantiles } from "../../kernels/statistics.ts";

/** How a missing cell is filled; "drop" removes its row, "drop_columns" its column. */
export const strategies = [
  "mean",
  "median",
  "mode",
  "constant",
  "drop",
  "drop_columns",
  "ffill",
  "bfill",
  "linear",
] as const;
export type Strategy = (typeof strategies)[number];

/** How many cells of each column are missing. */
export async function countMissing(
  frame: Frame,
  names: readonly string[],
  context: BlockContext,
): Promise<Map<string, number>> {
  if (names.length === 0) return new Map();
  const counts = join(names.map((name) => sql`count(*) - count(${col(name)})`));
  const [row] = await context.tables.query(
    sql`SELECT ${counts} FROM (${selectFrom(frame.relation, { columns: names })})`,
  );
  return new Map(names.map((name, k) => [name, Number(row[k])]));
}

/** The constant each column is filled with, learnt from the rows a fit may see. */
export async function fillValues(
  frame: Frame,
  names: readonly string[],
  strategy: "mean" | "median" | "mode" | "constant",
  fill: Cell | undefined,
  context: BlockContext,
): Promise<Map<string, Cell>> {
  const values = new Map<string, Cell>();
  if (names.length === 0) return values;
  const seen = rowsOf(frame.relation, { ...fitSelection(frame), columns: names });
  if (strategy === "constant") for (const name of names) values.set(name, fill ?? null);
  else if (strategy === "mean") {
    const [row] = await context.tables.query(
      sql`SELECT ${join(names.map((name) => sql`avg(${col(name)})`))} FROM (${seen})`,
    );
    for (const [k, name] of names.entries()) values.set(name, row[k]);
    const infinite = names.find((name) => Math.abs(Number(values.get(name))) === Infinity);
    if (infinite !== undefined) {
      throw new DataError(
        `missing (DP_2): column "${infinite}" holds infinity, so it has no mean. Use strategy "median", or leave it out.`,
        { got: infinite, expected: "finite columns" },
      );
    }
  } else if (strategy === "median") {
    const numbers = await context.tables.numbers(frame.relation, { ...fitSelection(frame), columns: names });
    for (const [k, name] of names.entries()) {
      const [median] = quantiles({ values: columnOf(numbers, k), at: [0.5] });
      values.set(name, Number.isNaN(median) ? null : median);
      context.progress("median", k + 1, names.length);
      await new Promise(setImmediate);
    }
  } else {
    for (const name of names) {
      const [found] = await context.tables.query(
        sql`SELECT ${col(name)} FROM (${seen}) WHERE ${col(name)} IS NOT NULL GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1`,
      );
      values.set(name, found ? found[0] : null);
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
  for (const [name, value] of values) {
    if (value === null) continue;
    const old = column(frame, name);
    // An integer column stays one when what is filled in is whole.
    const integer = old.integer === true && Number.isInteger(value);
    const type = isNumeric(old) && old.type === "number" ? (integer ? "BIGINT" : "DOUBLE") : null;
    const filled = sql`coalesce(${col(name)}, ${asStored(old, value)})`;
    const expr = type ? sql`CAST(${filled} AS ${raw(type)})` : filled;
    replacements.set(name, [{ column: { ...old, ...(old.type === "number" ? { integer } : {}) }, expr }]);
  }
  return replaceColumns(frame, context, replacements, strategy === "constant" ? [] : [...replacements.keys()]);
}

function asStored(old: Column, value: Cell): Sql {
  return old.type === "datetime" ? sql`CAST(${value} AS TIMESTAMP)` : sql`${value}`;
}

/** Drops the rows with a missing cell in any of these columns. */
export async function dropRows(frame: Frame, holey: readonly string[], context: BlockContext): Promise<Frame> {
  if (holey.length === 0) return frame;
  const present = join(
    holey.map((name) => sql`${col(name)} IS NOT NULL`),
    " AND ",
  );
  const kept = await keepRows(frame, context, present);
  if (kept.rows === 0) {
    throw new DataError(
      `missing (DP_2): every row has a missing cell in ${listed(holey)}, so "drop" would leave none. Name fewer columns, or fill them.`,
      { got: 0 },
    );
  }
  return kept;
}

/** Fills along the table's order; training rows are filled from training rows, test rows from test rows. */
export async function alongRows(
  frame: Frame,
  holey: readonly string[],
  strategy: "ffill" | "bfill" | "linear",
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
  const outputs = columns.map((old) => (holey.includes(old.name) ? filledAlong(old.name, strategy) : col(old.name)));
  const artifact = await context.tables.write(
    sql`SELECT ${join(outputs)} FROM (${folded})
WINDOW back AS (PARTITION BY __fold ORDER BY ${raw(rowColumn)} ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW),
  ahead AS (PARTITION BY __fold ORDER BY ${raw(rowColumn)} ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)
ORDER BY ${raw(rowColumn)}`,
  );
  const step = newRowsStep(columns, holey, strategy, context);
  const next = newTable(frame, artifact, { rows: frame.rows, columns });
  return { ...next, lineage: [...frame.lineage, step], fits: remember(frame, context, holey) };
}

function filledAlong(name: string, strategy: "ffill" | "bfill" | "linear"): Sql {
  const here = col(name);
  if (strategy === "ffill") return sql`last_value(${here} IGNORE NULLS) OVER back AS ${here}`;
  if (strategy === "bfill") return sql`first_value(${here} IGNORE NULLS) OVER ahead AS ${here}`;
  const row = raw(rowColumn);
  const at = sql`CASE WHEN ${here} IS NOT NULL THEN ${row} END`;
  const before = sql`last_value(${here} IGNORE NULLS) OVER back`;
  const after = sql`first_value(${here} IGNORE NULLS) OVER ahead`;
  const start = sql`last_value(${at} IGNORE NULLS) OVER back`;
  const end = sql`first_value(${at} IGNORE NULLS) OVER ahead`;
  // As pandas' interpolate: cells after the last value repeat it, cells before the first stay missing.
  const between = sql`${before} + (${after} - ${before}) * ((${row} - ${start})::DOUBLE / (${end} - ${start}))`;
  return sql`CAST(CASE WHEN ${here} IS NOT NULL THEN ${here} ELSE coalesce(${between}, ${before}) END AS DOUBLE) AS ${here}`;
}

/** The same filling for new rows, which have no folds: a projection with windows over their own order. */
function newRowsStep(columns: readonly Column[], holey: readonly string[], strategy: Strategy, context: BlockContext) {
  const outputs = columns.map((old): Output => {
    if (!holey.includes(old.name)) return { column: old };
    const here = col(old.name);
    const expr =
      strategy === "bfill"
        ? sql`first_value(${here} IGNORE NULLS) OVER (ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)`
        : sql`last_value(${here} IGNORE NULLS) OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)`;
    return { column: old, expr };
  });
  return { block: context.block.id, name: context.block.name, outputs };
}
