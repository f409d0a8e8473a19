import type { BlockContext } from "../../core/block.ts";
import { cell } from "../../core/frame.ts";
import type { Cell } from "../../core/view.ts";
import type { Matrix } from "../../numerics/types.ts";
import { call, column, type Expr, rowColumn, value } from "../../plan/expr.ts";
import type { FarColumns } from "../shared/far-products.ts";

/** Rows, and cells of them, that are brought here at most to begin with. */
const mostRows = 100_000;
const mostCells = 4_000_000;

/** Some of a cluster's rows as a matrix, and whether they are all of them. */
export interface Brought {
  readonly x: Matrix;
  readonly isAll: boolean;
}

/**
 * Brings numeric columns of some rows: all of them in their order where they are few, else some nine tenths of `most` that a
 * hash of their numbers draws, the same ones however the table is parted.
 */
export async function broughtRows(
  { relation, rows, columns, n }: Pick<FarColumns, "relation" | "rows" | "columns" | "n">,
  { seed, most = mostRows }: { readonly seed: number; readonly most?: number },
  { tables }: Pick<BlockContext, "tables">,
): Promise<Brought> {
  const d = columns.length;
  const limit = Math.min(most, Math.floor(mostCells / d));
  const isAll = n <= limit;
  const cells = isAll
    ? await tables.cells(relation, { ...rows, columns: columns.map(({ name }) => name), limit: n })
    : turned(
        await tables.find(relation, rows, {
          where: call("less", hashOfRow(seed), value(Math.floor(2 ** 32 * ((0.9 * limit) / n)), "integer")),
          outputs: columns.map(cell),
          limit,
        }),
      );
  const found = cells[0].length;
  const data = new Float64Array(found * d);
  for (const [j, column] of cells.entries()) for (let i = 0; i < found; i++) data[j * found + i] = Number(column[i]);
  return { x: { n: found, d, data }, isAll };
}

/** A number of 32 bits that a row's number and a seed decide. */
function hashOfRow(seed: number): Expr {
  return call("hash32", call("concat", column(rowColumn, "integer"), value(` ${seed}`)));
}

/** Rows without their numbers as columns. */
function turned(rows: readonly (readonly Cell[])[]): Cell[][] {
  return (rows[0] ?? []).slice(1).map((_, j) => rows.map((row) => row[j + 1]));
}
