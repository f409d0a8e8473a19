import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { accuracyOf, bestOf, originsOf } from "../../../src/blocks/forecast/backtests.ts";
import { dateClock, numberClock } from "../../../src/blocks/forecast/clock.ts";
import { Lab, output } from "../../support/lab.ts";

const lab = new Lab();
const { air } = JSON.parse(
  readFileSync(new URL("../../numerics/forecast-reference.json", import.meta.url), "utf8"),
) as { air: number[] };
const month = (k: number) => `${1949 + Math.floor(k / 12)}-${String((k % 12) + 1).padStart(2, "0")}-01`;
const table = (rows: readonly string[]) => `month,passengers\n${rows.join("\n")}\n`;
const airRows = air.map((value, k) => `${month(k)},${value}`);
const quick = { method: "naive", season: 12, horizon: 12 } as const;

interface Answer {
  method: string;
  model: string;
  season: number;
  step: string;
  forecast: { time: string | number; mean: number; low: number; high: number }[];
  backtests: {
    origins: number[];
    results: { method: string; mae: number; rmse: number; mase: number; coverage: number }[];
  };
  test?: { mae: number; n: number };
}

describe("forecast (BL_FORECAST)", () => {
  it("foresees passengers by the method that was off least", async () => {
    const record = await lab.last(table(airRows), ["forecast", { backtests: 2, horizon: 12 }]);
    const answer = output<Answer>(record);
    expect(answer).toMatchObject({ season: 12, step: "month" });
    const { results } = answer.backtests;
    expect(results.map(({ method }) => method)).toEqual(["naive", "ets", "arima"]);
    const least = Math.min(...results.map(({ mase }) => mase));
    expect(results.find(({ method }) => method === answer.method)?.mase).toBe(least);
    const { header, rows, types } = await lab.table(record.dataset_url);
    expect(header).toEqual(["month", "passengers", "passengers_low", "passengers_high"]);
    expect(types).toEqual(["datetime", "number", "number", "number"]);
    expect(rows).toHaveLength(12);
    expect(rows.map(([at]) => String(at).slice(0, 10))).toEqual(Array.from({ length: 12 }, (_, k) => month(144 + k)));
    for (const [, mean, low, high] of rows as number[][]) {
      expect(low).toBeLessThan(mean);
      expect(mean).toBeLessThan(high);
    }
    expect(await lab.view(record)).toMatchSnapshot();
  });

  it("takes rows in the order of time, and says the last season again", async () => {
    const shuffled = airRows.map((_, k) => airRows[(k * 5) % airRows.length]);
    const answer = output<Answer>(await lab.last(table(shuffled), ["forecast", quick]));
    expect(answer.forecast.map(({ mean }) => mean)).toEqual(air.slice(-12));
    expect(answer.model).toBe("seasonal naive[12]");
    // By hand: the last year foreseen by the one before.
    const errors = air.slice(-12).map((value, k) => Math.abs(value - air[120 + k]));
    const [{ mae }] = output<Answer>(await lab.last(table(airRows), ["forecast", { ...quick, backtests: 1 }])).backtests
      .results;
    expect(mae).toBeCloseTo(errors.reduce((sum, value) => sum + value, 0) / 12, 10);
  });

  it("learns from training rows alone, and test rows judge it", async () => {
    const split = ["split", { test_size: 24, shuffle: false }] as const;
    const record = await lab.last(table(airRows), split, ["forecast", { season: 12, method: "naive" }]);
    const { forecast, test } = output<Answer>(record);
    expect(forecast.map(({ mean }) => mean)).toEqual([...air.slice(108, 120), ...air.slice(108, 120)]);
    const errors = air.slice(120).map((value, k) => Math.abs(value - air[108 + (k % 12)]));
    expect(test).toMatchObject({ n: 24 });
    expect(test?.mae).toBeCloseTo(errors.reduce((sum, value) => sum + value, 0) / 24, 10);
    expect(record.notices?.join()).toContain("the table is the forecast now, so the split ends here");
    expect(await lab.view(record)).toContain("what came");
  });

  it("fills gaps on a straight line, leaves out what has no time, and says so", async () => {
    const rows = [
      "2024-01-01,1",
      "2024-01-02,2",
      "2024-01-04,4",
      "2024-01-05,",
      "2024-01-06,6",
      ",9",
      "2024-01-07,7",
      "2024-01-08,",
    ];
    const record = await lab.last(table(rows), ["forecast", { horizon: 2, method: "naive", season: 1, backtests: 0 }]);
    expect(record.notices).toEqual([
      'forecast (BL_FORECAST): 1 row without a "month" left out.',
      "forecast (BL_FORECAST): 2 steps without a value were filled on a straight line between the known ones.",
    ]);
    // The last day has no value yet, so it is foreseen.
    expect(output<Answer>(record).forecast.map(({ time, mean }) => [time, mean])).toEqual([
      ["2024-01-08 00:00:00", 7],
      ["2024-01-09 00:00:00", 7],
    ]);
  });

  it("takes the rows' order where there is no time, and finds the season", async () => {
    const rows = Array.from({ length: 40 }, (_, k) => `x,${[5, 9, 1, 3][k % 4] + (k % 3) / 10}`);
    const answer = output<Answer>(await lab.last(table(rows), ["forecast", { horizon: 4, method: "naive" }]));
    expect(answer).toMatchObject({ season: 4, step: "step" });
    expect(answer.forecast.map(({ time }) => time)).toEqual([41, 42, 43, 44]);
  });

  it("says where a series is too short for backtests, and shows the forecast all the same", async () => {
    const rows = Array.from({ length: 9 }, (_, k) => `${month(k)},${k}`);
    const record = await lab.last(table(rows), ["forecast", { horizon: 3 }]);
    expect(record.notices).toEqual([
      'forecast (BL_FORECAST): the series is too short for a backtest of so many steps, so nothing is known of how far off it is, and "ets" is taken. Take a shorter horizon.',
    ]);
    expect(output<Answer>(record)).toMatchObject({ method: "ets", backtests: { origins: [], results: [] } });
    expect(await lab.view(record)).not.toContain("the last season again");
  });

  it.each([
    [["a,b", "1,x", "2,y"], {}, 'it learns from 4 steps or more, and "a" has 2 values to learn from.'],
    [["a,b", "x,1", "y,2"], { y: "a" }, 'y must be a column of numbers, and "a" is string. Columns of numbers: b.'],
    [["a,b", "1,2", "3,4"], {}, "y must name the column to foresee. Columns of numbers: a, b."],
    [["a,b", "1,x"], { y: "b" }, 'y must be a column of numbers, and "b" is string. Columns of numbers: a.'],
    [["a,b", "1,x"], { y: "a", time: "b" }, 'time must be a column of dates or numbers, and "b" is string.'],
    [["a,b", "1,1", "2,1", "3,2", "4,3", "5,4"], { y: "a", time: "b" }, 'several rows have the same "b"'],
    [["a,b", "1,1", "2,2", "3,3.5", "4,4", "5,5.2"], { y: "a", time: "b" }, 'the times in "b" are no even steps.'],
    [["a,b", "1,1", "2,2", "3,3", "4,90"], { y: "a", time: "b" }, "86 of 90 steps (each a step) have no value."],
    [["a", "1", "2", "3", "4", "5"], { season: 3 }, "season must be between 1 and 2 (half of 5 steps), got 3."],
  ])("refuses %j with %j", async (rows, args, message) => {
    const { message: said } = await lab.failure(`${rows.join("\n")}\n`, ["forecast", args]);
    expect(said).toContain(`forecast (BL_FORECAST): ${message}`);
  });

  it("refuses a shuffled split and an empty table", async () => {
    const split = ["split", { random_state: 1 }] as const;
    expect((await lab.failure(table(airRows), split, ["forecast", quick])).message).toBe(
      'forecast (BL_FORECAST): test rows lie between the training rows, so what comes next is known already. Split with shuffle: false, after sort("month").',
    );
    const none = ["filter", { where: "passengers > 1e6" }] as const;
    expect((await lab.failure(table(airRows), none, ["forecast", quick])).message).toContain(
      "has 0 values to learn from",
    );
  });
});

const day = 86_400_000;
const days = (...texts: string[]) => texts.map((text) => Date.parse(text));

describe("a clock", () => {
  it.each([
    [["2024-01-31", "2024-02-29", "2024-04-30"], "month", [0, 1, 3], "2024-05-31", [12]],
    [["2023-01-15", "2023-04-15", "2023-07-15"], "3 months", [0, 1, 2], "2023-10-15", [4]],
    [["2020-02-29", "2021-02-28", "2022-02-28"], "year", [0, 1, 2], "2023-02-28", []],
    [["2024-01-04", "2024-01-05", "2024-01-08", "2024-01-10"], "working day", [0, 1, 2, 4], "2024-01-11", [5]],
    [["2024-01-01", "2024-01-08", "2024-01-22"], "week", [0, 1, 3], "2024-01-29", [52]],
    [["2024-02-27", "2024-02-28", "2024-03-01"], "day", [0, 1, 3], "2024-03-02", [7, 365]],
  ])("reads %j as steps of a %s", (texts, step, places, next, seasons) => {
    const clock = dateClock(days(...texts), "t", "w");
    expect(clock.step).toBe(step);
    expect(clock.places).toEqual(places);
    expect(clock.seasons).toEqual(seasons);
    expect(String(clock.at(places[places.length - 1] + 1)).slice(0, 10)).toBe(next);
    expect(Date.parse(`${String(clock.at(0)).replace(" ", "T")}Z`)).toBe(days(texts[0])[0]);
  });

  it("knows hours, numbers, and times before 1970", () => {
    const hours = dateClock([0, day / 24, day / 8], "t", "w");
    expect([hours.step, hours.places, hours.seasons]).toEqual(["hour", [0, 1, 3], [24, 168, 8760]]);
    expect(hours.at(4)).toBe("1970-01-01 04:00:00");
    expect(dateClock(days("1901-01-01", "1902-01-01"), "t", "w").at(2)).toBe("1903-01-01 00:00:00");
    const halves = numberClock([0.5, 1, 2], "t", "w");
    expect([halves.places, halves.at(5)]).toEqual([[0, 1, 3], 3]);
    expect(() => dateClock([0, 1000, 2500], "t", "w")).toThrow("no even steps");
  });
});

describe("backtests", () => {
  it("begin a horizon apart where there is room, and nearer where there is not", () => {
    expect(originsOf(100, 10, 1, 3)).toEqual([70, 80, 90]);
    expect(originsOf(24, 10, 1, 3)).toEqual([10, 12, 14]);
    expect(originsOf(24, 10, 1, 50)).toEqual([10, 11, 12, 13, 14]);
    expect(originsOf(19, 10, 1, 3)).toEqual([]);
    expect(originsOf(100, 10, 1, 0)).toEqual([]);
  });

  it("count errors by hand", () => {
    const forecast = { mean: Float64Array.of(1, 2), low: Float64Array.of(0, 1), high: Float64Array.of(2, 3) };
    const y = Float64Array.of(1, 3, 1, 3);
    const later = [
      { ahead: 0, value: 2 },
      { ahead: 1, value: 5 },
    ];
    expect(accuracyOf(y, 1, forecast, later)).toEqual({ mae: 2, rmse: Math.sqrt(5), mase: 1, coverage: 0.5 });
    expect(accuracyOf(y, 2, forecast, later).mase).toBeNull();
  });

  it("take the simplest of equals", () => {
    const one = { mae: 1, rmse: 1, mase: 1, coverage: 1 };
    expect(
      bestOf([
        { method: "naive", ...one },
        { method: "ets", ...one },
      ]).method,
    ).toBe("naive");
    expect(
      bestOf([
        { method: "naive", ...one, mase: null },
        { method: "ets", ...one, mae: 0.5 },
      ]).method,
    ).toBe("ets");
  });
});
