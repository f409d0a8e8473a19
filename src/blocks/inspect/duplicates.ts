import { z } from "zod";
import { type BlockContext, columnList, defineBlock } from "../../core/block.ts";
import { type Frame, typeName } from "../../core/frame.ts";
import { isOriginal } from "../../core/keep-rows.ts";
import { count, freshNames, listed } from "../../core/names.ts";
import type { Keep } from "../../core/tables.ts";
import { type Cell, stack, text, type ViewColumn } from "../../core/view.ts";
import { columnFor } from "../../plan/column.ts";
import { call, value } from "../../plan/expr.ts";
import { addStep } from "../../plan/node.ts";
import { columnsCompared } from "../shared/repeats.ts";
import { explainDuplicates } from "./explain.ts";

/** So many row numbers are answered; the count is always whole. */
const mostRows = 10_000;
const shownRows = 10;

/**
 * DP_SDC. Shows the rows that repeat another in the given columns, as pandas' duplicated.
 *
 * The output is `{count, rows}`: how many there are, and their row numbers from 0, the first 10,000 of them.
 */
export const duplicates = defineBlock({
  code: "DP_SDC",
  name: "duplicates",
  args: {
    /** The columns that are compared, by name or index (default [], which means all). */
    columns: columnList().default([]),
    /** Which of equal rows is no duplicate: the "first", the "last", or "none" of them (default "first"). */
    keep: z.literal(["first", "last", "none"]).default("first"),
  },
  positional: ["...columns"],
  example: 'session.input("sample:penguins").duplicates("island", "sex")',
  explain: explainDuplicates,
  async run(frame, args, context) {
    const names = columnsCompared(frame, args.columns);
    const every = frame.columns.filter(({ type }) => type !== "tensor").map(({ name }) => name);
    const { n, rows } = await repeatsOf(frame, context, names, args.keep);
    const shown = rows.slice(0, shownRows);
    const cells = shown.length > 0 ? await context.tables.cells(frame.relation, { columns: every, rows: shown }) : [];
    const first = shown.map((row, i) => [row, ...cells.map((column) => column[i])]);
    return {
      frame,
      output: { count: n, rows },
      report: { names, every, first },
    };
  },
  view({ output, report, after }) {
    const { count: n } = output as { count: number };
    const { names, every, first } = report as { names: string[]; every: string[]; first: Cell[][] };
    const alike = names.length === after.columns.length ? "in all columns" : `in ${listed(names)}`;
    const words = text(
      n === 0 ? `No row repeats another ${alike}.` : `${count(n, "row")} equal to another ${alike}.`,
      n === 0 ? "good" : "warning",
    );
    if (n === 0) return words;
    const known = new Map(after.columns.map((each) => [each.name, typeName(each) as ViewColumn["type"]]));
    const columns: ViewColumn[] = [
      { name: "row", type: "text" },
      ...every.map((name) => ({ name, type: known.get(name) ?? "text" })),
    ];
    return stack(words, { kind: "table", columns, rows: first, total: n });
  },
});

/** How many rows repeat another, and the first of their numbers. */
async function repeatsOf(
  { relation, rows: all }: Frame,
  { tables }: BlockContext,
  names: readonly string[],
  keep: Keep,
): Promise<{ readonly n: number; readonly rows: readonly number[] }> {
  const rows: number[] = [];
  let n = 0;
  if (tables.isFar) {
    // Windows stand in no condition, so a column says it.
    const isRepeat = call("not", isOriginal(names, keep));
    const column = columnFor(freshNames(["repeats"], names)[0], "boolean");
    const told = addStep(relation, { block: 0, name: "duplicates", outputs: [{ column, expr: isRepeat }] });
    const where = { column: column.name, type: "boolean" } as const;
    const found = await tables.find(told, {}, { where, outputs: [], limit: mostRows });
    rows.push(...found.map(([row]) => Number(row)));
    const counted = call("count", call("choose", where, value(1, "integer"), value(null)));
    n = rows.length < mostRows ? rows.length : Number((await tables.aggregate(told, {}, [counted]))[0]);
    return { n, rows };
  }
  const originals = await tables.originals(relation, all, names, keep);
  for (let row = 0; row < all; row++) {
    if (originals[row] === 1) continue;
    if (n++ < mostRows) rows.push(row);
  }
  return { n, rows };
}
