import type { Expr } from "../plan/expr.ts";
import type { BlockContext } from "./block.ts";
import { readFolds, writeFolds } from "./folds.ts";
import type { Folds, Frame } from "./frame.ts";

/** Keeps the rows in which a condition is true; see `keepMarked`. */
export async function keepRows(frame: Frame, context: BlockContext, where: Expr): Promise<Frame> {
  return await keepMarked(frame, context, await context.tables.mark(frame.relation, frame.rows, where), where);
}

/**
 * Keeps the rows that are marked with 1; each fold keeps its own order. The same frame where these are all.
 *
 * `where`: the condition that is true in these rows alone, where a row's own cells say it.
 */
export async function keepMarked(frame: Frame, context: BlockContext, marks: Uint8Array, where?: Expr): Promise<Frame> {
  const rows = marks.reduce((sum, mark) => sum + mark, 0);
  if (rows === frame.rows) return frame;
  const folds = frame.folds && (await foldsOf(frame, context, marks, rows));
  const { id, name } = context.block;
  const node = { block: id, name, ...(where ? { where } : {}) };
  const relation = await context.tables.keep(frame.relation, { columns: frame.columns, marks, node });
  return { ...frame, relation, rows, folds };
}

/** The folds over the rows that stay, by their new numbers. */
async function foldsOf(frame: Frame, { tables }: BlockContext, marks: Uint8Array, rows: number): Promise<Folds> {
  const number = new Int32Array(frame.rows).fill(-1);
  for (let row = 0, k = 0; row < marks.length; row++) if (marks[row] === 1) number[row] = k++;
  const folds = await readFolds(frame, tables);
  const [train, test] = [folds.train, folds.test].map((part) =>
    part.map((row) => number[row]).filter((row) => row >= 0),
  );
  const artifact = await writeFolds(rows, train, test, tables);
  return { artifact, train: train.length, test: test.length };
}
