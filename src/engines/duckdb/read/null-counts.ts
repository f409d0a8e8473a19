import { call, column } from "../../../plan/expr.ts";
import { passedColumns } from "../../../plan/lineage.ts";
import { type Relation, rowsLeft } from "../../../plan/node.ts";
import { sparseReading } from "../../../plan/sparse.ts";
import { file, sql } from "../../sql.ts";
import { aggregateRows } from "../aggregate.ts";
import type { Duck } from "../duck.ts";

/** How many cells of each column are missing. */
export async function countNulls(
  duck: Duck,
  relation: Relation,
  names: readonly string[],
  signal?: AbortSignal,
): Promise<number[]> {
  const known = await nullCountsOfFile(duck, relation, names, signal);
  const rest = names.filter((_, k) => known[k] === null);
  // Places of sparse rows are never missing, and there may be thousands.
  const plain = sparseReading(relation, { columns: rest }).plain.map((k) => rest[k]);
  if (plain.length === 0) return known.map((nulls) => nulls ?? 0);
  const counts = [call("count"), ...plain.map((name) => call("count", column(name)))];
  const [rows, ...present] = (await aggregateRows(duck, relation, {}, counts, signal)).map(Number);
  const nulls = new Map(plain.map((name, k) => [name, rows - present[k]]));
  return names.map((name, k) => known[k] ?? nulls.get(name) ?? 0);
}

/**
 * How many cells of each column are missing, where a file's own statistics say so; null where rows must be looked at.
 *
 * For 20 columns of a million rows that is a third of the time in which the engine counts them. A column without gaps
 * has none in those of its rows that a plan leaves either.
 */
export async function nullCountsOfFile(
  duck: Duck,
  relation: Relation,
  names: readonly string[],
  signal?: AbortSignal,
): Promise<(number | null)[]> {
  const own = passedColumns(relation, names);
  if (own.every((name) => name === null)) return names.map(() => null);
  const found = await duck.rows(
    sql`SELECT any_value(path_in_schema), sum(stats_null_count), count(*) = count(stats_null_count)
FROM parquet_metadata(${file(relation.artifact)}) GROUP BY column_id`,
    signal,
  );
  const nulls = new Map<string, number | null>();
  for (const [rawName, cells, isKnown] of found) {
    const name = String(rawName);
    // A tensor's items may be called as another column is.
    nulls.set(name, isKnown && !nulls.has(name) ? Number(cells) : null);
  }
  const isWhole = rowsLeft(relation) === null;
  return own.map((name) => {
    const cells = name === null ? null : (nulls.get(name) ?? null);
    return isWhole || cells === 0 ? cells : null;
  });
}
