import { describe, expect, it } from "vitest";
import { Lab } from "../../support/lab.ts";

const lab = new Lab();
const csv = "age,city,y\n1,x,0\n2,,1\n3,z,0\n4,x,1\n";

describe("select (BL_SELECT)", () => {
  it("keeps the columns that are named or numbered, in that order, each once", async () => {
    const record = await lab.last(csv, ["select", { columns: ["y", 0, "y", -1] }]);
    expect(await lab.table(record.dataset_url)).toMatchObject({
      header: ["y", "age"],
      rows: [
        [0, 1],
        [1, 2],
        [0, 3],
        [1, 4],
      ],
    });
  });

  it("takes an empty table, and a column of gaps", async () => {
    expect((await lab.table((await lab.last("a,b\n", ["select", { columns: "b" }])).dataset_url)).header).toEqual([
      "b",
    ]);
    expect(await lab.column(await lab.last("a,b\n1,\n", ["select", { columns: "b" }]), "b")).toEqual([null]);
  });

  it("keeps the roles of columns that stay, and the folds", async () => {
    const record = await lab.last(
      csv,
      ["xy", { y: "y" }],
      ["split", { test_size: 0.5, shuffle: false }],
      ["select", { columns: ["y", "age"] }],
    );
    expect((await lab.table(record.x_train_url)).rows).toEqual([[1], [2]]);
    expect((await lab.table(record.y_test_url)).rows).toEqual([[0], [1]]);
  });

  it("ends the roles where no feature stays", async () => {
    const record = await lab.last(csv, ["xy", { y: "y" }], ["select", { columns: "y" }]);
    expect([record.x_value_url, record.y_value_url]).toEqual([null, null]);
  });

  it.each([
    [{ columns: [] }, /columns names none; a table has one column at least/],
    [{ columns: "agee" }, /column "agee" is not in the table\. Did you mean "age"\? Columns: age, city, y\./],
    [{ columns: [3] }, /column index 3 is outside the table, which has 3 columns/],
    [{}, /needs columns/],
  ])("refuses %j", async (args, words) => {
    const { status, message } = await lab.failure(csv, ["select", args]);
    expect([status, message]).toEqual([400, expect.stringMatching(words)]);
  });

  it("shows what stays", async () => {
    expect(await lab.view(await lab.last(csv, ["select", { columns: ["city"] }]))).toMatchInlineSnapshot(`
      "Columns: city.

      city
      string
      ──────
      x
      ·
      z
      x
      missing: city 1"
    `);
  });
});
