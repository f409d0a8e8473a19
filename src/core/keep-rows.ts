import { isBeside, placeBeside, rowsBeside } from "./beside.ts";
import type { BlockContext } from "./block.ts";
import { readFolds, writeFolds } from "./folds.ts";
import type { Folds, Frame } from "./frame.ts";
import { freshNames } from "./names.ts";
import { addStep, selectFrom } from "./relation.ts";
import { newTable } from "./scope.ts";
import type { Sql } from "./sql.ts";

/** Keeps the rows whose numbers a query answers in its column "row", in any order; see `keepMarked`. */
export async function keepNumbered(frame: Frame, context: BlockContext, numbers: Sql): Promise<Frame> {
  return await keepMarked(frame, context, await context.tables.marks(numbers, frame.rows));
}

/**
 * Keeps the rows that are marked with 1; each fold keeps its own order. The same frame where these are all.
 *
 * A plan, as long as most rows stay: which they are lies beside the table. A table of its own is written for fewer rows,
 * since whoever reads a plan looks at all of its file.
 */
export async function keepMarked(frame: Frame, context: BlockContext, marks: Uint8Array): Promise<Frame> {
  const kept = markedRows(marks);
  const rows = kept.length;
  if (rows === frame.rows) return frame;
  const names = frame.columns.map(({ name }) => name);
  const [list] = freshNames(["kept"], names);
  const beside = await context.tables.writeColumns([rowsBeside(list, kept, frame.rows)]);
  const step = {
    block: context.block.id,
    name: context.block.name,
    outputs: frame.columns.map((column) => ({ column })),
    rows,
    left: { where: isBeside(list), row: placeBeside(list) },
    beside: { artifact: beside },
  };
  const relation = addStep(frame.relation, step);
  const folds = frame.folds && (await foldsOf(frame, context, kept));
  if (2 * rows >= frame.rows) return { ...frame, relation, rows, folds };
  const artifact = await context.tables.write(selectFrom(relation, { columns: names }));
  await context.tables.discard(beside);
  return newTable(frame, artifact, { rows, folds });
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
