import { RandomState } from "../random.ts";
import { type Hooks, quiet } from "../types.ts";
import { type EtsForm, type EtsRun, type EtsState, etsName, runEts } from "./ets.ts";
import { type EtsFit, searchEts } from "./ets-fit.ts";
import type { Forecast, ForecastInput } from "./forecasts.ts";
import { naiveForecast } from "./naive.ts";
import { seasonalMeans } from "./season.ts";
import { normalQuantile } from "./series.ts";

/** A longer season has too many first states to learn; it is taken out by its means before. */
export const longestSeason = 24;
/** Futures that are drawn where no formula tells how they spread; of many steps fewer, so that they fit in memory. */
const mostPaths = 5000;
const fewestPaths = 500;
const mostDrawn = 5_000_000;

/**
 * Exponential smoothing: the form with the least corrected AIC, run ahead.
 *
 * A season of more than 24 steps is taken out by its means and put back, as stlf of R's forecast does with loess. A series
 * too short for any form is answered by the naive method.
 */
export function etsForecast(input: ForecastInput, hooks: Hooks = quiet): Forecast {
  const { y, season } = input;
  const isLong = season > longestSeason && y.length >= 2 * season;
  if (!isLong) return ahead(input, season > longestSeason || y.length < 2 * season ? 1 : season, hooks);
  const { means } = seasonalMeans(y, season);
  const adjusted = y.map((value, i) => value - means[i % season]);
  const found = ahead({ ...input, y: adjusted }, 1, hooks);
  const put = (values: Float64Array, from: number) => values.map((value, i) => value + means[(from + i) % season]);
  return {
    ...found,
    model: `seasonal means[${season}] + ${found.model}`,
    mean: put(found.mean, y.length),
    low: put(found.low, y.length),
    high: put(found.high, y.length),
    fitted: put(found.fitted, 0),
  };
}

function ahead(input: ForecastInput, m: number, hooks: Hooks): Forecast {
  const fit = searchEts(input.y, m, hooks);
  return fit ? fromEts(fit, input, m) : naiveForecast({ ...input, season: m });
}

/** What a fitted form foresees. */
export function fromEts({ form, state, aicc }: EtsFit, { y, horizon, level }: ForecastInput, m: number): Forecast {
  const fitted = new Float64Array(y.length);
  const run = runEts(y, form, state, fitted);
  const variance = run.squares / y.length;
  const expected = expectedAhead(form, state, run, horizon, m);
  const { low, high } =
    form.season === "M"
      ? drawnRange({ form, state, run, horizon, m, variance, level })
      : exactRange({ form, state, expected, m, variance, level });
  const { alpha, beta, gamma, phi } = state;
  return {
    model: form.season === "N" ? etsName(form) : `${etsName(form)}[${m}]`,
    mean: expected,
    low,
    high,
    fitted,
    parameters: {
      alpha,
      ...(form.trend === "N" ? {} : { beta }),
      ...(form.season === "N" ? {} : { gamma }),
      ...(form.trend === "Ad" ? { phi } : {}),
      sigma: Math.sqrt(variance),
    },
    aicc,
  };
}

function expectedAhead(form: EtsForm, { phi }: EtsState, { end }: EtsRun, horizon: number, m: number): Float64Array {
  let carried = 0;
  let power = 1;
  return Float64Array.from({ length: horizon }, (_, h) => {
    power *= phi;
    carried += power;
    const base = end.level + (form.trend === "N" ? 0 : carried * end.slope);
    if (form.season === "N") return base;
    return form.season === "M" ? base * end.seasonal[h % m] : base + end.seasonal[h % m];
  });
}

/**
 * Intervals of forms whose states add up: Hyndman et al. (2008), table 6.1, and equation 6.2 where errors multiply.
 */
function exactRange(of: {
  readonly form: EtsForm;
  readonly state: EtsState;
  readonly expected: Float64Array;
  readonly m: number;
  readonly variance: number;
  readonly level: number;
}): { low: Float64Array; high: Float64Array } {
  const { form, expected, m, variance, level } = of;
  const { alpha, beta, gamma, phi } = of.state;
  const horizon = expected.length;
  // What an error of one moves the step j ahead by, squared.
  const moved = new Float64Array(horizon);
  let carried = 0;
  let power = 1;
  for (let j = 1; j < horizon; j++) {
    power *= phi;
    carried += power;
    const byTrend = form.trend === "N" ? 0 : beta * carried;
    moved[j] = (alpha + byTrend + (form.season === "A" && j % m === 0 ? gamma : 0)) ** 2;
  }
  const spread = new Float64Array(horizon);
  if (form.error === "A") {
    let sum = 1;
    for (let h = 0; h < horizon; h++) {
      if (h > 0) sum += moved[h];
      spread[h] = variance * sum;
    }
  } else {
    const theta = new Float64Array(horizon);
    for (let h = 0; h < horizon; h++) {
      let sum = 0;
      for (let j = 1; j <= h; j++) sum += moved[j] * theta[h - j];
      theta[h] = expected[h] ** 2 + variance * sum;
      spread[h] = (1 + variance) * theta[h] - expected[h] ** 2;
    }
  }
  const reach = normalQuantile(0.5 + level / 2);
  return {
    low: expected.map((value, h) => value - reach * Math.sqrt(spread[h])),
    high: expected.map((value, h) => value + reach * Math.sqrt(spread[h])),
  };
}

/** Intervals of seasons that multiply, between quantiles of futures drawn with seed 0. */
function drawnRange(of: {
  readonly form: EtsForm;
  readonly state: EtsState;
  readonly run: EtsRun;
  readonly horizon: number;
  readonly m: number;
  readonly variance: number;
  readonly level: number;
}): { low: Float64Array; high: Float64Array } {
  const { form, run, horizon, m, variance } = of;
  const { alpha, beta, gamma, phi } = of.state;
  const paths = Math.max(fewestPaths, Math.min(mostPaths, Math.floor(mostDrawn / horizon)));
  const random = new RandomState(0);
  const sigma = Math.sqrt(variance);
  const drawn = Array.from({ length: horizon }, () => new Float64Array(paths));
  const seasonal = new Float64Array(m);
  for (let path = 0; path < paths; path++) {
    let level = run.end.level;
    let slope = run.end.slope;
    seasonal.set(run.end.seasonal);
    for (let h = 0; h < horizon; h++) {
      const place = h % m;
      const carried = form.trend === "N" ? 0 : phi * slope;
      const base = level + carried;
      const error = sigma * random.normal();
      drawn[h][path] = base * seasonal[place] * (1 + error);
      level = base * (1 + alpha * error);
      slope = carried + beta * base * error;
      seasonal[place] *= 1 + gamma * error;
    }
  }
  const end = (1 - of.level) / 2;
  const at = (sorted: Float64Array, share: number) => {
    const place = share * (paths - 1);
    const below = Math.floor(place);
    const above = Math.min(paths - 1, below + 1);
    return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
  };
  for (const each of drawn) each.sort();
  return {
    low: Float64Array.from(drawn, (each) => at(each, end)),
    high: Float64Array.from(drawn, (each) => at(each, 1 - end)),
  };
}
