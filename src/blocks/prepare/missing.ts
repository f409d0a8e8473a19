import { z } from "zod";
import { type BlockContext, defineBlock, slice } from "../../core/block.ts";
import { ArgsError, DataError } from "../../core/errors.ts";
import { type Column, column, type Frame, isNumeric } from "../../core/frame.ts";
import { columnOf } from "../../core/matrix.ts";
import { count, listed } from "../../core/names.ts";
import { type Output, rowColumn, rowsOf, selectFrom } from "../../core/relation.ts";
import {
  chosen,
  fitRows,
  fitSelection,
  keepRows,
  newTable,
  remember,
  replaceColumns,
  scope,
} from "../../core/scope.ts";
import { col, file, join, raw, type Sql, sql } from "../../core/sql.ts";
import { type Cell, stack, text } from "../../core/view.ts";
import { quantiles } from "../../kernels/statistics.ts";

const strategies = ["mean", "median", "mode", "constant", "drop", "drop_columns", "ffill", "bfill", "linear"] as const;
type Strategy = (typeof strategies)[number];

/** What happened to one column. */
interface Filled {
  readonly column: string;
  readonly cells: number;
  readonly value: Cell;
}

/**
 * DP_2. Fills missing cells, or drops their rows or columns.
 *
 * Means, medians and modes come from training rows alone once there are folds. ffill, bfill and linear look
 * along the table's order, within a fold. Without boundaries every column that the strategy can serve is
 * treated; the others are named in a notice.
 */
export const missing = defineBlock({
  code: "DP_2",
  name: "missing",
  args: {
    /** How a missing cell is filled; "drop" removes its row, "drop_columns" its column. */
    strategy_value: z.literal([...strategies]),
    /** Columns to treat, as a slice or a list of names (default: all that the strategy can serve). */
    boundaries: slice().optional(),
    /** What "constant" fills in. */
    fill_value: z.union([z.number(), z.string(), z.boolean()]).optional(),
  },
  aliases: { strategy: "strategy_value", columns: "boundaries" },
  tolerates: { x_boundaries: "boundaries" },
  positional: ["strategy_value"],
  example: 'session.input("sample:penguins").missing({ strategy: "mean" })',
  async run(frame, args, context) {
    if (args.strategy_value === "constant" && args.fill_value === undefined) {
      throw new ArgsError('missing (DP_2): strategy "constant" needs fill_value, as in { fill_value: 0 }.', {
        path: "fill_value",
      });
    }
    const names = columnsToTreat(frame, args.boundaries, args.strategy_value, args.fill_value, context);
    const holes = await countMissing(frame, names, context);
    const holey = names.filter((name) => (holes.get(name) ?? 0) > 0);
    const report = (filled: readonly Filled[]) => ({ strategy: args.strategy_value, fitted: fitRows(frame), filled });
    switch (args.strategy_value) {
      case "drop":
        return { frame: await dropRows(frame, holey, context), report: { ...report([]), before: frame.rows } };
      case "drop_columns": {
        const emptied = new Map<string, readonly Output[]>(holey.map((name) => [name, []]));
        return { frame: replaceColumns(frame, context, emptied, holey), report: { ...report([]), dropped: holey } };
      }
      case "ffill":
      case "bfill":
      case "linear": {
        const filled = holey.map((name) => ({ column: name, cells: holes.get(name) ?? 0, value: null }));
        return { frame: await alongRows(frame, holey, args.strategy_value, context), report: report(filled) };
      }
      default: {
        const values = await fillValues(frame, names, args.strategy_value, args.fill_value, context);
        const filled = holey.map((name) => ({
          column: name,
          cells: holes.get(name) ?? 0,
          value: values.get(name) ?? null,
        }));
        return { frame: fillWith(frame, values, args.strategy_value, context), report: report(filled) };
      }
    }
  },
  async view({ before, after, report }, read) {
    return stack(text(sentence(report as Report, before?.rows ?? after.rows, after.rows)), await read.head(after));
  },
});

interface Report {
  readonly strategy: Strategy;
  readonly fitted: string;
  readonly filled: readonly Filled[];
  readonly dropped?: readonly string[];
}

function sentence(report: Report, before: number, after: number): string {
  if (report.strategy === "drop")
    return `Dropped ${count(before - after, "row")} with missing cells; ${count(after, "row")} left.`;
  if (report.dropped)
    return report.dropped.length === 0 ? "No column has missing cells." : `Dropped ${listed(report.dropped)}.`;
  if (report.filled.length === 0) return "No missing cells to fill.";
  const learnt = ["mean", "median", "mode"].includes(report.strategy)
    ? ` (${report.strategy} of ${report.fitted})`
    : ` (${report.strategy})`;
  const parts = report.filled.slice(0, 12).map(({ column: name, cells, value }) => {
    const shown = typeof value === "number" ? Number(value.toPrecision(6)) : value;
    return `${name}: ${count(cells, "cell")}${value === null ? "" : ` with ${shown}`}`;
  });
  const more = report.filled.length > 12 ? ` and ${report.filled.length - 12} more columns` : "";
  return `Filled ${parts.join(", ")}${more}${learnt}.`;
}

function columnsToTreat(
  frame: Frame,
  boundaries: string | number | readonly (string | number)[] | undefined,
  strategy: Strategy,
  fill: unknown,
  context: BlockContext,
): readonly string[] {
  const within = scope(frame);
  const named = boundaries === undefined ? within.names : chosen(frame, boundaries, within);
  const refused = named.filter((name) => !canServe(column(frame, name), strategy, fill));
  if (refused.length === 0) return named;
  const rule = strategy === "constant" ? `${JSON.stringify(fill)} does not fit its type` : `${strategy} needs numbers`;
  if (boundaries !== undefined) {
    const first = column(frame, refused[0]);
    throw new DataError(
      `missing (DP_2): ${rule}, but column "${first.name}" is ${first.type}. Use strategy "mode", or leave it out of boundaries.`,
      { path: "boundaries", got: refused, expected: "numeric columns" },
    );
  }
  context.notice(`missing (DP_2): ${rule}, so ${listed(refused)} stayed as before.`);
  return named.filter((name) => !refused.includes(name));
}

function canServe(candidate: Column, strategy: Strategy, fill: unknown): boolean {
  if (candidate.type === "tensor") return false;
  if (strategy === "mean" || strategy === "median" || strategy === "linear") return candidate.type === "number";
  if (strategy !== "constant") return true;
  if (candidate.type === "number") return typeof fill === "number";
  if (candidate.type === "boolean") return typeof fill === "boolean";
  return typeof fill === "string" && candidate.type !== "datetime";
}

async function countMissing(
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
async function fillValues(
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

function fillWith(frame: Frame, values: ReadonlyMap<string, Cell>, strategy: Strategy, context: BlockContext): Frame {
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

async function dropRows(frame: Frame, holey: readonly string[], context: BlockContext): Promise<Frame> {
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
async function alongRows(
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
