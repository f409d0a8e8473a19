import { z } from "zod";
import { type BlockContext, columnRef, defineBlock } from "../../core/block.ts";
import type { ForecastChart } from "../../core/chart.ts";
import { ArgsError } from "../../core/errors.ts";
import type { Column, Frame } from "../../core/frame.ts";
import { count, freshNames } from "../../core/names.ts";
import type { Json } from "../../core/record.ts";
import type { Cell } from "../../core/view.ts";
import { type ForecastMethod, forecastMethods, forecastSeries } from "../../numerics/forecast/forecast.ts";
import type { Forecast } from "../../numerics/forecast/forecasts.ts";
import { findSeason } from "../../numerics/forecast/season.ts";
import { addUnsearched } from "../models/models.ts";
import { begun } from "../verbs/other.ts";
import { accuracyOf, type Backtests, backtest, bestOf, originsOf } from "./backtests.ts";
import { explainForecast, type ForecastReport, forecastView } from "./forecast-view.ts";
import { readSeries, type Series, seriesColumn, timeColumn } from "./series.ts";

const who = "forecast (BL_FORECAST)";

/** Steps ahead where nobody says how many, and there is no season. */
const usualHorizon = 10;
const mostAhead = 10_000;
/** Seasons that are tried where the steps don't say which are usual. */
const mostTried = 400;
/** Steps of the series that are drawn at most. */
const mostDrawn = 1000;

addUnsearched(["forecast", "BL_FORECAST"], "it learns one series and no X; it chooses its method by backtests itself");

/**
 * BL_FORECAST. Foresees a series of numbers in time, with intervals: by its last season, ETS or ARIMA.
 *
 * Rows are taken in the order of time; the table becomes the forecast, a row for each step ahead. ETS and ARIMA look for
 * the form with the least corrected AIC. "auto" takes the method that was off least in backtests, in which each method
 * foresees what is known already from several earlier steps on. Once there is a split it learns from training rows alone,
 * and test rows judge it.
 */
export const forecast = defineBlock({
  code: "BL_FORECAST",
  name: "forecast",
  args: {
    /** The column of numbers to foresee (default: the target, or the only column of numbers). */
    y: columnRef().optional(),
    /** The column of dates or numbers that says when (default: the only one of dates, or else the rows' order). */
    time: columnRef().optional(),
    /** Steps ahead, 1 to 10,000 (default: to the last test row, else two seasons of 24 steps or less, one longer season, or 10). */
    horizon: z.int().min(1).max(mostAhead).optional(),
    /** Steps of a season, 1 for none (default: found in the series). */
    season: z.int().min(1).max(mostAhead).optional(),
    /** "naive" says the last season again, "ets" smooths exponentially, "arima" regresses on what came before; "auto" takes the best in backtests (default "auto"). */
    method: z.literal(["auto", ...forecastMethods]).default("auto"),
    /** The share of values that intervals should hold, 0.01 to 0.999 (default 0.95). */
    level: z.number().min(0.01).max(0.999).default(0.95),
    /** Backtests at most, each from a later step on; 0 to 50 (default 5). */
    backtests: z.int().min(0).max(50).default(5),
  },
  aliases: { column: "y" },
  positional: ["y"],
  example: 'session.input("sample:weather").forecast("temp_max", { horizon: 14 })',
  explain: explainForecast,
  async run(frame, args, context) {
    const time = timeColumn(frame, args.time, who);
    const y = seriesColumn(frame, args.y, time, who);
    const series = await readSeries(frame, y, time, context, who);
    const season = seasonOf(series, args.season);
    const horizon = args.horizon ?? usualAhead(series, season);
    const input = { y: series.values, season, level: args.level };
    const methods = args.method === "auto" ? forecastMethods : [args.method];
    const origins = originsOf(series.values.length, horizon, season, args.backtests);
    const backtests = await backtest({ ...input, horizon }, methods, origins, context);
    const method = methodOf(args.method, backtests, args.backtests, context);
    const found = await context.compute(forecastSeries, { ...input, horizon, method }, "fit");
    if (frame.x || frame.split) {
      const what = frame.split ? (frame.x ? "roles and the split end" : "the split ends") : "roles end";
      context.notice(`${who}: the table is the forecast now, so ${what} here.`);
    }
    const after = await tableOf(frame, series, found, context);
    const later = series.later.filter(({ ahead }) => ahead < horizon);
    const test = later.length > 0 ? { ...accuracyOf(series.values, season, found, later), n: later.length } : null;
    const report: ForecastReport = {
      y: y.name,
      step: series.clock.step,
      steps: series.values.length,
      season,
      isFound: args.season === undefined,
      level: args.level,
      horizon,
      method,
      model: found.model,
      isAuto: args.method === "auto",
      backtests,
      test,
      chart: chartOf(series, found, args.level, season),
    };
    const { aicc, parameters } = found;
    const ahead = timesAhead(series, horizon);
    const output = {
      y: y.name,
      method,
      model: found.model,
      season,
      step: series.clock.step,
      level: args.level,
      aicc,
      parameters,
      forecast: ahead.map((at, k) => ({ time: at, mean: found.mean[k], low: found.low[k], high: found.high[k] })),
      backtests: { origins: backtests.origins, results: backtests.results },
      ...(test ? { test } : {}),
    };
    return { frame: after, output: output as unknown as Json, report };
  },
  async view({ after, report }, read) {
    const found = report as ForecastReport;
    return forecastView(found, await read.head(after));
  },
});

function seasonOf({ values, clock }: Series, wanted: number | undefined): number {
  if (wanted === undefined) {
    const all = Array.from({ length: Math.min(mostTried, Math.floor(values.length / 3)) }, (_, k) => k + 2);
    return findSeason(values, clock.seasons ?? all);
  }
  const most = Math.max(1, Math.floor(values.length / 2));
  if (wanted <= most) return wanted;
  throw new ArgsError(
    `${who}: season must be between 1 and ${most} (half of ${count(values.length, "step")}), got ${wanted}.`,
    {
      path: "season",
      got: wanted,
      expected: `1 to ${most}`,
    },
  );
}

function usualAhead({ later }: Series, season: number): number {
  const last = later.at(-1);
  if (last) return Math.min(mostAhead, last.ahead + 1);
  if (season === 1) return usualHorizon;
  return season <= 24 ? 2 * season : season;
}

function methodOf(
  wanted: "auto" | ForecastMethod,
  { origins, results }: Backtests,
  tests: number,
  context: BlockContext,
): ForecastMethod {
  if (origins.length < tests) {
    context.notice(
      origins.length === 0
        ? `${who}: the series is too short for a backtest of so many steps, so nothing is known of how far off it is${wanted === "auto" ? ', and "ets" is taken' : ""}. Take a shorter horizon.`
        : `${who}: the series has room for ${count(origins.length, "backtest")} of ${tests}.`,
    );
  }
  if (wanted !== "auto") return wanted;
  return origins.length === 0 ? "ets" : bestOf(results).method;
}

function timesAhead({ clock, first, values }: Series, horizon: number): Cell[] {
  return Array.from({ length: horizon }, (_, k) => clock.at(first + values.length + k));
}

/** The forecast as a table of its own. */
async function tableOf(frame: Frame, series: Series, found: Forecast, context: BlockContext): Promise<Frame> {
  const { y, time } = series;
  const times = timesAhead(series, found.mean.length);
  const isWhole = times.every((each) => Number.isInteger(each));
  const [when, mean, low, high] = freshNames([time?.name ?? "step", y.name, `${y.name}_low`, `${y.name}_high`], []);
  const timeColumn: Column =
    time?.type === "datetime"
      ? { name: when, type: "datetime" }
      : { name: when, type: "number", ...(isWhole ? { integer: true } : {}) };
  const columns: Column[] = [timeColumn, ...[mean, low, high].map((name): Column => ({ name, type: "number" }))];
  const values = [
    timeColumn.type === "datetime" ? times : Float64Array.from(times, Number),
    found.mean,
    found.low,
    found.high,
  ];
  const artifact = await context.tables.writeColumns(columns.map((column, k) => ({ column, values: values[k] })));
  return { ...frame, ...begun({ artifact, steps: [] }, columns, times.length) };
}

/** The end of the series, and what is foreseen. */
function chartOf(series: Series, found: Forecast, level: number, season: number): ForecastChart {
  const { values, clock, first, y, time, later } = series;
  const horizon = found.mean.length;
  const n = Math.min(values.length, mostDrawn, Math.max(40, 4 * horizon, season <= 2 * horizon ? 3 * season : 0));
  const from = values.length - n;
  const actual = later.filter(({ ahead }) => ahead < horizon);
  const at = (k: number) => clock.at(first + values.length + k);
  return {
    kind: "forecast",
    title: `${y.name}, ${count(horizon, "step")} ahead`,
    x: { title: time?.name ?? "step", type: time?.type === "datetime" ? "datetime" : "number" },
    y: { title: y.name, type: "number" },
    history: {
      x: Array.from({ length: n }, (_, k) => clock.at(first + from + k)),
      y: [...values.subarray(from)],
    },
    steps: values.length,
    ahead: { x: timesAhead(series, horizon), mean: [...found.mean], low: [...found.low], high: [...found.high] },
    level,
    ...(actual.length > 0
      ? { actual: { x: actual.map(({ ahead }) => at(ahead)), y: actual.map(({ value }) => value) } }
      : {}),
  };
}
