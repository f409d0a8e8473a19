import { expect, it } from "vitest";
import { Lab } from "../../support/lab.ts";

const lab = new Lab();
const csv = `t,v\n${Array.from({ length: 6 }, (_, k) => `${k},${k * 10}`).join("\n")}\n`;

it("cuts windows: X the past, Y what follows", async () => {
  const record = await lab.last(csv, ["timesteps", { lookback: 3, lookforward: 2, index: 1 }]);
  expect(await lab.table(record.x_value_url)).toMatchObject({
    header: ["v_t-3", "v_t-2", "v_t-1"],
    rows: [
      [0, 10, 20],
      [10, 20, 30],
    ],
  });
  expect(await lab.table(record.y_value_url)).toMatchObject({
    header: ["v_t", "v_t+1"],
    rows: [
      [30, 40],
      [40, 50],
    ],
  });
  expect(await lab.view(record)).toMatch(/^2 windows of v: 3 past steps to predict 2 steps\./);
});

it("predicts one step by default, and missing values stay missing", async () => {
  const record = await lab.last("v\n1\n\n3\n4\n".replace("\n\n", "\nNA\n"), ["DP_TSP", { lookback: 1, index: "v" }]);
  expect((await lab.table(record.dataset_url)).rows).toEqual([
    [1, null],
    [null, 3],
    [3, 4],
  ]);
});

it("leads to a model that can be judged in the order of time", async () => {
  const record = await lab.last(
    `v\n${Array.from({ length: 60 }, (_, k) => Math.sin(k / 3)).join("\n")}\n`,
    ["timesteps", { lookback: 2, index: "v" }],
    ["split", { shuffle: false, test_size: 0.25 }],
    ["linear"],
    ["ML_R_2_M", { model_name: "linear" }],
  );
  expect(JSON.parse(record.output as string).r2).toBeGreaterThan(0.999);
});

it("reads the same windows from a long series, whoever reads them", async () => {
  const rows = 100_000;
  const long = `v,w\n${Array.from({ length: rows }, (_, k) => `${k},${k % 2}`).join("\n")}\n`;
  const record = await lab.last(long, ["timesteps", { lookback: 2, index: "v" }]);
  const { rows: windows } = await lab.table(record.dataset_url);
  expect(windows).toHaveLength(rows - 2);
  expect(windows.findIndex(([a, b, c], k) => a !== k || b !== k + 1 || c !== k + 2)).toBe(-1);
  const { id } = await lab.project();
  await lab.block(id, 1, 0, ["input", { dburl: lab.file(long) }]);
  await lab.block(id, 2, 1, ["timesteps", { lookback: 2, index: "v" }]);
  // Counted, read as numbers, chosen by a condition, and told apart by folds.
  const described = await lab.block(id, 3, 2, ["describe"]);
  expect(JSON.parse(described.output as string).columns.v_t).toMatchObject({ count: rows - 2, mean: (rows + 1) / 2 });
  const kept = await lab.block(id, 4, 2, ["missing", { strategy_value: "drop" }]);
  expect((await lab.table(kept.dataset_url)).rows).toEqual(windows);
  await lab.block(id, 5, 2, ["split", { shuffle: false }]);
  const model = await lab.block(id, 6, 5, ["linear"]);
  const metrics = await lab.block(id, 7, 6, ["ML_R_2_M", { model_name: "linear" }]);
  expect(JSON.parse(metrics.output as string).r2).toBeCloseTo(1, 12);
  expect((await lab.table(model.x_test_url)).rows.at(-1)).toEqual([rows - 3, rows - 2]);
  const shown = await lab.block(id, 8, 2, ["scatter", { x: "v_t-2", y: "v_t" }]);
  expect(await lab.view(shown)).toContain("v_t-2");
});

it("takes an artifact of other windows as a plot's rows, as many as it has", async () => {
  const { id } = await lab.project();
  await lab.block(id, 1, 0, ["input", { dburl: lab.file(csv) }]);
  const windows = await lab.block(id, 2, 1, ["timesteps", { lookback: 3, index: "v" }]);
  const plot = await lab.block(id, 3, 1, ["scatter", { x: windows.x_value_url, y: windows.y_value_url }]);
  expect(await lab.view(plot)).toContain("v_t");
});

it("is where a chain begins that is fitted anew in each fold", async () => {
  const series = `v\n${Array.from({ length: 60 }, (_, k) => Math.sin(k / 3)).join("\n")}\n`;
  const windows = ["timesteps", { lookback: 2, index: "v" }] as const;
  const record = await lab.last(series, windows, ["scale", { scaler: "standard" }], ["linear", { cv: 5 }]);
  const [{ cv }] = Object.values(JSON.parse(record.output as string)) as { cv: { r2: { folds: number[] } } }[];
  expect(cv.r2.folds).toEqual(Array(5).fill(expect.closeTo(1, 9)));
});

it.each([
  [{ lookback: 6, index: "v" }, 422, /6 rows hold no window of 6 \+ 1 steps/],
  [{ lookback: 0, index: "v" }, 400, /lookback must be at least 1/],
  [{ lookback: 2000, lookforward: 2000, index: "v" }, 400, /make 4000 columns, at most 2000/],
  [{ lookback: 2, index: "w" }, 400, /column "w" is not in the table/],
])("%j is refused in one sentence", async (args, status, sentence) => {
  const failure = await lab.failure(csv, ["timesteps", args]);
  expect([failure.status, failure.message]).toEqual([status, expect.stringMatching(sentence)]);
});

it("refuses words, and rows that are split already", async () => {
  expect((await lab.failure("v\na\nb\n", ["timesteps", { lookback: 1, index: "v" }])).message).toMatch(/"v" is string/);
  const failure = await lab.failure(csv, ["xy", { y: "v" }], ["split"], ["timesteps", { lookback: 1, index: "v" }]);
  expect(failure.message).toMatch(/split already.*Make windows first/);
});
