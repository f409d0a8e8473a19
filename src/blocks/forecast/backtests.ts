import type { BlockContext } from "../../core/block.ts";
import type { ForecastMethod } from "../../numerics/forecast/forecast.ts";
import { forecastSeries } from "../../numerics/forecast/forecast.ts";
import type { Forecast, ForecastInput } from "../../numerics/forecast/forecasts.ts";

/** How far a forecast was off. */
export interface Accuracy {
  /** Mean absolute error, and the root of the mean squared one, in the units of the series. */
  readonly mae: number;
  readonly rmse: number;
  /** The error as a share of what saying the last season again is off by, within what was learnt from; null where that is 0. */
  readonly mase: number | null;
  /** The share of values within their interval. */
  readonly coverage: number;
}

/** How a method did. */
export interface Backtest extends Accuracy {
  readonly method: ForecastMethod;
}

/** Each method from each of these origins on, judged on what then came. */
export interface Backtests {
  /** How many steps each forecast was made of. */
  readonly origins: readonly number[];
  readonly results: readonly Backtest[];
}

/**
 * Origins of backtests: how many steps are learnt from in each, all with `horizon` known steps behind them.
 *
 * They lie a horizon apart where there is room, and nearer where there is not; two seasons come before the first.
 */
export function originsOf(steps: number, horizon: number, season: number, wanted: number): number[] {
  const fewest = Math.max(10, 2 * season + 1);
  const last = steps - horizon;
  if (wanted === 0 || last < fewest) return [];
  const apart = wanted === 1 ? 1 : Math.max(1, Math.min(horizon, Math.floor((last - fewest) / (wanted - 1))));
  return Array.from({ length: wanted }, (_, k) => last - (wanted - 1 - k) * apart).filter((origin) => origin >= fewest);
}

/** How far a forecast made of `y` is off what then came. */
export function accuracyOf(
  y: Float64Array,
  season: number,
  forecast: Pick<Forecast, "mean" | "low" | "high">,
  later: readonly { readonly ahead: number; readonly value: number }[],
): Accuracy {
  let sum = 0;
  let squares = 0;
  let inside = 0;
  for (const { ahead, value } of later) {
    const error = value - forecast.mean[ahead];
    sum += Math.abs(error);
    squares += error * error;
    if (value >= forecast.low[ahead] && value <= forecast.high[ahead]) inside++;
  }
  const n = later.length;
  const scale = scaleOf(y, season);
  return {
    mae: sum / n,
    rmse: Math.sqrt(squares / n),
    mase: scale > 0 ? sum / n / scale : null,
    coverage: inside / n,
  };
}

/** What saying the last season again is off by on average: the scale of Hyndman and Koehler (2006). */
function scaleOf(y: Float64Array, season: number): number {
  const m = Math.min(season, y.length - 1);
  let sum = 0;
  for (let i = m; i < y.length; i++) sum += Math.abs(y[i] - y[i - m]);
  return sum / (y.length - m);
}

/** Runs each method from each origin on, on all threads. */
export async function backtest(
  { y, ...rest }: ForecastInput,
  methods: readonly ForecastMethod[],
  origins: readonly number[],
  context: BlockContext,
): Promise<Backtests> {
  if (origins.length === 0) return { origins, results: [] };
  const tasks = methods.flatMap((method) => origins.map((origin) => ({ method, origin })));
  const found = new Map<string, Accuracy>();
  let next = 0;
  let done = 0;
  const work = async () => {
    while (next < tasks.length) {
      const { method, origin } = tasks[next++];
      const known = y.slice(0, origin);
      const forecast = await context.compute(forecastSeries, { ...rest, y: known, method });
      const later = Array.from(y.subarray(origin, origin + rest.horizon), (value, ahead) => ({ ahead, value }));
      found.set(`${method} ${origin}`, accuracyOf(known, rest.season, forecast, later));
      context.progress("backtests", ++done, tasks.length);
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, Math.min(context.threads, tasks.length)) }, work));
  const results = methods.map((method) => ({
    method,
    ...averaged(origins.map((origin) => found.get(`${method} ${origin}`) as Accuracy)),
  }));
  return { origins, results };
}

function averaged(each: readonly Accuracy[]): Accuracy {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const scaled = each.map(({ mase }) => mase);
  return {
    mae: mean(each.map(({ mae }) => mae)),
    rmse: Math.sqrt(mean(each.map(({ rmse }) => rmse ** 2))),
    mase: scaled.every((value) => value !== null) ? mean(scaled as number[]) : null,
    coverage: mean(each.map(({ coverage }) => coverage)),
  };
}

/** The method that was off least, by MASE where it is known; of equals the simplest. */
export function bestOf(results: readonly Backtest[]): Backtest {
  const isScaled = results.every(({ mase }) => mase !== null);
  const loss = (of: Backtest) => (isScaled ? (of.mase as number) : of.mae);
  return results.reduce((best, each) => (loss(each) < loss(best) ? each : best));
}
