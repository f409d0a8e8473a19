import type { BlockContext } from "../../core/block.ts";
import { cell, columnsNamed, type Frame } from "../../core/frame.ts";
import { count, listed } from "../../core/names.ts";
import { replaceColumns, settled } from "../../core/scope.ts";
import { call } from "../../plan/expr.ts";
import type { Output } from "../../plan/node.ts";
import { onlyHere } from "../shared/only-here.ts";
import { type Along, type Fills, findFills } from "./along-fills.ts";
import { countMissing, type Filled } from "./fills.ts";

export type { Along } from "./along-fills.ts";

/**
 * Fills gaps along the table's order, counts what was filled, and says what stayed missing.
 *
 * Training rows are filled from training rows, test rows from test rows, new rows from each other.
 */
export async function fillAlong(
  frame: Frame,
  counts: ReadonlyMap<string, number>,
  strategy: Along,
  context: BlockContext,
): Promise<{ frame: Frame; filled: Filled[] }> {
  const gaps = new Map([...counts].filter(([, cells]) => cells > 0));
  const names = [...gaps.keys()];
  if (names.length === 0) return { frame, filled: [] };
  const planned = replaceColumns(frame, context, alongTheirOrder(frame, names, strategy), names);
  if (context.tables.isFar && frame.split) {
    throw onlyHere(
      "missing (DP_2)",
      `behind a split "${strategy}" looks along the rows of each side; fill before the split`,
    );
  }
  const found: Fills[] = [];
  const relation = context.tables.isFar
    ? planned.relation
    : await context.tables.filled(planned.relation, {
        taken: frame.columns.map(({ name }) => name),
        rows: frame.rows,
        gaps: [...gaps.values()],
        find: async () => {
          found.push(await findFills(frame, gaps, strategy, context));
          return found[0].columns;
        },
      });
  const after = relation ? { ...planned, relation } : await settled(planned, frame.split, context);
  const left = found.at(0)?.left ?? (await countMissing(after, names, context));
  const still = names.filter((name) => (left.get(name) ?? 0) > 0);
  const cells = still.reduce((sum, name) => sum + (left.get(name) ?? 0), 0);
  if (cells > 0) {
    context.notice(
      `missing (DP_2): ${count(cells, "cell")} of ${listed(still)} stayed missing, with no value ${strategy === "bfill" ? "behind" : "before"} ${cells === 1 ? "it" : "them"}.`,
    );
  }
  const filled = [...gaps].map(([column, cells]) => ({ column, cells: cells - (left.get(column) ?? 0), value: null }));
  return { frame: after, filled: filled.filter((each) => each.cells > 0) };
}

/** Windows over the rows' own order: what new rows get, which have no split. */
function alongTheirOrder(frame: Frame, names: readonly string[], strategy: Along): Map<string, readonly Output[]> {
  const name = ({ ffill: "previous", bfill: "next", linear: "interpolate" } as const)[strategy];
  return new Map(
    columnsNamed(frame.columns, names).map((old) => {
      const column = strategy === "linear" ? { ...old, integer: false } : old;
      // The window says what that order is. Without it DuckDB 1.5 streams windows, and of two that ignore missing cells
      // one answers wrong values.
      return [old.name, [{ column, expr: { ...call(name, cell(old)), over: { by: [], order: [] } } }]];
    }),
  );
}
