import type { Fold, Folds } from "../core/frame.ts";
import { ownColumns, type Relation, rowColumn, type Selection, selectFrom } from "../core/relation.ts";
import { col, file, type Sql, sql } from "../core/sql.ts";
import type { TableRun, TableSelection } from "../core/tables.ts";
import type { Duck } from "./duck.ts";
import type { Run } from "./runs.ts";
import { countRows } from "./streamed.ts";

/** Numbers of some rows of a selection, and where in it they stand. */
export interface PlacedRun extends Run {
  /** Where in the selection the first row stands, with the others behind it; null where they stand apart. */
  readonly first: number | null;
  /** Else which rows of the run are selected, and where each of these stands. */
  readonly chosen: Int32Array;
  readonly places: Int32Array;
}

/** Puts the values of a run's rows into their places of a column. */
export function put(
  values: Float64Array,
  { first, chosen, places }: PlacedRun,
  column: Float64Array | Int32Array,
): void {
  if (first !== null) column.set(values, first);
  else for (let i = 0; i < chosen.length; i++) column[places[i]!] = values[chosen[i]!]!;
}

/**
 * Hands over numbers of a selection's rows while they are read, in runs that come in any order.
 *
 * `numbers` are doubles over the selection's columns, none of them missing. The rows of a fold are told apart and put in
 * order here: that takes a fifth of what joining and sorting them takes.
 */
export async function eachPlacedRun(
  duck: Duck,
  relation: Relation,
  selection: Selection,
  numbers: readonly Sql[],
  take: (run: PlacedRun) => void,
  signal?: AbortSignal,
): Promise<void> {
  const { fold, folds, columns } = selection;
  const isWhole = isAllRows(selection);
  const foldPlaces = isWhole && isPart(fold) && folds ? await placesIn(duck, folds, fold, signal) : null;
  const rows = isWhole ? selectFrom(relation, { columns, row: true }) : numbered(relation, selection);
  const [chosen, places] = [new Int32Array(mostRows), new Int32Array(mostRows)];
  const none = { chosen: chosen.subarray(0, 0), places: places.subarray(0, 0) };
  await duck.eachRun(
    [doubleOf(rowColumn), ...numbers],
    rows,
    (run) => {
      const first = firstRow(run);
      const column = (k: number) => run.column(k + 1);
      if (!foldPlaces) return take({ rows: run.rows, column, first, ...none });
      let n = 0;
      for (let i = 0; i < run.rows; i++) {
        const place = foldPlaces[first + i]!;
        if (place < 0) continue;
        chosen[n] = i;
        places[n++] = place;
      }
      take({ rows: run.rows, column, first: null, chosen: chosen.subarray(0, n), places: places.subarray(0, n) });
    },
    signal,
  );
}

/** The most rows that the engine works on together. */
const mostRows = 2048;

/** The number of a run's first row. Plans change no row's place, so the rows of a run are neighbours in the table. */
function firstRow(run: Run): number {
  const row = run.column(0);
  if (row[run.rows - 1] - row[0] !== run.rows - 1) throw new Error("a plan's rows came in parts");
  return row[0];
}

/**
 * Hands over numeric columns of a table's or fold's rows, a block of rows of the table at a time, blocks in any order.
 *
 * Blocks are the same however the engine cut the file, so what is added up block by block is the same to the last digit.
 */
export async function eachTableRun(
  duck: Duck,
  relation: Relation,
  { columns, fold, folds }: TableSelection,
  take: (run: TableRun) => void,
  signal?: AbortSignal,
): Promise<void> {
  const members = isPart(fold) && folds ? await membersOf(duck, folds, fold, signal) : null;
  const own = ownColumns(relation, columns);
  const kept = own && duck.kept.find(relation.artifact, own);
  if (kept) return eachKeptRun(kept, members, take);
  const total = await countRows(duck, relation, {}, signal);
  const begun = new Map<number, { rows: number; readonly columns: readonly Float64Array[] }>();
  const spare: (readonly Float64Array[])[] = [];
  await duck.eachRun(
    [rowColumn, ...columns].map(doubleOf),
    selectFrom(relation, { columns, row: true }),
    (run) => {
      const first = firstRow(run);
      const values = columns.map((_, k) => run.column(k + 1));
      for (let from = 0; from < run.rows; ) {
        const number = Math.floor((first + from) / mostRows);
        const start = number * mostRows;
        const to = Math.min(run.rows, start + mostRows - first);
        const room = () => spare.pop() ?? columns.map(() => new Float64Array(mostRows));
        const block = begun.get(number) ?? { rows: 0, columns: room() };
        begun.set(number, block);
        for (const [k, column] of block.columns.entries()) {
          column.set(values[k].subarray(from, to), first + from - start);
        }
        block.rows += to - from;
        from = to;
        const next = Math.min(total, start + mostRows);
        if (block.rows < next - start) continue;
        begun.delete(number);
        take({
          first: start,
          next,
          column: (k) => selected(block.columns[k].subarray(0, next - start), members, start),
        });
        spare.push(block.columns);
      }
    },
    signal,
  );
}

/** The same from memory. */
function eachKeptRun(
  { n, data }: { readonly n: number; readonly data: Float64Array },
  members: Uint8Array | null,
  take: (run: TableRun) => void,
): void {
  for (let first = 0; first < n; first += mostRows) {
    const next = Math.min(n, first + mostRows);
    const values = (k: number) => data.subarray(k * n + first, k * n + next);
    take({ first, next, column: (k) => (members ? selected(values(k).slice(), members, first) : values(k)) });
  }
}

/** The values of rows that are members, at the front of the same array. */
function selected(values: Float64Array, members: Uint8Array | null, first: number): Float64Array {
  if (!members) return values;
  let kept = 0;
  for (let i = 0; i < values.length; i++) if (members[first + i]) values[kept++] = values[i]!;
  return values.subarray(0, kept);
}

/** A column as doubles. Missing cells become NaN here: in a vector their slots hold garbage. */
export function doubleOf(name: string): Sql {
  return sql`coalesce(CAST(${col(name)} AS DOUBLE), 'nan'::DOUBLE)`;
}

/** Is it the whole table or the whole of a fold, in its own order? */
function isAllRows({ offset, limit, rows, sort, search }: Selection): boolean {
  return [offset, limit, rows, sort, search].every((each) => each === undefined);
}

function isPart(fold: Fold | undefined): fold is "train" | "test" {
  return fold !== undefined && fold !== "all";
}

/** Rows that are chosen or sorted, with their places in place of their numbers in the table. */
function numbered(relation: Relation, selection: Selection): Sql {
  const { row: _, ...rest } = selection;
  return sql`SELECT *, row_number() OVER () - 1 AS ${col(rowColumn)} FROM (${selectFrom(relation, rest)})`;
}

/** Each table row's place in a fold; -1 where it is not in it. */
async function placesIn(duck: Duck, folds: Folds, fold: "train" | "test", signal?: AbortSignal): Promise<Int32Array> {
  const places = new Int32Array(await rowsIn(duck, folds)).fill(-1);
  await eachFoldRow(duck, folds, fold, (row, place) => (places[row] = place), signal);
  return places;
}

/** 1 for each table row that is in a fold. */
async function membersOf(duck: Duck, folds: Folds, fold: "train" | "test", signal?: AbortSignal): Promise<Uint8Array> {
  const members = new Uint8Array(await rowsIn(duck, folds));
  await eachFoldRow(duck, folds, fold, (row) => (members[row] = 1), signal);
  return members;
}

/** Rows of a table that has folds. */
async function rowsIn(duck: Duck, { artifact }: Folds): Promise<number> {
  return await countRows(duck, { artifact, steps: [] }, {});
}

async function eachFoldRow(
  duck: Duck,
  { artifact }: Folds,
  fold: "train" | "test",
  take: (row: number, place: number) => void,
  signal?: AbortSignal,
): Promise<void> {
  const wanted = fold === "train" ? 0 : 1;
  await duck.eachRun(
    ["row", "fold", "pos"].map(doubleOf),
    sql`SELECT * FROM read_parquet(${file(artifact)})`,
    (run) => {
      const [row, number, place] = [0, 1, 2].map((k) => run.column(k));
      for (let i = 0; i < run.rows; i++) if (number[i] === wanted) take(row[i], place[i]);
    },
    signal,
  );
}
