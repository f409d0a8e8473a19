import type { Link } from "../../client/link.ts";
import type { Block } from "../../core/block.ts";
import { ArgsError } from "../../core/errors.ts";
import { viewOf } from "../../core/view.ts";
import type { Given } from "./columns.ts";
import { type GivenTable, isColumns, isRows } from "./given.ts";
import { packed, sent } from "./send.ts";

/** A table of a block: what `result.dataset` is. */
export interface TableLike {
  readonly url: string;
  shape(): Promise<unknown>;
}

/** What a block answers. */
export interface ResultLike {
  readonly dataset: TableLike;
  readonly record: unknown;
}

/** Rows, columns, a table of Arrow's or Arquero's, or a result of another block. */
export type AnyTable = GivenTable | TableLike | ResultLike | PromiseLike<ResultLike>;

/** Is it a table of a block, its result, or a chain that leads to one? */
export function isOurTable(value: object): value is TableLike | ResultLike | PromiseLike<ResultLike> {
  // What front ends can show is ours; rows of a program have no such key.
  return viewOf in value && (isTable(value) || isThenable(value) || "dataset" in value);
}

function isTable(value: object): value is TableLike {
  return "url" in value && "shape" in value;
}

function isThenable(value: object): value is PromiseLike<ResultLike> {
  return "then" in value && typeof value.then === "function";
}

/** Arguments of a block that are tables, as they are now: the program may change its rows later. */
export type Waiting = readonly {
  readonly name: string;
  /** Its place, in an argument that takes several. */
  readonly at?: number;
  readonly table: WaitingTable;
}[];

type WaitingTable = Given | TableLike | ResultLike | PromiseLike<ResultLike>;

/** The argument of a block that takes several tables, if any. */
export function listOfTables({ tables = [], positional = [] }: Pick<Block, "tables" | "positional">): string | null {
  return tables.find((name) => positional.at(-1) === `...${name}`) ?? null;
}

/** Several tables as one list; an array of objects is one table, that of its rows. */
export function asTables(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const isRow = (each: unknown) =>
    typeof each === "object" && each !== null && !isOurTable(each) && !isRows(each) && !isColumns(each);
  if (Array.isArray(value)) return value.length > 0 && value.every(isRow) ? [value] : value;
  return isOurTable(value) || isRows(value) || isColumns(value) ? [value] : value;
}

/** Those of the arguments that are tables. `who` takes them; only a source takes a block's table by its URL, others the block itself. */
export function tablesIn(
  block: Pick<Block, "tables" | "source" | "positional">,
  args: Readonly<Record<string, unknown>>,
  who: string,
): Waiting {
  const list = listOfTables(block);
  const one = (value: unknown, where: { readonly name: string; readonly at?: number }): Waiting => {
    if (typeof value !== "object" || value === null) return [];
    if (isOurTable(value)) return block.source === true || isTable(value) ? [{ ...where, table: value }] : [];
    if (isRows(value) || isColumns(value)) return [{ ...where, table: packedFor(value, who) }];
    throw new ArgsError(
      `${where.name} takes a URL, an array of objects, an object of arrays, a table of Arrow or Arquero, or a result; it got an object of none of these kinds.`,
      { path: where.name },
    );
  };
  return (block.tables ?? []).flatMap((name) => {
    const value = args[name];
    if (name !== list || !Array.isArray(value)) return one(value, { name });
    return value.flatMap((each, at) => one(each, { name, at }));
  });
}

function packedFor(table: GivenTable, who: string): Given {
  try {
    return packed(table);
  } catch (error) {
    if (!(error instanceof ArgsError)) throw error;
    throw new ArgsError(error.message.replace(/^input \(DP_1\)/, who), error.detail);
  }
}

/** The arguments with URLs in the place of tables. */
export async function withUrls(
  args: Readonly<Record<string, unknown>>,
  tables: Waiting,
  link: Link,
  project: number,
): Promise<Record<string, unknown>> {
  const made = { ...args };
  const urls = await Promise.all(tables.map(({ table }) => urlOf(table, link, project)));
  for (const [k, { name, at }] of tables.entries()) {
    made[name] = at === undefined ? urls[k] : (made[name] as unknown[]).with(at, urls[k]);
  }
  return made;
}

async function urlOf(table: WaitingTable, link: Link, project: number): Promise<string> {
  if ("remarks" in table) return await sent(link, project, table);
  const found = isThenable(table) ? await table : table;
  return isTable(found) ? found.url : found.dataset.url;
}
