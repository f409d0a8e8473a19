import { z } from "zod";
import type { BlockContext } from "../../core/block.ts";
import { type Column, unknownColumn } from "../../core/frame.ts";
import type { ModelFile } from "../../core/model.ts";
import { freshNames } from "../../core/names.ts";
import type { WriteColumn } from "../../core/tables.ts";
import { carriedOn } from "../../plan/lineage.ts";
import type { Relation } from "../../plan/node.ts";
import { type Judged, rowNumbers } from "./new-rows.ts";

/** What a file of answers may hold beside them, so that they can be joined back. */
export const besideArgs = {
  /** Write the number of each row in its table, from 0, as a column `row_id` before the answers (default: no). */
  row_id: z.boolean().optional(),
  /** Columns of the predicted rows to write before the answers: names, "all", or "features", as the model takes them (default: none). */
  columns: z.union([z.string(), z.array(z.string()).max(100_000)]).optional(),
};

/** What answers are called, whatever the columns beside them. */
export const answerNames: readonly string[] = ["y_pred", "score"];

const idColumn: Column = { name: "row_id", type: "number", integer: true };

/** `besideArgs` as a block gets them. */
export interface Beside {
  readonly row_id?: boolean | undefined;
  readonly columns?: string | readonly string[] | undefined;
}

/** What stands before the answers: the rows' numbers, and a file of their columns. */
export interface RowParts {
  readonly ids: { readonly column: Column; readonly values: Int32Array } | null;
  readonly kept: { readonly artifact: string; readonly columns: readonly Column[] } | null;
}

/** The parts of the judged rows that were asked for; of columns a file of their own, to be discarded. */
export async function rowParts(
  judged: Judged,
  { row_id, columns }: Beside,
  { file, rows }: { readonly file: ModelFile; readonly rows: number },
  context: BlockContext,
): Promise<RowParts> {
  const ids = row_id ? { column: idColumn, values: await rowNumbers(judged, rows, context) } : null;
  if (columns === undefined || columns.length === 0) return { ids, kept: null };
  const wanted = await wantedColumns(judged, columns, file, context);
  // Answers keep their names, and so do the numbers.
  const names = freshNames(
    wanted.map(({ column }) => column.name),
    [...answerNames, ...(ids ? ["row_id"] : [])],
  );
  const called = wanted.map((each, k) => ({ ...each, as: names[k] }));
  const made = await readAnew(judged, called, context);
  const carried = called.filter(({ as }) => !made.some(({ column }) => column.name === as));
  const relation = carriedOn(judged.relation, carried, context.block);
  const { subset, split } = judged.selection;
  const artifact = await context.tables.writeTable(relation, { columns: names, subset, split }, made);
  return { ids, kept: { artifact, columns: (await context.tables.describe(artifact)).columns } };
}

/** Writes answers behind the parts of their rows. */
export async function writeAnswers(
  answers: readonly WriteColumn[],
  { ids, kept }: RowParts,
  { tables }: BlockContext,
): Promise<string> {
  const made = ids ? [ids, ...answers] : answers;
  if (!kept) return await tables.writeColumns(made);
  const names = [ids?.column, ...kept.columns, ...answers.map(({ column }) => column)].flatMap(
    (each) => each?.name ?? [],
  );
  return await tables.writeTable({ artifact: kept.artifact, steps: [] }, { columns: names }, made);
}

/** A column, and behind which node of the rows' plan it is what is wanted: -1 for its file. */
interface Wanted {
  readonly column: Column;
  readonly behind: number;
}

/** The columns that were asked for: of rows from outside as they came, else as the table has them. */
async function wantedColumns(
  { relation, columns, came }: Judged,
  asked: string | readonly string[],
  file: ModelFile,
  { tables }: BlockContext,
): Promise<Wanted[]> {
  const last = relation.steps.length - 1;
  const inFile = (await tables.describe(relation.artifact)).columns;
  const at = (node: number) => (node < 0 ? inFile : relation.steps[node].outputs.map(({ column }) => column));
  const own = came ? at(came.node) : columns;
  if (asked === "all") return own.map((column) => ({ column, behind: came?.node ?? last }));
  const isFeatures = asked === "features";
  const names = isFeatures ? file.features.map(({ name }) => name) : [...new Set([asked].flat())];
  // One that is gone by now, as after encode, is what it was last.
  const back = Array.from({ length: last + 2 }, (_, k) => last - k);
  const nodes = came && !isFeatures ? [came.node, ...back] : back;
  return names.map((name) => {
    for (const behind of nodes) {
      const column = at(behind).find((each) => each.name === name);
      if (column) return { column, behind };
    }
    throw unknownColumn(
      name,
      own.map((each) => each.name),
      "the predicted rows",
    );
  });
}

/** Columns of a file that the chain knows nothing of: read as text with the others, they are read again as what they are. */
async function readAnew(
  { came }: Judged,
  wanted: readonly (Wanted & { readonly as: string })[],
  { tables }: BlockContext,
): Promise<WriteColumn[]> {
  const others = wanted.filter(({ column, behind }) => behind === came?.node && !came.known.includes(column.name));
  if (!came?.again || others.length === 0) return [];
  const relation: Relation = (await came.again()).relation;
  const { columns } = await tables.describe(relation.artifact);
  const types = others.map(({ column, as }) => ({ ...columns.find(({ name }) => name === column.name), as }));
  const cells = await tables.cells(relation, { columns: others.map(({ column }) => column.name) });
  await tables.discard(relation.artifact);
  return types.map(({ as, ...column }, k) => ({ column: { ...(column as Column), name: as }, values: cells[k] }));
}
