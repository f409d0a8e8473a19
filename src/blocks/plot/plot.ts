import { z } from "zod";
import { anyJson, defineBlock } from "../../core/block.ts";
import type { SpecChart, ToldRows } from "../../core/chart.ts";
import { DataError } from "../../core/errors.ts";
import { count } from "../../core/names.ts";
import type { Cell } from "../../core/view.ts";
import { chartOutput, pictureView } from "./picture.ts";
import { mostMarks } from "./plot-operands.ts";
import { type Part, refuseCode, who } from "./spec-rules.ts";
import { drawSpec, type Unit, viewKeys } from "./spec-units.ts";
import { toldBy } from "./spec-words.ts";

/** What a view may say, and what it may not, so that it is told why. */
const keys = [...viewKeys, "data", "datasets", "repeat"] as const;

type ViewShape = { readonly [K in (typeof keys)[number]]: z.ZodOptional<ReturnType<typeof anyJson>> };

/**
 * BL_PLOT. Draws what a Vega-Lite view describes: one mark, layers, panels, or views side by side.
 *
 * The rows are the block's own, so the view has no data. Its filters, bins, time units and aggregates are worked out by
 * the table engine, and at most 5,000 marks are drawn; of more rows a sample that is the same each time. Nothing is
 * loaded and no code is run: data, url, expressions and signals are refused.
 */
export const plot = defineBlock({
  code: "BL_PLOT",
  name: "plot",
  args: {
    /** A Vega-Lite view without data, such as { mark: "bar", encoding: { x: { field: "sex" }, y: { aggregate: "count" } } }. */
    spec: z.strictObject(Object.fromEntries(keys.map((key) => [key, anyJson().optional()])) as ViewShape),
  },
  positional: ["spec"],
  example:
    'session.input("sample:penguins").plot({ mark: "bar", encoding: { x: { field: "body_mass_g", bin: true }, y: { aggregate: "count" }, color: { field: "species" } } })',
  async run(frame, args, context) {
    const spec = args.spec as Part;
    refuseCode(spec, context);
    const { parts, units } = await drawSpec(spec, frame, context, mostMarks);
    const shown = units.reduce((sum, { rows }) => sum + rows.length, 0);
    const marks = units.reduce((sum, unit) => sum + unit.marks, 0);
    if (shown === 0)
      throw new DataError(`${who(context)}: no row has what the picture shows, so there is nothing to draw.`);
    const told = units.map((unit) => toldBy(unit) ?? rowsOf(unit));
    const chart: SpecChart = {
      kind: "spec",
      title: told[0].title,
      subtitle: sizeOf(units, shown, marks),
      parts,
      told,
      marks: shown,
      ...(marks > shown ? { sampledFrom: marks } : {}),
    };
    return { frame, output: chartOutput(chart), report: { chart } };
  },
  view: pictureView,
});

function sizeOf(units: readonly Unit[], shown: number, marks: number): string {
  const rows = Math.max(...units.map(({ counted }) => counted));
  if (marks > shown)
    return `${count(shown, "mark")} stand for ${marks.toLocaleString("en-US")} (sampled), n = ${count(rows, "row")}`;
  return shown === rows ? `n = ${rows.toLocaleString("en-US")}` : `n = ${count(rows, "row")}, ${count(shown, "mark")}`;
}

/** The numbers of a view that no other chart shows. */
function rowsOf({ mark, shown, rows }: Unit): ToldRows {
  const fields = [...new Map([...shown.values()].map((field) => [field.name, field])).values()];
  return {
    kind: "rows",
    title: fields.length === 0 ? mark : `${mark}: ${fields.map(({ title }) => title).join(", ")}`,
    columns: fields.map(({ title, type }) => ({ name: title, isNumber: type === "quantitative" })),
    rows: rows.map((row) => fields.map(({ name }) => row[name] as Cell)),
  };
}
