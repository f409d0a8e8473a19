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
  const columnAt = columnsOf(relation, context);
  const carried: Carried[] = [];
  for (const [k, { places }] of columns.entries()) {
    const names = places.map((place) => features[place]);
    const { behind, name } = sharedOrigin(relation, names, isRead) ?? {
      behind: relation.steps.length - 1,
      name: names[0],
    };
    carried.push({ column: await columnAt(behind, name), behind, as: `c${k}` });
  }
  // The engine answers rows in the order of the table.
  const sorted = [...new Set(rows)].sort((a, b) => a - b);
  const places = new Map(sorted.map((row, at) => [row, at]));
  const wanted = { columns: carried.map(({ as }) => as), rows: sorted };
  const cells = await context.tables.cells(carriedOn(relation, carried, context.block), wanted);
  return cells.map((column) => rows.map((row) => column[places.get(row) as number]));
}

/** Finds columns by name behind a plan's nodes (-1: in its file); each node is looked into once, however many are asked for. */
export function columnsOf(
  { artifact, steps }: Relation,
  { tables }: Pick<BlockContext, "tables">,
): (behind: number, name: string) => Promise<Column> {
  const known = new Map<number, Promise<ReadonlyMap<string, Column>>>();
  const look = async (behind: number) => {
    const columns =
      behind < 0 ? (await tables.describe(artifact)).columns : steps[behind].outputs.map(({ column }) => column);
    return new Map(columns.map((column) => [column.name, column]));
  };
  return async (behind, name) => {
    const there = known.get(behind) ?? look(behind);
    known.set(behind, there);
    return (await there).get(name) as Column;
  };
}
