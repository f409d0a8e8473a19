import { columnRef, defineBlock } from "../../core/block.ts";
import { count } from "../../core/names.ts";
import { selectFrom } from "../../core/relation.ts";
import { chosen } from "../../core/scope.ts";
import { col, sql } from "../../core/sql.ts";
import { type Cell, stack, text } from "../../core/view.ts";
import { explainCounts } from "./explain.ts";

/** DP_STC. Counts how often each value of one column occurs, the most frequent first. */
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
    const found = await context.tables.query(
      sql`SELECT CAST(${col(name)} AS VARCHAR), count(*) FROM (${selectFrom(frame.relation, { columns: [name] })}) GROUP BY ${col(name)} ORDER BY count(*) DESC, ${col(name)}`,
    );
    const present = found.filter(([value]) => value !== null);
    const missing = found.find(([value]) => value === null)?.[1] ?? 0;
    return {
      frame,
      output: {
        column: name,
        counts: Object.fromEntries(present.map(([value, n]) => [String(value), Number(n)])),
        missing: Number(missing),
      },
      // An object would put number-like values first; the view keeps the order by frequency.
      report: { ordered: present.slice(0, 50), different: present.length },
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
