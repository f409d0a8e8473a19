import { z } from "zod";
import { defineBlock } from "../../core/block.ts";
import { DataError } from "../../core/errors.ts";
import { count } from "../../core/names.ts";
import { collectedSplit } from "../../core/split.ts";
import { stack, text } from "../../core/view.ts";
import { mostRows } from "../input/cluster.ts";
import { explainCollect } from "./explain.ts";

/**
 * BL_COLLECT. Brings the rows of a chain that runs on Spark here, where every block can work on them.
 *
 * They come in their order, with their roles. What was learnt of them stays, so new rows in production take the same
 * steps. A table whose rows are here already stays as it is.
 */
export const collect = defineBlock({
  code: "BL_COLLECT",
  name: "collect",
  args: {
    /** A table of more rows is refused before one comes (default 10000000). */
    most_rows: z.int().min(1).max(200_000_000).default(mostRows),
  },
  positional: ["most_rows"],
  example: 'session.input("sample:penguins").filter("body_mass_g > 4000").collect()',
  explain: explainCollect,
  async run(frame, args, context) {
    const { tables } = context;
    if (tables.isFar && frame.rows > args.most_rows) {
      throw new DataError(
        `${context.block.name} (${context.block.code}): the table has ${count(frame.rows, "row")}, and most_rows is ${args.most_rows.toLocaleString("en-US")}; filter(), sample() or summarize() first, or raise most_rows.`,
        { code: "too_many_rows", path: "most_rows", expected: args.most_rows, got: frame.rows },
      );
    }
    const relation = await tables.collect(frame.relation, frame.columns, frame.rows);
    return {
      frame: { ...frame, relation, split: await collectedSplit(frame, tables) },
      report: { came: tables.isFar },
    };
  },
  async view({ after, report }, read) {
    const { came } = report as { came: boolean };
    const told = came ? `${count(after.rows, "row")} came from Spark.` : "The rows are here already.";
    return stack(text(told), await read.head(after));
  },
});
