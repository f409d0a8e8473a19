import { type BlockContext, defineBlock } from "../../core/block.ts";
import { cell, column, type Frame } from "../../core/frame.ts";
import { type Cell, stack, type TableView } from "../../core/view.ts";
import { summaries } from "../../numerics/statistics/summaries.ts";
import { call } from "../../plan/expr.ts";
import { inTurns } from "../shared/column-turns.ts";
import { farSummaries } from "../shared/far-measures.ts";
import { computeColumns } from "../shared/row-parts.ts";
import { explainDescribe } from "./explain.ts";

const numericKeys = ["count", "mean", "std", "min", "25%", "50%", "75%", "max"] as const;
const otherKeys = ["count", "unique", "top", "freq"] as const;

type Summary = Record<string, Cell>;

/** DP_DSC. Describes every column as pandas' describe does: quartiles of numbers, the top value of others. */
export const describe = defineBlock({
  code: "DP_DSC",
  name: "describe",
  args: {},
  example: 'session.input("sample:penguins").describe()',
  explain: explainDescribe,
  async run(frame, _args, context) {
    const { numeric, histograms } = await describeNumbers(frame, context);
    const entries: [string, Summary][] = [];
    for (const { name } of frame.columns) {
      entries.push([name, numeric.get(name) ?? (await describeOther(frame, name, context))]);
    }
    return { frame, output: { columns: Object.fromEntries(entries) }, report: { histograms } };
  },
  view({ output, report, after }) {
    const { columns } = output as unknown as { columns: Record<string, Summary> };
    const { histograms = {} } = (report ?? {}) as { histograms?: Readonly<Record<string, string>> };
    const missing = (name: string) => after.rows - Number(columns[name].count);
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
              ...(keys === numericKeys ? [{ name: "shape", type: "text" as const, bars: true, aside: true }] : []),
              { name: "missing", type: "integer", alarm: true, aside: keys === numericKeys },
            ],
            rows: chosen.map((name) => [
              name,
              ...keys.map((key) => columns[name][key] ?? null),
              ...(keys === numericKeys ? [histograms[name] ?? ""] : []),
              missing(name),
            ]),
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

/** Numeric columns' summaries, and of each that has a range its histogram as the view wants it. */
async function describeNumbers(
  frame: Frame,
  context: BlockContext,
): Promise<{ numeric: Map<string, Summary>; histograms: Record<string, string> }> {
  const names = frame.columns.filter((column) => column.type === "number").map((column) => column.name);
  if (names.length === 0) return { numeric: new Map(), histograms: {} };
  // Quickselect on the columns takes a fifth of what DuckDB's exact quantiles take.
  const found = context.tables.isFar
    ? await farSummaries(frame, names, context)
    : await inTurns(frame, { columns: names }, context, (x, spend) =>
        computeColumns(context, summaries, { x, spend }, "columns"),
      );
  const numeric = new Map(
    found.map(({ count, mean, std, min, max, quartiles: [low, middle, high] }, k) => [
      names[k],
      { count, ...known({ mean, std, min, "25%": low, "50%": middle, "75%": high, max }) },
    ]),
  );
  const drawn = found.flatMap(({ histogram }, k) => (histogram.length > 0 ? [[names[k], histogram.join(" ")]] : []));
  return { numeric, histograms: Object.fromEntries(drawn) };
}

/** What can't be said is null. */
function known(numbers: Readonly<Record<string, number>>): Summary {
  return Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, Number.isNaN(value) ? null : value]));
}

async function describeOther(frame: Frame, name: string, context: BlockContext): Promise<Summary> {
  const value = cell(column(frame, name));
  // One grouping answers all four; of equally frequent values the smallest is the top.
  const { found, groups, rows } = await context.tables.groups(
    frame.relation,
    {},
    {
      by: [value],
      where: call("not", call("isMissing", value)),
      outputs: [call("written", value), call("count")],
      order: [{ expr: call("count"), descending: true }, { expr: value }],
      limit: 1,
    },
  );
  const [top, freq] = found[0] ?? [null, null];
  return { count: rows, unique: groups, top, freq };
}
