import { z } from "zod";
import { columnList, defineBlock } from "../../core/block.ts";
import { keepOriginals } from "../../core/keep-rows.ts";
import { count, listed } from "../../core/names.ts";
import { stack, text } from "../../core/view.ts";
import { explainDropDuplicates } from "../inspect/explain.ts";
import { columnsCompared } from "../shared/repeats.ts";

/**
 * DP_DRD. Drops rows that repeat another in the given columns, as pandas' drop_duplicates.
 *
 * Missing cells equal each other. The rows that stay keep their order, and their subset.
 */
export const dropDuplicates = defineBlock({
  code: "DP_DRD",
  name: "dropDuplicates",
  args: {
    /** The columns that are compared, by name or index (default [], which means all). */
    columns: columnList().default([]),
    /** Which of equal rows stays: the "first", the "last", or "none" of them (default "first"). */
    keep: z.literal(["first", "last", "none"]).default("first"),
  },
  positional: ["...columns"],
  example: 'session.input("sample:penguins").dropDuplicates("island", "sex")',
  explain: explainDropDuplicates,
  async run(frame, args, context) {
    const names = columnsCompared(frame, args.columns);
    return { frame: await keepOriginals(frame, context, names, args.keep), report: { names } };
  },
  async view({ before, after, report }, read) {
    const { names } = report as { names: string[] };
    const dropped = (before?.rows ?? after.rows) - after.rows;
    const alike = names.length === after.columns.length ? "in all columns" : `in ${listed(names)}`;
    return stack(
      text(`Dropped ${count(dropped, "row")} equal to another ${alike}; ${count(after.rows, "row")} left.`),
      await read.head(after),
    );
  },
});
