import type { BlockContext } from "../../core/block.ts";
import { type Column, cell, columnsNamed, type Frame, isNumeric } from "../../core/frame.ts";
import { readSplit } from "../../core/split.ts";
import type { GapFills } from "../../core/tables.ts";
import { fillGaps, type Gaps, type GapsInput } from "../../numerics/statistics/gaps.ts";
import { call, value } from "../../plan/expr.ts";
import { addStep } from "../../plan/node.ts";
import { inTurns } from "../shared/column-turns.ts";
import { computeColumns } from "../shared/row-parts.ts";

/** Strategies that look along the table's order. */
export type Along = GapsInput["by"];

/** What fills the gaps of some columns, and how many of each stay missing, where some do. */
export interface Fills {
  readonly columns: readonly GapFills[];
  readonly left: ReadonlyMap<string, number>;
}

/** Finds what fills each gap; `counts` says which columns have some, and how many. */
export async function findFills(
  frame: Frame,
  counts: ReadonlyMap<string, number>,
  strategy: Along,
  context: BlockContext,
): Promise<Fills> {
  const parts = frame.split && (await partsOf(frame, context));
  const fills: GapFills[] = [];
  const left = new Map<string, number>();
  for (const [from, columns] of readable(frame, columnsNamed(frame.columns, [...counts.keys()]), context)) {
    const found = await inTurns(from, { columns: columns.map(({ name }) => name) }, context, async (x, _, some) => {
      const most = some.map((name) => counts.get(name) as number);
      const gaps = await computeColumns(context, fillGaps, { x, counts: most, by: strategy, parts }, "filling");
      return columnsNamed(columns, some).map((column, k): [Column, Gaps] => [column, gaps[k]]);
    });
    for (const [column, gaps] of found) {
      const filled = filledOnly(gaps);
      const stay = gaps.rows.length - filled.rows.length;
      if (stay > 0) left.set(column.name, stay);
      const numbers = isNumbers(column, gaps, strategy) ? filled.fills : null;
      fills.push({ name: column.name, rows: filled.rows, sources: filled.sources, numbers, isWhole: stay === 0 });
    }
  }
  return { columns: fills, left };
}

/** Training rows are 0, test rows 1, and those in neither 2. */
async function partsOf(frame: Frame, context: BlockContext): Promise<Uint8Array> {
  const { test, others } = await readSplit(frame, context.tables);
  const parts = new Uint8Array(new SharedArrayBuffer(frame.rows));
  for (const row of test) parts[row] = 1;
  for (const row of others) parts[row] = 2;
  return parts;
}

/** Columns with a frame in which they are numbers: those that are none have 0 there where they have a cell. */
function readable(
  frame: Frame,
  columns: readonly Column[],
  { block }: BlockContext,
): (readonly [Frame, readonly Column[]])[] {
  const [numeric, others] = [columns.filter(isNumeric), columns.filter((each) => !isNumeric(each))];
  const outputs = others.map((column) => ({
    column,
    expr: call("choose", call("isMissing", cell(column)), value(null), value(0)),
  }));
  const relation = addStep(frame.relation, { block: block.id, name: "present", outputs });
  return [
    [frame, numeric],
    [{ ...frame, relation }, others],
  ];
}

/** Are the fills numbers as the column holds them? It may be none, or have integers too large to be numbers here. */
function isNumbers(column: Column, { fills }: Gaps, strategy: Along): boolean {
  if (!isNumeric(column)) return false;
  if (!column.integer || strategy === "linear") return true;
  return !fills.some((each) => Math.abs(each) > Number.MAX_SAFE_INTEGER);
}

/** Those gaps that something fills. */
function filledOnly(gaps: Gaps): Gaps {
  if (!gaps.sources.includes(-1)) return gaps;
  const isFilled = (_: number, k: number) => gaps.sources[k] >= 0;
  const { rows, sources, fills } = gaps;
  return { rows: rows.filter(isFilled), sources: sources.filter(isFilled), fills: fills.filter(isFilled) };
}
