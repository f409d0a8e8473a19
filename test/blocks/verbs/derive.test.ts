import { describe, expect, it } from "vitest";
import { Lab } from "../../support/lab.ts";

const lab = new Lab();
const csv = "shop,units,price\na,2,1.5\nb,4,\na,6,2\n,1,3\n";

/** A new column's cells. */
async function derived(expression: string, more: Record<string, unknown> = {}): Promise<unknown[]> {
  return await lab.column(await lab.last(csv, ["derive", { columns: { made: expression }, ...more }]), "made");
}

describe("derive (BL_DERIVE)", () => {
  it.each([
    ["units * price", {}, [3, null, 12, 3]],
    ["units / sum(units)", { by: "shop" }, [0.25, 1, 0.75, 1]],
    ["mean(price)", { by: "shop" }, [1.75, null, 1.75, 3]],
    ["rowNumber()", { order: "-units" }, [3, 2, 1, 4]],
    ["cumsum(units)", { by: "shop", order: "-units" }, [8, 4, 6, 1]],
    ["price == null ? 'none' : text(price)", {}, ["1.5", "none", "2", "3"]],
    ["std(price / 0)", {}, [null, null, null, null]],
    ["corr(units, price / 0)", {}, [null, null, null, null]],
    ["rollingStd(1 / (units - 4), 2)", {}, [null, null, null, 0.5892556509887896]],
  ])("works out %s with %j", async (expression, more, cells) => {
    expect(await derived(expression, more)).toEqual(cells);
  });

  it("reads columns made before in the same block, and gives columns new cells in their place", async () => {
    const columns = { double: "units * 2", units: "double + 1", last: "d => d.units" };
    const { header, rows } = await lab.table((await lab.last(csv, ["derive", { columns }])).dataset_url);
    expect(header).toEqual(["shop", "units", "price", "double", "last"]);
    expect(rows.map((row) => [row[1], row[3], row[4]])).toEqual([
      [5, 4, 5],
      [9, 8, 9],
      [13, 12, 13],
      [3, 2, 3],
    ]);
  });

  it("takes an empty table, and a column of gaps", async () => {
    const columns = { m: "mean(b)", n: "b + 1", c: "cumsum(b)" };
    expect((await lab.table((await lab.last("a,b\n", ["derive", { columns }])).dataset_url)).rows).toEqual([]);
    expect((await lab.table((await lab.last("a,b\n1,\n", ["derive", { columns }])).dataset_url)).rows).toEqual([
      [1, null, null, null, null],
    ]);
  });

  describe("with roles and folds", () => {
    const rows = Array.from({ length: 20 }, (_, k) => `${k},${k < 15 ? "a" : "b"},${(k * 7) % 20}`).join("\n");
    const roles = ["xy", { y: "y" }] as const;
    const split = ["split", { test_size: 0.5, shuffle: false }] as const;
    const made = async (columns: Record<string, string>, more: Record<string, unknown> = {}) =>
      await lab.last(`v,g,y\n${rows}\n`, roles, split, ["derive", { columns, ...more }]);

    it("makes a feature of features, and none of what reads a target, in its order too", async () => {
      const record = await made(
        { twice: "v * 2", leak: "y + 1", place: "rowNumber()", before: "lag(v)" },
        { order: "y" },
      );
      expect((await lab.table(record.x_train_url)).header).toEqual(["v", "g", "twice"]);
      for (const name of ["leak", "place", "before"])
        expect(record.notices?.join()).toMatch(new RegExp(`${name} reads the target y, so it is no feature`));
    });

    it("makes no feature of what is made of a target in two steps", async () => {
      const record = await made({ leak: "y + 1", two: "leak * 2" });
      expect((await lab.table(record.x_train_url)).header).toEqual(["v", "g"]);
    });

    it("says why a column that reads what is no feature is none either, but of a feature's new cells nothing", async () => {
      const columns = { w: "v + u + u * t", v: "u + 1" };
      const csv = "v,u,t,y\n1,2,3,4\n2,3,4,5\n";
      const record = await lab.last(csv, ["xy", { x: ["v"], y: "y" }], split, ["derive", { columns }]);
      expect((await lab.table(record.x_train_url)).header).toEqual(["v"]);
      expect(record.notices).toEqual([
        "derive (BL_DERIVE): w reads u, t, which are no features, so it is none either; xy names the features.",
      ]);
    });

    it("fits on training rows alone, and a group that they lack is missing", async () => {
      const all = await made({ centred: "v - mean(v)" });
      expect((await lab.table(all.x_test_url)).rows.map((row) => row[2])).toEqual(
        Array.from({ length: 10 }, (_, k) => k + 10 - 4.5),
      );
      const groups = await made({ m: "mean(v)" }, { by: "g" });
      const cells = (await lab.table(groups.x_test_url)).rows.map((row) => row[2]);
      expect(cells).toEqual([...new Array(5).fill(4.5), ...new Array(5).fill(null)]);
    });

    it("looks along the rows of each part apart", async () => {
      const record = await made({ before: "lag(v)" });
      const [train, test] = await Promise.all([record.x_train_url, record.x_test_url].map((url) => lab.table(url)));
      expect(train.rows[0][2]).toBeNull();
      expect(test.rows[0][2]).toBeNull();
      expect(test.rows[1][2]).toBe(10);
    });
  });

  it("makes new rows' cells by what it was fitted with", async () => {
    const { id } = await lab.project();
    const rows = Array.from({ length: 10 }, (_, k) => `${k},${k < 5 ? "a" : "b"},${2 * k}`).join("\n");
    await lab.block(id, 1, 0, ["input", { dburl: lab.file(`v,g,y\n${rows}\n`) }]);
    await lab.block(id, 2, 1, ["derive", { columns: { off: "v - mean(v)" }, by: "g" }]);
    await lab.block(id, 3, 2, ["xy", { x: ["v", "off"], y: "y" }]);
    await lab.block(id, 4, 3, ["linear", { model_name: "m" }]);
    const fresh = lab.file("v,g\n2,a\n12,b\n");
    const record = await lab.block(id, 5, 4, ["ML_R_2_P", { model_name: "m", test_data: fresh }]);
    const { y_pred_url } = JSON.parse(record.output as string) as { y_pred_url: string };
    const predicted = (await lab.table(y_pred_url)).rows.map(([each]) => Math.round(Number(each)));
    expect(predicted).toEqual([4, 24]);
  });

  it.each([
    [{ columns: {} }, /columns names none/],
    [{ columns: { "": "units" } }, /no column can be called "".*"column" would do/],
    [{ columns: { " a": "units" } }, /no column can be called " a".*"a" would do/],
    [{ columns: { Units: "units" } }, /no column can be called "Units".*"Units_1" would do/],
    [{ columns: { a: "unit" } }, /columns\.a: "unit" is neither a column nor a function\. Did you mean "units"/],
    [{ columns: { a: "mean(units)" }, by: "shopp" }, /column "shopp" is not in the table\. Did you mean "shop"/],
    [{ columns: { a: "lag(units)" }, order: "-prise" }, /column "prise" is not in the table\. Did you mean "price"/],
    [{ columns: { a: "mean(cumsum(units))" } }, /neither aggregates nor windows nest/],
  ])("refuses %j", async (args, words) => {
    const { status, message } = await lab.failure(csv, ["derive", args]);
    expect([status, message]).toEqual([400, expect.stringMatching(words)]);
  });

  it("shows the new columns", async () => {
    expect(
      await lab.view(await lab.last(csv, ["derive", { columns: { value: "units * price" } }])),
    ).toMatchInlineSnapshot(`
      "Derived value; 4 columns now.

      shop      units   price   value
      string  integer  number  number
      ──────  ───────  ──────  ──────
      a             2     1.5       3
      b             4       ·       ·
      a             6     2.0      12
      ·             1     3.0       3
      missing: shop 1, price 1, value 1"
    `);
  });
});
