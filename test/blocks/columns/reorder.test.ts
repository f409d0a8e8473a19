import { expect, it } from "vitest";
import { Lab } from "../../support/lab.ts";

const lab = new Lab();
const csv = "a,b,c,d\n1,2,3,x\n4,5,6,y\n";
const header = async (url: string | null | undefined) => (await lab.table(url)).header;

it("moves a column of the dataset, by name or index, to a position from either end", async () => {
  for (const [column, position, order] of [
    ["a", 2, "bcad"],
    [0, 2, "bcad"],
    ["d", 0, "dabc"],
    ["a", -1, "bcda"],
    [-1, -2, "abdc"],
  ] as const) {
    const record = await lab.last(csv, ["reorder", { column, position, dataset: true }]);
    expect(await header(record.dataset_url)).toEqual([...order]);
    expect((await lab.table(record.dataset_url)).rows[0]).toEqual(
      [...order].map((name) => ({ a: 1, b: 2, c: 3, d: "x" })[name]),
    );
  }
});

it("moves a feature within X once there are roles, and leaves the dataset as it is", async () => {
  const record = await lab.last(csv, ["xy", { y: "d" }], ["reorder", { column: 2, posititon: 0 }]);
  expect(await header(record.x_value_url)).toEqual(["c", "a", "b"]);
  expect(await header(record.dataset_url)).toEqual(["a", "b", "c", "d"]);
});

it("acts wherever the flags say and the column stands", async () => {
  const flags = { dataset: true, x: true, y: true, xtrain: true, xtest: true, ytrain: true, ytest: true };
  const record = await lab.last(csv, ["xy", { y: "d" }], ["reorder", { column: "b", position: 0, ...flags }]);
  expect(await header(record.x_value_url)).toEqual(["b", "a", "c"]);
  expect(await header(record.dataset_url)).toEqual(["b", "a", "c", "d"]);
});

it("refuses a position or a column outside, and Y before there is one", async () => {
  const failing = async (args: Record<string, unknown>) => (await lab.failure(csv, ["reorder", args])).message;
  expect(await failing({ column: "a", position: 4 })).toBe(
    "reorder (DP_ROC): position 4 is outside the table, which has 4 columns (0 to 3).",
  );
  expect(await failing({ column: "e", position: 0 })).toMatch(/column "e" is not in the table/);
  expect(await failing({ column: "a", position: 0, y: true })).toMatch(/there is no Y yet/);
  expect(await failing({ column: "a" })).toMatch(/position/);
});
