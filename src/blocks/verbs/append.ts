import { defineBlock } from "../../core/block.ts";
import { DataError } from "../../core/errors.ts";
import { type Column, cell, type Frame } from "../../core/frame.ts";
import { refuseRows } from "../../core/most-rows.ts";
import { count, listed, quoted } from "../../core/names.ts";
import { stack, text } from "../../core/view.ts";
import { columnFor, valueType } from "../../plan/column.ts";
import { call } from "../../plan/expr.ts";
import { common, typeWords } from "../../plan/types.ts";
import { explainAppend } from "./explain.ts";
import { begun, found, otherTables } from "./other.ts";

/**
 * BL_APPEND. Puts the rows of other tables below this one's, column by column of the same name.
 *
 * A column that a table does not have is missing in its rows; columns that only others have come last. Roles stay. Rows
 * are appended before a split, not after it: nobody has said on which side they stand.
 */
export const append = defineBlock({
  code: "BL_APPEND",
  name: "append",
  args: {
    /** The other tables: block ids, chains, results or their tables, rows, or URLs, files and samples. */
    others: otherTables(),
  },
  positional: ["...others"],
  tables: ["others"],
  files: ["others"],
  example: 'session.input("sample:penguins").append("sample:penguins")',
  explain: explainAppend,
  async run(frame, args, context) {
    const { name, code } = context.block;
    const who = `${name} (${code})`;
    if (frame.split) {
      throw new DataError(
        `${who}: rows that come after a split are on neither side of it; append before split (DP_4).`,
        { path: "others" },
      );
    }
    /** Has no row of these tables a cell there? Then nothing tells its type. */
    const isEmpty = async (among: readonly Frame[], name: string): Promise<boolean> => {
      for (const { relation, columns } of among) {
        const there = columns.find((each) => each.name.toLowerCase() === name.toLowerCase());
        const [cells] = there ? await context.tables.aggregate(relation, {}, [call("count", cell(there))]) : [0];
        if (Number(cells) > 0) return false;
      }
      return true;
    };
    const tables = [{ ...frame, called: "this table" }];
    for (const each of args.others) tables.push({ ...frame, ...(await found(each, "others", context)) });
    const together = tables.reduce((sum, { rows }) => sum + rows, 0);
    refuseRows(together, `${who}: all tables together`, "Append fewer of them, or sample() them first.", "others");
    const columns = new Map<string, Column>();
    for (const [at, table] of tables.entries()) {
      for (const column of table.columns) {
        const known = [...columns.values()].find((each) => each.name.toLowerCase() === column.name.toLowerCase());
        const alike = known && withBoth(known, column);
        if (alike) columns.set(known.name, alike);
        else if (!known || (await isEmpty(tables.slice(0, at), known.name))) {
          columns.set(known?.name ?? column.name, { ...column, name: known?.name ?? column.name });
        } else if (!(await isEmpty([table], column.name))) throw differing(known, column, table.called, who);
      }
    }
    const all = [...columns.values()];
    const { relation, rows } = await context.tables.settle({
      made: "append",
      of: tables.map((each) => each.relation),
      columns: all,
      has: tables.map((table) => {
        const own = new Set(table.columns.map((each) => each.name.toLowerCase()));
        return all.map((each) => each.name).filter((each) => own.has(each.toLowerCase()));
      }),
    });
    const isAlike = JSON.stringify(all) === JSON.stringify(frame.columns);
    const after = isAlike
      ? { ...frame, relation, rows }
      : { ...begun(relation, all, rows), x: frame.x, y: frame.y, fits: frame.fits };
    const more = all.slice(frame.columns.length).map((each) => each.name);
    return { frame: after, report: { tables: args.others.length, more } };
  },
  async view({ before, after, report }, read) {
    const { tables, more } = report as { tables: number; more: string[] };
    const fresh = more.length > 0 ? ` New: ${listed(more)}.` : "";
    const rows = count(after.rows - (before?.rows ?? 0), "row");
    return stack(
      text(`Appended ${rows} of ${count(tables, "table")}; ${count(after.rows, "row")} now.${fresh}`),
      await read.head(after),
    );
  },
});

/** The column that holds the cells of both; undefined where none does. */
function withBoth(known: Column, more: Column): Column | undefined {
  const type = common(valueType(known), valueType(more));
  if (type === null) return undefined;
  if (type === "tensor") return JSON.stringify(known.shape) === JSON.stringify(more.shape) ? known : undefined;
  return known.type === more.type && type !== "number" ? known : columnFor(known.name, type);
}

function differing(known: Column, more: Column, called: string, who: string): DataError {
  const [a, b] = [known, more].map((each) => typeWords[valueType(each)]);
  return new DataError(
    `${who}: ${quoted(known.name)} is ${a} here and ${a === b ? "one of another shape" : b} in ${called}; bring one to the other's type with astype (DP_ASP), or rename it, first.`,
    { path: "others", got: more.name },
  );
}
