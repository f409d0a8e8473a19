import type { Folds } from "../core/frame.ts";
import { foldOf, foldRows, type Relation, rowColumn, type Selection, selectFrom, takesAll } from "../core/relation.ts";
import { col, file, type Sql, sql } from "../core/sql.ts";
import type { TableRun, TableSelection } from "../core/tables.ts";
import type { Duck } from "./duck.ts";
import { keyOf } from "./kept.ts";
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
const mostRows = 2048;

/** Rows of a run that are neighbours in the table. */
interface Stretch {
  /** The first of them in the run, and the one after the last. */
  readonly from: number;
  readonly to: number;
  /** The first one's number in the table. */
  readonly first: number;
}

/** A run in parts whose rows are neighbours: mostly one, but the engine joins what a plan left of several. */
function stretches(run: Run): Stretch[] {
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

/**
 * Hands over numeric columns of a table's or fold's rows, a block of rows of the table at a time, blocks in any order.
 *
 * Blocks are the same however the engine cut the file, so what is added up block by block is the same to the last digit.
 */
export async function eachTableRun(
  duck: Duck,
  relation: Relation,
  { columns, ...fold }: TableSelection,
  take: (run: TableRun) => void,
  signal?: AbortSignal,
): Promise<void> {
  const part = foldOf(fold);
  const members = part && (await membersOf(duck, part, signal));
  const { key, names } = keyOf(relation, { columns });
  const kept = duck.kept.find(key, names);
  const hand = handing(columns.length, members, take);
  if (kept) return eachKeptRun(kept, hand);
  const total = await countRows(duck, relation, {}, signal);
  const begun = new Map<number, { rows: number; readonly columns: readonly Float64Array[] }>();
  const spare: (readonly Float64Array[])[] = [];
  await duck.eachRun(
    [rowColumn, ...columns].map(doubleOf),
    selectFrom(relation, { columns, row: true }),
    (run) => {
      const values = columns.map((_, k) => run.column(k + 1));
      for (const { from, to, first } of stretches(run).flatMap(inBlocks)) {
        const number = Math.floor(first / mostRows);
        const start = number * mostRows;
        const next = Math.min(total, start + mostRows);
        // Mostly the engine works on a whole block.
        if (to - from === next - start) {
          hand(start, next, (k) => values[k].subarray(from, to));
          continue;
        }
        const room = () => spare.pop() ?? columns.map(() => new Float64Array(mostRows));
        const block = begun.get(number) ?? { rows: 0, columns: room() };
        begun.set(number, block);
        for (const [k, column] of block.columns.entries()) {
          column.set(values[k].subarray(from, to), first - start);
        }
        block.rows += to - from;
        if (block.rows < next - start) continue;
        begun.delete(number);
        hand(start, next, (k) => block.columns[k].subarray(0, next - start));
        spare.push(block.columns);
      }
    },
    signal,
  );
}

/** A stretch in parts that lie in one block of rows each. */
function inBlocks({ from, to, first }: Stretch): Stretch[] {
  const found: Stretch[] = [];
  for (let at = from; at < to; ) {
    const row = first + at - from;
    const end = Math.min(to, at + mostRows - (row % mostRows));
    found.push({ from: at, to: end, first: row });
    at = end;
  }
  return found;
}

/** Hands over a block of rows of the table, whose values `column` knows. */
type Hand = (first: number, next: number, column: (k: number) => Float64Array) => void;

/** Hands over those rows of a block that are members, all where there are none; their numbers are copied together. */
function handing(columns: number, members: Uint8Array | null, take: (run: TableRun) => void): Hand {
  if (!members) return (first, next, column) => take({ first, next, column });
  const together = Array.from({ length: columns }, () => new Float64Array(mostRows));
  const places = new Int32Array(mostRows);
  return (first, next, column) => {
    // Once for all columns: asking at each number whether its row is a member takes three times as long.
    let n = 0;
    for (let row = first; row < next; row++) if (members[row] === 1) places[n++] = row - first;
    take({ first, next, column: (k) => gathered(column(k), places, n, together[k]) });
  };
}

function gathered(values: Float64Array, places: Int32Array, n: number, out: Float64Array): Float64Array {
  for (let i = 0; i < n; i++) out[i] = values[places[i]!]!;
  return out.subarray(0, n);
}

/** The same from memory. */
function eachKeptRun({ n, data }: { readonly n: number; readonly data: Float64Array }, hand: Hand): void {
  for (let first = 0; first < n; first += mostRows) {
    const next = Math.min(n, first + mostRows);
    hand(first, next, (k) => data.subarray(k * n + first, k * n + next));
  }
}

/** A 1 for each of a table's rows whose number is among those of a query's column "row". */
export async function markRows(duck: Duck, numbers: Sql, rows: number, signal?: AbortSignal): Promise<Uint8Array> {
  const marks = new Uint8Array(rows);
  await duck.eachRun(
    [doubleOf("row")],
    numbers,
    (run) => {
      for (const row of run.column(0)) marks[row] = 1;
    },
    signal,
  );
  return marks;
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

/** 1 for each table row that is in a fold. */
async function membersOf(duck: Duck, { fold, folds }: Part, signal?: AbortSignal): Promise<Uint8Array> {
  return await markRows(duck, foldRows(folds, fold), await rowsIn(duck, folds), signal);
}

/** Rows of a table that has folds. */
async function rowsIn(duck: Duck, { artifact }: Folds): Promise<number> {
  return await countRows(duck, { artifact, steps: [] }, {});
}
