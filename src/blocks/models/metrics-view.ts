import type { Chart } from "../../core/chart.ts";
import type { ClassColumn } from "../../core/matrix.ts";
import { count } from "../../core/names.ts";
import type { Json } from "../../core/record.ts";
import { type Cell, stack, text, type View } from "../../core/view.ts";
import type { ClassCurves } from "../../numerics/evaluation/curves.ts";
import type { ClassificationMetrics } from "../../numerics/evaluation/metrics.ts";

/** What a metrics block keeps for its view. */
export interface MetricsReport {
  readonly model: string;
  /** "test", "all", or what the judged rows are. */
  readonly on: string;
  readonly n: number;
  readonly metrics: Readonly<Record<string, Json>>;
  readonly charts: readonly Chart[];
}

/** How close numbers came: predicted against true ones, and what is left of the truth; they may be some `of` more. */
export function fitCharts(target: string, truth: Float64Array, answers: Float64Array, of = truth.length): Chart[] {
  const step = Math.max(1, Math.ceil(truth.length / 500));
  const rows = Array.from({ length: Math.ceil(truth.length / step) }, (_, k) => k * step);
  const sampled = rows.length < of ? { sampledFrom: of } : {};
  return [againstTruth(target, truth, answers, rows, sampled), residuals(target, truth, answers, rows, sampled)];
}

/** Of how many rows a chart shows some. */
type Sampled = { readonly sampledFrom?: number };

function againstTruth(
  target: string,
  truth: Float64Array,
  answers: Float64Array,
  rows: readonly number[],
  sampled: Sampled,
): Chart {
  const ends = rows.reduce(
    ([least, most], i) => [Math.min(least, truth[i], answers[i]), Math.max(most, truth[i], answers[i])],
    [Infinity, -Infinity],
  );
  return {
    kind: "points",
    title: `predicted against true ${target}`,
    x: { title: `true ${target}`, type: "number" },
    y: { title: `predicted ${target}`, type: "number" },
    series: [{ name: "rows", x: rows.map((i) => truth[i]), y: rows.map((i) => answers[i]) }],
    ...sampled,
    reference: { from: [ends[0], ends[0]], to: [ends[1], ends[1]] },
  };
}

/** What a model leaves over, against what it predicts: a pattern here is something it has not learnt. */
function residuals(
  target: string,
  truth: Float64Array,
  answers: Float64Array,
  rows: readonly number[],
  sampled: Sampled,
): Chart {
  const x = rows.map((i) => answers[i]);
  const from = x.reduce((least, value) => Math.min(least, value), Infinity);
  const to = x.reduce((most, value) => Math.max(most, value), -Infinity);
  return {
    kind: "points",
    title: `residuals: true less predicted ${target}`,
    x: { title: `predicted ${target}`, type: "number" },
    y: { title: "residual", type: "number" },
    series: [{ name: "rows", x, y: rows.map((i) => truth[i] - answers[i]) }],
    ...sampled,
    reference: { from: [from, 0], to: [to, 0] },
  };
}

/** How often each class was taken for which. */
export function confusionChart(labels: readonly string[], matrix: readonly (readonly number[])[]): Chart {
  return {
    kind: "heatmap",
    title: "confusion",
    rowTitle: "true",
    columnTitle: "predicted",
    rows: labels,
    columns: labels,
    values: matrix,
    scale: "sequential",
    isCount: true,
  };
}

/** More curves than this are hard to tell apart. */
const mostCurves = 6;

/** Which classes get curves, by how many rows each has: of two the second, of several the six with most rows. */
export function drawnClasses(rows: ArrayLike<number>): Int32Array {
  if (rows.length === 2) return Int32Array.of(1);
  const most = Array.from({ length: rows.length }, (_, k) => k).sort((a, b) => rows[b] - rows[a] || a - b);
  return Int32Array.from(most.slice(0, mostCurves)).sort();
}

/** ROC and precision-recall curves of so many rows, a line for each class; none where these hold one class alone. */
export function curveCharts(labels: readonly string[], curves: readonly ClassCurves[], rows: number): Chart[] {
  const round = (value: number | null) => (value === null ? "undefined" : value.toFixed(3));
  const defined = curves.filter((each) => each.roc.area !== null);
  if (defined.length === 0) return [];
  const against = labels.length > 2 ? ", each class against the others" : "";
  const more =
    labels.length > 2 && defined.length < labels.length ? `; ${defined.length} of ${labels.length} classes` : "";
  const axes = (x: string, y: string) =>
    ({ x: { title: x, type: "number" }, y: { title: y, type: "number" } }) as const;
  const roc = defined.map(({ code, roc: { x, y, area } }) => ({ name: `${round(area)} ${labels[code]}`, x, y }));
  const precision = defined.map(({ code, precisionRecall: { x, y, average } }) => ({
    name: `${round(average)} ${labels[code]}`,
    x,
    y,
  }));
  return [
    {
      kind: "lines",
      path: true,
      rows,
      title: `ROC and the area under it${against}${more}`,
      ...axes("false positive rate", "true positive rate"),
      series: roc,
      reference: { from: [0, 0], to: [1, 1] },
    },
    {
      kind: "lines",
      path: true,
      rows,
      title: `precision at each recall, and its average${against}${more}`,
      ...axes("recall", "precision"),
      series: precision,
    },
  ];
}

/** The quality of each class and their averages, by what a report calls them. */
export function reportByLabel(labels: ClassColumn["labels"], report: ClassificationMetrics["report"]) {
  return Object.fromEntries([
    ...labels.map((label, k) => [String(label), { ...report.classes[k] }] as const),
    ["macro avg", { ...report.macro }] as const,
    ["weighted avg", { ...report.weighted }] as const,
  ]);
}

/** What metrics show: the numbers, each class, and pictures. */
export function metricsView({ model, on, n, metrics, charts }: MetricsReport): View {
  const kind = /^the (\w+) rows$/.exec(on)?.[1] ?? (on === "test" ? on : null);
  const others = on === "all" ? `all ${count(n, "row")}, which it was trained on` : `${count(n, "row")} of ${on}`;
  const rows = kind === null ? others : count(n, `${kind} row`);
  const items = Object.entries(metrics)
    .filter(([, value]) => typeof value === "number" || value === null)
    .map(([label, value]) => ({ label, value: value as Cell }));
  const report = metrics.report as Record<string, Record<string, Cell>> | undefined;
  const perClass: View | null = report
    ? {
        kind: "table",
        summary: true,
        columns: [
          { name: "class", type: "text" },
          ...["precision", "recall", "f1"].map((name) => ({
            name,
            type: "number" as const,
            tint: "share" as const,
            digits: 3,
          })),
          { name: "support", type: "integer" },
        ],
        rows: Object.entries(report).map(([label, each]) => [
          label,
          each.precision,
          each.recall,
          each.f1,
          each.support,
        ]),
      }
    : null;
  return stack(
    text(`Model ${model}, judged on ${rows}.`, on === "all" ? "warning" : "plain"),
    { kind: "facts", items },
    perClass,
    ...charts.map((chart): View => ({ kind: "chart", chart })),
  );
}
