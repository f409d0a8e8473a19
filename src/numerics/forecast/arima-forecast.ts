import { type Hooks, quiet } from "../types.ts";
import { type ArimaFit, type ArimaOrder, arimaName, armaOf, stationary } from "./arima-fit.ts";
import { searchArima } from "./arima-search.ts";
import { armaLikelihood, errorWeights, multiplied } from "./arma.ts";
import type { Forecast, ForecastInput } from "./forecasts.ts";
import { naiveForecast } from "./naive.ts";
import { normalQuantile } from "./series.ts";

/** ARIMA by search, run ahead. A series that is too short or constant is answered by the naive method. */
export function arimaForecast(input: ForecastInput, hooks: Hooks = quiet): Forecast {
  const fit = searchArima(input.y, input.season, hooks);
  return fit ? fromArima(fit, input) : naiveForecast({ ...input, season: 1 });
}

/** What a fitted ARIMA foresees. */
export function fromArima(fit: ArimaFit, { y, horizon, level }: ForecastInput): Forecast {
  const { order, coefficients, variance, aicc } = fit;
  const series = stationary(y, order);
  const lost = y.length - series.length;
  const arma = armaOf(coefficients, order.m);
  const expected = new Float64Array(series.length + horizon);
  const centred = series.map((value) => value - coefficients.mean);
  armaLikelihood(centred, arma, expected);
  const sums = summing(order);
  const fitted = new Float64Array(y.length).fill(Number.NaN);
  const whole = new Float64Array(y.length + horizon);
  whole.set(y);
  for (let t = lost; t < whole.length; t++) {
    let value = expected[t - lost] + coefficients.mean;
    for (let i = 0; i < sums.length; i++) value += sums[i] * whole[t - 1 - i];
    if (t < y.length) fitted[t] = value;
    else whole[t] = value;
  }
  const mean = whole.slice(y.length);
  // Weights of the series itself: its differences are roots on the unit circle.
  const negative = (values: Float64Array) => values.map((value) => -value);
  const ar = negative(multiplied(negative(arma.ar), negative(sums), 1));
  const psi = errorWeights({ ar, ma: arma.ma }, horizon);
  let squares = 0;
  const reach = normalQuantile(0.5 + level / 2) * Math.sqrt(variance);
  const spread = mean.map((_, h) => {
    squares += psi[h] ** 2;
    return reach * Math.sqrt(squares);
  });
  return {
    model: arimaName(order),
    mean,
    low: mean.map((value, h) => value - spread[h]),
    high: mean.map((value, h) => value + spread[h]),
    fitted,
    parameters: parametersOf(fit),
    aicc,
  };
}

/** What the differences leave out: y_t is its own difference plus Σ c_i y_{t−i}. */
function summing({ d, D, m }: ArimaOrder): Float64Array {
  let out = new Float64Array(0);
  for (let k = 0; k < D; k++) out = multiplied(out, Float64Array.of(-1), m) as Float64Array<ArrayBuffer>;
  for (let k = 0; k < d; k++) out = multiplied(out, Float64Array.of(-1), 1) as Float64Array<ArrayBuffer>;
  return out.map((value) => -value);
}

function parametersOf({ coefficients, order, variance }: ArimaFit): Record<string, number> {
  const { ar, ma, seasonalAr, seasonalMa, mean } = coefficients;
  const named = (prefix: string, values: Float64Array) =>
    Array.from(values, (value, k): [string, number] => [`${prefix}${k + 1}`, value]);
  return Object.fromEntries([
    ...named("ar", ar),
    ...named("ma", ma),
    ...named("sar", seasonalAr),
    ...named("sma", seasonalMa),
    ...(order.constant ? [[order.d + order.D > 0 ? "drift" : "mean", mean] as [string, number]] : []),
    ["sigma", Math.sqrt(variance)] as [string, number],
  ]);
}
