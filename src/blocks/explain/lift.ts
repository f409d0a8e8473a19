import { z } from "zod";
import { defineBlock } from "../../core/block.ts";
import type { Chart } from "../../core/chart.ts";
import { type BlockExplain, percent, plain } from "../../core/explanation.ts";
import type { Finished } from "../../core/finished.ts";
import { quoted } from "../../core/names.ts";
import type { Json } from "../../core/record.ts";
import { stack, type View } from "../../core/view.ts";
import { gainParts } from "../../numerics/evaluation/gains.ts";
import { numberColumns } from "./number-columns.ts";
import { judgedOn, scoredArgs, scoredRows, soughtIn } from "./scored.ts";

const who = "lift (BL_LIFT)";

/** One part of the rows, from the likeliest down. */
interface Part {
  readonly n: number;
  /** The lowest probability in it. */
  readonly score: number;
  readonly positives: number;
  /** The share of its rows that is of the class, and how many times that of all rows it is. */
  readonly share: number;
  readonly lift: number;
  /** The share of all rows up to its end, and of all rows of the class that are among them. */
  readonly rows: number;
  readonly found: number;
}

interface Report {
  readonly model: string;
  readonly label: string;
  readonly from: string;
  readonly n: number;
  /** The share of all rows that is of the class. */
  readonly base: number;
  readonly parts: readonly Part[];
}

const explainLift: BlockExplain = {
  why: "Often only some rows can be looked at: the customers to call, the machines to check. Lift says how many more hits there are among the likeliest rows than among as many drawn by chance.",
  did({ report }: Finished) {
    const { model, label, parts, base } = report as Report;
    const [first] = parts;
    return [
      `Of the likeliest ${percent(first.rows)} of rows, as model ${quoted(model)} ranks them, ${percent(first.share)} are ${quoted(label)}: ${plain(first.lift)} times the ${percent(base)} of all rows.`,
      `${percent(first.found)} of all ${quoted(label)} are among them.`,
    ];
  },
};

/**
 * BL_LIFT. Shows how much better than chance a classifier finds a class among the rows that it thinks likeliest.
 *
 * Rows are put in order of the class's probability and cut into parts of equal size. The lift of a part is its share of
 * the class over that of all rows; the gain is the share of the class that is found by its end. Rows of equal
 * probability have no order, so each counts as their mean. `rows` of the result is a table of the parts.
 */
export const lift = defineBlock({
  code: "BL_LIFT",
  name: "lift",
  args: {
    ...scoredArgs,
    /** The class that is looked for (default: of two the second). */
    class: z.union([z.string(), z.number(), z.boolean()]).optional(),
    /** Parts of equal size, fewer where there are fewer rows (default 10). */
    n_bins: z.int().min(2).max(1000).default(10),
  },
  files: ["test_data"],
  example:
    'session.input("sample:penguins").missing({ strategy: "drop" }).xy({ x: ["bill_length_mm", "body_mass_g"], y: "sex" }).split({ test_size: 0.5, random_state: 0 }).logistic().lift()',
  explain: explainLift,
  async run(frame, args, context) {
    const scored = await scoredRows(frame, args, context, who);
    const { file, from, n, chosen } = scored;
    const { label, positive, score } = soughtIn(scored, args.class, who);
    const total = positive.reduce((sum, each) => sum + each, 0);
    const base = total / n;
    let [rows, found] = [0, 0];
    const parts = gainParts(positive, score, Math.min(n, args.n_bins)).map((part): Part => {
      rows += part.n;
      found += part.positives;
      const share = part.positives / part.n;
      return { ...part, share, lift: share / base, rows: rows / n, found: found / total };
    });
    const columns = numberColumns(
      parts,
      {
        part: (_, k) => k + 1,
        n: (part) => part.n,
        probability: (part) => part.score,
        positives: (part) => part.positives,
        share: (part) => part.share,
        lift: (part) => part.lift,
        rows: (part) => part.rows,
        gain: (part) => part.found,
      },
      ["part", "n"],
    );
    const artifact = await context.tables.writeColumns(columns);
    const report: Report = { model: file.model_name, label: String(label), from, n, base, parts };
    return {
      frame,
      ...chosen,
      output: {
        ...{ model_name: file.model_name, class: label, n, on: from, base },
        parts: parts.map((part) => ({ n: part.n, share: part.share, lift: part.lift, gain: part.found })),
        lift_url: { $artifact: artifact },
      } as unknown as Json,
      report,
    };
  },
  view: ({ report }) => liftView(report as Report),
});

function liftView({ model, label, from, n, base, parts }: Report): View {
  const table: View = {
    kind: "table",
    title: `from the likeliest rows down; ${percent(base)} of all are ${label}`,
    summary: true,
    columns: [
      { name: "part", type: "integer" },
      { name: "rows", type: "integer" },
      { name: "probability", type: "number", digits: 3 },
      { name: "share", type: "number", digits: 3, tint: "share" },
      { name: "lift", type: "number", digits: 2 },
      { name: "gain", type: "number", digits: 3, tint: "share" },
    ],
    rows: parts.slice(0, 20).map((part, k) => [k + 1, part.n, part.score, part.share, part.lift, part.found]),
    ...(parts.length > 20 ? { total: parts.length } : {}),
  };
  return stack(
    judgedOn(model, `probability of ${label}`, n, from),
    table,
    { kind: "chart", chart: gainChart(label, parts, n) },
    { kind: "chart", chart: liftChart(label, parts, n) },
  );
}

function gainChart(label: string, parts: readonly Part[], rows: number): Chart {
  return {
    kind: "lines",
    path: true,
    rows,
    title: `gain: the share of ${label} that is found among the likeliest rows`,
    x: { title: "share of rows", type: "number", range: [0, 1] },
    y: { title: "share found", type: "number", range: [0, 1] },
    series: [{ name: "", x: [0, ...parts.map((part) => part.rows)], y: [0, ...parts.map((part) => part.found)] }],
    reference: { from: [0, 0], to: [1, 1] },
  };
}

function liftChart(label: string, parts: readonly Part[], rows: number): Chart {
  return {
    kind: "columns",
    title: `lift: ${label} in each part of the rows, over that in all`,
    x: { title: "part, from the likeliest rows down", type: "category" },
    y: { title: "lift", type: "number" },
    places: parts.map((_, k) => String(k + 1)),
    series: [{ name: "", values: parts.map((part) => part.lift) }],
    isStacked: false,
    rows,
  };
}
