import { describe, expect, it } from "vitest";
import { Lab } from "../../support/lab.ts";

const lab = new Lab();
const csv = "a,b,c\n1,,x\n3,,y\n";

describe("drop (DP_6)", () => {
  it("drops by name, by index within X, Y or the dataset, and counts", async () => {
    const named = await lab.last(csv, ["drop", { columns: ["a"] }]);
    expect([(await lab.table(named.dataset_url)).header, named.function_action]).toEqual([["b", "c"], 1]);
    const byIndex = await lab.last(
      csv,
      ["xy", { y: "a" }],
      ["DP_DC", { x_columns: [1], y_columns: [], d_columns: [-2] }],
    );
    expect([(await lab.table(byIndex.dataset_url)).header, byIndex.function_action]).toEqual([["a"], 2]);
  });

  it("writes no data", async () => {
    const { id } = await lab.project();
    await lab.block(id, 1, 0, ["input", { dburl: lab.file(csv) }]);
    const before = lab.files();
    await lab.block(id, 2, 1, ["drop", { columns: ["b"] }]);
    expect(lab.files()).toBe(before);
  });

  it("takes an empty table; refuses an unknown column and dropping all", async () => {
    expect((await lab.table((await lab.last("a,b\n", ["drop", { columns: ["a"] }])).dataset_url)).header).toEqual([
      "b",
    ]);
    expect((await lab.failure(csv, ["drop", { columns: ["d"] }])).message).toMatch(/column "d" is not in the table/);
    expect((await lab.failure(csv, ["drop", { columns: ["a", "b", "c"] }])).message).toBe(
      "drop (DP_6): that would drop all 3 columns; keep at least one.",
    );
    expect((await lab.failure(csv, ["drop", { d_columns: [7] }])).status).toBe(400);
  });

  it("says what it dropped", async () => {
    expect(await lab.view(await lab.last(csv, ["drop", { columns: ["b"] }]))).toMatchInlineSnapshot(`
      "Dropped b.

            a  c
      integer  string
      ───────  ──────
            1  x
            3  y"
    `);
  });
});
