import { z } from "zod";
import type { BlockContext } from "../../core/block.ts";
import { ArgsError } from "../../core/errors.ts";
import type { Column, Frame } from "../../core/frame.ts";
import { quoted } from "../../core/names.ts";
import type { StateRecord } from "../../core/record.ts";
import type { Relation } from "../../plan/node.ts";
import { mostRows } from "../input/cluster.ts";
import { readSource } from "../input/source.ts";

/** A finished block, as results of a session are. */
interface Finished {
  readonly record: StateRecord;
}

/** One of a block's tables, such as `result.y_pred`. */
interface TableOfBlock {
  readonly url: string;
  shape(): Promise<unknown>;
}

/** Rows, columns, or a library's table, which the program holds. */
type HeldTable = Iterable<object> | Readonly<Record<string, readonly unknown[] | ArrayBufferView>> | LibraryTable;

/** A table of Arrow's or Arquero's. */
type LibraryTable = { getChildAt(index: number): unknown } | { columnNames(): string[] };

/** Another table as a cell holds it: a block's id, a chain, a result, one of its tables, or what an input would read. */
export type OtherTable = number | string | Finished | PromiseLike<Finished> | TableOfBlock;

const reference = z.union([z.int().min(1), z.string().min(1).max(10_000)]);

/** Another table: a block's id, a chain, a result or one of its tables, rows, or a URL, a file or a sample. */
export function otherTable(): z.ZodType<number | string, OtherTable | HeldTable> {
  // A cast because a session sends a chain as its block's id, and rows as their URL.
  return reference as unknown as z.ZodType<number | string, OtherTable | HeldTable>;
}

/** Several other tables. */
export function otherTables(): z.ZodType<(number | string)[], readonly (OtherTable | HeldTable)[]> {
  // A cast as above.
  return z.array(reference).min(1).max(1000) as unknown as z.ZodType<
    (number | string)[],
    readonly (OtherTable | HeldTable)[]
  >;
}

/** The rows of another table, and what to call it in a message. */
export interface Found {
  readonly relation: Relation;
  readonly columns: readonly Column[];
  readonly rows: number;
  readonly called: string;
}

/** The table behind a reference: that of a block of the project, or of a file that is read now; errors name `argument`. */
export async function found(
  wanted: number | string,
  argument: "other" | "others",
  context: BlockContext,
): Promise<Found> {
  const block = typeof wanted === "number" || /^\d+$/.test(wanted) ? Number(wanted) : null;
  if (block !== null) {
    const { relation, columns, rows } = await context.table(block);
    return { relation, columns, rows, called: `block ${block}` };
  }
  const { name, code } = context.block;
  const source = await readSource(
    {
      ...{ dburl: String(wanted), skip_rows: 0, tls: "prefer", timeout: 60, rescale: false },
      // Beside a table that stays on a cluster, others stay there as well.
      ...{ most_rows: mostRows, keep: context.tables.isFar },
    },
    context,
  ).catch((error: unknown) => {
    throw error instanceof ArgsError ? ofArgument(error, argument, `${name} (${code})`) : error;
  });
  for (const notice of source.notices) context.notice(notice);
  const { artifact, columns, rows, relation = { artifact, steps: [] } } = source;
  // What a table of a block, or rows of a program, are stored as is no name that anybody gave.
  const isNamed = /^sample:|\.\w{2,8}$/.test(String(wanted));
  return {
    relation,
    columns,
    rows,
    called: isNamed ? quoted(source.source) : "the given table",
  };
}

/** What is wrong with an address that input() would refuse, said of the argument that held it. */
function ofArgument(error: ArgsError, argument: string, who: string): ArgsError {
  const message = error.message.replace(/^input( \(DP_1\))?/, who).replace(/\bdburl\b/, argument);
  const { detail } = error;
  return new ArgsError(message, detail?.path === "dburl" ? { ...detail, path: argument } : detail);
}

/** A table of its own: without roles and a split, nothing learnt; new rows are brought as these columns. */
export function begun(
  relation: Relation,
  columns: readonly Column[],
  rows: number,
): Pick<Frame, Exclude<keyof Frame, "reading">> {
  return { relation, rows, columns, x: null, y: null, split: null, fits: [], lineage: [], raw: columns };
}

/** Says that what was assigned or split before has no meaning for the new rows. */
export function noticeEnd(frame: Frame, context: Pick<BlockContext, "block" | "notice">): void {
  if (!frame.x && !frame.split) return;
  const { name, code } = context.block;
  const what = frame.split ? (frame.x ? "roles and the split end" : "the split ends") : "roles end";
  context.notice(`${name} (${code}): this is a new table, so ${what} here; it was made of all rows.`);
}
