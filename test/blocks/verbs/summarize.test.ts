import { describe, expect, it } from "vitest";
import { Lab } from "../../support/lab.ts";

const lab = new Lab();
const csv = "shop,kind,units,price\nb,x,1,2.5\na,y,2,\nb,,3,1.5\n,x,4,4\na,y,6,8\n";

describe("summarize (BL_SUMMARIZE)", () => {
  it("answers one row a group, by key, missing last", async () => {
    const columns = { n: "count()", there: "count(price)" };
    const record = await lab.last(csv, [
      "summarize",
      { by: ["shop"], columns: { ...columns, total: "sum(units)", mean: "mean(price)" } },
    ]);
    expect(await lab.table(record.dataset_url)).toEqual({
      header: ["shop", "n", "there", "total", "mean"],
      types: ["string", "integer", "integer", "integer", "number"],
      rows: [
        ["a", 2, 1, 8, 8],
        ["b", 2, 2, 4, 2],
        [null, 1, 1, 4, 4],
      ],
    });
  });

  it("takes keys and aggregates in one expression, and all rows without keys", async () => {
    const one = { by: ["shop"], columns: { word: "d => concat(d.shop, ':', sum(d.units))" } };
    expect(await lab.column(await lab.last(csv, ["summarize", one]), "word")).toEqual(["a:8", "b:4", null]);
    const all = { columns: { v: "(d, $) => sum(d.units) * $.k" }, params: { k: 2 } };
    expect((await lab.table((await lab.last(csv, ["summarize", all])).dataset_url)).rows).toEqual([[32]]);
  });

  it("takes an empty table and a column of gaps alone", async () => {
    const by = { by: ["a"], columns: { n: "count()", m: "max(b)" } };
    expect((await lab.table((await lab.last("a,b\n", ["summarize", by])).dataset_url)).rows).toEqual([]);
    expect((await lab.table((await lab.last("a,b\n1,\n1,\n", ["summarize", by])).dataset_url)).rows).toEqual([
      [1, 2, null],
    ]);
    const none = await lab.last("a,b\n", ["summarize", { columns: { n: "count()", m: "max(a)" } }]);
    expect((await lab.table(none.dataset_url)).rows).toEqual([[0, null]]);
  });

  it("is a new table: roles and a split end, and a notice says so", async () => {
    const record = await lab.last(
      csv.replaceAll("\n,", "\nb,"),
      ["xy", { y: "shop" }],
      ["split", { random_state: 0 }],
      ["summarize", { by: ["kind"], columns: { n: "count()" } }],
    );
    expect(record.x_value_url).toBeFalsy();
    expect(record.x_train_url).toBeFalsy();
    expect(record.notices?.join()).toMatch(/roles and the split end/);
  });

  it.each([
    [{ by: ["shp"], columns: { n: "count()" } }, /column "shp" is not in the table\. Did you mean "shop"/],
    [{ by: ["shop"], columns: { n: "units + 1" } }, /column "units" has many cells in a group/],
    [{ by: ["shop"], columns: { shop: "count()" } }, /one of the groups' keys/],
    [{ columns: {} }, /one column at least/],
    [{ columns: { a: "count()", A: "count()" } }, /named twice/],
    [{ columns: { n: "sum(kind)" } }, /columns\.n/],
  ])("refuses %j", async (args, words) => {
    const { status, message } = await lab.failure(csv, ["summarize", args]);
    expect([status, message]).toEqual([400, expect.stringMatching(words)]);
  });

  it("shows the groups", async () => {
    const record = await lab.last(csv, ["summarize", { by: ["shop"], columns: { n: "count()" } }]);
    expect(await lab.view(record)).toMatchInlineSnapshot(`
      "Summed up 5 rows in 3 groups by shop.

      shop          n
      string  integer
      ──────  ───────
      a             2
      b             2
      ·             1
      missing: shop 1"
    `);
  });
});
