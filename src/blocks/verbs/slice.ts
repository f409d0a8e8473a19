import { z } from "zod";
import { defineBlock } from "../../core/block.ts";
import type { Frame } from "../../core/frame.ts";
import { keepStretch } from "../../core/keep-rows.ts";
import { count } from "../../core/names.ts";
import { splitBehind } from "../../core/split.ts";
import { stack, text } from "../../core/view.ts";
import type { Sorted } from "../../plan/node.ts";
import { explainSlice } from "./explain.ts";

/** BL_SLICE. Keeps the rows from one place up to another, in the table's order. */
export const slice = defineBlock({
  code: "BL_SLICE",
  name: "slice",
  args: {
    /** The first row, from 0; negative from the end (default 0). */
    from: z.int().default(0),
    /** The row before which it ends; negative from the end (default: the table's end). */
    to: z.int().optional(),
  },
  positional: ["from", "to"],
  example: 'session.input("sample:penguins").slice(10, 20)',
  explain: explainSlice,
  behind: (frame) => sortOf(frame)?.of ?? null,
  async run(frame, args, context) {
    const place = (wanted: number) => Math.max(0, Math.min(frame.rows, wanted < 0 ? frame.rows + wanted : wanted));
    const from = place(args.from);
    const to = Math.max(from, place(args.to ?? frame.rows));
    const sorted = sortOf(frame);
    const rows = to - from;
    if (sorted && rows < frame.rows) {
      const made: Sorted = { ...sorted, part: { from, to } };
      const relation = await context.tables.settleLater(made, { rows, columns: frame.columns.length });
      const kept = () => Int32Array.from({ length: rows }, (_, k) => from + k);
      const split = await splitBehind(frame, relation, kept, context.tables);
      return { frame: { ...frame, relation, rows, split }, report: { from, to } };
    }
    return { frame: await keepStretch(frame, context, from, to), report: { from, to } };
  },
  async view({ before, after, report }, read) {
    const { from, to } = report as { from: number; to: number };
    const all = count(before?.rows ?? after.rows, "row");
    return stack(text(`Rows ${from} to ${to} (exclusive) of ${all}.`), await read.head(after));
  },
});

/** The sort that a table was just written for: a part of its rows is found without the others. */
function sortOf({ relation: { holds, steps } }: Frame): Sorted | null {
  return holds?.made === "sort" && !holds.part && steps.length === 0 ? holds : null;
}
