import { describe, expect, it } from "vitest";
import { Lab } from "../../support/lab.ts";

const lab = new Lab();
const csv = "a,b,y\n1,2,0\n3,,1\n5,6,0\n7,8,1\n";

describe("rename (BL_RENAME)", () => {
  it.each([
    [{ a: "age" }, ["age", "b", "y"]],
    [{ a: "b", b: "a" }, ["b", "a", "y"]],
    [{ a: "A" }, ["A", "b", "y"]],
    [{ a: "a" }, ["a", "b", "y"]],
    [{ a: "__proto__", b: 'odd "name"' }, ["__proto__", 'odd "name"', "y"]],
  ])("gives columns other names in their place: %j", async (names, header) => {
    const found = await lab.table((await lab.last(csv, ["rename", { names }])).dataset_url);
    expect(found.header).toEqual(header);
    expect(found.rows[0]).toEqual([1, 2, 0]);
  });

  it("takes an empty table, and a column of gaps", async () => {
    const names = { b: "c" };
    expect((await lab.table((await lab.last("a,b\n", ["rename", { names }])).dataset_url)).header).toEqual(["a", "c"]);
    expect(await lab.column(await lab.last("a,b\n1,\n", ["rename", { names }]), "c")).toEqual([null]);
  });

  it("leaves roles and folds to the columns", async () => {
    const record = await lab.last(
      csv,
      ["xy", { y: "y" }],
      ["split", { test_size: 0.5, shuffle: false }],
      ["rename", { names: { a: "first", y: "target" } }],
    );
    const [x, y] = await Promise.all([record.x_test_url, record.y_train_url].map((url) => lab.table(url)));
    expect([x.header, x.rows]).toEqual([
      ["first", "b"],
      [
        [5, 6],
        [7, 8],
      ],
    ]);
    expect([y.header, y.rows]).toEqual([["target"], [[0], [1]]]);
  });

  it.each([
    [{ names: {} }, /names names no column/],
    [{ names: { a: "" } }, /no column can be called "".*"column" would do/],
    [{ names: { a: " x " } }, /no column can be called " x ".*"x" would do/],
    [{ names: { a: "B" } }, /no column can be called "B".*"B_1" would do/],
    [{ names: { a: "c", b: "c" } }, /no column can be called "c".*"c_1" would do/],
    [{ names: { a: "__row" } }, /no column can be called "__row".*"__row_1" would do/],
    [{ names: { aa: "c" } }, /column "aa" is not in the table\. Did you mean "a"/],
    [{}, /needs names/],
  ])("refuses %j", async (args, words) => {
    const { status, message } = await lab.failure(csv, ["rename", args]);
    expect([status, message]).toEqual([400, expect.stringMatching(words)]);
  });

  it("shows the new names", async () => {
    expect(await lab.view(await lab.last(csv, ["rename", { names: { a: "age" } }]))).toMatchInlineSnapshot(`
      "Renamed a → age.

          age        b        y
      integer  integer  integer
      ───────  ───────  ───────
            1        2        0
            3        ·        1
            5        6        0
            7        8        1
      missing: b 1"
    `);
  });
});
