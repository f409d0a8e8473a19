import type { Column } from "./frame.ts";

/**
 * A column's values in order, in the form that suits its type.
 *
 * Numbers are a Float64Array with NaN where they are missing, whole ones beyond 2^53 a BigInt64Array (a list where some
 * are missing); texts, truths, dates and tensors are lists with null where they are missing.
 */
export type ColumnValues =
  | Float64Array
  | BigInt64Array
  | (bigint | null)[]
  | (string | null)[]
  | (boolean | null)[]
  | (Date | null)[]
  | (Float32Array | null)[];

/** Arrays of numbers that Arrow holds as they are. */
export type NumberArray =
  | Int8Array
  | Int16Array
  | Int32Array
  | BigInt64Array
  | Uint8Array
  | Uint16Array
  | Uint32Array
  | BigUint64Array
  | Float32Array
  | Float64Array;

/** Columns of a table with their values, each in the form of its type. */
export interface TypedColumns {
  readonly columns: readonly Column[];
  readonly values: readonly ColumnValues[];
}

const most = BigInt(Number.MAX_SAFE_INTEGER);

/**
 * Whole numbers that come as 64-bit integers, in runs; `missing` are the places of those that are not there, ascending.
 *
 * What stands in such a place may be anything.
 */
export function wholeValues(runs: readonly BigInt64Array[], missing: readonly number[]): ColumnValues {
  const n = runs.reduce((sum, { length }) => sum + length, 0);
  const numbers = new Float64Array(n);
  if (fill(numbers, runs, missing)) return numbers;
  const whole = new BigInt64Array(n);
  let at = 0;
  for (const run of runs) {
    whole.set(run, at);
    at += run.length;
  }
  if (missing.length === 0) return whole;
  const cells: (bigint | null)[] = Array.from(whole);
  for (const place of missing) cells[place] = null;
  return cells;
}

/** Writes the numbers, NaN where they are missing. False, and not all are written, where doubles can't hold one. */
function fill(numbers: Float64Array, runs: readonly BigInt64Array[], missing: readonly number[]): boolean {
  let [at, next] = [0, 0];
  for (const run of runs) {
    for (let i = 0; i < run.length; i++, at++) {
      if (at === missing[next]) {
        numbers[at] = Number.NaN;
        next++;
        continue;
      }
      const value = run[i];
      if (value > most || value < -most) return false;
      numbers[at] = Number(value);
    }
  }
  return true;
}
