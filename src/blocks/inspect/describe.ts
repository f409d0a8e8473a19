import { type BlockContext, defineBlock } from "../../core/block.ts";
import type { Frame } from "../../core/frame.ts";
import { columnOf } from "../../core/matrix.ts";
import { rowsOf, selectFrom } from "../../core/relation.ts";
import { col, sql } from "../../core/sql.ts";
import { type Cell, stack, type TableView } from "../../core/view.ts";
import { quantiles } from "../../kernels/statistics.ts";
import { moments } from "../moments.ts";

const numericKeys = ["count", "mean", "std", "min", "25%", "50%", "75%", "max"] as const;
const otherKeys = ["count", "unique", "top", "freq"] as const;

type Summary = Record<string, Cell>;

/** DP_DSC. Describes every column as pandas' describe does: quartiles of numbers, the top value of others. */
export const describe = defineBlock({
  code: "DP_DSC",
  name: "describe",
  args: {},
  example: 'session.input("sample:penguins").describe()',
  async run(frame, _args, context) {
    const numeric = await describeNumbers(frame, context);
    const entries: [string, Summary][] = [];
    for (const { name } of frame.columns) {
      entries.push([name, numeric.get(name) ?? (await describeOther(frame, name, context))]);
    }
    return { frame, output: { columns: Object.fromEntries(entries) } };
  },
  view({ output, after }) {
    const { columns } = output as unknown as { columns: Record<string, Summary> };
    const isNumber = (name: string) => "mean" in columns[name];
    const names = after.columns.map((column) => column.name);
    const table = (keys: readonly string[], chosen: readonly string[]): TableView | null =>
      chosen.length === 0
        ? null
        : {
            kind: "table",
            summary: true,
            columns: [
              { name: "column", type: "text" },
              ...keys.map((name) => ({
                name,
                type:
                  name === "count" || name === "unique" || name === "freq"
                    ? ("integer" as const)
                    : name === "top"
                      ? ("text" as const)
                      : ("number" as const),
              })),
            ],
            rows: chosen.map((name) => [name, ...keys.map((key) => columns[name][key] ?? null)]),
          };
    return stack(
      table(numericKeys, names.filter(isNumber)),
      table(
        otherKeys,
        names.filter((name) => !isNumber(name)),
      ),
    );
  },
});

async function describeNumbers(frame: Frame, context: BlockContext): Promise<Map<string, Summary>> {
  const names = frame.columns.filter((column) => column.type === "number").map((column) => column.name);
  if (names.length === 0) return new Map();
  const found = await moments(selectFrom(frame.relation, { columns: names }), names, context.tables);
  // Quickselect on the columns takes a fifth of what DuckDB's exact quantiles take.
  const numbers = await context.tables.numbers(frame.relation, { columns: names });
  const summaries = new Map<string, Summary>();
  for (const [k, name] of names.entries()) {
    const { n, mean, min, max, deviation } = found[k];
    // With infinity among the values there is no deviation, as in pandas, and of one value neither.
    const std = deviation === null || n < 2 ? null : deviation * Math.sqrt(n / (n - 1));
    const quartiles = [...quantiles({ values: columnOf(numbers, k), at: [0.25, 0.5, 0.75] })];
    const [low, middle, high] = quartiles.map((value) => (Number.isNaN(value) ? null : value));
    summaries.set(name, { count: n, mean, std, min, "25%": low, "50%": middle, "75%": high, max });
    context.progress("quartiles", k + 1, names.length);
    await new Promise(setImmediate);
  }
  return summaries;
}

async function describeOther(frame: Frame, name: string, context: BlockContext): Promise<Summary> {
  const rows = rowsOf(frame.relation, { columns: [name] });
  const [[n, unique]] = await context.tables.query(
    sql`SELECT count(${col(name)}), count(DISTINCT ${col(name)}) FROM (${rows})`,
  );
  const [top] = await context.tables.query(
    sql`SELECT CAST(${col(name)} AS VARCHAR), count(*) FROM (${rows}) WHERE ${col(name)} IS NOT NULL GROUP BY ${col(name)} ORDER BY count(*) DESC, ${col(name)} LIMIT 1`,
  );
  return { count: Number(n), unique: Number(unique), top: top?.[0] ?? null, freq: top ? Number(top[1]) : null };
}
