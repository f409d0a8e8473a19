import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { arimaName, armaOf, fitArima, isSound, stationary } from "../../../src/numerics/forecast/arima-fit.ts";
import { arimaForecast, fromArima } from "../../../src/numerics/forecast/arima-forecast.ts";
import { differencesOf, kpss, searchArima } from "../../../src/numerics/forecast/arima-search.ts";
import { armaLikelihood, conditionalLikelihood, fromPartials, isOutside } from "../../../src/numerics/forecast/arma.ts";
import { type EtsForm, etsDeviance, runEts } from "../../../src/numerics/forecast/ets.ts";
import { fitEts, searchEts } from "../../../src/numerics/forecast/ets-fit.ts";
import { etsForecast, fromEts } from "../../../src/numerics/forecast/ets-forecast.ts";
import { forecastMethods, forecastSeries } from "../../../src/numerics/forecast/forecast.ts";
import { naiveForecast } from "../../../src/numerics/forecast/naive.ts";
import { findSeason, seasonalMeans } from "../../../src/numerics/forecast/season.ts";
import { normalQuantile } from "../../../src/numerics/forecast/series.ts";
import { Cancelled, quiet } from "../../../src/numerics/types.ts";

interface Reference {
  readonly air: number[];
  readonly nile: number[];
  readonly arima: readonly {
    series: string;
    order: number[];
    seasonal: number[];
    params: number[];
    loglikelihood: number;
    mean: number[];
    interval: number[][];
  }[];
  readonly ets: readonly {
    series: string;
    form: [string, string | null, boolean, string | null];
    params: Record<string, number>;
    loglikelihood: number;
    aicc: number;
    mean: number[];
    interval: number[][];
  }[];
  readonly searched: readonly { series: string; period: number; loglikelihood: number; aicc: number }[];
  readonly kpss: Record<string, number>;
}

// Made by forecast-reference.py with statsmodels 0.15.0 and statsforecast 2.1.1.
const reference = JSON.parse(readFileSync(new URL("../forecast-reference.json", import.meta.url), "utf8")) as Reference;
const series: Record<string, Float64Array> = {
  air: Float64Array.from(reference.air),
  logair: Float64Array.from(reference.air, Math.log),
  nile: Float64Array.from(reference.nile),
};

const close = (ours: ArrayLike<number>, theirs: readonly number[], tolerance: number) => {
  expect(ours.length).toBe(theirs.length);
  for (const [k, value] of theirs.entries()) {
    expect(Math.abs(ours[k] - value)).toBeLessThan(tolerance * Math.max(1, Math.abs(value)));
  }
};

/** An order and its coefficients, as statsmodels lists them. */
function asOurs({ order: [p, d, q], seasonal: [P, D, Q, m], params }: Reference["arima"][number]) {
  const at = [0, p, p + q, p + q + P, p + q + P + Q];
  const part = (k: number) => Float64Array.from(params.slice(at[k], at[k + 1]));
  return {
    order: { p, d, q, P, D, Q, m: Math.max(1, m), constant: false },
    coefficients: { ar: part(0), ma: part(1), seasonalAr: part(2), seasonalMa: part(3), mean: 0 },
    variance: params[params.length - 1],
  };
}

describe("ARIMA", () => {
  it.each(reference.arima)("is as likely as statsmodels says: $series $order $seasonal", (given) => {
    const { order, coefficients, variance } = asOurs(given);
    const w = stationary(series[given.series], order);
    const { deviance, variance: own } = armaLikelihood(w, armaOf(coefficients, order.m));
    // Ours has the variance at its best, theirs the one it was given.
    const theirs = -2 * given.loglikelihood - w.length * (Math.log(variance / own) + own / variance - 1);
    expect(deviance).toBeCloseTo(theirs, 4);
  });

  it.each(reference.arima.slice(0, 3))("finds coefficients as likely: $series $order $seasonal", (given) => {
    const fit = fitArima(series[given.series], asOurs(given).order, { isExact: true }, quiet);
    expect((fit?.deviance as number) / -2).toBeGreaterThan(given.loglikelihood - 0.001);
    expect((fit?.deviance as number) / -2).toBeLessThan(given.loglikelihood + 0.1);
  });

  it.each(reference.arima)("foresees what statsmodels does: $series $order $seasonal", (given) => {
    const y = series[given.series];
    const fit = { ...asOurs(given), deviance: 0, aicc: 0 };
    const found = fromArima(fit, { y, season: 12, horizon: 18, level: 0.9 });
    // statsmodels begins differenced series with a vast variance, ours with their first values.
    close(found.mean, given.mean, 2e-4);
    close(
      found.low,
      given.interval.map(([low]) => low),
      2e-3,
    );
    close(
      found.high,
      given.interval.map(([, high]) => high),
      2e-3,
    );
  });

  it.each(reference.searched)("is searched to a criterion as good as statsforecast's: $series", (given) => {
    const fit = searchArima(series[given.series], given.period, quiet);
    expect(fit?.aicc).toBeLessThan(given.aicc + 0.01);
  });

  it("finds the airline model", () => {
    const fit = searchArima(series.logair, 12, quiet);
    expect(fit && arimaName(fit.order)).toBe("ARIMA(0,1,1)(0,1,1)[12]");
    expect(fit && isSound(fit)).toBe(true);
  });

  it("tests for stationarity as statsmodels does, and differences what is not", () => {
    for (const [name, value] of Object.entries(reference.kpss)) expect(kpss(series[name])).toBeCloseTo(value, 9);
    expect(differencesOf(series.air, 12)).toEqual({ d: 1, D: 1 });
    expect(differencesOf(series.nile, 1)).toEqual({ d: 1, D: 0 });
  });

  it("makes stationary coefficients of partial autocorrelations, and knows others", () => {
    // By hand: φ1 = r1(1 − r2) and φ2 = r2.
    expect([...fromPartials(Float64Array.of(0.5, -0.4))]).toEqual([0.5 * 1.4, -0.4]);
    expect(isOutside(Float64Array.of(0.7, -0.4), 1)).toBe(true);
    expect(isOutside(Float64Array.of(0.99), 1.01)).toBe(true);
    expect(isOutside(Float64Array.of(0.995), 1.01)).toBe(false);
    expect(isOutside(Float64Array.of(1.2), 1)).toBe(false);
  });

  it("judges by hand what is conditional: errors from the second step on", () => {
    const { variance } = conditionalLikelihood(Float64Array.of(1, 3, 2), {
      ar: Float64Array.of(0.5),
      ma: new Float64Array(0),
    });
    expect(variance).toBe((2.5 ** 2 + 0.5 ** 2) / 2);
  });
});

const words = { add: "A", mul: "M" } as const;

function formOf([error, trend, damped, season]: Reference["ets"][number]["form"]): EtsForm {
  const word = (name: string) => words[name as keyof typeof words];
  return {
    error: word(error),
    trend: trend === null ? "N" : damped ? "Ad" : "A",
    season: season === null ? "N" : word(season),
  };
}

function stateOf(params: Record<string, number>) {
  const seasonal = Object.keys(params).filter((name) => name.startsWith("initial_seasonal"));
  return {
    alpha: params.smoothing_level,
    beta: params.smoothing_trend ?? 0,
    gamma: params.smoothing_seasonal ?? 0,
    phi: params.damping_trend ?? 1,
    level: params.initial_level,
    slope: params.initial_trend ?? 0,
    // Theirs begin with the one before the first step, and go back from there.
    seasonal: Float64Array.from(seasonal, (_, k) => params[`initial_seasonal.${seasonal.length - 1 - k}`]),
  };
}

describe("ETS", () => {
  it.each(reference.ets)(
    "is as likely as statsmodels says: $series $form",
    ({ series: name, form, params, loglikelihood }) => {
      const y = series[name];
      expect(etsDeviance(runEts(y, formOf(form), stateOf(params)), y.length) / -2).toBeCloseTo(loglikelihood, 3);
    },
  );

  it.each(reference.ets)("finds parameters as likely: $series $form", ({ series: name, form, loglikelihood }) => {
    const fit = fitEts(series[name], formOf(form), form[3] === null ? 1 : 12, quiet);
    expect((fit?.deviance as number) / -2).toBeGreaterThan(loglikelihood - 0.02);
  });

  it.each(reference.ets)(
    "foresees what statsmodels does: $series $form",
    ({ series: name, form, params, mean, interval }) => {
      const y = series[name];
      const fit = { form: formOf(form), state: stateOf(params), deviance: 0, aicc: 0 };
      const found = fromEts(fit, { y, season: 12, horizon: 18, level: 0.9 }, form[3] === null ? 1 : 12);
      close(found.mean, mean, 1e-6);
      // Where errors multiply statsmodels draws futures, and so does ours where seasons do.
      const tolerance = form[0] === "add" ? 1e-6 : 0.02;
      close(
        found.low,
        interval.map(([low]) => low),
        tolerance,
      );
      close(
        found.high,
        interval.map(([, high]) => high),
        tolerance,
      );
    },
  );

  it("takes the form with the least criterion", () => {
    const fit = searchEts(series.air, 12, quiet);
    expect(fit?.form).toEqual({ error: "M", trend: "A", season: "M" });
    for (const { series: name, aicc } of reference.ets.slice(1))
      expect(name === "air" && fit && fit.aicc < aicc).toBe(true);
  });

  it("draws futures of very many steps in little memory", () => {
    const { low, high } = etsForecast({ y: series.air, season: 12, horizon: 10_000, level: 0.9 });
    expect(low).toHaveLength(10_000);
    expect(low.every((value, k) => Number.isFinite(value) && value < high[k])).toBe(true);
  });

  it("takes a long season out by its means, and puts it back", () => {
    const y = Float64Array.from({ length: 150 }, (_, k) => 10 * Math.sin((2 * Math.PI * k) / 50) + ((k * 7) % 5) / 100);
    const found = etsForecast({ y, season: 50, horizon: 50, level: 0.9 });
    expect(found.model).toMatch(/^seasonal means\[50\] \+ ETS\(/);
    close(
      found.mean,
      Array.from({ length: 50 }, (_, k) => 10 * Math.sin((2 * Math.PI * k) / 50)),
      0.05,
    );
  });
});

describe("the last season again", () => {
  it("is said by hand, and its interval grows with each season", () => {
    const found = naiveForecast({ y: Float64Array.of(1, 10, 2, 12, 4, 11), season: 2, horizon: 3, level: 0.9 });
    expect([...found.mean]).toEqual([4, 11, 4]);
    const sigma = Math.sqrt((1 + 4 + 4 + 1) / 4);
    expect(found.high[0] - 4).toBeCloseTo(1.6448536 * sigma, 5);
    expect(found.high[2] - 4).toBeCloseTo(1.6448536 * sigma * Math.SQRT2, 5);
    expect([...found.fitted]).toEqual([Number.NaN, Number.NaN, 1, 10, 2, 12]);
  });
});

describe("a season", () => {
  it("is found where there is one, the shortest of its multiples", () => {
    const all = Array.from({ length: 46 }, (_, k) => k + 2);
    expect(findSeason(series.air, all)).toBe(12);
    expect(findSeason(series.nile, all.slice(0, 30))).toBe(1);
    expect(findSeason(new Float64Array(50).fill(3), all)).toBe(1);
    expect(
      findSeason(
        Float64Array.from({ length: 60 }, (_, k) => k),
        all,
      ),
    ).toBe(1);
  });

  it("has means that add up to nothing, worked out by hand", () => {
    const { means, strength } = seasonalMeans(Float64Array.of(1, 5, 2, 6, 3, 7, 4, 8), 2);
    expect([...means]).toEqual([-1.75, 1.75]);
    expect(strength).toBe(1);
  });
});

describe("all methods", () => {
  it.each(forecastMethods)("%s takes a constant, a short and a huge series", (method) => {
    const ask = (y: number[], season = 1) =>
      forecastSeries({ y: Float64Array.from(y), season, horizon: 4, level: 0.9, method });
    expect([...ask(new Array<number>(30).fill(5)).mean]).toEqual([5, 5, 5, 5]);
    expect([...ask([1, 2, 1, 2]).mean].every(Number.isFinite)).toBe(true);
    const huge = ask(Array.from({ length: 40 }, (_, k) => 1e300 * (1 + ((k * 7) % 11) / 10)));
    expect([...huge.mean].every((value) => value > 0 && Number.isFinite(value))).toBe(true);
    const zeros = ask(
      Array.from({ length: 40 }, (_, k) => (k % 5 === 0 ? 3 : 0)),
      5,
    );
    expect([...zeros.mean, ...zeros.low, ...zeros.high].every(Number.isFinite)).toBe(true);
  });

  it.each(["ets", "arima"] as const)("%s stops when nobody wants it any more", (method) => {
    const hooks = { progress() {}, cancelled: () => true };
    expect(() => forecastSeries({ y: series.nile, season: 1, horizon: 4, level: 0.9, method }, hooks)).toThrow(
      Cancelled,
    );
  });

  it("says what was expected of each step before", () => {
    const { fitted, parameters } = arimaForecast({ y: series.nile, season: 1, horizon: 2, level: 0.9 });
    const known = [...fitted].flatMap((value, k) => (Number.isNaN(value) ? [] : [(value - series.nile[k]) ** 2]));
    const sigma = Math.sqrt(known.reduce((sum, value) => sum + value, 0) / known.length);
    expect(sigma / parameters.sigma).toBeCloseTo(1, 1);
  });
});

it("knows the normal distribution's quantiles", () => {
  // scipy.stats.norm.ppf
  for (const [p, z] of [
    [0.5, 0],
    [0.8, 0.8416212335729143],
    [0.975, 1.959963984540054],
    [0.0005, -3.2905267314918945],
    [1 - 1e-9, 5.9978070104],
  ]) {
    expect(normalQuantile(p)).toBeCloseTo(z, 5);
  }
});
