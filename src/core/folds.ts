import type { Tables } from "./block.ts";

/** Writes which rows train and which test, each in its own order; rows in neither belong to no fold. */
export async function writeFolds(rows: number, train: Int32Array, test: Int32Array, tables: Tables): Promise<string> {
  const fold = new Int32Array(rows).fill(2);
  const pos = new Int32Array(rows);
  train.forEach((row, k) => {
    fold[row] = 0;
    pos[row] = k;
  });
  test.forEach((row, k) => {
    fold[row] = 1;
    pos[row] = k;
  });
  const integer = (name: string, values: Int32Array) => ({
    column: { name, type: "number", integer: true } as const,
    values,
  });
  return await tables.writeColumns([
    integer(
      "row",
      Int32Array.from({ length: rows }, (_, k) => k),
    ),
    integer("fold", fold),
    integer("pos", pos),
  ]);
}
