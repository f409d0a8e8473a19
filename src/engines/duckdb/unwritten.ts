import type { Cell } from "../../core/view.ts";
import type { Made } from "../../plan/node.ts";
import { col, join, raw, sql } from "../sql.ts";
import type { Duck } from "./duck.ts";
import { countNulls } from "./read/null-counts.ts";
import { pageOf } from "./read/read.ts";
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
  const found = await pageOf(duck, rows);
  return found.length === 0 ? columns.map(() => []) : found;
}

/** How many cells of each column of a table that is not written yet are missing; it will have so many rows. */
export async function missingUnwritten(
  duck: Duck,
  made: Made,
  columns: readonly string[],
  rows: number,
): Promise<number[]> {
  const isOwn = ownColumns(made);
  const [own, others] = [columns.filter(isOwn), columns.filter((name) => !isOwn(name))];
  const [ofOwn, ofOthers] = await Promise.all([
    "of" in made && made.made !== "append" && own.length > 0 ? countNulls(duck, made.of, own) : [],
    others.length > 0 ? countRows(duck, made, others) : [],
  ]);
  return columns.map((name) => (isOwn(name) ? ofOwn[own.indexOf(name)] : rows - ofOthers[others.indexOf(name)]));
}

/** Which columns have the cells of the table's that it is made of, in whatever order. */
function ownColumns(made: Made): (name: string) => boolean {
  if (made.made === "sort") return () => !made.part;
  if (made.made === "same") return () => !made.within;
  if (made.made !== "join" || !made.isLookup) return () => false;
  const own = new Set(made.columns.filter(({ isOther }) => !isOther).map(({ column }) => column.name));
  return (name) => own.has(name);
}

async function countRows(duck: Duck, made: Made, columns: readonly string[]): Promise<number[]> {
  const some =
    made.made === "join"
      ? { ...made, columns: made.columns.filter((each) => columns.includes(each.column.name)) }
      : made;
  const counts = columns.map((name) => sql`count(${col(name)})`);
  const [found] = await duck.rows(sql`SELECT ${join(counts)} FROM (${selectMade(some)})`);
  return found.map(Number);
}
