import { columnRef, defineBlock } from "../../core/block.ts";
import { cell, column } from "../../core/frame.ts";
import { count, quoted } from "../../core/names.ts";
import { chosen } from "../../core/scope.ts";
import { type Cell, stack, text } from "../../core/view.ts";
import { call } from "../../plan/expr.ts";
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
    const value = cell(column(frame, name));
    const {
      found: present,
      groups: different,
      rows,
    } = await context.tables.groups(
      frame.relation,
      {},
      {
        by: [value],
        where: call("not", call("isMissing", value)),
        outputs: [call("written", value), call("count")],
        order: [{ expr: call("count"), descending: true }, { expr: value }],
        limit: mostValues,
      },
    );
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
        missing: frame.rows - rows,
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
