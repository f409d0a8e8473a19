import type { BlockContext } from "../../core/block.ts";
import { ArgsError } from "../../core/errors.ts";
import type { Column, Frame } from "../../core/frame.ts";
import type { Selection } from "../../core/selection.ts";
import type { IngestOptions, SourceFile } from "../../core/tables.ts";
import { type Relation, rowsLeft } from "../../plan/node.ts";

/** A table that an argument names: a variable of the state, or what lies behind a URL. */
export interface NamedTable {
  readonly relation: Relation;
  readonly selection: Selection;
  /** The columns that were named. */
  readonly columns: readonly Column[];
  /** All columns of the rows, those that were not named too. */
  readonly known: readonly Column[];
  readonly rows: number;
}

/** The state's own table, or these columns of it. */
export function ownTable(frame: Frame, columns: readonly Column[] = frame.columns): NamedTable {
  return { relation: frame.relation, selection: {}, columns, known: frame.columns, rows: frame.rows };
}

/** The table behind a reference such as "x_train" or a URL; the state's own when there is none. */
export async function tableBehind(
  frame: Frame,
  reference: string | undefined,
  asked: { readonly who: string; readonly path: string },
  context: BlockContext,
): Promise<NamedTable> {
  if (reference === undefined) return ownTable(frame);
  const found = await referredTable(frame, reference, context);
  if (found) return await tableOf(frame, found, context);
  throw new ArgsError(
    `${asked.who}: ${asked.path} must be a variable such as "x_train", a URL, or an array of rows, got "${reference.slice(0, 60)}".`,
    { path: asked.path, got: reference.slice(0, 60) },
  );
}

/** A table and which part of it is meant. */
export interface Referred {
  readonly relation: Relation;
  readonly selection: Selection;
}

/** What a reference such as "x_train", an artifact's URL, or the name of a file means; null where it looks like none. */
export async function referredTable(frame: Frame, reference: string, context: BlockContext): Promise<Referred | null> {
  const found = await context.resolve(frame, reference);
  if (
    found ||
    !/^(https?|file|blocklab):\/\/|^(sample|data):|\.(csv|tsv|json|ndjson|jsonl|parquet|pq|arrow|arrows|feather|ipc|xlsx)$/i.test(
      reference,
    )
  )
    return found;
  return await readFile(reference, context);
}

/** Reads a file by the ending of its name. */
export async function readFile(
  reference: string,
  context: BlockContext,
  options: Omit<IngestOptions, "format"> = {},
): Promise<Referred & { readonly notices: readonly string[] }> {
  const source = await context.open(reference);
  try {
    const { artifact, notices } = await context.tables.ingest(source, { ...options, format: formatOf(source) });
    return { relation: { artifact, steps: [] }, selection: {}, notices };
  } finally {
    await source.release();
  }
}

function formatOf({ name, format }: SourceFile): IngestOptions["format"] {
  if (format) return format;
  if (/\.(json|ndjson|jsonl)$/i.test(name)) return "json";
  if (/\.(parquet|pq)$/i.test(name)) return "parquet";
  if (/\.(arrow|arrows|feather|ipc)$/i.test(name)) return "arrow";
  return /\.(xlsx|xlsm)$/i.test(name) ? "xlsx" : "csv";
}

/** A resolved reference with its columns and rows; what lies behind a URL may be any block's plan. */
export async function tableOf(frame: Frame, found: Referred, context: BlockContext): Promise<NamedTable> {
  const { relation, selection } = found;
  const { subset, split } = selection;
  const isOwn = isSame(relation, frame.relation);
  const stored = isOwn ? frame : await context.tables.describe(relation.artifact);
  const known = (isOwn ? null : relation.steps.at(-1)?.outputs.map((output) => output.column)) ?? stored.columns;
  const names = selection.columns ?? known.map((column) => column.name);
  return {
    ...found,
    columns: names.flatMap((name) => known.filter((column) => column.name === name)),
    known,
    rows: subset && subset !== "all" && split ? split[subset] : (rowsLeft(relation) ?? stored.rows),
  };
}

/** Do two tables have the same rows in the same order, so that a column of one stands beside one of the other? */
export function sameRows(a: NamedTable, b: NamedTable): boolean {
  const [one, other] = [a, b].map(({ selection: { subset, split } }) =>
    subset && subset !== "all" && split ? `${subset} ${split.artifact}` : "all",
  );
  return one === other && isSame(a.relation, b.relation);
}

/** Plans are plain data, and one that was stored and read again is another object. */
function isSame(a: Relation, b: Relation): boolean {
  return a.artifact === b.artifact && JSON.stringify(a.steps) === JSON.stringify(b.steps);
}
