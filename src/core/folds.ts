import type { Folds, Frame } from "./frame.ts";
import { columnOf } from "./matrix.ts";
import type { Tables } from "./tables.ts";

/** Writes which rows train and which test, each in its own order; rows in neither belong to no fold. */
export async function writeFolds(rows: number, train: Int32Array, test: Int32Array, tables: Tables): Promise<string> {
  const fold = new Uint8Array(rows).fill(2);
  const pos = new Int32Array(rows);
  for (const [number, part] of [train, test].entries()) {
    for (let k = 0; k < part.length; k++) {
      fold[part[k]] = number;
      pos[part[k]] = k;
    }
  }
  const integer = (name: string, values: Uint8Array | Int32Array) => ({
    column: { name, type: "number", integer: true } as const,
    values,
  });
  return await tables.writeColumns([integer("fold", fold), integer("pos", pos)]);
}

/** Row numbers of the table: training and test rows in their folds' order, and those in neither. */
export interface FoldRows {
  readonly train: Int32Array;
  readonly test: Int32Array;
  readonly others: Int32Array;
}

/** The rows of a frame by fold; without folds all of them train. */
export async function readFolds({ folds, rows }: Pick<Frame, "folds" | "rows">, tables: Tables): Promise<FoldRows> {
  const none = new Int32Array(0);
  if (!folds) return { train: allRows(rows), test: none, others: none };
  const table = { artifact: folds.artifact, steps: [] };
  const found = await tables.numbers(table, { columns: ["fold", "pos"] });
  const [fold, position] = [0, 1].map((k) => columnOf(found, k));
  const train = new Int32Array(folds.train);
  const test = new Int32Array(folds.test);
  const others: number[] = [];
  for (let i = 0; i < found.n; i++) {
    if (fold[i] === 0) train[position[i]] = i;
    else if (fold[i] === 1) test[position[i]] = i;
    else others.push(i);
  }
  return { train, test, others: Int32Array.from(others) };
}

function allRows(rows: number): Int32Array {
  const numbers = new Int32Array(rows);
  for (let i = 0; i < rows; i++) numbers[i] = i;
  return numbers;
}

/**
 * The folds over other rows: `rows` are the old numbers of the new ones, of which some may be left out and some repeat.
 *
 * Training and test rows keep their own order; copies of a row stand one behind the other.
 */
export async function movedFolds(frame: Frame, rows: Int32Array, tables: Tables): Promise<Folds> {
  const start = new Int32Array(frame.rows + 1);
  for (const row of rows) start[row + 1]++;
  for (let row = 0; row < frame.rows; row++) start[row + 1] += start[row];
  const next = start.slice();
  const numbers = new Int32Array(rows.length);
  for (let k = 0; k < rows.length; k++) numbers[next[rows[k]]++] = k;
  const folds = await readFolds(frame, tables);
  const [train, test] = [folds.train, folds.test].map((part) => {
    let size = 0;
    for (const row of part) size += start[row + 1] - start[row];
    const moved = new Int32Array(size);
    let k = 0;
    for (const row of part) for (let i = start[row]; i < start[row + 1]; i++) moved[k++] = numbers[i];
    return moved;
  });
  const artifact = await writeFolds(rows.length, train, test, tables);
  return { artifact, train: train.length, test: test.length };
}
