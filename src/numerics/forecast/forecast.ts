import { type Hooks, quiet } from "../types.ts";
import { arimaForecast } from "./arima-forecast.ts";
import { etsForecast } from "./ets-forecast.ts";
import type { Forecast, ForecastInput } from "./forecasts.ts";
import { naiveForecast } from "./naive.ts";

/** The methods, the simplest first. */
export const forecastMethods = ["naive", "ets", "arima"] as const;

/** One of `forecastMethods`. */
export type ForecastMethod = (typeof forecastMethods)[number];

/** What one method foresees of a series. */
export function forecastSeries(
  { method, ...input }: ForecastInput & { readonly method: ForecastMethod },
  hooks: Hooks = quiet,
): Forecast {
  switch (method) {
    case "naive":
      return naiveForecast(input);
    case "ets":
      return etsForecast(input, hooks);
    case "arima":
      return arimaForecast(input, hooks);
  }
}
