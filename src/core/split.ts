import type { Relation } from "../plan/node.ts";
import { InternalError } from "./errors.ts";
import type { Frame, Split } from "./frame.ts";
import { columnOf } from "./matrix.ts";
import type { Tables } from "./tables.ts";

/** The column of a split's file that says 0 for training rows, 1 for test rows and 2 for others; homes have it under this name. */
export const subsetColumn = "fold";

/** Writes which rows train and which test, each in its own order; rows in neither belong to no subset. */
export async function writeSplit(rows: number, train: Int32Array, test: Int32Array, tables: Tables): Promise<string> {
  const subset = new Uint8Array(rows).fill(2);
  const pos = new Int32Array(rows);
  for (const [number, part] of [train, test].entries()) {
    for (let k = 0; k < part.length; k++) {
      subset[part[k]] = number;
      pos[part[k]] = k;
    }
  }
  const integer = (name: string, values: Uint8Array | Int32Array) => ({
    column: { name, type: "number", integer: true } as const,
    values,
  });
  return await tables.writeColumns([integer(subsetColumn, subset), integer("pos", pos)]);
}

/** Row numbers of the table: training and test rows in their subsets' order, and those in neither. */
export interface SplitRows {
  readonly train: Int32Array;
  readonly test: Int32Array;
  readonly others: Int32Array;
}

/** The rows of a frame by subset; without a split all of them train. */
export async function readSplit({ split, rows }: Pick<Frame, "split" | "rows">, tables: Tables): Promise<SplitRows> {
  const none = new Int32Array(0);
  if (!split) return { train: allRows(rows), test: none, others: none };
  const table = { artifact: split.artifact, steps: [] };
  const found = await tables.numbers(table, { columns: [subsetColumn, "pos"] });
  const [subset, position] = [0, 1].map((k) => columnOf(found, k));
  const train = new Int32Array(split.train);
  const test = new Int32Array(split.test);
  const others: number[] = [];
  for (let i = 0; i < found.n; i++) {
    if (subset[i] === 0) train[position[i]] = i;
    else if (subset[i] === 1) test[position[i]] = i;
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
 * The split over other rows: `rows` are the old numbers of the new ones, of which some may be left out and some repeat.
 *
 * Training and test rows keep their own order; copies of a row stand one behind the other.
 */
export async function movedSplit(frame: Frame, rows: Int32Array, tables: Tables): Promise<Split> {
  const start = new Int32Array(frame.rows + 1);
  for (const row of rows) start[row + 1]++;
  for (let row = 0; row < frame.rows; row++) start[row + 1] += start[row];
  const next = start.slice();
  const numbers = new Int32Array(rows.length);
  for (let k = 0; k < rows.length; k++) numbers[next[rows[k]]++] = k;
  const split = await readSplit(frame, tables);
  const [train, test] = [split.train, split.test].map((part) => {
    let size = 0;
    for (const row of part) size += start[row + 1] - start[row];
    const moved = new Int32Array(size);
    let k = 0;
    for (const row of part) for (let i = start[row]; i < start[row + 1]; i++) moved[k++] = numbers[i];
    return moved;
  });
  const artifact = await writeSplit(rows.length, train, test, tables);
  return { artifact, train: train.length, test: test.length };
}

/**
 * The split of a frame behind a node that moves, repeats or leaves out rows; null where there is none.
 *
 * `moved` finds the old numbers of the new rows. On a cluster the plan carries sides along, and they are counted.
 */
export async function splitBehind(
  frame: Frame,
  relation: Relation,
  moved: () => Int32Array | Promise<Int32Array>,
  tables: Tables,
): Promise<Split | null> {
  if (!frame.split) return null;
  return tables.cluster ? await clusterSplit(relation, tables) : await movedSplit(frame, await moved(), tables);
}

/** The split of a plan over a cluster, which says itself which rows train and which test; they are counted. */
export async function clusterSplit(relation: Relation, { cluster }: Pick<Tables, "cluster">): Promise<Split> {
  if (!cluster) throw new InternalError("a plan over a file says nothing of training and test rows");
  return { artifact: "", ...(await cluster.sizes(relation)) };
}

/** The split of rows that came from a cluster, written down here. */
export async function collectedSplit({ relation, rows, split }: Frame, tables: Tables): Promise<Split | null> {
  if (!split || !tables.cluster) return split;
  const { train, test } = await tables.cluster.sides(relation, split);
  return { ...split, artifact: await writeSplit(rows, train, test, tables) };
}
