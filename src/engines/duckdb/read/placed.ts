import type { Split } from "../../../core/frame.ts";
import { type Selection, subsetOf } from "../../../core/selection.ts";
import { rowColumn } from "../../../plan/expr.ts";
import type { Relation } from "../../../plan/node.ts";
import { col, type Sql, sql } from "../../sql.ts";
import { isPlaced } from "../choose.ts";
import type { Duck } from "../duck.ts";
import { rowsOfSplit, selectFrom, subsetRows } from "../select.ts";
import { doubleOf } from "./as-numbers.ts";
import { placeOfValue } from "./by-value.ts";
import type { Target } from "./putting.ts";
import { selectionMask } from "./selection-mask.ts";
import { countRows } from "./streamed.ts";
import type { Ways } from "./ways.ts";

/**
 * Reads numbers of a selection's rows into arrays, each row's into its place.
 *
 * `numbers` are doubles over the selection's columns, none of them missing. The rows of a subset are told apart and put in
 * order here: that takes a fifth of what joining and sorting them takes.
 */
export async function readInto(
  duck: Duck,
  relation: Relation,
  selection: Selection,
  numbers: readonly Sql[],
  arrays: readonly (Float64Array | Int32Array)[],
  signal?: AbortSignal,
): Promise<void> {
  const rows = isPlaced(selection)
    ? selectFrom(relation, { columns: selection.columns, row: true })
    : numbered(relation, selection);
  await putRuns(duck, numbers, rows, [{ places: await placesOf(duck, selection, signal), arrays }], signal);
}

/** Reads columns of a selection's rows into their columns of a matrix, each row's into its place; missing cells are NaN. */
export async function readColumnsInto(
  duck: Duck,
  relation: Relation,
  selection: Selection & { readonly columns: readonly string[] },
  ways: Ways,
  arrays: readonly Float64Array[],
  signal?: AbortSignal,
): Promise<void> {
  const { columns } = selection;
  if (isPlaced(selection)) {
    const places = await placesOf(duck, selection, signal);
    return await putColumns(duck, relation, columns, ways, [{ places, arrays }], signal);
  }
  const names = ways.plain.map((k) => columns[k]!);
  const some = ways.plain.map((k) => arrays[k]!);
  await readInto(duck, relation, { ...selection, columns: names }, names.map(doubleOf), some, signal);
}

/** Reads columns of training and of test rows in one go, each row's into its place: half of what two readings take. */
export async function readSplitInto(
  duck: Duck,
  relation: Relation,
  columns: readonly string[],
  ways: Ways,
  split: Split,
  into: Readonly<Record<Part["subset"], readonly Float64Array[]>>,
  signal?: AbortSignal,
): Promise<void> {
  const places = await placesIn(duck, split, signal);
  const targets = (["train", "test"] as const).map((subset) => ({ places: places[subset], arrays: into[subset] }));
  await putColumns(duck, relation, columns, ways, targets, signal);
}

/** Puts columns of all rows into their places; those that go by another column's values without asking SQL for each. */
async function putColumns(
  duck: Duck,
  relation: Relation,
  columns: readonly string[],
  { byValue: groups, plain }: Ways,
  targets: readonly Target[],
  signal?: AbortSignal,
): Promise<void> {
  if (plain.length > 0) {
    const names = plain.map((k) => columns[k]!);
    const some = targets.map(({ places, arrays }) => ({ places, arrays: plain.map((k) => arrays[k]!) }));
    const rows = selectFrom(relation, { columns: names, row: true });
    await putRuns(duck, names.map(doubleOf), rows, some, signal);
  }
  if (groups.length === 0) return;
  const sources = selectFrom({ ...relation, steps: [] }, { columns: groups.map(({ source }) => source), row: true });
  const byValue = targets.map((target) => ({ ...target, groups }));
  await putRuns(duck, groups.map(placeOfValue), sources, byValue, signal);
}

async function putRuns(
  duck: Duck,
  numbers: readonly Sql[],
  rows: Sql,
  targets: readonly Target[],
  signal?: AbortSignal,
): Promise<void> {
  const most = Math.max(...targets.map(({ places, arrays }) => places?.length ?? arrays[0]?.length ?? 0));
  await duck.putRuns([doubleOf(rowColumn), ...numbers], rows, most, targets, signal);
}

/** Rows that are chosen or sorted, with their places in place of their numbers in the table. */
function numbered(relation: Relation, selection: Selection): Sql {
  const { row: _, ...rest } = selection;
  return sql`SELECT *, row_number() OVER () - 1 AS ${col(rowColumn)} FROM (${selectFrom(relation, rest)})`;
}

/** A table's subset. */
type Part = NonNullable<ReturnType<typeof subsetOf>>;

/** Each table row's place in the subset that a selection takes; null where it takes none, or not all of its rows in order. */
async function placesOf(duck: Duck, selection: Selection, signal?: AbortSignal): Promise<Int32Array | null> {
  const part = isPlaced(selection) ? subsetOf(selection) : null;
  return part && (await placesIn(duck, part.split, signal))[part.subset];
}

/** Each table row's place in the split; -1 where it is not in one. */
async function placesIn(
  duck: Duck,
  split: Split,
  signal?: AbortSignal,
): Promise<Readonly<Record<Part["subset"], Int32Array>>> {
  const rows = await rowsIn(duck, split);
  const [train, test] = [sharedPlaces(rows), sharedPlaces(rows)];
  await duck.eachRun(
    ["row", "subset", "pos"].map(doubleOf),
    rowsOfSplit(split),
    rows,
    (run) => {
      const [row, subset, place] = [0, 1, 2].map((k) => run.column(k));
      for (let i = 0; i < run.rows; i++) {
        if (subset[i] === 0) train[row[i]] = place[i];
        else if (subset[i] === 1) test[row[i]] = place[i];
      }
    },
    signal,
  );
  return { train, test };
}

/** In memory of all threads: who puts numbers there need not be sent a copy. */
function sharedPlaces(rows: number): Int32Array {
  return new Int32Array(new SharedArrayBuffer(rows * Int32Array.BYTES_PER_ELEMENT)).fill(-1);
}

/** 1 for each table row that is in a subset; nobody may change it. */
export async function membersOf(duck: Duck, { subset, split }: Part, signal?: AbortSignal): Promise<Uint8Array> {
  const kept = duck.kept.find<Uint8Array>(split.artifact, [subset]);
  if (kept) return kept.data;
  const members = await selectionMask(duck, subsetRows(split, subset), await rowsIn(duck, split), signal);
  duck.kept.add({ key: split.artifact, names: [subset], n: members.length, data: members });
  return members;
}

/** Rows of a table that has a split. */
async function rowsIn(duck: Duck, { artifact }: Split): Promise<number> {
  return await countRows(duck, { artifact, steps: [] }, {});
}
