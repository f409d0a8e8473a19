import type { Column, Split } from "../../core/frame.ts";
import { type Selection, subsetOf, takesAll } from "../../core/selection.ts";
import type { Filling, Rows, TableSelection, Tables } from "../../core/tables.ts";
import { filledColumns, type OwnColumn, ownColumns, passedColumns, soleSources } from "../../plan/lineage.ts";
import { type Relation, rowsLeft } from "../../plan/node.ts";
import { digestOf, type KeptNumbers } from "./read/kept.ts";
import { bytesOfRows } from "./side-table.ts";

// Plans say what a table is, not how it is worked out. All quick ways of that are chosen here, each by a condition over
// what the nodes tell and how large the table is. `explain-reading.ts` says which are taken, `bench/choices.ts` measures
// what each gives, and docs/notes/reading.md tells of them.

// How tables are written.

/** As many bytes a side table has at most: the engine copies them for every 2,048 rows, which are as many more. */
const mostSideBytes = 4 * 2 ** 20;

/** Do lists of so many bytes make a side table? Else what they tell is written into a table of its own. */
export function fitsSideTable(bytes: number): boolean {
  return bytes <= mostSideBytes;
}

/** Are rows left out by a list? Who reads a plan looks at all of its file, so a table of a quarter or less is written anew. */
export function keepsBySideTable(kept: number, rows: number): boolean {
  return 4 * kept > rows && fitsSideTable(bytesOfRows(rows));
}

/** A column filled by lists takes some milliseconds more whenever it is read, in which the engine writes so many cells. */
export function fillsFromSideTable({ taken, rows, gaps }: Omit<Filling, "find">): boolean {
  const cells = gaps.reduce((sum, each) => sum + each, 0);
  const bytes = gaps.length * bytesOfRows(rows) + cells * Float64Array.BYTES_PER_ELEMENT;
  return fitsSideTable(bytes) && rows * taken.length >= 50_000 * gaps.length;
}

/** Is a table written only when somebody reads it? Writing fewer cells takes less than a tenth of a second. */
export function isWrittenLater({ rows, columns }: Parameters<Tables["settleLater"]>[1]): boolean {
  return rows * columns >= 2_000_000;
}

// What is in memory.

/** Columns in memory; missing numbers of a column give way to `filled`, where there is one. */
export type KeptColumn = { readonly data: Float64Array; readonly filled: number | null };

/** Columns of a plan that are in memory, as the file has them or as the plan makes them; null where one is not. */
export function keptColumns(
  memory: KeptNumbers,
  relation: Relation,
  columns: readonly string[],
): readonly KeptColumn[] | null {
  const own = keptUnder(memory, relation.artifact, filledColumns(relation, columns));
  if (own) return own;
  // The key of what a plan makes is a hash of the plan, which may be long.
  const { key, names } = keyOf(relation, { columns });
  const made = names.map((name) => ({ name, filled: null }));
  return keptUnder(memory, key, made);
}

function keptUnder(memory: KeptNumbers, key: string, columns: readonly (OwnColumn | null)[]): KeptColumn[] | null {
  const found: KeptColumn[] = [];
  for (const each of columns) {
    const kept = each && memory.find(key, [each.name]);
    if (!kept) return null;
    found.push({ data: kept.data, filled: each.filled });
  }
  return found;
}

/** What says for certain which numbers these are: a file and its own columns, else the whole plan and the subset. */
export function keyOf(relation: Relation, selection: TableSelection): { key: string; names: readonly string[] } {
  const part = subsetOf(selection);
  const own = part ? null : ownColumns(relation, selection.columns);
  if (own) return { key: relation.artifact, names: own };
  const key = [relation.artifact, digestOf(relation.steps), part?.subset, part?.split.artifact].join();
  return { key, names: selection.columns };
}

// How columns that are not in memory are read.

/** Do so few numbers come as an answer? No thread need start for them. */
export function comeAsAnswer(numbers: number): boolean {
  return numbers <= 100_000;
}

/** Do so few numbers stand in a statement's text, where it looks them up? No thread need start for them. */
export function standInText(numbers: number): boolean {
  return numbers <= 1000;
}

/** Are so few rows read at once, and not chunk by chunk? */
export function isPage({ limit = Number.POSITIVE_INFINITY }: Selection): boolean {
  return limit <= 1000;
}

/** The columns that a plan makes of one column of the file alone, and are read by that one's values: where they are three or more, of a million numbers or more. */
export function byValues(relation: Relation, columns: readonly string[], rows: number): [string, number[]][] {
  const found = new Map<string, number[]>();
  for (const [k, source] of soleSources(relation, columns).entries()) {
    if (source === null) continue;
    const at = found.get(source);
    if (at) at.push(k);
    else found.set(source, [k]);
  }
  return [...found].filter(([, at]) => isReadByValue(at.length, rows));
}

/** Are so many columns, all made of one, worked out once for each of its values? Fewer are read as quickly as these are looked for. */
function isReadByValue(columns: number, rows: number): boolean {
  return columns >= 3 && columns * rows >= 1_000_000;
}

/** Are rows of terms read as such, and not as a matrix? Where nine cells of ten, or more, are empty. */
export function isSparse(cells: number, all: number): boolean {
  return cells <= 0.1 * all;
}

/** Is each row put into its place here? All rows of a table or a subset are, whose places are known; others are numbered by the query. */
export function isPlaced(selection: Selection): boolean {
  return takesAll(selection);
}

/**
 * Are training and test rows read at once and both kept? Who learns from the ones mostly looks at the others next.
 *
 * Not where there is no room for both, and not of sparse rows, whose matrix is filled list by list.
 */
export function readsBoth(memory: KeptNumbers, { train, test }: Split, columns: number, hasSparse: boolean): boolean {
  if (train === 0 || test === 0 || columns === 0 || hasSparse) return false;
  return memory.hasRoom(columns * (train + test) * Float64Array.BYTES_PER_ELEMENT);
}

// How columns are added up and counted.

/** As many columns stand in one query: the engine's work on 10,000 at once took minutes, on 256 at a time seconds. */
export const mostTogether = 256;

/** Is a column added up by SQL? The sums of whole numbers are the same in whatever order the engine comes to them. */
export function isAddedBySql({ type, integer }: Pick<Column, "type" | "integer">): boolean {
  return integer === true || type === "boolean";
}

/** The subset whose rows a mask tells from the others when they are added up, where one is selected: a join takes six times as long. */
export function maskedPart(rows: Rows): ReturnType<typeof subsetOf> {
  return subsetOf(rows);
}

/** The file's own column that has the missing cells of each of a plan's, which the file counts: where the plan passes it on, all rows of it. */
export function countedByFile(relation: Relation, names: readonly string[]): readonly (string | null)[] {
  return rowsLeft(relation) === null ? passedColumns(relation, names) : names.map(() => null);
}

/** Are rows compared by one hash of so many columns? It is grouped three times sooner, as long as few rows repeat. */
export function areComparedByHash(columns: number): boolean {
  return columns >= 8;
}
