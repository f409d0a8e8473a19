import { z } from "zod";
import { defineBlock } from "../../core/block.ts";
import type { Chart } from "../../core/chart.ts";
import { type BlockExplain, percent, plain, series } from "../../core/explanation.ts";
import type { Finished } from "../../core/finished.ts";
import { quoted } from "../../core/names.ts";
import type { Json } from "../../core/record.ts";
import type { WriteColumn } from "../../core/tables.ts";
import { type Cell, stack, type View } from "../../core/view.ts";
import { brierScore, type CalibrationBin, calibrationBins } from "../../numerics/evaluation/calibration.ts";
import { numberColumns } from "./number-columns.ts";
import { judgedOn, type Scored, scoredArgs, scoredRows } from "./scored.ts";
import { classAsked } from "./shares.ts";

const who = "calibration (BL_CALIBRATION)";

/** More curves than this are hard to tell apart. */
const mostCurves = 6;

/** How probabilities of one class fare. */
interface Calibrated {
  readonly label: Cell;
  readonly bins: readonly CalibrationBin[];
  readonly brier: number;
  /** The Brier score of saying the class's share of these rows each time. */
  readonly always: number;
  /** How far a stretch's share is from its mean probability, on average of the rows. */
  readonly ece: number;
}

interface Report {
  readonly model: string;
  readonly target: string;
  readonly from: string;
  readonly n: number;
  readonly classes: readonly Calibrated[];
  /** How many classes there are besides. */
  readonly left: number;
}

const explainCalibration: BlockExplain = {
  why: "Whoever acts on a probability needs it to be one: of all rows that are said to be 80% likely, 8 of 10 should be. A model may rank rows well and still be too sure of itself; forests and naiveBayes often are.",
  did({ report }: Finished) {
    const { model, classes, n } = report as Report;
    return classes.map(({ label, bins, brier, always }) => {
      const far = bins.reduce((most, bin) => (gap(bin) * bin.n > gap(most) * most.n ? bin : most));
      return `For ${quoted(String(label))} the Brier score of model ${quoted(model)} is ${plain(brier)} on ${plain(n)} rows (saying its share each time would have ${plain(always)}); where it weighs most, it says ${percent(far.mean)} on average and ${percent(far.share)} are.`;
    });
  },
};

/**
 * BL_CALIBRATION. Tells whether a classifier's probabilities hold: of what it says to be 80% likely, how much is.
 *
 * Rows are put into bins by the probability of a class; in each, the mean probability stands against the share that
 * truly is of the class, as scikit-learn's calibration_curve has it. The Brier score is the mean squared distance of
 * probability and truth, 0 at best. Of more than two classes each is told against the others. `rows` of the result is a
 * table of the bins.
 */
export const calibration = defineBlock({
  code: "BL_CALIBRATION",
  name: "calibration",
  args: {
    ...scoredArgs,
    /** The class whose probability is judged (default: of two the second, of more each, 6 at most). */
    class: z.union([z.string(), z.number(), z.boolean()]).optional(),
    /** Bins at most (default 5). */
    n_bins: z.int().min(1).max(1000).default(5),
    /** Bins of equal length, or with equally many rows (default "uniform"). */
    strategy: z.literal(["uniform", "quantile"]).default("uniform"),
  },
  files: ["test_data"],
  example:
    'session.input("sample:penguins").missing({ strategy: "drop" }).xy({ x: ["bill_length_mm", "body_mass_g"], y: "sex" }).split({ test_size: 0.5, random_state: 0 }).logistic().calibration()',
  explain: explainCalibration,
  async run(frame, args, context) {
    const scored = await scoredRows(frame, args, context, who);
    const { file, from, n, labels, chosen } = scored;
    const asked = classAsked(args.class, file, who);
    const drawn = asked === null ? drawnClasses(scored) : [asked];
    const classes = drawn.map((label): Calibrated => {
      const [positive, score] = [scored.positive(label), scored.score(label)];
      const bins = calibrationBins(positive, score, args.n_bins, args.strategy);
      const share = positive.reduce((sum, each) => sum + each, 0) / n;
      const ece = bins.reduce((sum, bin) => sum + (gap(bin) * bin.n) / n, 0);
      return { label: labels[label], bins, brier: brierScore(positive, score), always: share * (1 - share), ece };
    });
    const rows = classes.flatMap(({ label, bins }) => bins.map((bin) => ({ label, ...bin })));
    const names: WriteColumn = {
      column: { name: "class", type: "string" },
      values: rows.map(({ label }) => String(label)),
    };
    const numbers = numberColumns(
      rows,
      {
        from: (each) => each.from,
        to: (each) => each.to,
        n: (each) => each.n,
        probability: (each) => each.mean,
        share: (each) => each.share,
      },
      ["n"],
    );
    const artifact = await context.tables.writeColumns(classes.length > 1 ? [names, ...numbers] : numbers);
    const left = asked === null && labels.length > 2 ? labels.length - classes.length : 0;
    const report: Report = { model: file.model_name, target: file.targets[0].name, from, n, classes, left };
    return {
      frame,
      ...chosen,
      output: {
        ...{ model_name: file.model_name, n, on: from },
        classes: classes.map(({ label, brier, ece, bins }) => ({
          ...{ class: label, brier, ece },
          bins: bins.map(({ mean, share, n: size }) => ({ probability: mean, share, n: size })),
        })),
        calibration_url: { $artifact: artifact },
      } as unknown as Json,
      report,
    };
  },
  view: ({ report }) => calibrationView(report as Report),
});

function gap({ mean, share }: CalibrationBin): number {
  return Math.abs(mean - share);
}

/** Of two classes the second, of several those with most rows. */
function drawnClasses({ labels, positive }: Scored): number[] {
  if (labels.length === 2) return [1];
  const rows = labels.map((_, label) => positive(label).reduce((sum, each) => sum + each, 0));
  const most = Array.from(rows.keys()).sort((a, b) => rows[b] - rows[a] || a - b);
  return most.slice(0, mostCurves).sort((a, b) => a - b);
}

function calibrationView({ model, target, from, n, classes, left }: Report): View {
  const isOne = classes.length === 1;
  const named = classes.map(({ label }) => String(label));
  const what = isOne ? `probability of ${named[0]}` : `probability of each ${target}`;
  const more = left > 0 ? `; ${left} further classes are left out` : "";
  const scores: View = {
    kind: "table",
    title: `how far probabilities are from the truth; 0 is best${more}`,
    summary: true,
    columns: [
      { name: "class", type: "text" },
      ...["brier", "always its share", "ece"].map((name) => ({ name, type: "number" as const, digits: 4 })),
    ],
    rows: classes.map(({ label, brier, always, ece }) => [String(label), brier, always, ece]),
  };
  const bins: View = {
    kind: "table",
    title: "what was said, and what was so",
    summary: true,
    columns: [
      { name: "between", type: "text" },
      { name: "rows", type: "integer" },
      { name: "said", type: "number", digits: 3, tint: "share" },
      { name: "was", type: "number", digits: 3, tint: "share" },
    ],
    rows: classes[0].bins.map((bin) => [
      series([bin.from, bin.to].map((end) => String(Number(end.toFixed(3))))),
      bin.n,
      bin.mean,
      bin.share,
    ]),
  };
  return stack(judgedOn(model, what, n, from), scores, isOne && bins, { kind: "chart", chart: curve(classes, n) });
}

function curve(classes: readonly Calibrated[], rows: number): Chart {
  return {
    kind: "lines",
    path: true,
    rows,
    title: "calibration: the share that is of a class, by its probability",
    x: { title: "mean probability", type: "number", range: [0, 1] },
    y: { title: "share", type: "number", range: [0, 1] },
    series: classes.map(({ label, bins }) => ({
      name: classes.length === 1 ? "" : String(label),
      x: bins.map(({ mean }) => mean),
      y: bins.map(({ share }) => share),
    })),
    reference: { from: [0, 0], to: [1, 1] },
  };
}
