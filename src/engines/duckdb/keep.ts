import { freshNames } from "../../core/names.ts";
import type { Keeping } from "../../core/tables.ts";
import { rowColumn } from "../../plan/expr.ts";
import { addStep, type Made, type Relation } from "../../plan/node.ts";
import { col, join, sql } from "../sql.ts";
import { rowsBeside, type Writing } from "./beside.ts";
import { leavesBeside } from "./choose.ts";
import { selectFrom } from "./select.ts";

/**
 * Leaves rows out of a table by a node over it, as long as most rows stay: which they are lies beside the table.
 *
 * A table of its own is written for fewer rows, since whoever reads a plan looks at all of its file, and of a large table.
 */
export async function keepRows(
  relation: Relation,
  { columns, marks, node }: Keeping,
  writing: Writing,
): Promise<Relation> {
  const rows = markedRows(marks);
  const names = columns.map(({ name }) => name);
  if (leavesBeside(rows.length, marks.length)) {
    const [list] = freshNames(["kept"], names);
    const beside = { artifact: await writing.writeColumns([rowsBeside(list, rows, marks.length)]) };
    const { where, ...named } = node;
    const kept = { list, ...(where ? { where } : {}) };
    return addStep(relation, {
      ...named,
      outputs: columns.map((column) => ({ column })),
      rows: rows.length,
      kept,
      beside,
    });
  }
  // Rows before the first and behind the last that stay need not be read.
  const range = sql`${col(rowColumn)} BETWEEN ${rows[0] ?? 0} AND ${rows.at(-1) ?? -1}`;
  const all = selectFrom(relation, { row: true });
  const artifact = await writing.writeWith(
    marks,
    (mark) => sql`SELECT ${join(names.map(col))} FROM (${all}) WHERE ${range} AND ${mark(col(rowColumn))} = 1`,
  );
  return { artifact, steps: [], ...(node.where ? { holds: filteredBy(relation, columns, rows.length, node) } : {}) };
}

/** What the file holds, where the rows' own cells say which they are. */
function filteredBy(
  relation: Relation,
  columns: Keeping["columns"],
  rows: number,
  { where, ...named }: Keeping["node"],
): Made {
  const outputs = columns.map((column) => ({ column }));
  const step = { ...named, outputs, rows, kept: where ? { where } : {} };
  return { made: "same", of: addStep(relation, step) };
}

/** The numbers of the rows that are marked with 1. */
function markedRows(marks: Uint8Array): Int32Array {
  let count = 0;
  for (let row = 0; row < marks.length; row++) count += marks[row];
  const rows = new Int32Array(count);
  for (let row = 0, k = 0; k < count; row++) if (marks[row] === 1) rows[k++] = row;
  return rows;
}
