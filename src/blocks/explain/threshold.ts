import { z } from "zod";
import { defineBlock } from "../../core/block.ts";
import type { Chart } from "../../core/chart.ts";
import { type BlockExplain, percent, plain } from "../../core/explanation.ts";
import type { Finished } from "../../core/finished.ts";
import { count, quoted } from "../../core/names.ts";
import type { Json } from "../../core/record.ts";
import { type Cell, stack, text, type View } from "../../core/view.ts";
import { type Thresholds, thresholdsOf } from "../../numerics/evaluation/thresholds.ts";
import { numberColumns } from "./number-columns.ts";
import { judgedOn, scoredArgs, scoredRows, soughtIn } from "./scored.ts";

const who = "threshold (BL_THRESHOLD)";

/** Points of a line at most. */
const mostPoints = 250;

/** What comes of one threshold. */
interface Flagged {
  /** null: no row is flagged. */
  readonly threshold: number | null;
  /** null where no row is flagged. */
  readonly precision: number | null;
  readonly recall: number;
  readonly f1: number;
  /** The share of rows that is flagged. */
  readonly flagged: number;
  readonly falsePositive: number;
  readonly falseNegative: number;
  /** null where mistakes have no costs. */
  readonly cost: number | null;
}

interface Report {
  readonly model: string;
  readonly label: string;
  readonly from: string;
  readonly n: number;
  readonly usual: Flagged;
  readonly best: Flagged;
  readonly cheapest: Flagged | null;
  readonly charts: readonly Chart[];
}

const explainThreshold: BlockExplain = {
  why: "A classifier says which class is likelier; whoever acts on it decides how likely is enough. A missed illness costs more than a second look, a mail wrongly thrown away more than one too many: the threshold is where that is settled.",
  did({ report }: Finished) {
    const { model, label, n, usual, best, cheapest } = report as Report;
    return [
      `Model ${quoted(model)} was tried on ${count(n, "row")} with each threshold for the probability of ${quoted(label)}.`,
      `F1 is best, ${plain(best.f1)}, from ${plain(best.threshold)} on: it finds ${percent(best.recall)} of them, and ${percent(best.precision ?? 0)} of what it flags is right. At 0.5 F1 is ${plain(usual.f1)}.`,
      ...(cheapest
        ? [
            `Mistakes cost least, ${plain(cheapest.cost)}, ${cheapest.threshold === null ? "if nothing is flagged" : `from ${plain(cheapest.threshold)} on`}; at 0.5 they cost ${plain(usual.cost)}.`,
          ]
        : []),
    ];
  },
};

/**
 * BL_THRESHOLD. Shows what each threshold for a class's probability brings: precision, recall, F1, the share flagged.
 *
 * A row is flagged whose probability is at least the threshold. The best one by F1 is told, and with `costs` the one
 * whose mistakes cost least. It is found on the rows it is judged by, so expect somewhat less of new ones. `rows` of the
 * result is a table of all thresholds, which are the distinct probabilities, as in scikit-learn's precision_recall_curve.
 * The probabilities themselves are in `y_proba` of predict().
 */
export const threshold = defineBlock({
  code: "BL_THRESHOLD",
  name: "threshold",
  args: {
    ...scoredArgs,
    /** The class that is looked for (default: of two the second). */
    class: z.union([z.string(), z.number(), z.boolean()]).optional(),
    /** What a row flagged wrongly costs, and what one that is missed, as in { false_positive: 1, false_negative: 5 } (default: none). */
    costs: z
      .strictObject({ false_positive: z.number().min(0).max(1e12), false_negative: z.number().min(0).max(1e12) })
      .optional(),
  },
  files: ["test_data"],
  example:
    'session.input("sample:penguins").missing({ strategy: "drop" }).xy({ x: ["bill_length_mm", "body_mass_g"], y: "sex" }).split({ test_size: 0.5, random_state: 0 }).logistic().threshold({ costs: { false_positive: 1, false_negative: 5 } })',
  explain: explainThreshold,
  async run(frame, args, context) {
    const scored = await scoredRows(frame, args, context, who);
    const { file, from, n, chosen } = scored;
    const { label, positive, score } = soughtIn(scored, args.class, who);
    const all = thresholdsOf(positive, score);
    const told = Array.from(all.threshold, (_, k) => flaggedAt(all, k, n, args.costs));
    const best = told.reduce((most, each) => (each.f1 > most.f1 ? each : most));
    const nobody = flaggedAt(all, all.threshold.length, n, args.costs);
    const cheapest = args.costs
      ? [...told, nobody].reduce((least, each) => (Number(each.cost) < Number(least.cost) ? each : least))
      : null;
    // The first threshold that flags what 0.5 does.
    const half = all.threshold.findIndex((value) => value >= 0.5);
    const usual = { ...flaggedAt(all, half < 0 ? all.threshold.length : half, n, args.costs), threshold: 0.5 };
    const columns = numberColumns(
      told,
      {
        threshold: (each) => each.threshold,
        precision: (each) => each.precision,
        recall: (each) => each.recall,
        f1: (each) => each.f1,
        flagged: (each) => each.flagged,
        true_positive: (_, k) => all.truePositive[k],
        false_positive: (_, k) => all.falsePositive[k],
        false_negative: (_, k) => all.falseNegative[k],
        true_negative: (_, k) => all.trueNegative[k],
        ...(args.costs ? { cost: (each: (typeof told)[number]) => each.cost ?? null } : {}),
      },
      ["true_positive", "false_positive", "false_negative", "true_negative"],
    );
    const artifact = await context.tables.writeColumns(columns);
    const name = String(label);
    const report: Report = {
      ...{ model: file.model_name, label: name, from, n, usual, best, cheapest },
      charts: chartsOf(told, name, n, best, cheapest),
    };
    return {
      frame,
      ...chosen,
      output: {
        ...{ model_name: file.model_name, class: label, n, on: from },
        usual: written(usual),
        best: written(best),
        ...(cheapest ? { cheapest: written(cheapest) } : {}),
        thresholds_url: { $artifact: artifact },
      } as unknown as Json,
      report,
    };
  },
  view: ({ report }) => thresholdView(report as Report),
});

interface Costs {
  readonly false_positive: number;
  readonly false_negative: number;
}

/** What comes of the threshold at a place; beyond the last one nothing is flagged. */
function flaggedAt(all: Thresholds, k: number, n: number, costs: Costs | undefined): Flagged {
  const isNone = k === all.threshold.length;
  const positives = all.truePositive[0] + all.falseNegative[0];
  const hits = isNone ? 0 : all.truePositive[k];
  const falsePositive = isNone ? 0 : all.falsePositive[k];
  const falseNegative = isNone ? positives : all.falseNegative[k];
  return {
    threshold: isNone ? null : all.threshold[k],
    precision: isNone ? null : hits / (hits + falsePositive),
    recall: hits / positives,
    f1: (2 * hits) / (2 * hits + falsePositive + falseNegative),
    flagged: (hits + falsePositive) / n,
    ...{ falsePositive, falseNegative },
    cost: costs ? costs.false_positive * falsePositive + costs.false_negative * falseNegative : null,
  };
}

function written({ falsePositive, falseNegative, cost, ...rest }: Flagged): Json {
  return {
    ...rest,
    false_positive: falsePositive,
    false_negative: falseNegative,
    ...(cost === null ? {} : { cost }),
  };
}

function chartsOf(
  told: readonly Flagged[],
  label: string,
  rows: number,
  best: Flagged,
  cheapest: Flagged | null,
): Chart[] {
  const step = Math.ceil(told.length / mostPoints);
  const shown = told.filter((each, k) => k % step === 0 || k === told.length - 1 || each === best || each === cheapest);
  const x = shown.map((each) => each.threshold);
  const axis = { title: `threshold for the probability of ${label}`, type: "number", range: [0, 1] } as const;
  const at = (each: Flagged | null, top: number) =>
    each && each.threshold !== null
      ? { reference: { from: [each.threshold, 0], to: [each.threshold, top] } as const }
      : {};
  const scores: Chart = {
    kind: "lines",
    rows,
    title: `what a threshold brings; best F1 at ${plain(best.threshold)}`,
    x: axis,
    y: { title: "share", type: "number", range: [0, 1] },
    series: [
      { name: "precision", x, y: shown.map((each) => each.precision) },
      { name: "recall", x, y: shown.map((each) => each.recall) },
      { name: "F1", x, y: shown.map((each) => each.f1) },
      { name: "flagged", x, y: shown.map((each) => each.flagged) },
    ],
    ...at(best, 1),
  };
  if (!cheapest) return [scores];
  const top = shown.reduce((most, { cost }) => Math.max(most, cost ?? 0), 0);
  return [
    scores,
    {
      kind: "lines",
      rows,
      title: `what mistakes cost; least ${cheapest.threshold === null ? "if nothing is flagged" : `at ${plain(cheapest.threshold)}`}`,
      x: axis,
      y: { title: "cost", type: "number", range: [0, top] },
      series: [{ name: "", x, y: shown.map((each) => each.cost) }],
      ...at(cheapest, top),
    },
  ];
}

function thresholdView({ model, label, from, n, usual, best, cheapest, charts }: Report): View {
  const row = (name: string, each: Flagged): Cell[] => [
    name,
    each.threshold,
    each.precision,
    each.recall,
    each.f1,
    each.flagged,
    ...(cheapest ? [each.cost] : []),
  ];
  const table: View = {
    kind: "table",
    summary: true,
    columns: [
      { name: "", type: "text" },
      ...["threshold", "precision", "recall", "f1", "flagged"].map((name) => ({
        name,
        type: "number" as const,
        digits: 3,
      })),
      ...(cheapest ? [{ name: "cost", type: "number" as const }] : []),
    ],
    rows: [row("one half", usual), row("best F1", best), ...(cheapest ? [row("least cost", cheapest)] : [])],
  };
  return stack(
    judgedOn(model, `probability of ${label}`, n, from),
    table,
    cheapest?.threshold === null && text("Mistakes cost least if nothing is flagged at all."),
    text("It was found on these rows, so judge it by others before you rely on it.", "quiet"),
    ...charts.map((chart): View => ({ kind: "chart", chart })),
  );
}
