import type { Cell } from "../../core/view.ts";
import { call, column } from "../../plan/expr.ts";
import type { Made, Relation } from "../../plan/node.ts";
import { col, join, raw, sql } from "../sql.ts";
import { aggregateRows } from "./aggregate.ts";
import type { Duck } from "./duck.ts";
import { cellsOf } from "./read/read.ts";
import { selectMade } from "./settle.ts";
import { writeParquet } from "./write.ts";

// A table that is not written yet is read by what it is made of: a sort's first rows take a tenth of its file's time.

/** Writes the file of a table that was to be written later. */
export async function writeMade(duck: Duck, made: Made, path: string, signal?: AbortSignal): Promise<void> {
  await writeParquet(duck, selectMade(made), path, signal);
}

/** The first rows of a table that is not written yet, as cells, one array per column. */
export async function firstUnwritten(
  duck: Duck,
  made: Made,
  columns: readonly string[],
  limit: number,
): Promise<Cell[][]> {
  const rows = sql`SELECT ${join(columns.map(col))} FROM (${selectMade(made)}) LIMIT ${raw(String(Math.trunc(limit)))}`;
  const found = await cellsOf(duck, rows);
  return found.length === 0 ? columns.map(() => []) : found;
}

/** How many cells of each column of a table that is not written yet are there. */
export async function countUnwritten(duck: Duck, made: Made, columns: readonly string[]): Promise<number[]> {
  if (made.made === "sort" && !made.part) return await countPresent(duck, made.of, columns);
  const isOwn = (name: string) =>
    made.made === "join" &&
    made.isLookup === true &&
    made.columns.some(({ column, isOther }) => column.name === name && !isOther);
  const own = columns.filter(isOwn);
  const others = columns.filter((name) => !isOwn(name));
  const [ofOwn, ofOthers] = await Promise.all([
    made.made === "join" ? countPresent(duck, made.of, own) : [],
    countRows(duck, made, others),
  ]);
  return columns.map((name) => (isOwn(name) ? ofOwn[own.indexOf(name)] : ofOthers[others.indexOf(name)]));
}

async function countPresent(duck: Duck, relation: Relation, columns: readonly string[]): Promise<number[]> {
  if (columns.length === 0) return [];
  return (
    await aggregateRows(
      duck,
      relation,
      {},
      columns.map((name) => call("count", column(name))),
    )
  ).map(Number);
}

async function countRows(duck: Duck, made: Made, columns: readonly string[]): Promise<number[]> {
  if (columns.length === 0) return [];
  const some =
    made.made === "join"
      ? { ...made, columns: made.columns.filter((each) => columns.includes(each.column.name)) }
      : made;
  const counts = columns.map((name) => sql`count(${col(name)})`);
  const [found] = await duck.rows(sql`SELECT ${join(counts)} FROM (${selectMade(some)})`);
  return found.map(Number);
}
