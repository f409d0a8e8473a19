import { columnRef, defineBlock } from "../../core/block.ts";
import { count, quoted } from "../../core/names.ts";
import { selectFrom } from "../../core/relation.ts";
import { chosen } from "../../core/scope.ts";
import { col, sql } from "../../core/sql.ts";
import { type Cell, stack, text } from "../../core/view.ts";
import { explainCounts } from "./explain.ts";

/** More values than this nobody reads, and as JSON they would weigh down every look at the project. */
const mostValues = 10_000;

/**
 * DP_STC. Counts how often each value of one column occurs, the most frequent first.
 *
 * Of more than 10,000 different values the most frequent ones are answered, of equally frequent ones the first in order.
 */
export const counts = defineBlock({
  code: "DP_STC",
  name: "counts",
  args: {
    /** The column, by name or by index within the dataset. */
    index: columnRef(),
  },
  aliases: { column: "index" },
  positional: ["index"],
  example: 'session.input("sample:penguins").counts("species")',
  explain: explainCounts,
  async run(frame, args, context) {
    const names = frame.columns.map((column) => column.name);
    const [name] = chosen(frame, [args.index], { names, where: "the table" });
    const cells = selectFrom(frame.relation, { columns: [name] });
    // The missing cells' line comes first, so that it is there however many others are.
    const found = await context.tables.query(
      sql`WITH tally AS MATERIALIZED (SELECT ${col(name)} AS "value", count(*) AS "n" FROM (${cells}) GROUP BY 1)
SELECT CAST("value" AS VARCHAR), "n", (SELECT count("value") FROM tally)
FROM tally ORDER BY "value" IS NOT NULL, "n" DESC, "value" LIMIT ${mostValues + 1}`,
    );
    const present = found.filter(([value]) => value !== null).slice(0, mostValues);
    const missing = found.find(([value]) => value === null)?.[1] ?? 0;
    const different = Number(found[0]?.[2] ?? 0);
    if (different > mostValues) {
      context.notice(
        `counts (DP_STC): column ${quoted(name)} has ${count(different, "different value")}; the ${mostValues.toLocaleString("en-US")} most frequent are answered.`,
      );
    }
    return {
      frame,
      output: {
        column: name,
        counts: Object.fromEntries(present.map(([value, n]) => [String(value), Number(n)])),
        missing: Number(missing),
      },
      // An object would put number-like values first; the view keeps the order by frequency.
      report: { ordered: present.slice(0, 50).map(([value, n]) => [value, n]), different },
    };
  },
  view({ output, report, after }) {
    const { column, missing } = output as { column: string; missing: number };
    const { ordered, different } = report as { ordered: [string, number][]; different: number };
    const rows: Cell[][] = ordered.map(([value, n]) => [value, n, after.rows ? (100 * n) / after.rows : 0]);
    return stack(text(`${column}: ${count(different, "different value")}, ${count(missing, "missing cell")}.`), {
      kind: "table",
      summary: true,
      columns: [
        { name: column, type: "text" },
        { name: "count", type: "integer" },
        { name: "%", type: "number", digits: 1 },
      ],
      rows,
      total: different,
    });
  },
});
