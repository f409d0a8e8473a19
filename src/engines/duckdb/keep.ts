import { freshNames } from "../../core/names.ts";
import type { Keeping } from "../../core/tables.ts";
import { looksAlong, rowColumn } from "../../plan/expr.ts";
import { addStep, type Made, type Relation } from "../../plan/node.ts";
import { col, join, sql } from "../sql.ts";
import { isWrittenLater, keepsBySideTable } from "./choose.ts";
import { selectFrom } from "./select.ts";
import { sideRows, type Writing } from "./side-table.ts";

/**
 * Leaves rows out of a table by a node over it, as long as most rows stay: which they are lies in a side table.
 *
 * A table of its own is written for fewer rows, since whoever reads a plan looks at all of its file, and of a large table.
 */
export async function keepRows(
  relation: Relation,
  { columns, mask, rows, node }: Keeping,
  writing: Writing,
): Promise<Relation> {
  const { where, ...named } = node;
  const names = columns.map(({ name }) => name);
  const condition = where ? { where } : {};
  const step = { ...named, outputs: columns.map((column) => ({ column })), rows: rows.length };
  if (keepsBySideTable(rows.length, mask.length)) {
    const [list] = freshNames(["kept"], names);
    const sideTable = { artifact: await writing.writeColumns([sideRows(list, rows, mask.length)]) };
    return addStep(relation, { ...step, kept: { list, ...condition }, sideTable });
  }
  // What the file holds can be said where the rows' own cells say which they are.
  const holds: Made | null = where ? { made: "same", of: addStep(relation, { ...step, kept: condition }) } : null;
  const size = { rows: rows.length, columns: columns.length };
  if (holds && where && !looksAlong(where) && isWrittenLater(size)) return await writing.settleLater(holds, size);
  // Rows before the first and behind the last that stay need not be read.
  const range = sql`${col(rowColumn)} BETWEEN ${rows[0] ?? 0} AND ${rows.at(-1) ?? -1}`;
  const all = selectFrom(relation, { row: true });
  const artifact = await writing.writeWith(
    mask,
    (isKept) => sql`SELECT ${join(names.map(col))} FROM (${all}) WHERE ${range} AND ${isKept(col(rowColumn))} = 1`,
  );
  return { artifact, steps: [], ...(holds ? { holds } : {}) };
}
