import { allDone } from "../../../core/all-done.ts";
import { CancelledError } from "../../../core/errors.ts";
import type { TableSelection, WholeSums } from "../../../core/tables.ts";
import { rowColumn } from "../../../plan/expr.ts";
import type { Relation } from "../../../plan/node.ts";
import { type KeptColumn, keptColumns, maskedPart } from "../choose.ts";
import type { Duck } from "../duck.ts";
import { selectFrom } from "../select.ts";
import { doubleOf } from "./as-numbers.ts";
import { membersOf } from "./placed.ts";
import { type Stretch, stretches } from "./putting.ts";
import { mostRows, type TableRun } from "./runs.ts";
import { Slice } from "./slice.ts";
import { countRows } from "./streamed.ts";
import { WholeSum, wholeSums } from "./whole-sums.ts";

/**
 * Hands over numeric columns of a table's or subset's rows, a block of rows of the table at a time, blocks in any order.
 *
 * Blocks are the same however the engine cut the file, so what is added up block by block is the same to the last digit.
 * `whole` are further columns, of integers or booleans, that are added up meanwhile and not handed over, which takes a
 * third of the time.
 */
export async function eachTableRun(
  duck: Duck,
  relation: Relation,
  { columns, whole = [], ...subset }: TableSelection & { readonly whole?: readonly string[] },
  take: (run: TableRun) => void,
  signal?: AbortSignal,
): Promise<WholeSums[]> {
  const part = maskedPart(subset);
  const members = part && (await membersOf(duck, part, signal));
  const [sums] = await allDone([
    sumsOf(duck, relation, whole, members, signal),
    eachBlock(duck, relation, columns, handing(columns.length, members, take), signal),
  ]);
  return sums;
}

/** What whole columns add up to, from memory where all of them are kept, else by SQL. */
async function sumsOf(
  duck: Duck,
  relation: Relation,
  whole: readonly string[],
  members: Uint8Array | null,
  signal?: AbortSignal,
): Promise<WholeSums[]> {
  const kept = keptColumns(duck.kept, relation, whole);
  if (!kept) return await wholeSums(duck, relation, whole, members, signal);
  const sums = whole.map(() => new WholeSum());
  const add = (run: TableRun) => {
    for (const [k, sum] of sums.entries()) sum.add(run.column(k));
  };
  await eachKeptBlock(kept, handing(whole.length, members, add), signal);
  return sums.map(({ sums: found }) => found);
}

/** Hands over columns of all rows in whole blocks, from memory where all of them are kept, else as the engine reads them. */
async function eachBlock(
  duck: Duck,
  relation: Relation,
  columns: readonly string[],
  hand: Hand,
  signal?: AbortSignal,
): Promise<void> {
  const kept = keptColumns(duck.kept, relation, columns);
  if (kept) return await eachKeptBlock(kept, hand, signal);
  const total = await countRows(duck, relation, {}, signal);
  const begun = new Map<number, { rows: number; readonly columns: readonly Float64Array[] }>();
  const spare: (readonly Float64Array[])[] = [];
  await duck.eachRun(
    [rowColumn, ...columns].map(doubleOf),
    selectFrom(relation, { columns, row: true }),
    total,
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
    for (let row = first; row < next; row++) {
      places[n] = row - first;
      // Without a branch, which for shuffled rows would be guessed wrong again and again.
      n += members[row]!;
    }
    take({ first, next, column: (k) => gathered(column(k), places, n, together[k]) });
  };
}

function gathered(values: Float64Array, places: Int32Array, n: number, out: Float64Array): Float64Array {
  for (let i = 0; i < n; i++) out[i] = values[places[i]!]!;
  return out.subarray(0, n);
}

/** The same from memory, with turns for others. */
async function eachKeptBlock(columns: readonly KeptColumn[], hand: Hand, signal?: AbortSignal): Promise<void> {
  const n = columns[0]?.data.length ?? 0;
  const room = columns.map(({ filled }) => (filled === null ? null : new Float64Array(mostRows)));
  const slice = new Slice();
  for (let first = 0; first < n; first += mostRows) {
    if (slice.isOver) {
      await slice.turn();
      if (signal?.aborted) throw new CancelledError();
    }
    const next = Math.min(n, first + mostRows);
    hand(first, next, (k) => {
      const values = columns[k].data.subarray(first, next);
      const into = room[k];
      return into ? fillInto(into.subarray(0, next - first), values, columns[k].filled ?? 0) : values;
    });
  }
}

function fillInto(out: Float64Array, values: Float64Array, filled: number): Float64Array {
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    out[i] = Number.isNaN(value) ? filled : value;
  }
  return out;
}
