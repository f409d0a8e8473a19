import { describe, expect, it } from "vitest";
import { Lab } from "../../support/lab.ts";

const lab = new Lab();
const csv = "k,v\n0,\n1,\n2,\n3,\n4,\n";

describe("slice (BL_SLICE)", () => {
  it.each([
    [{ from: 1, to: 3 }, [1, 2]],
    [{ from: 2 }, [2, 3, 4]],
    [{ to: 2 }, [0, 1]],
    [{ from: -2 }, [3, 4]],
    [{ to: -4 }, [0]],
    [{ from: 3, to: 1 }, []],
    [{ from: -9, to: 9 }, [0, 1, 2, 3, 4]],
    [{ from: "1", to: "2" }, [1]],
    [{ from: -(2 ** 53 - 1), to: 2 ** 53 - 1 }, [0, 1, 2, 3, 4]],
    [{}, [0, 1, 2, 3, 4]],
  ])("keeps the rows of %j", async (args, rows) => {
    expect(await lab.column(await lab.last(csv, ["slice", args]), "k")).toEqual(rows);
  });

  it("counts in the table's order behind a sort, a filter and a slice", async () => {
    const record = await lab.last(
      csv,
      ["sort", { by: "-k" }],
      ["filter", { where: "k != 3" }],
      ["slice", { from: 1 }],
      ["slice", { to: 2 }],
    );
    expect(await lab.column(record, "k")).toEqual([2, 1]);
  });

  it("takes an empty table", async () => {
    expect((await lab.table((await lab.last("a\n", ["slice", { from: -1 }])).dataset_url)).rows).toEqual([]);
  });

  it("leaves rows on their side of a split, and roles to their columns", async () => {
    const rows = Array.from({ length: 12 }, (_, k) => `${k},${k * 2}`).join("\n");
    const record = await lab.last(
      `k,y\n${rows}\n`,
      ["xy", { y: "y" }],
      ["split", { test_size: 0.5, shuffle: false }],
      ["slice", { from: 4, to: 8 }],
    );
    const [train, test] = await Promise.all([record.x_train_url, record.y_test_url].map((url) => lab.table(url)));
    expect([train.rows.flat(), test.rows.flat()]).toEqual([
      [4, 5],
      [12, 14],
    ]);
  });

  it.each([
    [{ from: 1.5 }, /from must be a whole number, got 1\.5/],
    [{ to: 2 ** 53 }, /to must be at most 9007199254740991/],
    [{ from: "x" }, /from must be a number/],
    [{ start: 1 }, /start/],
  ])("refuses %j", async (args, words) => {
    const { status, message } = await lab.failure(csv, ["slice", args]);
    expect([status, message]).toEqual([400, expect.stringMatching(words)]);
  });

  it("shows which rows", async () => {
    expect(await lab.view(await lab.last(csv, ["slice", { from: 1, to: 3 }]))).toMatchInlineSnapshot(`
      "Rows 1 to 3 (exclusive) of 5 rows.

            k       v
      integer  number
      ───────  ──────
            1       ·
            2       ·
      missing: v 2"
    `);
  });
});
