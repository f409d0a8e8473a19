import { expect, it } from "vitest";
import { Lab, output } from "../../support/lab.ts";

const lab = new Lab();

const towns = ["Lagos", "Accra"];
const table = `age,town,y\n${Array.from({ length: 20 }, (_, k) => `${k},${towns[k % 2]},${2 * k + (k === 13 ? 40 : 0) - (k === 4 ? 25 : 0)}`).join("\n")}\n`;

it("answers the rows farthest from the truth, with their numbers and their cells as they were read", async () => {
  const record = await lab.last(
    table,
    ["encode", { columns: ["town"], type: "onehot" }],
    ["scale", { columns: ["age"] }],
    ["xy", { y: "y" }],
    ["treeRegressor", { max_depth: 1 }],
    ["errors", { n: 3 }],
  );
  const found = output<{ n: number; of: number; errors_url: string }>(record);
  expect([found.n, found.of]).toEqual([3, 20]);
  const { header, rows, types } = await lab.table(found.errors_url);
  expect(header).toEqual(["row", "truth", "predicted", "error", "age", "town"]);
  expect(types).toEqual(["integer", "integer", "number", "number", "integer", "string"]);
  expect(rows[0].slice(0, 2)).toEqual([13, 66]);
  expect(rows[0].slice(4)).toEqual([13, "Accra"]);
  for (const [, truth, predicted, error] of rows) expect(error).toBeCloseTo(Number(truth) - Number(predicted), 9);
  const sizes = rows.map((row) => Math.abs(Number(row[3])));
  expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
  const view = await lab.view(record);
  expect(view).toContain("What model treeRegressor gets most wrong of 20 rows");
  for (const line of view.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
});

it("shows the cells as they were read behind rows that were left out", async () => {
  const record = await lab.last(
    table,
    ["encode", { columns: ["town"], type: "onehot" }],
    ["scale", { columns: ["age"] }],
    ["xy", { y: "y" }],
    ["filter", { where: "y > 9" }],
    ["treeRegressor", { max_depth: 1 }],
    ["errors", { n: 50 }],
  );
  const { rows } = await lab.table(output<{ errors_url: string }>(record).errors_url);
  const kept = Array.from({ length: 20 }, (_, k) => [
    2 * k + (k === 13 ? 40 : 0) - (k === 4 ? 25 : 0),
    k,
    towns[k % 2],
  ]);
  const cells = rows.map(([, truth, , , age, town]) => [truth, age, town]).sort((a, b) => Number(a[1]) - Number(b[1]));
  expect(cells).toEqual(kept.filter(([y]) => Number(y) > 9));
});

it("answers of classes the test rows whose true class was thought least likely", async () => {
  const links = [
    ["xy", { y: "species" }],
    ["split", { test_size: 0.5, random_state: 0 }],
    ["logistic", { max_iter: 500 }],
  ] as const;
  const record = await lab.last("sample:iris", ...links, ["errors", { n: 75 }]);
  const { rows } = await lab.table(output<{ errors_url: string }>(record).errors_url);
  const predicted = await lab.last("sample:iris", ...links, [
    "ML_CN_1_M",
    { model_name: "logistic", metric: "accuracy" },
  ]);
  const { accuracy } = output<{ accuracy: number }>(predicted);
  const wrong = rows.filter(([, truth, said]) => truth !== said);
  expect(wrong.length).toBe(Math.round(75 * (1 - accuracy)));
  // What is said to be another class comes first: its own was the less likely one.
  for (const row of wrong) expect(Number(row[3])).toBeGreaterThan(0.5);
  const error = rows.map((row) => Number(row[3]));
  expect(error).toEqual(error.toSorted((a, b) => b - a));
});

it("looks at rows of a file, which must have the target", async () => {
  const links = [["drop", { columns: ["town"] }], ["xy", { y: "y" }], ["linear"]] as const;
  const later = lab.file("age,y\n5,10\n7,900\n9,18\n");
  const record = await lab.last(table, ...links, ["errors", { test_data: later, n: 1 }]);
  const { rows } = await lab.table(output<{ errors_url: string }>(record).errors_url);
  expect([rows[0][0], rows[0][1], rows[0][4]]).toEqual([1, 900, 7]);
  const error = await lab.failure(table, ...links, ["errors", { test_data: lab.file("age\n5\n") }]);
  expect([error.status, error.message]).toEqual([
    422,
    'errors (BL_ERRORS): the given rows lack "y", by which they would be judged.',
  ]);
});

it("keeps numbers beyond whole numbers of 64 bits", async () => {
  const huge = `a,y\n${Array.from({ length: 12 }, (_, k) => `${k},${k * k}e300`).join("\n")}\n`;
  const record = await lab.last(huge, ["xy", { y: "y" }], ["linear"], ["errors", { n: 1 }]);
  const { rows, types } = await lab.table(output<{ errors_url: string }>(record).errors_url);
  expect([rows[0][1], types[1]]).toEqual([121e300, "number"]);
});
