import type { Keep, Rows } from "../../core/tables.ts";
import { rowColumn } from "../../plan/expr.ts";
import type { Relation } from "../../plan/node.ts";
import { col, join, type Sql, sql } from "../sql.ts";
import { areComparedByHash } from "./choose.ts";
import { rowsOf, selectFrom } from "./select.ts";

/**
 * The numbers of the rows that are no repeats, in any order, as SQL with a column "row".
 *
 * GROUP BY counts missing cells as equal, as pandas does. Rows whose hash nobody shares repeat nothing; of the others the
 * columns themselves decide.
 */
export function originals(relation: Relation, names: readonly string[], keep: Keep): Sql {
  const rows = selectFrom(relation, { columns: names, row: true });
  const row = col(rowColumn);
  const chosenRow = keep === "last" ? sql`max(${row})` : sql`min(${row})`;
  const alone = keep === "none" ? sql` HAVING count(*) = 1` : sql``;
  const columns = join(names.map(col));
  if (!areComparedByHash(names.length))
    return sql`SELECT ${chosenRow} AS "row" FROM (${rows}) GROUP BY ${columns}${alone}`;
  return sql`WITH alike AS MATERIALIZED (
SELECT hash(${columns}) AS "hash", min(${row}) AS "row", count(*) AS "n" FROM (${rows}) GROUP BY 1)
SELECT "row" FROM alike WHERE "n" = 1
UNION ALL
SELECT ${chosenRow} AS "row" FROM (${rows}) WHERE hash(${columns}) IN (SELECT "hash" FROM alike WHERE "n" > 1) GROUP BY ${columns}${alone}`;
}

/** How many of some rows repeat one of some others, told by their hashes. */
export function repeats(relation: Relation, columns: readonly string[], rows: Rows, others: Rows): Sql {
  const hashes = (some: Rows) =>
    sql`SELECT hash(${join(columns.map(col))}) AS h FROM (${rowsOf(relation, { ...some, columns })})`;
  return sql`SELECT count(*) FROM (${hashes(rows)}) WHERE h IN (SELECT h FROM (${hashes(others)}))`;
}
