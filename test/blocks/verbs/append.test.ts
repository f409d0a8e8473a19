import { describe, expect, it } from "vitest";
import { Lab } from "../../support/lab.ts";

const lab = new Lab();
const csv = "a,b\n1,x\n2,y\n";

describe("append (BL_APPEND)", () => {
  it("puts rows below each other by name; what is not there is missing", async () => {
    const others = [lab.file("b,a,c\nz,3.5,true\n"), lab.file("c\nfalse\n")];
    const record = await lab.last(csv, ["append", { others }]);
    expect(await lab.table(record.dataset_url)).toEqual({
      header: ["a", "b", "c"],
      types: ["number", "string", "boolean"],
      rows: [
        [1, "x", null],
        [2, "y", null],
        [3.5, "z", true],
        [null, null, false],
      ],
    });
  });

  it("keeps the order of rows of large tables", async () => {
    const many = (from: number) => `a\n${Array.from({ length: 60_000 }, (_, k) => from + k).join("\n")}\n`;
    const record = await lab.last(many(0), ["append", { others: [lab.file(many(60_000))] }]);
    const all = await lab.column(record, "a");
    expect(all.findIndex((each, k) => each !== k)).toBe(-1);
    expect(all.length).toBe(120_000);
  });

  it("takes an empty table and a column of gaps; keeps roles", async () => {
    const record = await lab.last(
      csv,
      ["xy", { y: "b" }],
      ["append", { others: [lab.file("a,b\n"), lab.file("a,b\n7,\n")] }],
    );
    expect((await lab.table(record.y_value_url)).rows).toEqual([["x"], ["y"], [null]]);
  });

  it("refuses types that don't go together, a missing block, and rows after a split", async () => {
    const other = lab.file("a\nword\n");
    expect((await lab.failure(csv, ["append", { others: [other] }])).message).toMatch(
      /"a" is a whole number here and text in "t\d+\.csv"/,
    );
    expect((await lab.failure(csv, ["append", { others: [9] }])).status).toBe(404);
    expect((await lab.failure(csv, ["append", {}])).status).toBe(400);
    const split = await lab.failure("a\n1\n2\n3\n4\n", ["split", { random_state: 0 }], ["append", { others: [other] }]);
    expect([split.status, split.message]).toEqual([422, expect.stringMatching(/append before split/)]);
  });

  it("names its own argument where an address is refused", async () => {
    for (const [link, path] of [
      [["append", { others: ["ftp://host/x.csv"] }], "others"],
      [["join", { other: "ftp://host/x.csv", on: ["a"] }], "other"],
    ] as const) {
      const { status, message, detail } = await lab.failure(csv, link);
      expect([status, detail.path]).toEqual([400, path]);
      expect(message).not.toMatch(/dburl|input \(/);
    }
  });

  it("says how many came", async () => {
    expect(
      await lab.view(await lab.last(csv, ["append", { others: [lab.file("a,c\n3,q\n")] }])),
    ).toMatchInlineSnapshot(`
      "Appended 1 row of 1 table; 3 rows now. New: c.

            a  b       c
      integer  string  string
      ───────  ──────  ──────
            1  x       ·
            2  y       ·
            3  ·       q
      missing: b 1, c 2"
    `);
  });
});
