import { describe, expect, it } from "vitest";
import { Lab } from "../../support/lab.ts";

const lab = new Lab();
const csv = "id,a,b\n1,10,1.5\n2,,2.5\n";

describe("longer (BL_LONGER)", () => {
  it("makes rows of cells, row by row; missing cells stay", async () => {
    const record = await lab.last(csv, ["longer", { columns: ["b", "a"], names_to: "what", values_to: "v" }]);
    expect(await lab.table(record.dataset_url)).toEqual({
      header: ["id", "what", "v"],
      types: ["integer", "string", "number"],
      rows: [
        [1, "b", 1.5],
        [1, "a", 10],
        [2, "b", 2.5],
        [2, "a", null],
      ],
    });
  });

  it("keeps the rows of one row on its side of a split, and features features", async () => {
    const many = `id,a,b\n${Array.from({ length: 10 }, (_, k) => `${k},${k},${k}`).join("\n")}\n`;
    const record = await lab.last(
      many,
      ["xy", { x: ["a", "b"], y: "id" }],
      ["split", { random_state: 0 }],
      ["longer", { columns: ["a", "b"] }],
    );
    expect((await lab.table(record.x_value_url)).header).toEqual(["name", "value"]);
    const [train, test] = await Promise.all([record.y_train_url, record.y_test_url].map((url) => lab.table(url)));
    expect(train.rows.length + test.rows.length).toBe(20);
    expect(train.rows.flat().filter((id) => test.rows.flat().includes(id))).toEqual([]);
  });

  it("takes an empty table and columns of gaps", async () => {
    expect((await lab.table((await lab.last("a,b\n", ["longer", { columns: ["a", "b"] }])).dataset_url)).rows).toEqual(
      [],
    );
    expect(await lab.column(await lab.last("k,a,b\n1,,\n", ["longer", { columns: ["a", "b"] }]), "value")).toEqual([
      null,
      null,
    ]);
  });

  it("refuses cells of two types and names that are taken", async () => {
    const mixed = await lab.failure("a,b\n1,x\n", ["longer", { columns: ["a", "b"] }]);
    expect([mixed.status, mixed.message]).toEqual([422, expect.stringMatching(/"a" is a whole number, "b" text/)]);
    expect((await lab.failure(csv, ["longer", { columns: ["a", "b"], names_to: "id" }])).message).toMatch(
      /has a column "id"/,
    );
    expect((await lab.failure(csv, ["longer", { columns: [] }])).status).toBe(400);
  });

  it("says what became rows", async () => {
    expect(await lab.view(await lab.last(csv, ["longer", { columns: ["a", "b"] }]))).toMatchInlineSnapshot(`
      "a, b became rows: 4 rows now.

           id  name     value
      integer  string  number
      ───────  ──────  ──────
            1  a         10.0
            1  b          1.5
            2  a            ·
            2  b          2.5
      missing: value 1"
    `);
  });
});
