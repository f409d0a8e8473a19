import type { Forecast, ForecastInput } from "./forecasts.ts";
import { normalQuantile } from "./series.ts";

/**
 * Says the last season again, or the last value where there is no season.
 *
 * Intervals grow by the square root of the seasons ahead: Hyndman and Athanasopoulos, Forecasting (3rd ed.), § 5.5. The
 * residuals' variance has as many degrees of freedom as there are residuals. O(n).
 */
export function naiveForecast({ y, season, horizon, level }: ForecastInput): Forecast {
  const m = Math.min(season, y.length);
  const n = y.length;
  const fitted = y.map((_, i) => (i < m ? Number.NaN : y[i - m]));
  let squares = 0;
  for (let i = m; i < n; i++) squares += (y[i] - y[i - m]) ** 2;
  const sigma = n > m ? Math.sqrt(squares / (n - m)) : 0;
  const mean = Float64Array.from({ length: horizon }, (_, h) => y[n - m + (h % m)]);
  const reach = normalQuantile(0.5 + level / 2) * sigma;
  const spread = mean.map((_, h) => reach * Math.sqrt(Math.floor(h / m) + 1));
  return {
    model: m > 1 ? `seasonal naive[${m}]` : "naive",
    mean,
    low: mean.map((value, h) => value - spread[h]),
    high: mean.map((value, h) => value + spread[h]),
    fitted,
    parameters: { sigma },
    aicc: null,
  };
}
