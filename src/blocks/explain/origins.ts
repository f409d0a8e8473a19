import type { BlockContext } from "../../core/block.ts";
import type { Column } from "../../core/frame.ts";
import type { Cell } from "../../core/view.ts";
import { type Carried, carriedOn, type Kin, sharedOrigin } from "../../plan/lineage.ts";
import { type Relation, type Step, unsettled } from "../../plan/node.ts";
import { asReadName } from "../models/as-read.ts";

/** Before such a step, cells of a file are text. */
export function isRead({ name }: Step): boolean {
  return name === asReadName;
}

/** The cells of columns as they were read, before they were filled, scaled or encoded, in these rows and their order; column by column. */
export async function originalCells(
  judged: Relation,
  features: readonly string[],
  columns: readonly Kin[],
  rows: readonly number[],
  context: Pick<BlockContext, "tables" | "block">,
): Promise<Cell[][]> {
  const relation = unsettled(judged);
  const carried: Carried[] = [];
  for (const [k, { places }] of columns.entries()) {
    const names = places.map((place) => features[place]);
    const { behind, name } = sharedOrigin(relation, names, isRead) ?? {
      behind: relation.steps.length - 1,
      name: names[0],
    };
    carried.push({ column: await columnAt(relation, behind, name, context), behind, as: `c${k}` });
  }
  // The engine answers rows in the order of the table.
  const sorted = [...new Set(rows)].sort((a, b) => a - b);
  const places = new Map(sorted.map((row, at) => [row, at]));
  const wanted = { columns: carried.map(({ as }) => as), rows: sorted };
  const cells = await context.tables.cells(carriedOn(relation, carried, context.block), wanted);
  return cells.map((column) => rows.map((row) => column[places.get(row) as number]));
}

/** A column by its name behind one of a plan's nodes (-1: in its file), where it is. */
export async function columnAt(
  { artifact, steps }: Relation,
  behind: number,
  name: string,
  { tables }: Pick<BlockContext, "tables">,
): Promise<Column> {
  const columns =
    behind < 0 ? (await tables.describe(artifact)).columns : steps[behind].outputs.map(({ column }) => column);
  return columns.find((each) => each.name === name) as Column;
}
