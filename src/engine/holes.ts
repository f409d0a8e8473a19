import { ownColumns } from "../core/own-columns.ts";
import type { Relation } from "../core/relation.ts";
import { file, sql } from "../core/sql.ts";
import type { Duck } from "./duck.ts";
import { describeParquet } from "./ingest.ts";

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
  const [found, { columns }] = await Promise.all([
    duck.rows(
      sql`SELECT sum(stats_null_count), count(*) = count(stats_null_count) FROM parquet_metadata(${file(relation.artifact)}) GROUP BY column_id ORDER BY column_id`,
      signal,
    ),
    describeParquet(duck, duck.path(relation.artifact)),
  ]);
  if (found.length !== columns.length) return null;
  const holes = new Map(
    columns.map(({ name, type }, k) => [name, type === "tensor" || !found[k][1] ? null : Number(found[k][0])]),
  );
  const wanted = own.map((name) => holes.get(name) ?? null);
  return wanted.every((each) => each !== null) ? wanted : null;
}
