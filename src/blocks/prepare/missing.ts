import { z } from "zod";
import { defineBlock, slice } from "../../core/block.ts";
import { ArgsError } from "../../core/errors.ts";
import { count, listed } from "../../core/names.ts";
import { fitRows, replaceColumns } from "../../core/scope.ts";
import { type Cell, stack, text } from "../../core/view.ts";
import type { Output } from "../../plan/node.ts";
import { fillAlong } from "./along.ts";
import { explainMissing } from "./explain.ts";
import {
  countMissing,
  dropRows,
  type Filled,
  fillValues,
  fillWith,
  isByOneValue,
  type Strategy,
  strategies,
} from "./fills.ts";
import { columnsToTreat } from "./treated.ts";

/**
 * DP_2. Fills missing cells, or drops their rows or columns.
 *
 * Means, medians and modes come from training rows alone once there is a split. ffill, bfill and linear look
 * along the table's order, within a subset. Without boundaries every column that the strategy can serve is
 * treated; the others are named in a notice.
 */
export const missing = defineBlock({
  code: "DP_2",
  name: "missing",
  args: {
    /** How a missing cell is filled; "drop" removes its row, "drop_columns" its column. */
    strategy_value: z.literal([...strategies]),
    /** Columns to treat, as a slice or a list of names (default: all that the strategy can serve). */
    boundaries: slice().optional(),
    /** Target columns to treat besides, as a slice over Y or a list of names. */
    y_boundaries: slice().optional(),
    /** What "constant" fills in: a number, a word, true or false, or a date as "2026-01-31". */
    fill_value: z.union([z.number(), z.string(), z.boolean()]).optional(),
  },
  aliases: { strategy: "strategy_value", columns: "boundaries" },
  tolerates: { x_boundaries: "boundaries" },
  positional: ["strategy_value"],
  example: 'session.input("sample:penguins").missing({ strategy: "mean" })',
  explain: explainMissing,
  async run(frame, args, context) {
    if (args.strategy_value === "constant" && args.fill_value === undefined) {
      throw new ArgsError('missing (DP_2): strategy "constant" needs fill_value, as in { fill_value: 0 }.', {
        path: "fill_value",
      });
    }
    const names = columnsToTreat(frame, args, context);
    const strategy = args.strategy_value;
    // Counting is the table engine's work, most of learning is ours: they go on side by side.
    const [holes, values] = await Promise.all([
      countMissing(frame, names, context),
      isByOneValue(strategy) ? fillValues(frame, names, strategy, args.fill_value, context) : new Map<string, Cell>(),
    ]);
    const holey = names.filter((name) => (holes.get(name) ?? 0) > 0);
    const report = (filled: readonly Filled[]) => ({ strategy, fitted: fitRows(frame), filled });
    switch (strategy) {
      case "drop":
        return { frame: await dropRows(frame, holey, context), report: { ...report([]), before: frame.rows } };
      case "drop_columns": {
        const emptied = new Map<string, readonly Output[]>(holey.map((name) => [name, []]));
        return { frame: replaceColumns(frame, context, emptied, holey), report: { ...report([]), dropped: holey } };
      }
      case "ffill":
      case "bfill":
      case "linear": {
        const along = await fillAlong(frame, holes, strategy, context);
        return { frame: along.frame, report: report(along.filled) };
      }
      default: {
        const filled = holey.flatMap((name) => {
          const value = values.get(name) ?? null;
          return value === null ? [] : [{ column: name, cells: holes.get(name) ?? 0, value }];
        });
        return { frame: fillWith(frame, values, strategy, context), report: report(filled) };
      }
    }
  },
  async view({ before, after, report }, read) {
    return stack(text(sentence(report as Report, before?.rows ?? after.rows, after.rows)), await read.head(after));
  },
});

interface Report {
  readonly strategy: Strategy;
  readonly fitted: string;
  readonly filled: readonly Filled[];
  readonly dropped?: readonly string[];
}

function sentence(report: Report, before: number, after: number): string {
  if (report.strategy === "drop")
    return `Dropped ${count(before - after, "row")} with missing cells; ${count(after, "row")} left.`;
  if (report.dropped)
    return report.dropped.length === 0 ? "No column has missing cells." : `Dropped ${listed(report.dropped)}.`;
  if (report.filled.length === 0) return "No missing cell was filled.";
  const learnt = ["mean", "median", "mode"].includes(report.strategy)
    ? ` (${report.strategy} of ${report.fitted})`
    : ` (${report.strategy})`;
  const parts = report.filled.slice(0, 12).map(({ column: name, cells, value }) => {
    const shown = typeof value === "number" ? Number(value.toPrecision(6)) : value;
    return `${name}: ${count(cells, "cell")}${value === null ? "" : ` with ${shown}`}`;
  });
  const more = report.filled.length > 12 ? ` and ${report.filled.length - 12} more columns` : "";
  return `Filled ${parts.join(", ")}${more}${learnt}.`;
}
