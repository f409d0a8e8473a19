import type { DuckDBBitValue } from "@duckdb/node-api";
import { allDone } from "../../core/all-done.ts";
import { type Frame, isNumeric, type Split } from "../../core/frame.ts";
import { count, listed } from "../../core/names.ts";
import { type Selection, subsetOf, takesAll } from "../../core/selection.ts";
import type { Filling, TableSelection, Tables } from "../../core/tables.ts";
import { filledColumns, type OwnColumn, ownColumns, soleSources } from "../../plan/lineage.ts";
import type { Relation } from "../../plan/node.ts";
import { type EntryGroup, sparseReading } from "../../plan/sparse.ts";
import type { Duck } from "./duck.ts";
import { valueGroup } from "./read/by-value.ts";
import { digestOf } from "./read/kept.ts";
import type { ValueGroup } from "./read/putting.ts";
import { countRows } from "./read/streamed.ts";
import { bytesOfRows } from "./side-table.ts";

// Plans say what a table is, not how it is worked out. All quick ways of that are chosen here, by what the nodes tell of
// columns, and `explainReading` says which. docs/notes/reading.md has what each of them gives.

/** As many bytes of lists lie beside a table: the engine copies them for every 2,048 rows, which are as many more. */
const mostSideBytes = 4 * 2 ** 20;

/** Do lists of so many bytes lie beside a table? Else what they tell is written into a table of its own. */
export function fitsSideTable(bytes: number): boolean {
  return bytes <= mostSideBytes;
}

/** Are rows left out by a list? Who reads a plan looks at all of its file, so a table of a quarter or less is written anew. */
export function keepsBySideTable(kept: number, rows: number): boolean {
  return 4 * kept > rows && fitsSideTable(bytesOfRows(rows));
}

/** Writing fewer cells takes less than a tenth of a second. */
const fewestCellsLater = 2_000_000;

/** Is a table written only when somebody reads it? */
export function isWrittenLater({ rows, columns }: Parameters<Tables["settleLater"]>[1]): boolean {
  return rows * columns >= fewestCellsLater;
}

/** A column filled by lists takes some milliseconds more whenever it is read, in which the engine writes so many cells. */
export function fillsFromSideTable({ taken, rows, gaps }: Omit<Filling, "find">): boolean {
  const cells = gaps.reduce((sum, each) => sum + each, 0);
  const bytes = gaps.length * bytesOfRows(rows) + cells * Float64Array.BYTES_PER_ELEMENT;
  return fitsSideTable(bytes) && rows * taken.length >= 50_000 * gaps.length;
}

/** Columns in memory; missing numbers of a column give way to `filled`, where there is one. */
export type KeptColumn = { readonly data: Float64Array; readonly filled: number | null };

/** Columns of a plan that are in memory, as the file has them or as the plan makes them; null where one is not. */
export function keptColumns(duck: Duck, relation: Relation, columns: readonly string[]): readonly KeptColumn[] | null {
  const own = keptUnder(duck, relation.artifact, filledColumns(relation, columns));
  if (own) return own;
  // The key of what a plan makes is a hash of the plan, which may be long.
  const { key, names } = keyOf(relation, { columns });
  const made = names.map((name) => ({ name, filled: null }));
  return keptUnder(duck, key, made);
}

function keptUnder(duck: Duck, key: string, columns: readonly (OwnColumn | null)[]): KeptColumn[] | null {
  const found: KeptColumn[] = [];
  for (const each of columns) {
    const kept = each && duck.kept.find(key, [each.name]);
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

/** How columns that are not in memory are read. */
export interface Ways {
  /** As places of the lists of sparse rows. */
  readonly sparse: readonly EntryGroup[];
  /** By the values of the one column that they are made of. */
  readonly byValue: readonly ValueGroup[];
  /** As the engine hands them over, row by row. */
  readonly plain: readonly number[];
}

/** Chooses how the columns of a selection are read. */
export async function waysOf(
  duck: Duck,
  relation: Relation,
  selection: Selection & { readonly columns: readonly string[] },
  signal?: AbortSignal,
): Promise<Ways> {
  const { groups: sparse, plain: others } = sparseReading(relation, selection);
  if (!takesAll(selection)) return { sparse, byValue: [], plain: others };
  const names = others.map((k) => selection.columns[k]);
  const { groups, plain } = await groupsByValue(duck, relation, names, null, signal);
  const byValue = groups.map((group) => ({ ...group, at: group.at.map((k) => others[k]) }));
  return { sparse, byValue, plain: plain.map((k) => others[k]) };
}

/**
 * Are training and test rows read at once and both kept? Who learns from the ones mostly looks at the others next.
 *
 * Not where there is no room for both, and not of sparse rows, whose matrix is filled list by list.
 */
export function readsBoth(duck: Duck, { train, test }: Split, columns: number, ways: Pick<Ways, "sparse">): boolean {
  if (train === 0 || test === 0 || columns === 0 || ways.sparse.length > 0) return false;
  return duck.kept.hasRoom(columns * (train + test) * Float64Array.BYTES_PER_ELEMENT);
}

/** Fewer columns, or fewer numbers in all, are read as quickly as the values are looked for. */
const fewestColumns = 3;
const fewestNumbers = 1_000_000;

/** Each takes a connection while it is looked for. */
const groupsAtOnce = 8;

/** Finds columns of a plan that are best read by the values of what they are made of; `plain` are the others. */
export async function groupsByValue(
  duck: Duck,
  relation: Relation,
  columns: readonly string[],
  members: DuckDBBitValue | null,
  signal?: AbortSignal,
): Promise<{ readonly groups: readonly ValueGroup[]; readonly plain: readonly number[] }> {
  const all = columns.map((_, k) => k);
  if (byValues(relation, columns, Number.POSITIVE_INFINITY).length === 0) return { groups: [], plain: all };
  const rows = await countRows(duck, { artifact: relation.artifact, steps: [] }, {}, signal);
  const large = byValues(relation, columns, rows);
  const groups: ValueGroup[] = [];
  for (let from = 0; from < large.length; from += groupsAtOnce) {
    const some = large.slice(from, from + groupsAtOnce);
    const found = await allDone(
      some.map(([source, at]) => valueGroup(duck, relation, source, at, { columns, members, signal })),
    );
    groups.push(...found.filter((group) => group !== null));
  }
  const grouped = new Set(groups.flatMap(({ at }) => at));
  return { groups, plain: all.filter((k) => !grouped.has(k)) };
}

/** Columns that the plan makes of one column of the file alone, by that, where they are worth looking for its values. */
function byValues(relation: Relation, columns: readonly string[], rows: number): [string, number[]][] {
  const found = new Map<string, number[]>();
  for (const [k, source] of soleSources(relation, columns).entries()) {
    if (source === null) continue;
    const at = found.get(source);
    if (at) at.push(k);
    else found.set(source, [k]);
  }
  return [...found].filter(([, at]) => at.length >= fewestColumns && at.length * rows >= fewestNumbers);
}

/**
 * Says in plain words how the numbers of a table would be read now; it looks at the plan and at what is kept, and reads nothing.
 *
 * Such as "3 columns kept in memory, 4 worked out once for each value of city, 2 read from the file".
 */
export function explainReading(
  duck: Duck,
  { relation, columns, split, rows }: Pick<Frame, "relation" | "columns" | "split" | "rows">,
): string {
  const names = columns.filter((column) => isNumeric(column)).map(({ name }) => name);
  if (names.length === 0) return "no column of numbers";
  const parts = split ? partsKept(duck, relation, names, split) : "";
  if (parts !== "" || keptColumns(duck, relation, names)) {
    return `${count(names.length, "column")} kept in memory${parts && `, for ${parts} rows`}`;
  }
  const own = filledColumns(relation, names);
  const isRead = (each: OwnColumn | null) => !each || duck.kept.find(relation.artifact, [each.name]) === null;
  const left = names.flatMap((name, k) => (isRead(own[k]) ? [{ name, isOwn: own[k]?.filled === null }] : []));
  const { groups: sparse, plain: others } = sparseReading(relation, { columns: left.map(({ name }) => name) });
  const byValue = byValues(
    relation,
    others.map((k) => left[k].name),
    rows,
  );
  const grouped = new Set(byValue.flatMap(([, at]) => at.map((k) => others[k])));
  const plain = others.filter((k) => !grouped.has(k));
  const fromFile = plain.filter((k) => left[k].isOwn).length;
  const ways: readonly (readonly [number, string])[] = [
    [names.length - left.length, "kept in memory"],
    [left.length - others.length, `placed from ${count(sparse.length, "list")} of terms`],
    ...byValue.map(([source, at]): [number, string] => [
      at.length,
      `worked out once for each value of ${listed([source])}, if these are few texts`,
    ]),
    [fromFile, "read from the file"],
    [plain.length - fromFile, "worked out by the plan"],
  ];
  const words = ways.filter(([n]) => n > 0).map(([n, how], k) => `${k === 0 ? count(n, "column") : n} ${how}`);
  const isBoth = split !== null && readsBoth(duck, split, names.length, { sparse });
  const both = isBoth ? ["training and test rows in one go"] : [];
  return [...words, ...both, ...sideTables(relation)].join(", ");
}

/** Which rows are in memory, of a table that is split. */
function partsKept(duck: Duck, relation: Relation, columns: readonly string[], split: Split): string {
  const parts = (["train", "test"] as const).filter((subset) => {
    const { key, names } = keyOf(relation, { columns, subset, split });
    return duck.kept.find(key, names) !== null;
  });
  return parts.map((subset) => (subset === "train" ? "training" : "test")).join(" and ");
}

/** What the rows take from lists beside the table. */
function sideTables({ steps }: Relation): string[] {
  const filled = steps.flatMap(({ outputs }) => outputs.filter(({ own }) => own).map(({ column }) => column.name));
  return [
    ...(steps.some(({ kept }) => kept?.list !== undefined) ? ["rows left out by a list beside the table"] : []),
    ...(filled.length > 0 ? [`cells of ${listed(filled)} from lists beside the table`] : []),
  ];
}
