import type { Finished } from "../../core/block.ts";
import { type BlockExplain, percent, plain, series } from "../../core/explanation.ts";
import { count, listed, quoted } from "../../core/names.ts";
import type { MetricsReport } from "./metrics-view.ts";
import type { PredictionReport } from "./model-types.ts";
import type { ModelReport } from "./model-view.ts";

/** What a model of numbers or classes learnt, and how many classes, as data. */
export function foundTask({ report }: Finished) {
  const classes = (report as ModelReport).classes.length;
  return { task: classes > 0 ? "classification" : "regression", classes };
}

/**
 * A training in words: what was learnt from what, what weighs most, and what cross-validation and search found.
 *
 * Of a model of numbers and classes, `isEither`, it tells as data which of both it learnt.
 */
export function explainTraining(why: string, isEither: boolean): BlockExplain {
  return {
    why,
    ...(isEither ? { found: foundTask } : {}),
    did({ report, output }: Finished) {
      const { rows, on, features, target, classes, weights, validation, search, found } = report as ModelReport;
      const [name] = Object.keys(output as object);
      const kinds = classes.length > 0 ? `, ${count(classes.length, "class", "classes")},` : "";
      const from = `${count(features.length, "feature")} of ${count(rows, on === "train" ? "training row" : "row")}`;
      const names = weights?.names ?? features;
      const largest = (weights?.values ?? [])
        .map((value, k) => ({ name: names[k], value }))
        .sort((a, b) => Math.abs(b.value) - Math.abs(a.value))
        .filter(({ value }) => value !== 0)
        .slice(0, 3)
        .map((each) => `${listed([each.name])} (${plain(each.value)})`);
      return [
        `Learnt to tell ${listed([target])}${kinds} from ${from}; it is kept as ${quoted(name)}.`,
        ...(weights && largest.length > 0 ? [`What weighs most (${weights.title}): ${series(largest)}.`] : []),
        ...Object.entries(found ?? {}).map(([key, value]) => `It chose ${key} ${plain(value)}.`),
        ...searchWords(search),
        ...validationWords(validation),
        ...(on === "all" ? ["No rows were put aside, so its metrics will be those of rows it has seen."] : []),
      ];
    },
  };
}

function searchWords(search: ModelReport["search"]): string[] {
  if (!search) return [];
  const judged = search.ranking.filter(({ mean }) => mean !== null);
  const [best, worst] = [judged[0], judged[judged.length - 1]];
  const values = Object.entries(best.values).map(([key, value]) => `${key} ${JSON.stringify(value)}`);
  return [
    `Of ${count(search.ranking.length, "combination")} the best by ${search.scoring} is ${series(values)}${scored(best)}${judged.length > 1 ? `; the last has${scored(worst).replace(" with", "")}` : ""}.`,
  ];

  function scored(row: typeof best): string {
    const { mean } = row as { mean?: number | null };
    return typeof mean === "number" ? ` with ${plain(mean)}` : "";
  }
}

function validationWords(validation: ModelReport["validation"]): string[] {
  if (!validation) return [];
  const name = ["accuracy", "r2"].find((each) => each in validation.metrics);
  if (!name) return [];
  const { mean, std } = validation.metrics[name];
  const judged = validation.byTime
    ? "each judged on rows behind those learnt from"
    : "each judged by a model of the others";
  return [`In ${validation.folds} folds, ${judged}, ${name} is ${plain(mean)}, give or take ${plain(std)}.`];
}

/** A prediction in words. */
export const explainPrediction: BlockExplain = {
  why: "Predictions are what a model is for. On rows it has not learnt from they show what to expect of new ones.",
  did({ report }: Finished) {
    const { model, rows, from, beside } = report as PredictionReport;
    const told = `Model ${quoted(model)} answered ${count(rows, "row")} of ${from}.`;
    return beside
      ? [told, `In the file ${listed(beside)} ${beside.length === 1 ? "stands" : "stand"} before each answer.`]
      : [told];
  },
};

/** Metrics in words: how often it is right, against always saying the same. */
export const explainMetrics: BlockExplain = {
  why: "One number hides much: compare it with what always giving the same answer would reach, look at which classes are mixed up, and judge on rows that nothing was learnt from.",
  did({ report }: Finished) {
    const { model, on, n, metrics } = report as MetricsReport;
    const rows =
      on === "test"
        ? count(n, "test row")
        : on === "all"
          ? `all ${count(n, "row")}, which it has learnt from`
          : count(n, "row");
    return "accuracy" in metrics ? classWords(metrics, model, rows) : numberWords(metrics, model, rows);
  },
};

type Metrics = MetricsReport["metrics"];

function classWords(metrics: Metrics, model: string, rows: string): string[] {
  const { labels, matrix } = metrics.confusion as unknown as { labels: unknown[]; matrix: number[][] };
  const total = matrix.flat().reduce((sum, value) => sum + value, 0);
  const right = matrix.reduce((sum, row, k) => sum + row[k], 0);
  const each = matrix.map((row) => row.reduce((sum, value) => sum + value, 0));
  const usual = each.indexOf(Math.max(...each));
  const mixed = matrix
    .flatMap((row, i) => row.map((value, j) => ({ value, truth: labels[i], said: labels[j], isWrong: i !== j })))
    .filter(({ isWrong, value }) => isWrong && value > 0)
    .sort((a, b) => b.value - a.value)[0];
  const { roc_auc: area } = metrics;
  return [
    `Model ${quoted(model)} is right on ${plain(right)} of ${rows} (accuracy ${plain(metrics.accuracy)}); always saying ${quoted(String(labels[usual]))} would be right on ${plain(each[usual])} (${percent(each[usual] / Math.max(1, total))}).`,
    mixed
      ? `What it mixes up most: ${quoted(String(mixed.truth))} taken for ${quoted(String(mixed.said))}, ${mixed.value === 1 ? "once" : `${plain(mixed.value)} times`}.`
      : "It mixes up nothing.",
    ...(typeof area === "number"
      ? [
          `Of two rows, one of a class and one not, it ranks the right one higher in ${percent(area)} of cases (roc_auc); 50% would be chance.`,
        ]
      : []),
  ];
}

function numberWords(metrics: Metrics, model: string, rows: string): string[] {
  const r2 = Number(metrics.r2);
  return [
    `Model ${quoted(model)} is off by ${plain(metrics.mae)} on average over ${rows} (mae), by ${plain(metrics.rmse)} when large errors count more (rmse), in the target's own units.`,
    ...(metrics.r2 === null
      ? []
      : [
          r2 >= 0
            ? `It explains ${percent(r2)} of the variance (r2); always saying the mean would explain none.`
            : `It does worse than always saying the mean (r2 ${plain(r2)}).`,
        ]),
  ];
}
