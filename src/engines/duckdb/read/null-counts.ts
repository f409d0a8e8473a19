import { call, column } from "../../../plan/expr.ts";
import type { Relation } from "../../../plan/node.ts";
import { sparseReading } from "../../../plan/sparse.ts";
import { file, sql } from "../../sql.ts";
import { aggregateRows } from "../aggregate.ts";
import { countedByFile } from "../choose.ts";
import type { Duck } from "../duck.ts";

/** How many cells of each column are missing. */
export async function countNulls(
  duck: Duck,
  relation: Relation,
  names: readonly string[],
  signal?: AbortSignal,
): Promise<number[]> {
  const known = await nullCountsOfFile(duck, relation, names, signal);
  if (known) return known;
  // Places of sparse rows are never missing, and there may be thousands.
  const { plain } = sparseReading(relation, { columns: names });
  const counts = [call("count"), ...plain.map((k) => call("count", column(names[k])))];
  const [rows, ...present] = (await aggregateRows(duck, relation, {}, counts, signal)).map(Number);
  const nulls = new Map(plain.map((k, j) => [k, rows - present[j]]));
  return names.map((_, k) => nulls.get(k) ?? 0);
}

/**
 * How many cells of each column are missing, where a file's own statistics say so; null where rows must be looked at.
 *
 * For 20 columns of a million rows that is a third of the time in which the engine counts them.
 */
export async function nullCountsOfFile(
  duck: Duck,
  relation: Relation,
  names: readonly string[],
  signal?: AbortSignal,
): Promise<number[] | null> {
  const own = countedByFile(relation, names);
  if (!own) return null;
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
  const wanted = own.map((name) => nulls.get(name) ?? null);
  return wanted.every((each) => each !== null) ? wanted : null;
}
