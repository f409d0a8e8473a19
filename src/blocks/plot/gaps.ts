import { type BlockContext, columnList, defineBlock } from "../../core/block.ts";
import type { Chart, GapsChart } from "../../core/chart.ts";
import { DataError } from "../../core/errors.ts";
import { type Column, cell, column as columnIn, type Frame } from "../../core/frame.ts";
import { count, listed } from "../../core/names.ts";
import { chosen } from "../../core/scope.ts";
import { stack, text } from "../../core/view.ts";
import { call, column, rowColumn, value } from "../../plan/expr.ts";
import { pictureArgs, pictured } from "./picture.ts";

/** More stretches than this are narrower than a letter of a line. */
const mostStretches = 40;

/** More columns than this can't be read in one picture. */
const mostDrawn = 60;

interface Gaps {
  readonly chart: GapsChart;
  /** How many columns were looked at, and how many of them have gaps. */
  readonly looked: number;
  readonly gappy: number;
}

/**
 * BL_GAPS. Draws where cells are missing: for each column that has gaps, in which stretches of the rows they lie.
 *
 * The rows are cut into at most 40 stretches and counted by the table engine. Of more than 60 columns with gaps those
 * with most of them are drawn.
 */
export const gaps = defineBlock({
  code: "BL_GAPS",
  name: "gaps",
  args: {
    /** The columns to look at (default: all). */
    columns: columnList().optional(),
    /** The words above the picture (default: told from what it shows). */
    title: pictureArgs.title,
    /** Breadth in pixels, without the axes, 40 to 4000. */
    width: pictureArgs.width,
    /** Height in pixels, without the axes, 40 to 4000. */
    height: pictureArgs.height,
  },
  positional: ["columns"],
  example: 'session.input("sample:penguins").gaps()',
  async run(frame, args, context) {
    const who = `${context.block.name} (${context.block.code})`;
    if (frame.rows === 0) throw new DataError(`${who}: the table has no rows, so there is nothing to draw.`);
    const all = frame.columns.map((each) => each.name);
    const names = args.columns === undefined ? all : chosen(frame, args.columns, { names: all, where: "the table" });
    const counted = await context.tables.missing(frame.relation, names);
    const missing = new Map(names.map((name, k) => [name, counted[k]]));
    const gappy = names.filter((name) => (missing.get(name) ?? 0) > 0);
    // The most first; those that are drawn stand in the table's order.
    const most = new Set(gappy.toSorted((a, b) => (missing.get(b) ?? 0) - (missing.get(a) ?? 0)).slice(0, mostDrawn));
    const drawn = gappy.filter((name) => most.has(name));
    if (drawn.length < gappy.length)
      context.notice(
        `${who}: the ${drawn.length} columns with most gaps are drawn, of ${count(gappy.length, "column")} with gaps.`,
      );
    const chart = await chartOf(frame, drawn, missing, context);
    const columns = names.map((name) => {
      const holes = missing.get(name) ?? 0;
      return { name, missing: holes, share: holes / frame.rows };
    });
    const { stretches, counts } = chart;
    const gaps = drawn.map((name, k) => ({ name, missing: counts[k] }));
    const { output, report } = pictured(frame, chart, args, { rows: frame.rows, columns, stretches, gaps });
    return { frame, output, report: { ...report, looked: names.length, gappy: gappy.length } };
  },
  view({ report, output }) {
    const { chart, looked, gappy } = report as Gaps;
    const { rows, columns } = output as unknown as {
      rows: number;
      columns: readonly { name: string; missing: number }[];
    };
    const what = `${count(rows, "row")} and ${count(looked, "column")}`;
    if (gappy === 0)
      return stack(text(`No cell is missing in ${what}.`, "good"), { kind: "chart", chart: chart as Chart });
    const whole = columns.filter(({ missing }) => missing === 0).map(({ name }) => name);
    return stack(
      { kind: "chart", chart: chart as Chart },
      whole.length > 0 && text(`Without gaps: ${listed(whole)}.`, "quiet"),
    );
  },
});

async function chartOf(
  frame: Frame,
  names: readonly string[],
  missing: ReadonlyMap<string, number>,
  { tables }: BlockContext,
): Promise<GapsChart> {
  const parts = Math.min(mostStretches, frame.rows);
  const start = (k: number) => Math.ceil((k * frame.rows) / parts);
  const stretches = Array.from({ length: parts }, (_, k) => ({ from: start(k), to: start(k + 1) }));
  const counts = names.map(() => new Array<number>(parts).fill(0));
  const columns = names.map((name): Column => columnIn(frame, name));
  if (columns.length > 0) {
    const place = call("divide", call("multiply", column(rowColumn, "integer"), value(parts)), value(frame.rows));
    const stretch = call("integer", call("floor", place));
    const holes = columns.map((each) => call("subtract", call("count"), call("count", cell(each))));
    const { found } = await tables.groups(
      frame.relation,
      {},
      { by: [stretch], outputs: [stretch, ...holes], order: [] },
    );
    for (const [at, ...cells] of found)
      cells.forEach((holesHere, k) => {
        counts[k][Math.min(parts - 1, Number(at))] += Number(holesHere);
      });
  }
  return {
    kind: "gaps",
    title: "missing cells",
    rows: frame.rows,
    columns: names.map((name) => ({ name, missing: missing.get(name) ?? 0 })),
    stretches,
    counts,
  };
}
