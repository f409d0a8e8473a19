import { z } from "zod";
import { columnList, defineBlock } from "../../core/block.ts";
import { typeName } from "../../core/frame.ts";
import { count, listed } from "../../core/names.ts";
import { rowColumn, selectFrom } from "../../core/relation.ts";
import { col, join, sql } from "../../core/sql.ts";
import { type Cell, stack, text, type ViewColumn } from "../../core/view.ts";
import { columnsCompared, originals } from "../repeats.ts";
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
    const row = col(rowColumn);
    const repeated = sql`FROM (${selectFrom(frame.relation, { columns: every, row: true })}) WHERE ${row} NOT IN (${originals(frame, names, args.keep)})`;
    const [[n]] = await context.tables.query(sql`SELECT count(*) ${repeated}`);
    const found = Number(n) > 0 ? sql`SELECT ${row} ${repeated} ORDER BY 1 LIMIT ${mostRows}` : null;
    const rows = found ? (await context.tables.query(found)).map(([number]) => Number(number)) : [];
    const shown = rows.slice(0, shownRows);
    const all = selectFrom(frame.relation, { columns: every, row: true });
    const first =
      shown.length > 0
        ? await context.tables.query(
            sql`SELECT ${join([row, ...every.map(col)])} FROM (${all}) WHERE ${row} IN (${join(shown.map((number) => sql`${number}`))}) ORDER BY 1`,
          )
        : [];
    return {
      frame,
      output: { count: Number(n), rows },
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
