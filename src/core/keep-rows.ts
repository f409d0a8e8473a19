import type { Expr } from "../plan/expr.ts";
import { addStep, type Step } from "../plan/node.ts";
import { bytesOfRows, mostBytesBeside, rowsBeside } from "./beside.ts";
import type { BlockContext } from "./block.ts";
import { readFolds, writeFolds } from "./folds.ts";
import type { Folds, Frame } from "./frame.ts";
import { freshNames } from "./names.ts";
import { rowColumn, selectFrom } from "./relation.ts";
import { newTable } from "./scope.ts";
import { col, join, sql } from "./sql.ts";

/** Keeps the rows in which a condition is true; see `keepMarked`. */
export async function keepRows(frame: Frame, context: BlockContext, where: Expr): Promise<Frame> {
  return await keepMarked(frame, context, await context.tables.mark(frame.relation, frame.rows, where), where);
}

/**
 * Keeps the rows that are marked with 1; each fold keeps its own order. The same frame where these are all.
 *
 * A plan, as long as most rows stay: which they are lies beside the table. A table of its own is written for fewer rows,
 * since whoever reads a plan looks at all of its file, and of a large table. `said`: see `Kept.where`.
 */
export async function keepMarked(frame: Frame, context: BlockContext, marks: Uint8Array, said?: Expr): Promise<Frame> {
  const kept = markedRows(marks);
  const rows = kept.length;
  if (rows === frame.rows) return frame;
  const folds = frame.folds && (await foldsOf(frame, context, kept));
  if (2 * rows >= frame.rows && bytesOfRows(frame.rows) <= mostBytesBeside) {
    const relation = addStep(frame.relation, await leaving(frame, context, kept, said));
    return { ...frame, relation, rows, folds };
  }
  const columns = join(frame.columns.map(({ name }) => col(name)));
  const all = selectFrom(frame.relation, { row: true });
  // Rows before the first and behind the last that stay need not be read.
  const range = sql`${col(rowColumn)} BETWEEN ${kept[0] ?? 0} AND ${kept.at(-1) ?? -1}`;
  const artifact = await context.tables.writeWith(
    marks,
    (mark) => sql`SELECT ${columns} FROM (${all}) WHERE ${range} AND ${mark(col(rowColumn))} = 1`,
  );
  return newTable(frame, artifact, { rows, folds });
}

async function leaving(
  frame: Frame,
  { block, tables }: BlockContext,
  kept: Int32Array,
  said: Expr | undefined,
): Promise<Step> {
  const [list] = freshNames(
    ["kept"],
    frame.columns.map(({ name }) => name),
  );
  return {
    block: block.id,
    name: block.name,
    outputs: frame.columns.map((column) => ({ column })),
    rows: kept.length,
    kept: { list, ...(said ? { where: said } : {}) },
    beside: { artifact: await tables.writeColumns([rowsBeside(list, kept, frame.rows)]) },
  };
}

function markedRows(marks: Uint8Array): Int32Array {
  let rows = 0;
  for (let row = 0; row < marks.length; row++) rows += marks[row];
  const kept = new Int32Array(rows);
  for (let row = 0, k = 0; k < rows; row++) if (marks[row] === 1) kept[k++] = row;
  return kept;
}

/** The folds over the rows that stay, by their new numbers. */
async function foldsOf(frame: Frame, { tables }: BlockContext, kept: Int32Array): Promise<Folds> {
  const number = new Int32Array(frame.rows).fill(-1);
  for (let k = 0; k < kept.length; k++) number[kept[k]] = k;
  const folds = await readFolds(frame, tables);
  const [train, test] = [folds.train, folds.test].map((rows) =>
    rows.map((row) => number[row]).filter((row) => row >= 0),
  );
  const artifact = await writeFolds(kept.length, train, test, tables);
  return { artifact, train: train.length, test: test.length };
}
