import { z } from "zod";
import { defineBlock } from "../../core/block.ts";
import { count, listed } from "../../core/names.ts";
import { stack, text } from "../../core/view.ts";
import type { Relation } from "../../plan/node.ts";
import { explainQuery } from "./explain.ts";
import { begun, noticeEnd } from "./other.ts";

/**
 * BL_QUERY. Answers one SELECT in DuckDB's SQL over this table, called `data`, and those of other blocks.
 *
 * The table of block 3 is `block_3`. It runs apart from everything else: it can read no file and no other table, and
 * changes nothing. Without ORDER BY the order of rows is the engine's. It is a new table: roles and a split end.
 */
export const query = defineBlock({
  code: "BL_QUERY",
  name: "query",
  args: {
    /** The SELECT: `SELECT shop, count(*) AS n FROM data GROUP BY shop`. */
    sql: z.string().min(1).max(100_000),
  },
  positional: ["sql"],
  example:
    'session.input("sample:penguins").query("SELECT species, count(*) AS n FROM data GROUP BY species ORDER BY n")',
  explain: explainQuery,
  async run(frame, args, context) {
    const who = `${context.block.name} (${context.block.code})`;
    const over: Record<string, Relation> = { data: frame.relation };
    for (const [name, block] of args.sql.matchAll(/\bblock_(\d{1,9})\b/gi)) {
      over[name.toLowerCase()] ??= (await context.table(Number(block))).relation;
    }
    noticeEnd(frame, context);
    const { relation, columns, rows } = await context.tables.select({ sql: args.sql, over }, who);
    return { frame: begun(relation, columns, rows), report: { over: Object.keys(over) } };
  },
  async view({ after, report }, read) {
    const { over } = report as { over: string[] };
    return stack(text(`Asked ${listed(over)}: ${count(after.rows, "row")}.`), await read.head(after));
  },
});
