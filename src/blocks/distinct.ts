import type { BlockContext } from "../core/block.ts";
import type { Frame } from "../core/frame.ts";
import { selectFrom } from "../core/relation.ts";
import { col, sql } from "../core/sql.ts";
import { aggregates } from "./aggregates.ts";

const wide = 256;
const short = 4096;

/**
 * How many different values each column has; missing cells don't count.
 *
 * A query per column: DuckDB counts DISTINCT rows of one column twice as fast as many count(DISTINCT) side by side, and
 * holds one column's values at a time. Of thousands of short columns the queries themselves would take longest.
 */
export async function distinctCounts(frame: Frame, context: BlockContext): Promise<number[]> {
  if (frame.columns.length > wide && frame.rows <= short) {
    const names = frame.columns.map((column) => column.name);
    const rows = (some: readonly string[]) => selectFrom(frame.relation, { columns: some });
    const found = await aggregates(names, rows, (name) => [sql`count(DISTINCT ${col(name)})`], context);
    return found.map(([n]) => Number(n));
  }
  const counts: number[] = [];
  for (const [k, { name }] of frame.columns.entries()) {
    context.progress("different values", k, frame.columns.length);
    const values = selectFrom(frame.relation, { columns: [name] });
    const [[n]] = await context.tables.query(
      sql`SELECT count(*) FROM (SELECT DISTINCT ${col(name)} FROM (${values}) WHERE ${col(name)} IS NOT NULL)`,
    );
    counts.push(Number(n));
  }
  return counts;
}
