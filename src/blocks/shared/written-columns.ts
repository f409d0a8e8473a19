import type { BlockContext } from "../../core/block.ts";
import type { Frame } from "../../core/frame.ts";
import { rowColumn, selectFrom } from "../../core/relation.ts";
import { col, file, join, sql } from "../../core/sql.ts";
import type { WriteColumn } from "../../core/tables.ts";

/** Writes a table with new columns, a value per row of `before`, beside the others; in the order that `after` has. */
export async function writeBeside(
  before: Frame,
  after: Frame,
  written: readonly WriteColumn[],
  replaced: ReadonlyMap<string, unknown>,
  context: BlockContext,
): Promise<string> {
  const fresh = new Set(written.map(({ column }) => column.name));
  const artifact = await context.tables.writeColumns(written);
  const kept = before.columns.map(({ name }) => name).filter((name) => !replaced.has(name));
  if (kept.length === 0) return artifact;
  const row = col(rowColumn);
  const own = sql`SELECT *, file_row_number FROM read_parquet(${file(artifact)}, file_row_number = true)`;
  const others = selectFrom(before.relation, { columns: kept, row: true });
  const chosen = after.columns.map(({ name }) => (fresh.has(name) ? sql`made.${col(name)}` : sql`plain.${col(name)}`));
  const all = await context.tables.write(
    sql`SELECT ${join(chosen)} FROM (${others}) AS plain JOIN (${own}) AS made ON made.file_row_number = plain.${row} ORDER BY plain.${row}`,
  );
  await context.tables.discard(artifact);
  return all;
}
