import { z } from "zod";
import { type BlockContext, defineBlock } from "../../core/block.ts";
import type { Chart, HeatmapChart } from "../../core/chart.ts";
import { ArgsError, DataError } from "../../core/errors.ts";
import { type Frame, isNumeric } from "../../core/frame.ts";
import { columnOf } from "../../core/matrix.ts";
import { correlate } from "../shared/correlate.ts";
import { matrixOf } from "../shared/row-parts.ts";
import { tableBehind } from "../shared/sources.ts";
import { mostMarks } from "./plot-operands.ts";
import { chartOutput } from "./plots.ts";

/**
 * DP_HMP. Draws a grid of coloured cells: correlations of a table's columns, or the values themselves.
 *
 * Of values at most 5,000 cells are drawn; of more rows, the means of stretches of rows.
 */
export const heatmap = defineBlock({
  code: "DP_HMP",
  name: "heatmap",
  source: "optional",
  args: {
    /** A variable such as "x_train", a URL, or an array of rows (default: the numeric columns of the state). */
    dataset: z.union([z.string(), z.array(z.array(z.number().nullable()))]).optional(),
    /** "correlations" between columns, or the "values" (default: values for an array, else correlations). */
    of: z.literal(["correlations", "values"]).optional(),
  },
  positional: ["dataset"],
  files: ["dataset"],
  example: 'session.input("sample:iris").heatmap()',
  async run(frame, args, context) {
    const inline = inlineRows(args.dataset);
    const chart = inline
      ? ofRows(inline)
      : await ofTable(frame, args.dataset as string | undefined, args.of ?? "correlations", context);
    return { frame, output: chartOutput(chart), report: { chart } };
  },
  view({ report }) {
    return { kind: "chart", chart: (report as { chart: Chart }).chart };
  },
});

type Rows = (number | null)[][];

function inlineRows(value: string | Rows | undefined): Rows | null {
  if (value === undefined) return null;
  let rows: unknown = value;
  if (typeof value === "string") {
    if (!value.trimStart().startsWith("[")) return null;
    try {
      rows = JSON.parse(value);
    } catch (error) {
      throw new ArgsError(
        "heatmap (DP_HMP): dataset looks like an array but is not JSON; write rows as in [[1, 2], [3, 4]].",
        { path: "dataset" },
        { cause: error },
      );
    }
  }
  const parsed = z.array(z.array(z.number().nullable())).nonempty().safeParse(rows);
  if (!parsed.success || parsed.data.some((row) => row.length !== parsed.data[0].length || row.length === 0)) {
    throw new ArgsError(
      "heatmap (DP_HMP): dataset must be rows of numbers, all of one length, as in [[1, 2], [3, 4]].",
      { path: "dataset" },
    );
  }
  return parsed.data;
}

function ofRows(rows: Rows): HeatmapChart {
  return {
    kind: "heatmap",
    title: `${rows.length} × ${rows[0].length} values`,
    rows: rows.map((_, k) => String(k)),
    columns: rows[0].map((_, k) => String(k)),
    values: rows,
    scale: rows.flat().some((value) => value !== null && value < 0) ? "diverging" : "sequential",
  };
}

async function ofTable(
  frame: Frame,
  reference: string | undefined,
  of: "correlations" | "values",
  context: BlockContext,
): Promise<HeatmapChart> {
  const { relation, selection, columns } = await tableBehind(
    frame,
    reference,
    { who: "heatmap (DP_HMP)", path: "dataset" },
    context,
  );
  const names = columns.filter(isNumeric).map((column) => column.name);
  if (names.length === 0)
    throw new DataError("heatmap (DP_HMP): there is no numeric column to draw. Encode some with encode (DP_3) first.");
  const most = of === "correlations" ? Math.floor(Math.sqrt(mostMarks)) : mostMarks;
  const shown = names.slice(0, most);
  if (shown.length < names.length)
    context.notice(`heatmap (DP_HMP): the first ${shown.length} of ${names.length} numeric columns are drawn.`);
  const x = await context.tables.numbers(relation, { ...selection, columns: shown });
  if (of === "values") return valuesChart(shown, x);
  const found = await correlate(matrixOf(x), context);
  const values = shown.map((_, i) => shown.map((_, j) => finite(found[j * shown.length + i])));
  return { kind: "heatmap", title: "correlations", rows: shown, columns: shown, values, scale: "diverging" };
}

function valuesChart(names: readonly string[], x: { n: number; d: number; data: Float64Array }): HeatmapChart {
  const most = Math.max(1, Math.floor(mostMarks / names.length));
  const stretch = Math.ceil(x.n / most);
  const rows = Array.from(
    { length: Math.ceil(x.n / stretch) },
    (_, k) => [k * stretch, Math.min(x.n, (k + 1) * stretch)] as const,
  );
  const values = rows.map(([start, end]) => names.map((_, j) => meanOf(columnOf(x, j).subarray(start, end))));
  return {
    kind: "heatmap",
    title: stretch > 1 ? `values, means of ${stretch} rows each` : "values",
    rowTitle: "row",
    rows: rows.map(([start, end]) => (end - start > 1 ? `${start}–${end - 1}` : String(start))),
    columns: names,
    values,
    scale: values.flat().some((value) => value !== null && value < 0) ? "diverging" : "sequential",
  };
}

function meanOf(values: Float64Array): number | null {
  const present = values.filter((value) => !Number.isNaN(value));
  return present.length === 0 ? null : present.reduce((sum, value) => sum + value, 0) / present.length;
}

function finite(value: number): number | null {
  return Number.isNaN(value) ? null : value;
}
