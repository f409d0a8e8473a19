import type { Folds } from "../../../core/frame.ts";
import { foldOf, type Selection, takesAll } from "../../../core/selection.ts";
import { rowColumn } from "../../../plan/expr.ts";
import type { Relation } from "../../../plan/node.ts";
import { col, type Sql, sql } from "../../sql.ts";
import type { Ways } from "../choose.ts";
import type { Duck } from "../duck.ts";
import { foldRows, rowsWithFolds, selectFrom } from "../select.ts";
import { doubleOf } from "./as-numbers.ts";
import { placeOfValue } from "./by-value.ts";
import { markRows } from "./marks.ts";
import type { Target } from "./putting.ts";
import { countRows } from "./streamed.ts";

/**
 * Reads numbers of a selection's rows into arrays, each row's into its place.
 *
 * `numbers` are doubles over the selection's columns, none of them missing. The rows of a fold are told apart and put in
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
  const rows = takesAll(selection)
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
  if (takesAll(selection)) {
    const places = await placesOf(duck, selection, signal);
    return await putColumns(duck, relation, columns, ways, [{ places, arrays }], signal);
  }
  const names = ways.plain.map((k) => columns[k]!);
  const some = ways.plain.map((k) => arrays[k]!);
  await readInto(duck, relation, { ...selection, columns: names }, names.map(doubleOf), some, signal);
}

/** Reads columns of training and of test rows in one go, each row's into its place: half of what two readings take. */
export async function readFoldsInto(
  duck: Duck,
  relation: Relation,
  columns: readonly string[],
  ways: Ways,
  folds: Folds,
  into: Readonly<Record<Part["fold"], readonly Float64Array[]>>,
  signal?: AbortSignal,
): Promise<void> {
  const places = await placesIn(duck, folds, signal);
  const targets = (["train", "test"] as const).map((fold) => ({ places: places[fold], arrays: into[fold] }));
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

/** A table's fold. */
type Part = NonNullable<ReturnType<typeof foldOf>>;

/** Each table row's place in the fold that a selection takes; null where it takes none, or not all of its rows in order. */
async function placesOf(duck: Duck, selection: Selection, signal?: AbortSignal): Promise<Int32Array | null> {
  const part = takesAll(selection) ? foldOf(selection) : null;
  return part && (await placesIn(duck, part.folds, signal))[part.fold];
}

/** Each table row's place in the folds; -1 where it is not in one. */
async function placesIn(
  duck: Duck,
  folds: Folds,
  signal?: AbortSignal,
): Promise<Readonly<Record<Part["fold"], Int32Array>>> {
  const rows = await rowsIn(duck, folds);
  const [train, test] = [sharedPlaces(rows), sharedPlaces(rows)];
  await duck.eachRun(
    ["row", "fold", "pos"].map(doubleOf),
    rowsWithFolds(folds),
    rows,
    (run) => {
      const [row, fold, place] = [0, 1, 2].map((k) => run.column(k));
      for (let i = 0; i < run.rows; i++) {
        if (fold[i] === 0) train[row[i]] = place[i];
        else if (fold[i] === 1) test[row[i]] = place[i];
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

/** 1 for each table row that is in a fold; nobody may change it. */
export async function membersOf(duck: Duck, { fold, folds }: Part, signal?: AbortSignal): Promise<Uint8Array> {
  const kept = duck.kept.find<Uint8Array>(folds.artifact, [fold]);
  if (kept) return kept.data;
  const members = await markRows(duck, foldRows(folds, fold), await rowsIn(duck, folds), signal);
  duck.kept.add({ key: folds.artifact, names: [fold], n: members.length, data: members });
  return members;
}

/** Rows of a table that has folds. */
async function rowsIn(duck: Duck, { artifact }: Folds): Promise<number> {
  return await countRows(duck, { artifact, steps: [] }, {});
}
