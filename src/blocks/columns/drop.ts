import { columnList, columnRefs, defineBlock } from "../../core/block.ts";
import { ArgsError } from "../../core/errors.ts";
import { count, listed } from "../../core/names.ts";
import { chosen, replaceColumns } from "../../core/scope.ts";
import type { Slice } from "../../core/slices.ts";
import { stack, text } from "../../core/view.ts";
import type { Output } from "../../plan/node.ts";

/** DP_6. Drops columns, by name or by index within X, Y or the dataset. */
export const drop = defineBlock({
  code: "DP_6",
  name: "drop",
  codes: ["DP_DC"],
  args: {
    /** Columns to drop, by name. */
    columns: columnRefs().optional(),
    /** Columns of X, by index or name. */
    x_columns: columnList().optional(),
    /** Columns of Y, by index or name. */
    y_columns: columnList().optional(),
    /** Columns of the dataset, by index or name. */
    d_columns: columnList().optional(),
  },
  positional: ["...columns"],
  example: 'session.input("sample:penguins").drop("island", "sex")',
  async run(frame, args, context) {
    const all = frame.columns.map((column) => column.name);
    const pick = (wanted: Slice | undefined, names: readonly string[], where: string) => {
      if (wanted === undefined || (Array.isArray(wanted) && wanted.length === 0)) return [];
      return chosen(frame, wanted, { names, where });
    };
    const dropped = new Set([
      ...pick(args.columns, all, "the table"),
      ...pick(args.d_columns, all, "the table"),
      ...pick(args.x_columns, frame.x ?? all, "X"),
      ...pick(args.y_columns, frame.y ?? [], "Y"),
    ]);
    if (dropped.size === all.length) {
      throw new ArgsError(`drop (DP_6): that would drop all ${count(all.length, "column")}; keep at least one.`, {
        got: [...dropped],
      });
    }
    const replacements = new Map<string, readonly Output[]>([...dropped].map((name) => [name, []]));
    return {
      frame: replaceColumns(frame, context, replacements),
      functionAction: dropped.size,
      report: { dropped: [...dropped] },
    };
  },
  async view({ after, report }, read) {
    const { dropped } = report as { dropped: string[] };
    const words = dropped.length === 0 ? "Dropped nothing." : `Dropped ${listed(dropped)}.`;
    return stack(text(words), await read.head(after));
  },
});
