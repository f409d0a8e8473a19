import type { Folds } from "../core/frame.ts";
import { foldOf, foldRows, type Relation, rowColumn, type Selection, selectFrom, takesAll } from "../core/relation.ts";
import { col, file, type Sql, sql } from "../core/sql.ts";
import type { Duck } from "./duck.ts";
import { markRows } from "./marks.ts";
import type { Run } from "./runs.ts";
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
  const isWhole = takesAll(selection);
  const part = isWhole ? foldOf(selection) : null;
  const places = part && (await placesIn(duck, part.folds, signal))[part.fold];
  const rows = isWhole
    ? selectFrom(relation, { columns: selection.columns, row: true })
    : numbered(relation, selection);
  await eachPutRun(duck, numbers, rows, [putter(places, arrays)], signal);
}

/** Reads columns of training and of test rows in one go, each row's into its place: half of what two readings take. */
export async function readFoldsInto(
  duck: Duck,
  relation: Relation,
  columns: readonly string[],
  folds: Folds,
  into: Readonly<Record<Part["fold"], readonly Float64Array[]>>,
  signal?: AbortSignal,
): Promise<void> {
  const places = await placesIn(duck, folds, signal);
  const puts = [putter(places.train, into.train), putter(places.test, into.test)];
  await eachPutRun(duck, columns.map(doubleOf), selectFrom(relation, { columns, row: true }), puts, signal);
}

/** Puts the numbers of a stretch of a run's rows into their places. */
type Put = (run: Run, stretch: Stretch) => void;

async function eachPutRun(
  duck: Duck,
  numbers: readonly Sql[],
  rows: Sql,
  puts: readonly Put[],
  signal?: AbortSignal,
): Promise<void> {
  await duck.eachRun(
    [doubleOf(rowColumn), ...numbers],
    rows,
    (run) => {
      for (const stretch of stretches(run)) for (const put of puts) put(run, stretch);
    },
    signal,
  );
}

/** Puts all rows where they stand in the table, or those that have a place there. */
function putter(places: Int32Array | null, arrays: readonly (Float64Array | Int32Array)[]): Put {
  if (!places) {
    return (run, { from, to, first }) => {
      for (const [k, array] of arrays.entries()) array.set(run.column(k + 1).subarray(from, to), first);
    };
  }
  const [chosen, into] = [new Int32Array(mostRows), new Int32Array(mostRows)];
  return (run, { from, to, first }) => {
    let n = 0;
    for (let i = from; i < to; i++) {
      const place = places[first + i - from]!;
      if (place < 0) continue;
      chosen[n] = i;
      into[n++] = place;
    }
    for (const [k, array] of arrays.entries()) scatter(run.column(k + 1), chosen, into, n, array);
  };
}

/** Puts the first n chosen values into their places. */
function scatter(
  values: Float64Array,
  chosen: Int32Array,
  places: Int32Array,
  n: number,
  array: Float64Array | Int32Array,
): void {
  for (let i = 0; i < n; i++) array[places[i]!] = values[chosen[i]!]!;
}

/** The most rows that the engine works on together. */
export const mostRows = 2048;

/** Rows of a run that are neighbours in the table. */
export interface Stretch {
  /** The first of them in the run, and the one after the last. */
  readonly from: number;
  readonly to: number;
  /** The first one's number in the table. */
  readonly first: number;
}

/** A run in parts whose rows are neighbours: mostly one, but the engine joins what a plan left of several. */
export function stretches(run: Run): Stretch[] {
  const row = run.column(0);
  const end = run.rows - 1;
  if (row[end] - row[0] === end) return [{ from: 0, to: run.rows, first: row[0] }];
  const found: Stretch[] = [];
  for (let from = 0, to = 1; to <= run.rows; to++) {
    if (to <= end && row[to] === row[to - 1] + 1) continue;
    found.push({ from, to, first: row[from] });
    from = to;
  }
  return found;
}

/** A column as doubles. Missing cells become NaN here: in a vector their slots hold garbage. */
export function doubleOf(name: string): Sql {
  return sql`coalesce(CAST(${col(name)} AS DOUBLE), 'nan'::DOUBLE)`;
}

/** Rows that are chosen or sorted, with their places in place of their numbers in the table. */
function numbered(relation: Relation, selection: Selection): Sql {
  const { row: _, ...rest } = selection;
  return sql`SELECT *, row_number() OVER () - 1 AS ${col(rowColumn)} FROM (${selectFrom(relation, rest)})`;
}

/** A table's fold. */
type Part = NonNullable<ReturnType<typeof foldOf>>;

/** Each table row's place in the folds; -1 where it is not in one. */
async function placesIn(
  duck: Duck,
  folds: Folds,
  signal?: AbortSignal,
): Promise<Readonly<Record<Part["fold"], Int32Array>>> {
  const rows = await rowsIn(duck, folds);
  const [train, test] = [new Int32Array(rows).fill(-1), new Int32Array(rows).fill(-1)];
  await duck.eachRun(
    ["row", "fold", "pos"].map(doubleOf),
    sql`SELECT * FROM read_parquet(${file(folds.artifact)})`,
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
