import { z } from "zod";
import { type BlockContext, defineBlock, slice } from "../../core/block.ts";
import { ArgsError, DataError } from "../../core/errors.ts";
import { type Column, column, type Frame } from "../../core/frame.ts";
import { count, listed, quoted } from "../../core/names.ts";
import type { Output } from "../../core/relation.ts";
import { chosen, fitRows, noticeRows, replaceColumns, scope } from "../../core/scope.ts";
import type { Slice } from "../../core/slices.ts";
import { type Cell, stack, text } from "../../core/view.ts";
import { fillAlong } from "./along.ts";
import { explainMissing } from "./explain.ts";
import {
  countMissing,
  dropRows,
  type Filled,
  fillValues,
  fillWith,
  fitting,
  type Strategy,
  strategies,
} from "./fills.ts";

/**
 * DP_2. Fills missing cells, or drops their rows or columns.
 *
 * Means, medians and modes come from training rows alone once there are folds. ffill, bfill and linear look
 * along the table's order, within a fold. Without boundaries every column that the strategy can serve is
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
    const holes = await countMissing(frame, names, context);
    const holey = names.filter((name) => (holes.get(name) ?? 0) > 0);
    const report = (filled: readonly Filled[]) => ({ strategy: args.strategy_value, fitted: fitRows(frame), filled });
    switch (args.strategy_value) {
      case "drop":
        return { frame: await dropRows(frame, holey, context), report: { ...report([]), before: frame.rows } };
      case "drop_columns": {
        const emptied = new Map<string, readonly Output[]>(holey.map((name) => [name, []]));
        return { frame: replaceColumns(frame, context, emptied, holey), report: { ...report([]), dropped: holey } };
      }
      case "ffill":
      case "bfill":
      case "linear": {
        const along = await fillAlong(frame, holes, args.strategy_value, context);
        return { frame: along.frame, report: report(along.filled) };
      }
      default: {
        const values = await fillValues(frame, names, args.strategy_value, args.fill_value, context);
        const filled = holey.flatMap((name) => {
          const value = values.get(name) ?? null;
          return value === null ? [] : [{ column: name, cells: holes.get(name) ?? 0, value }];
        });
        return { frame: fillWith(frame, values, args.strategy_value, context), report: report(filled) };
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

/** Which columns are treated, and how. */
export interface Asked {
  readonly strategy_value: Strategy;
  readonly boundaries?: Slice | undefined;
  readonly y_boundaries?: Slice | undefined;
  readonly fill_value?: Cell | undefined;
}

/** The columns that are treated: those named, else all that the strategy can serve. */
export function columnsToTreat(
  frame: Frame,
  asked: Asked,
  context: Pick<BlockContext, "block" | "notice">,
): readonly string[] {
  const { strategy_value: strategy, boundaries, fill_value: fill } = asked;
  const slices = [
    [boundaries, scope(frame)],
    [asked.y_boundaries, scope(frame, { y: frame.y !== null })],
  ] as const;
  const isNamed = slices.some(([wanted]) => wanted !== undefined);
  const sliced = slices.flatMap(([wanted, within]) => {
    if (wanted === undefined) return [];
    noticeRows(frame, wanted, within, context);
    return chosen(frame, wanted, within);
  });
  const named = isNamed ? [...new Set(sliced)] : scope(frame).names;
  const refused = named.filter((name) => !canServe(column(frame, name), strategy, fill));
  if (refused.length === 0) return named;
  const constant = strategy === "constant" ? JSON.stringify(fill) : null;
  if (isNamed) {
    const first = column(frame, refused[0]);
    const rule = constant
      ? `${constant} does not fit column ${quoted(first.name)}, which is ${first.type}. Give a fill_value that is ${aOf(first)}`
      : `${strategy} needs numbers, but column ${quoted(first.name)} is ${first.type}. Use strategy "mode"`;
    throw new DataError(`missing (DP_2): ${rule}, or leave it out of boundaries.`, {
      path: "boundaries",
      got: refused,
      expected: constant ? first.type : "numeric columns",
    });
  }
  const rule = constant ? `${constant} does not fit` : `${strategy} needs numbers, not`;
  context.notice(`missing (DP_2): ${rule} ${listed(refused)}, which stayed as before.`);
  return named.filter((name) => !refused.includes(name));
}

function aOf({ type }: Column): string {
  const words = { number: "a number", boolean: "true or false", datetime: 'a date, as "2026-01-31"' };
  return words[type as keyof typeof words] ?? "text";
}

function canServe(candidate: Column, strategy: Strategy, fill: Cell | undefined): boolean {
  if (candidate.type === "tensor") return false;
  if (strategy === "mean" || strategy === "median" || strategy === "linear") return candidate.type === "number";
  return strategy !== "constant" || fitting(candidate, fill) !== null;
}
