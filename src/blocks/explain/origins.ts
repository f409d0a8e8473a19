import type { BlockContext } from "../../core/block.ts";
import type { Cell } from "../../core/view.ts";
import { type Kin, originOf } from "../../plan/lineage.ts";
import type { Relation, Step } from "../../plan/node.ts";
import { asReadName } from "../models/as-read.ts";

/** Before such a step, cells of a file are text. */
export function isRead({ name }: Step): boolean {
  return name === asReadName;
}

/** The cells of columns as they were read, before they were filled, scaled or encoded, in these rows and their order; column by column. */
export async function originalCells(
  relation: Relation,
  features: readonly string[],
  columns: readonly Kin[],
  rows: readonly number[],
  context: Pick<BlockContext, "tables">,
): Promise<Cell[][]> {
  const origins = columns.map(({ places }) => originOf(relation, features[places[0]], isRead));
  const cells: Cell[][] = new Array(columns.length);
  // The engine answers rows in the order of the table.
  const sorted = [...new Set(rows)].sort((a, b) => a - b);
  const places = new Map(sorted.map((row, at) => [row, at]));
  // Columns of one table are read at once.
  const tables = Map.groupBy(Array.from(origins.keys()), (k) => origins[k].relation.steps.length);
  for (const group of tables.values()) {
    const [first] = group;
    const names = [...new Set(group.map((k) => origins[k].name))];
    const read = await context.tables.cells(origins[first].relation, { columns: names, rows: sorted });
    for (const k of group) {
      const column = read[names.indexOf(origins[k].name)];
      cells[k] = rows.map((row) => column[places.get(row) as number]);
    }
  }
  return cells;
}
