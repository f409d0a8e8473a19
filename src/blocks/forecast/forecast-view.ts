import type { Finished } from "../../core/block.ts";
import type { ForecastChart } from "../../core/chart.ts";
import { type BlockExplain, percent, plain } from "../../core/explanation.ts";
import { count, quoted } from "../../core/names.ts";
import { type Cell, stack, type TableView, text, type View } from "../../core/view.ts";
import type { Accuracy, Backtests } from "./backtests.ts";

/** What a forecast keeps for its view. */
export interface ForecastReport {
  readonly y: string;
  readonly step: string;
  readonly steps: number;
  readonly season: number;
  /** Was the season found, and not given? */
  readonly isFound: boolean;
  readonly level: number;
  readonly horizon: number;
  readonly method: string;
  readonly model: string;
  readonly isAuto: boolean;
  readonly backtests: Backtests;
  readonly test: (Accuracy & { readonly n: number }) | null;
  readonly chart: ForecastChart;
}

const names: Readonly<Record<string, string>> = {
  naive: "the last season again",
  ets: "exponential smoothing",
  arima: "ARIMA",
};

/** The picture of a forecast, how its methods did, and its first steps. */
export function forecastView(report: ForecastReport, head: TableView): View {
  return stack(
    text(`${said(report)} ${seasonSaid(report)}`),
    { kind: "chart", chart: report.chart },
    accuracyTable(report),
    head,
  );
}

function said({ y, step, horizon, model, isAuto, backtests }: ForecastReport): string {
  const best =
    isAuto && backtests.results.length > 1
      ? `, the best of ${backtests.results.length} methods in ${count(backtests.origins.length, "backtest")}`
      : "";
  return `${quoted(y)} ${ahead(horizon, step)}, by ${model}${best}.`;
}

/** "14 days ahead". */
export function ahead(horizon: number, step: string): string {
  if (/^\d|^step of/.test(step)) return `${count(horizon, "step")} ahead (each ${step.replace(/^step of/, "one")})`;
  return `${count(horizon, step)} ahead`;
}

function seasonSaid({ season, isFound, step }: ForecastReport): string {
  const unit = /^\d|^step of/.test(step) ? "step" : step;
  if (season === 1) return isFound ? "No season was found." : "";
  return `Its season ${isFound ? "was found to be" : "is"} ${count(season, unit)}.`;
}

function accuracyTable({ backtests, test }: ForecastReport): TableView | null {
  const row = (name: string, { mae, rmse, mase, coverage }: Accuracy): Cell[] => [name, mae, rmse, mase, coverage];
  const rows = [
    ...backtests.results.map((each) => row(names[each.method], each)),
    ...(test ? [row(`test rows (${test.n})`, test)] : []),
  ];
  if (rows.length === 0) return null;
  const n = backtests.origins.length;
  return {
    kind: "table",
    title: n > 0 ? `how far off: ${count(n, "backtest")}${test ? ", and the test rows" : ""}` : "how far off",
    summary: true,
    columns: [
      { name: "method", type: "text" },
      { name: "mae", type: "number", digits: 4 },
      { name: "rmse", type: "number", digits: 4 },
      { name: "mase", type: "number", digits: 3 },
      { name: "in the interval", type: "number", digits: 3 },
    ],
    rows,
  };
}

/** A forecast in words. */
export const explainForecast: BlockExplain = {
  why: "What came before often tells what comes next: a level, a trend, a season. An interval says how sure that is, and backtests say how far off the same method would have been on what is known already.",
  did({ report }: Finished) {
    const found = report as ForecastReport;
    const { y, step, steps, model, method, horizon, level, backtests, test, isAuto } = found;
    const own = backtests.results.find((each) => each.method === method);
    const naive = backtests.results.find((each) => each.method === "naive");
    return [
      `Foresaw ${quoted(y)} ${ahead(horizon, step)} by ${model}, learnt from ${count(steps, "step")}, each with an interval that ${percent(level)} of values should lie in. ${seasonSaid(found)}`.trim(),
      ...(own
        ? [
            `In ${count(backtests.origins.length, "backtest")} it was off by ${plain(own.mae)} on average, and ${percent(own.coverage)} of values lay in their interval.`,
          ]
        : []),
      ...(own && naive && isAuto && method !== "naive"
        ? [`Saying the last season again was off by ${plain(naive.mae)}.`]
        : []),
      ...(test ? [`On ${count(test.n, "test row")} it is off by ${plain(test.mae)} on average.`] : []),
    ];
  },
};
