import type { BlockContext } from "../../core/block.ts";
import { join, type Sql, sql } from "../../core/sql.ts";
import type { Cell } from "../../core/view.ts";

/** The engine's work on one query grows faster than its number of columns: 10,000 at once took minutes, 256 at a time seconds. */
const mostTogether = 256;

/** The names in runs of a few hundred. */
export function fewAtATime(names: readonly string[]): string[][] {
  return Array.from({ length: Math.ceil(names.length / mostTogether) }, (_, k) =>
    names.slice(k * mostTogether, (k + 1) * mostTogether),
  );
}

/**
 * Aggregates of each column, in the order of the names.
 *
 * `rows` selects some of the columns, and `pieces` says what is asked of one, as many for each.
 */
export async function aggregates(
  names: readonly string[],
  rows: (names: readonly string[]) => Sql,
  pieces: (name: string) => readonly Sql[],
  { tables }: Pick<BlockContext, "tables">,
): Promise<Cell[][]> {
  const found: Cell[][] = [];
  for (const some of fewAtATime(names)) {
    const asked = some.map(pieces);
    const [row] = await tables.query(sql`SELECT ${join(asked.flat())} FROM (${rows(some)})`);
    let at = 0;
    for (const each of asked) {
      found.push(row.slice(at, at + each.length));
      at += each.length;
    }
  }
  return found;
}
