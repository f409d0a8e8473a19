import type { BlockContext } from "../../core/block.ts";
import { cell, column, columnsNamed, type Frame } from "../../core/frame.ts";
import { distinctInRows, distinctNumbers } from "../../numerics/statistics/distinct.ts";
import { call } from "../../plan/expr.ts";
import { sparseReading } from "../../plan/sparse.ts";
import { inTurns } from "../shared/column-turns.ts";
import { farDistinct } from "../shared/far-measures.ts";
import { computeColumns, sparseOf } from "../shared/row-parts.ts";

/** Of so few rows one query counts all columns. */
const short = 4096;

/**
 * How many different values each column has; missing cells don't count.
 *
 * Numbers are counted in memory, in a quarter of the engine's time. Else a query per column: DuckDB counts DISTINCT rows
 * of one column twice as fast as many count(DISTINCT) side by side, and holds one column's values at a time. Of short
 * columns the queries themselves would take longest.
 */
export async function distinctCounts(frame: Frame, context: BlockContext): Promise<number[]> {
  const names = frame.columns.map((column) => column.name);
  if (context.tables.isFar) return await farDistinct(frame, names, context);
  const places = await placeCounts(frame, names, context);
  const others = names.filter((name) => !places.has(name));
  const found = await plainCounts(frame, others, context);
  for (const [k, name] of others.entries()) places.set(name, found[k]);
  return names.map((name) => places.get(name) ?? 0);
}

/** Those of places of sparse rows, unless a matrix serves as well. */
async function placeCounts(
  frame: Frame,
  names: readonly string[],
  context: BlockContext,
): Promise<Map<string, number>> {
  const plain = new Set(sparseReading(frame.relation, { columns: names }).plain);
  const columns = names.filter((_, k) => !plain.has(k));
  const read = columns.length > 0 ? await context.tables.sparse(frame.relation, { columns }) : null;
  if (!read) return new Map();
  const counts = await context.compute(distinctInRows, { x: sparseOf(read.x) }, "numbers");
  return new Map(columns.map((name, k) => [name, counts[k]]));
}

async function plainCounts(frame: Frame, names: readonly string[], context: BlockContext): Promise<number[]> {
  const counts = await numberCounts(frame, names, context);
  const others = names.filter((name) => !counts.has(name));
  if (others.length > 0 && frame.rows <= short) {
    const different = columnsNamed(frame.columns, others).map((each) => call("countDistinct", cell(each)));
    const found = await context.tables.aggregate(frame.relation, {}, different);
    for (const [k, n] of found.entries()) counts.set(others[k], Number(n));
  }
  for (const [k, name] of names.entries()) {
    context.progress("different values", k, names.length);
    if (counts.has(name)) continue;
    const value = cell(column(frame, name));
    const { groups } = await context.tables.groups(
      frame.relation,
      {},
      {
        by: [value],
        where: call("not", call("isMissing", value)),
        outputs: [],
        order: [],
        limit: 1,
      },
    );
    counts.set(name, groups);
  }
  return names.map((name) => counts.get(name) ?? 0);
}

/** Of columns of numbers, on all threads, where memory serves: a quarter of what the engine takes for it. */
async function numberCounts(
  frame: Frame,
  names: readonly string[],
  context: BlockContext,
): Promise<Map<string, number>> {
  const wanted = new Set(names);
  const columns = frame.columns
    .filter((each) => each.type === "number" && wanted.has(each.name))
    .map(({ name }) => name);
  const found = await inTurns(frame, { columns }, context, (x) =>
    computeColumns(context, distinctNumbers, { x }, "numbers"),
  );
  return new Map(columns.flatMap((name, k) => (found[k] < 0 ? [] : [[name, found[k]]])));
}
