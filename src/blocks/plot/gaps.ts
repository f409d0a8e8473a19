import { type BlockContext, columnList, defineBlock } from "../../core/block.ts";
import type { Chart, GapsChart } from "../../core/chart.ts";
import { DataError } from "../../core/errors.ts";
import { cell, column as columnIn, type Frame } from "../../core/frame.ts";
import { count, listed } from "../../core/names.ts";
import { chosen } from "../../core/scope.ts";
import { stack, text } from "../../core/view.ts";
import { call, column, rowColumn, value } from "../../plan/expr.ts";
import { facetted, type Parting, partedBy, pictureArgs, pictured } from "./picture.ts";

/** More stretches than this are narrower than a letter of a line. */
const mostStretches = 40;

/** More columns than this can't be read in one picture. */
const mostDrawn = 60;

interface Gaps {
  readonly chart: Chart;
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
    /** A column; each of its values has a small picture of its own, over the same stretches of rows. */
    facet: pictureArgs.facet,
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
    const counting = { relation: frame.relation, rows: {}, where: value(true) };
    const parted = await partedBy(frame, args.facet, "facet", counting, context);
    const facet = drawn.length > 0 ? parted : null;
    const { stretches, charts } = await chartsOf(frame, drawn, facet, context);
    const chart = facetted(
      facet,
      `missing cells by ${facet?.title}`,
      (name) => charts[facet?.names.indexOf(name ?? "") ?? 0],
    );
    const columns = names.map((name) => {
      const holes = missing.get(name) ?? 0;
      return { name, missing: holes, share: holes / frame.rows };
    });
    const gaps = charts.flatMap(({ counts }, at) =>
      drawn.map((name, k) => ({ name, missing: counts[k], ...(facet ? { facet: facet.names[at] } : {}) })),
    );
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
    if (gappy === 0) return stack(text(`No cell is missing in ${what}.`, "good"), { kind: "chart", chart });
    const whole = columns.filter(({ missing }) => missing === 0).map(({ name }) => name);
    return stack({ kind: "chart", chart }, whole.length > 0 && text(`Without gaps: ${listed(whole)}.`, "quiet"));
  },
});

/** The stretches of the rows, and a picture of the gaps for each part of a facet, or of all rows. */
async function chartsOf(
  frame: Frame,
  names: readonly string[],
  facet: Parting | null,
  { tables }: BlockContext,
): Promise<{ readonly stretches: readonly { from: number; to: number }[]; readonly charts: readonly GapsChart[] }> {
  const parts = Math.min(mostStretches, frame.rows);
  const start = (k: number) => Math.ceil((k * frame.rows) / parts);
  const stretches = Array.from({ length: parts }, (_, k) => ({ from: start(k), to: start(k + 1) }));
  const charts = (facet?.names ?? [null]).map(() => ({
    rows: new Array<number>(parts).fill(0),
    counts: names.map(() => new Array<number>(parts).fill(0)),
  }));
  const place = call("divide", call("multiply", column(rowColumn, "integer"), value(parts)), value(frame.rows));
  const stretch = call("integer", call("floor", place));
  const by = facet ? [stretch, facet.label] : [stretch];
  const holes = names.map((name) => call("subtract", call("count"), call("count", cell(columnIn(frame, name)))));
  const outputs = [...by, call("count"), ...holes];
  const { found } = await tables.groups(frame.relation, {}, { by, outputs, order: [] });
  for (const row of found) {
    const [all, ...missing] = row.slice(by.length);
    const at = Math.min(parts - 1, Number(row[0]));
    const { rows, counts } = charts[facet ? facet.names.indexOf(String(row[1])) : 0];
    rows[at] += Number(all);
    missing.forEach((n, k) => {
      counts[k][at] += Number(n);
    });
  }
  const sum = (list: readonly number[]) => list.reduce((a, b) => a + b, 0);
  return {
    stretches,
    charts: charts.map(({ rows, counts }) => ({
      kind: "gaps",
      title: "missing cells",
      rows: sum(rows),
      columns: names.map((name, k) => ({ name, missing: sum(counts[k]) })),
      stretches: stretches.map((each, k) => ({ ...each, rows: rows[k] })),
      counts,
    })),
  };
}
