import { describe, expect, it } from "vitest";
import { Lab } from "../../support/lab.ts";

const lab = new Lab();
const csv = "n,t\n1,x\n,y\n3,\n8,x\n";

describe("missing (DP_2)", () => {
  it.each([
    ["mean", [1, 4, 3, 8]],
    ["median", [1, 3, 3, 8]],
    ["ffill", [1, 1, 3, 8]],
    ["bfill", [1, 3, 3, 8]],
    ["linear", [1, 2, 3, 8]],
  ])("fills by %s", async (strategy, expected) => {
    const record = await lab.last(csv, ["missing", { strategy, columns: ["n"] }]);
    expect(await lab.column(record, "n")).toEqual(expected);
    expect(await lab.column(record, "t")).toEqual(["x", "y", null, "x"]);
  });

  it("fills by the most frequent value, of equals the smallest, and by a constant", async () => {
    expect(await lab.column(await lab.last(csv, ["missing", { strategy: "mode" }]), "t")).toEqual(["x", "y", "x", "x"]);
    expect(await lab.column(await lab.last(csv, ["missing", { strategy: "mode" }]), "n")).toEqual([1, 1, 3, 8]);
    const constant = await lab.last(csv, ["missing", { strategy: "constant", fill_value: -1, columns: ["n"] }]);
    expect((await lab.table(constant.dataset_url)).types).toEqual(["integer", "string"]);
    expect(await lab.column(constant, "n")).toEqual([1, -1, 3, 8]);
  });

  it("drops rows with holes in the named columns alone, or whole columns", async () => {
    const rows = await lab.last(csv, ["missing", { strategy: "drop", columns: ["n"] }]);
    expect(await lab.column(rows, "t")).toEqual(["x", null, "x"]);
    const columns = await lab.last("a,b\n1,\n2,3\n", ["missing", { strategy: "drop_columns" }]);
    expect((await lab.table(columns.dataset_url)).header).toEqual(["a"]);
  });

  it("learns from training rows alone once there are folds", async () => {
    const split = ["split", { test_size: 2, shuffle: false }] as const;
    const filled = (last: string) => lab.last(`n\n1\n\n3\n${last}\n100\n`, split, ["missing", { strategy: "mean" }]);
    expect(await lab.column(await filled("5"), "n")).toEqual([1, 2, 3, 5, 100]);
    expect(await lab.column(await filled("999"), "n")).toEqual([1, 2, 3, 999, 100]);
  });

  it("keeps folds in order when rows go", async () => {
    const links = [
      ["xy", { y: "t" }],
      ["split", { test_size: 2, random_state: 3 }],
      ["missing", { strategy: "drop", columns: ["n"] }],
    ] as const;
    const record = await lab.last(csv, ...links);
    const [train, test] = [await lab.table(record.x_train_url), await lab.table(record.x_test_url)];
    expect([...train.rows, ...test.rows].flat().sort()).toEqual([1, 3, 8]);
  });

  it("writes no data for a fill", async () => {
    const { id } = await lab.project();
    await lab.block(id, 1, 0, ["input", { dburl: lab.file(csv) }]);
    const before = lab.files();
    await lab.block(id, 2, 1, ["missing", { strategy: "mean" }]);
    expect(lab.files()).toBe(before);
  });

  it("names columns it can't serve in a notice, or refuses them when they were asked for", async () => {
    const record = await lab.last(csv, ["missing", { strategy: "mean" }]);
    expect(record.notices).toEqual(["missing (DP_2): mean needs numbers, so t stayed as before."]);
    const error = await lab.failure(csv, ["missing", { strategy: "mean", columns: ["t"] }]);
    expect([error.status, error.message]).toEqual([
      422,
      'missing (DP_2): mean needs numbers, but column "t" is string. Use strategy "mode", or leave it out of boundaries.',
    ]);
  });

  it("takes an empty table and a column without any value", async () => {
    expect(await lab.column(await lab.last("n\n", ["missing", { strategy: "mean" }]), "n")).toEqual([]);
    const record = await lab.last("n,m\n,1\n,2\n", ["missing", { strategy: "mean" }]);
    expect(record.notices).toEqual(["missing (DP_2): n has no value at all, so nothing could be filled in."]);
  });

  it("refuses a strategy that isn't one, and constant without a value", async () => {
    expect((await lab.failure(csv, ["missing", { strategy: "meen" }])).message).toBe(
      'missing (DP_2): strategy_value must be "mean", "median", "mode", "constant", "drop", "drop_columns", "ffill", "bfill" or "linear", got "meen". Did you mean "mean"?',
    );
    expect((await lab.failure(csv, ["missing", { strategy: "constant" }])).message).toMatch(/needs fill_value/);
    expect((await lab.failure("a\n,\n", ["missing", { strategy: "drop" }])).status).toBe(422);
  });

  it("says what it filled in, and from which rows", async () => {
    expect(
      await lab.view(await lab.last(csv, ["missing", { strategy: "mean", columns: ["n"] }])),
    ).toMatchInlineSnapshot(`
      "Filled n: 1 cell with 4 (mean of all 4 rows).

            n  t
      integer  string
      ───────  ──────
            1  x
            4  y
            3  ·
            8  x
      missing: t 1"
    `);
  });
});
