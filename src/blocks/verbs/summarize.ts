import { columnList, defineBlock } from "../../core/block.ts";
import { ArgsError } from "../../core/errors.ts";
import { expressions, parameters, readExpression } from "../../core/expressions.ts";
import { columnsNamed } from "../../core/frame.ts";
import { count, listed, quoted } from "../../core/names.ts";
import { stack, text } from "../../core/view.ts";
import { columnFor } from "../../plan/column.ts";
import { type Expr, mapCalls } from "../../plan/expr.ts";
import { functions } from "../../plan/functions.ts";
import type { Output } from "../../plan/node.ts";
import { explainSummarize } from "./explain.ts";
import { checkedName, columnsOf } from "./keys.ts";
import { begun, noticeEnd } from "./other.ts";

/**
 * BL_SUMMARIZE. Sums up the rows of each group, or of the table, in one row.
 *
 * Groups come in the order of their keys; missing is a group of its own, and the last. Missing cells don't count. It is
 * a new table: roles and a split end, and new rows in production are brought as these columns. Sums and means are the
 * same to the last digit on any machine, however many threads it has.
 */
export const summarize = defineBlock({
  code: "BL_SUMMARIZE",
  name: "summarize",
  args: {
    /** Columns whose equal cells make a group (default: all rows are one). */
    by: columnList().optional(),
    /** The new columns by name: `{ n: () => count(), total: d => sum(d.units * d.price) }`. */
    columns: expressions(),
    /** Values of the program that expressions name, as in `(d, $) => sum(d.price) / $.rate`. */
    params: parameters().optional(),
  },
  example:
    'session.input("sample:penguins").summarize({ by: ["species"], columns: { n: "count()", mass: "mean(body_mass_g)" } })',
  explain: explainSummarize,
  async run(frame, args, context) {
    const { name, code } = context.block;
    const who = `${name} (${code})`;
    const by = columnsOf(frame, args.by);
    const keys = columnsNamed(frame.columns, by);
    const tensor = keys.find(({ type }) => type === "tensor");
    if (tensor) {
      throw new ArgsError(`${who}: column ${quoted(tensor.name)} is an array, which makes no groups.`, { path: "by" });
    }
    const among = { ...frame, columns: keys };
    const place = { kinds: ["aggregate"], where: "a summary" } as const;
    const outputs = Object.entries(args.columns).map(([label, wanted]): Output => {
      const made = checkedName(label, among, who);
      if (by.includes(made)) {
        throw new ArgsError(`${who}: ${quoted(made)} is one of the groups' keys; call the new column otherwise.`, {
          path: `columns.${label}`,
          got: label,
        });
      }
      const about = { text: wanted, who, path: `columns.${label}`, place, params: args.params };
      const { expr, type } = readExpression(frame.columns, about);
      refuseCells(expr, by, label, who);
      return { column: columnFor(made, type), expr };
    });
    const names = outputs.map(({ column }) => column.name.toLowerCase());
    const twice = names.find((each, k) => names.indexOf(each) < k);
    if (outputs.length + by.length === 0 || twice !== undefined) {
      const rule = twice === undefined ? "neither by nor columns names one" : `${quoted(twice)} is named twice`;
      throw new ArgsError(`${who}: ${rule}; a table has one column at least, each with a name of its own.`, {
        path: "columns",
      });
    }
    noticeEnd(frame, context);
    const { relation, rows } = await context.tables.settle({ made: "groups", of: frame.relation, by, outputs });
    const columns = [...keys, ...outputs.map(({ column }) => column)];
    return { frame: begun(relation, columns, rows), report: { by, rows: frame.rows } };
  },
  async view({ after, report }, read) {
    const { by, rows } = report as { by: string[]; rows: number };
    const groups = by.length > 0 ? ` in ${count(after.rows, "group")} by ${listed(by)}` : "";
    return stack(text(`Summed up ${count(rows, "row")}${groups}.`), await read.head(after));
  },
});

/** A column that is no key has many cells in a group: an aggregate must say which of them. */
function refuseCells(expr: Expr, by: readonly string[], label: string, who: string): void {
  const outside = mapCalls(expr, (call) => (functions[call.call].kind === "aggregate" ? { value: null } : call));
  const loose = looseColumn(outside, by);
  if (loose === null) return;
  throw new ArgsError(
    `${who}: columns.${label}: column ${quoted(loose)} has many cells in a group; say which, as in mean(d.${/^\w+$/.test(loose) ? loose : "x"}) or first(…), or put it into by.`,
    { path: `columns.${label}`, got: loose },
  );
}

function looseColumn(expr: Expr, by: readonly string[]): string | null {
  if ("column" in expr) return by.includes(expr.column) ? null : expr.column;
  if (!("args" in expr)) return null;
  for (const each of expr.args) {
    const found = looseColumn(each, by);
    if (found !== null) return found;
  }
  return null;
}
