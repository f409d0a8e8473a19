import { columnList, defineBlock } from "../../core/block.ts";
import { ArgsError } from "../../core/errors.ts";
import { listed } from "../../core/names.ts";
import { splitBehind } from "../../core/split.ts";
import { stack, text } from "../../core/view.ts";
import { explainSort } from "./explain.ts";
import { sortKeys } from "./keys.ts";

/**
 * BL_SORT. Sorts the table's rows by columns; rows that are alike in all of them keep their order.
 *
 * Missing cells are last either way, and text goes by code point. Training and test rows keep an order of their own.
 */
export const sort = defineBlock({
  code: "BL_SORT",
  name: "sort",
  args: {
    /** The columns, the first counts most; "-price" sorts from the greatest down. */
    by: columnList(),
  },
  positional: ["...by"],
  example: 'session.input("sample:penguins").sort("island", "-body_mass_g")',
  explain: explainSort,
  async run(frame, args, context) {
    const who = `${context.block.name} (${context.block.code})`;
    const by = sortKeys(frame, args.by, who);
    if (by.length === 0)
      throw new ArgsError(`${who}: by names no column. Give one, as in sort("age").`, { path: "by" });
    const size = { rows: frame.rows, columns: frame.columns.length };
    const relation = await context.tables.settleLater({ made: "sort", of: frame.relation, by }, size);
    const order = () => context.tables.order(frame.relation, by);
    const split = await splitBehind(frame, relation, order, context.tables);
    return { frame: { ...frame, relation, split }, report: { by } };
  },
  async view({ after, report }, read) {
    const { by } = report as { by: { column: string; descending?: boolean }[] };
    const keys = by.map(({ column, descending }) => (descending ? `${column} (descending)` : column));
    return stack(text(`Sorted by ${listed(keys)}.`), await read.head(after, { named: by.map(({ column }) => column) }));
  },
});
