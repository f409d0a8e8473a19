import { z } from "zod";
import { columnList, defineBlock } from "../../core/block.ts";
import { typeName } from "../../core/frame.ts";
import { count, listed } from "../../core/names.ts";
import { type Cell, stack, text, type ViewColumn } from "../../core/view.ts";
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
    const originals = await context.tables.originals(frame.relation, frame.rows, names, args.keep);
    const rows: number[] = [];
    let n = 0;
    for (let row = 0; row < frame.rows; row++) {
      if (originals[row] === 1) continue;
      if (n++ < mostRows) rows.push(row);
    }
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
