import type { Frame } from "./frame.ts";
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
export async function readFolds(frame: Frame, tables: Tables): Promise<FoldRows> {
  const none = new Int32Array(0);
  if (!frame.folds) return { train: allRows(frame.rows), test: none, others: none };
  const table = { artifact: frame.folds.artifact, steps: [] };
  const found = await tables.numbers(table, { columns: ["fold", "pos"] });
  const [fold, position] = [0, 1].map((k) => columnOf(found, k));
  const train = new Int32Array(frame.folds.train);
  const test = new Int32Array(frame.folds.test);
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
