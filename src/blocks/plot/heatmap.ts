import { z } from "zod";
import { type BlockContext, defineBlock } from "../../core/block.ts";
import type { HeatmapChart, PanelsChart } from "../../core/chart.ts";
import { ArgsError, DataError } from "../../core/errors.ts";
import { columnsNamed, type Frame, isNumeric } from "../../core/frame.ts";
import { columnOf, type NumberColumns } from "../../core/matrix.ts";
import { freshNames } from "../../core/names.ts";
import { call, value } from "../../plan/expr.ts";
import { addStep } from "../../plan/node.ts";
import { correlate } from "../shared/correlate.ts";
import { matrixOf } from "../shared/row-parts.ts";
import { tableBehind } from "../shared/sources.ts";
import { partedBy, pictureArgs, pictured, pictureView } from "./picture.ts";
import { mostMarks } from "./plot-operands.ts";

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
    ...pictureArgs,
  },
  positional: ["dataset"],
  files: ["dataset"],
  example: 'session.input("sample:iris").heatmap()',
  async run(frame, args, context) {
    const inline = inlineRows(args.dataset);
    if (inline && args.facet !== undefined)
      throw new ArgsError("heatmap (DP_HMP): facet names a column, and dataset is an array.", { path: "facet" });
    const chart = inline ? ofRows(inline) : await ofTable(frame, args as Asked, context);
    return pictured(frame, chart, args);
  },
  view: pictureView,
});

interface Asked {
  readonly dataset?: string;
  readonly of?: "correlations" | "values";
  readonly facet?: string | number;
}

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

async function ofTable(frame: Frame, asked: Asked, context: BlockContext): Promise<HeatmapChart | PanelsChart> {
  const { relation, selection, columns, known } = await tableBehind(
    frame,
    asked.dataset,
    { who: "heatmap (DP_HMP)", path: "dataset" },
    context,
  );
  const names = columns.filter(isNumeric).map((column) => column.name);
  if (names.length === 0)
    throw new DataError("heatmap (DP_HMP): there is no numeric column to draw. Encode some with encode (DP_3) first.");
  const counted = { relation, rows: selection, where: value(true) };
  const facet = await partedBy({ ...frame, columns: known }, asked.facet, "facet", counted, context);
  const of = asked.of ?? "correlations";
  const cells = mostMarks / (facet?.names.length ?? 1);
  const most = of === "correlations" ? Math.floor(Math.sqrt(cells)) : Math.floor(cells);
  const shown = names.slice(0, most);
  if (shown.length < names.length)
    context.notice(`heatmap (DP_HMP): the first ${shown.length} of ${names.length} numeric columns are drawn.`);
  const draw = async (x: NumberColumns) =>
    of === "values" ? valuesChart(shown, x, cells) : await correlationsChart(shown, x, context);
  if (!facet) return await draw(await context.tables.numbers(relation, { ...selection, columns: shown }));
  // The part of each row is read with its numbers.
  const [part] = freshNames(["part"], shown);
  const place = call("placeOf", facet.label, { list: [...facet.names] });
  const outputs = [
    ...columnsNamed(known, shown).map((column) => ({ column })),
    { column: { name: part, type: "number", integer: true } as const, expr: place },
  ];
  const parted = addStep(relation, { block: context.block.id, name: context.block.name, outputs });
  const x = await context.tables.numbers(parted, { ...selection, columns: [...shown, part] });
  const panels: { name: string; chart: HeatmapChart }[] = [];
  for (const [k, name] of facet.names.entries()) panels.push({ name, chart: await draw(rowsIn(x, k)) });
  return { kind: "panels", title: `${of} by ${facet.title}`, by: facet.title, panels };
}

/** The rows of one part; the last column holds the part of each. */
function rowsIn({ names, n, d, data }: NumberColumns, part: number): NumberColumns {
  const parts = columnOf({ n, data }, d - 1);
  const rows = parts.reduce((sum, each) => (each === part ? sum + 1 : sum), 0);
  const own = new Float64Array(new SharedArrayBuffer(8 * rows * (d - 1)));
  let end = 0;
  for (let k = 0; k < d - 1; k++) {
    const column = columnOf({ n, data }, k);
    for (let i = 0; i < n; i++) if (parts[i] === part) own[end++] = column[i];
  }
  return { names: names.slice(0, -1), n: rows, d: d - 1, data: own };
}

async function correlationsChart(
  names: readonly string[],
  x: NumberColumns,
  context: BlockContext,
): Promise<HeatmapChart> {
  const found = await correlate(matrixOf(x), context);
  const values = names.map((_, i) => names.map((_, j) => finite(found[j * names.length + i])));
  return { kind: "heatmap", title: "correlations", rows: names, columns: names, values, scale: "diverging" };
}

function valuesChart(names: readonly string[], x: NumberColumns, cells: number): HeatmapChart {
  const most = Math.max(1, Math.floor(cells / names.length));
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
