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

  it("treats target columns by y_boundaries, which count within Y", async () => {
    const two = "a,b,c\n1,,\n,4,6\n";
    const record = await lab.last(
      two,
      ["xy", { x: ["a", "b"], y: "c" }],
      ["missing", { strategy: "mean", y_boundaries: "-1" }],
    );
    expect((await lab.table(record.dataset_url)).rows).toEqual([
      [1, null, 6],
      [null, 4, 6],
    ]);
    const both = { strategy: "mean", x_boundaries: ":, 0:1", y_boundaries: ":, 0:1" };
    const bound = await lab.last(two, ["xy", { x: ["a", "b"], y: "c" }], ["missing", both]);
    expect((await lab.table(bound.dataset_url)).rows).toEqual([
      [1, null, 6],
      [1, 4, 6],
    ]);
    const bare = await lab.last(two, ["missing", { strategy: "mean", y_boundaries: "c" }]);
    expect((await lab.table(bare.dataset_url)).rows).toEqual([
      [1, null, 6],
      [null, 4, 6],
    ]);
  });

  it("learns from training rows alone once there is a split", async () => {
    const split = ["split", { test_size: 2, shuffle: false }] as const;
    const filled = (last: string) => lab.last(`n\n1\n\n3\n${last}\n100\n`, split, ["missing", { strategy: "mean" }]);
    expect(await lab.column(await filled("5"), "n")).toEqual([1, 2, 3, 5, 100]);
    expect(await lab.column(await filled("999"), "n")).toEqual([1, 2, 3, 999, 100]);
  });

  it("keeps split in order when rows go", async () => {
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
    expect(record.notices).toEqual(["missing (DP_2): mean needs numbers, not t, which stayed as before."]);
    const error = await lab.failure(csv, ["missing", { strategy: "mean", columns: ["t"] }]);
    expect([error.status, error.message]).toEqual([
      422,
      'missing (DP_2): mean needs numbers, but column "t" is string. Use strategy "mode", or leave it out of boundaries.',
    ]);
  });

  it("fills new rows along their own order", async () => {
    const table = "n,y\n1,1\nNA,2\n3,3\n4,4\n9,9\n";
    const fresh = lab.file("n\n1\nNA\nNA\n4\n");
    const answers = async (strategy: string) => {
      const record = await lab.last(
        table,
        ["xy", { y: "y" }],
        ["missing", { strategy }],
        ["treeRegressor"],
        ["ML_R_5_P", { model_name: "treeRegressor", test_data: fresh }],
      );
      const { y_pred_url } = JSON.parse(record.output as string) as { y_pred_url: string };
      return (await lab.table(y_pred_url)).rows.flat();
    };
    expect(await answers("linear")).toEqual([1, 2, 3, 4]);
    expect(await answers("bfill")).toEqual([1, 4, 4, 4]);
    expect(await answers("ffill")).toEqual([1.5, 1.5, 1.5, 4]);
  });

  it("fills several columns of new rows, each by its own cells", async () => {
    const table = "a,b,y\n1,10,1\nNA,20,2\n3,NA,3\n4,40,4\n";
    const rows = Array.from({ length: 9 }, (_, k) => `${k % 3 === 1 ? "NA" : k},${k % 4 === 2 ? "NA" : 10 * k}`);
    const fresh = `a,b\n${rows.join("\n")}\n`;
    const expected = {
      ffill: { a: [0, 0, 2, 3, 3, 5, 6, 6, 8], b: [0, 10, 10, 30, 40, 50, 50, 70, 80] },
      bfill: { a: [0, 2, 2, 3, 5, 5, 6, 8, 8], b: [0, 10, 30, 30, 40, 50, 70, 70, 80] },
      linear: { a: [0, 1, 2, 3, 4, 5, 6, 7, 8], b: [0, 10, 20, 30, 40, 50, 60, 70, 80] },
    };
    for (const [strategy, { a, b }] of Object.entries(expected)) {
      const { id } = await lab.project();
      await lab.block(id, 1, 0, ["input", { dburl: lab.file(table) }]);
      await lab.block(id, 2, 1, ["xy", { y: "y" }]);
      await lab.block(id, 3, 2, ["missing", { strategy }]);
      await lab.block(id, 4, 3, ["linear"]);
      const answers = async (block: number, content: string) => {
        const args = { model_name: "linear", test_data: lab.file(content) };
        const record = await lab.block(id, block, 4, ["ML_R_2_P", args]);
        const { y_pred_url } = JSON.parse(record.output as string) as { y_pred_url: string };
        return (await lab.table(y_pred_url)).rows.flat();
      };
      const whole = `a,b\n${a.map((each, k) => `${each},${b[k]}`).join("\n")}\n`;
      expect(await answers(5, fresh)).toEqual(await answers(6, whole));
    }
  });

  it("takes a constant of each type, as text too, and leaves days days", async () => {
    const table = "n,t,d,b\n1,x,2026-01-01,true\nNA,NA,NA,NA\n";
    const filled = async (column: string, fill_value: unknown) => {
      const record = await lab.last(table, ["missing", { strategy: "constant", fill_value, columns: [column] }]);
      return (await lab.column(record, column))[1];
    };
    expect(await filled("n", "7")).toBe(7);
    expect(await filled("t", "7")).toBe("7");
    expect(await filled("b", "false")).toBe(false);
    expect(await filled("d", "2026-02-03")).toBe("2026-02-03");
    expect(await lab.column(await lab.last(table, ["missing", { strategy: "mode" }]), "d")).toEqual([
      "2026-01-01",
      "2026-01-01",
    ]);
    const failing = async (column: string, fill_value: unknown) =>
      (await lab.failure(table, ["missing", { strategy: "constant", fill_value, columns: [column] }])).message;
    expect(await failing("t", 0)).toBe(
      'missing (DP_2): 0 does not fit column "t", which is string. Give a fill_value that is text, or leave it out of boundaries.',
    );
    expect(await failing("d", "soon")).toMatch(/a date, as "2026-01-31"/);
    expect(await failing("d", "2026-13-45")).toMatch(/a date/);
    expect(await failing("n", "x")).toMatch(/a number/);
    expect(await failing("b", 1)).toMatch(/true or false/);
  });

  it("says so when boundaries select rows, and never leaves a table without columns", async () => {
    const record = await lab.last(csv, ["missing", { strategy: "mode", boundaries: "0:1" }]);
    expect(record.notices).toEqual([
      'missing (DP_2): "0:1" selects rows; the columns are treated in all rows. Write ":, 0:1" for columns.',
    ]);
    const failure = await lab.failure("a,b\n1,\n,2\n", ["missing", { strategy: "drop_columns" }]);
    expect([failure.status, failure.message]).toEqual([
      422,
      "missing (DP_2): that would leave the table without a column.",
    ]);
  });

  it("takes an empty table and a column without any value", async () => {
    expect(await lab.column(await lab.last("n\n", ["missing", { strategy: "mean" }]), "n")).toEqual([]);
    const record = await lab.last("n,m\n,1\n,2\n", ["missing", { strategy: "mean" }]);
    expect(record.notices).toEqual(["missing (DP_2): n has no value at all, so nothing could be filled in."]);
    expect(await lab.view(record)).toMatch(/^No missing cell was filled\.$/m);
  });

  it.each([
    ["ffill", "before", 1, [null, 2, 2, 2]],
    ["bfill", "behind", 2, [2, 2, null, null]],
    ["linear", "before", 1, [null, 2, 2, 2]],
  ])("counts what %s could fill, and says what stayed missing", async (strategy, where, left, filled) => {
    const record = await lab.last("n,m\n,1\n2,1\n,1\n,1\n", ["missing", { strategy }]);
    expect(await lab.column(record, "n")).toEqual(filled);
    expect(record.notices).toEqual([
      `missing (DP_2): ${left === 1 ? "1 cell" : `${left} cells`} of n stayed missing, with no value ${where} ${left === 1 ? "it" : "them"}.`,
    ]);
    expect(await lab.view(record)).toContain(`Filled n: ${3 - left === 1 ? "1 cell" : "2 cells"} (${strategy}).`);
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
