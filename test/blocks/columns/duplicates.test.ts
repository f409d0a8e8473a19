import { describe, expect, it } from "vitest";
import { Lab, output } from "../../support/lab.ts";

const lab = new Lab();
const csv = "a,b\n1,x\n1,x\n,x\n2,y\n,x\n1,z\n";

describe("dropDuplicates (DP_DRD)", () => {
  it.each([
    ["first", [0, 1, 3, 5]],
    ["last", [2, 3, 4, 5]],
    ["none", [3, 5]],
  ])("keeps the %s of rows equal in many columns, signed zeros and missing cells alike", async (keep, kept) => {
    const cells = ["0,x", ",x", "-0,x", "1,x", ",x", "1,y"];
    const wide = cells.map((pair) => `${pair},1,2,3,4,5,6,7`);
    const table = `a,b,c,d,e,f,g,h,i\n${wide.join("\n")}\n`;
    const record = await lab.last(table, ["dropDuplicates", { keep }]);
    const wanted = cells.filter((_, k) => kept.includes(k)).map((pair) => pair.split(","));
    const { rows } = await lab.table(record.dataset_url);
    const shown = rows.map(([a, b]) => [a === null ? "" : String(Number(a) + 0), b]);
    expect(shown).toEqual(wanted.map(([a, b]) => [a === "" ? "" : String(Number(a) + 0), b]));
    expect(output(await lab.last(table, ["duplicates", { keep }])).count).toBe(6 - kept.length);
  });

  it("keeps the order of a long table and of its subsets, whichever thread is done first", async () => {
    const rows = 400_000;
    const cells = Array.from({ length: rows }, (_, k) => `${k % 100_000 === 99_999 ? 7 : k},x`);
    const record = await lab.last(
      `a,b\n${cells.join("\n")}\n`,
      ["xy", { y: "a" }],
      ["split", { shuffle: false }],
      ["dropDuplicates"],
    );
    const { rows: left } = await lab.table(record.dataset_url);
    expect(left).toHaveLength(rows - 4);
    expect(left.findIndex(([a], k) => k > 0 && Number(a) <= Number(left[k - 1][0]))).toBe(-1);
    const { rows: test } = await lab.table(record.y_test_url);
    expect([test[0], test.at(-1), test.length]).toEqual([[300_000], [399_998], 99_999]);
  });

  it.each([
    [
      "first",
      [],
      [
        [1, "x"],
        [null, "x"],
        [2, "y"],
        [1, "z"],
      ],
    ],
    [
      "last",
      [],
      [
        [1, "x"],
        [2, "y"],
        [null, "x"],
        [1, "z"],
      ],
    ],
    [
      "none",
      [],
      [
        [2, "y"],
        [1, "z"],
      ],
    ],
    [
      "first",
      ["b"],
      [
        [1, "x"],
        [2, "y"],
        [1, "z"],
      ],
    ],
    [
      "first",
      [0],
      [
        [1, "x"],
        [null, "x"],
        [2, "y"],
      ],
    ],
  ])("keeps the %s of rows equal in %j, missing cells equal each other", async (keep, columns, rows) => {
    expect((await lab.table((await lab.last(csv, ["dropDuplicates", { keep, columns }])).dataset_url)).rows).toEqual(
      rows,
    );
  });

  it("keeps each row in its subset", async () => {
    const many = `a\n${Array.from({ length: 40 }, (_, k) => k % 20).join("\n")}\n`;
    const [, , split, after] = await lab.chain(
      many,
      ["xy", { x: "a" }],
      ["split", { random_state: 1 }],
      ["dropDuplicates"],
    );
    const values = async (url: string | null | undefined) => (await lab.table(url)).rows.map(([value]) => value);
    const [train, test] = [await values(after.x_train_url), await values(after.x_test_url)];
    expect([...train, ...test].sort((a, b) => Number(a) - Number(b))).toEqual(Array.from({ length: 20 }, (_, k) => k));
    expect(await values(split.x_test_url)).toEqual(expect.arrayContaining(test));
  });

  it("takes a hostile column name and an empty table; says how many went", async () => {
    const hostile = '"a""; DROP TABLE t; --","<b>"\n1,2\n1,2\n';
    expect((await lab.table((await lab.last(hostile, ["dropDuplicates"])).dataset_url)).rows).toEqual([[1, 2]]);
    expect((await lab.table((await lab.last("a,b\n", ["dropDuplicates"])).dataset_url)).rows).toEqual([]);
    expect(await lab.view(await lab.last(csv, ["dropDuplicates"]))).toMatch(
      /^Dropped 2 rows equal to another in all columns; 4 rows left\./,
    );
    expect((await lab.failure(csv, ["dropDuplicates", { columns: ["c"] }])).status).toBe(400);
  });
});

describe("duplicates (DP_SDC)", () => {
  it("counts and numbers the rows that repeat another, and leaves the table", async () => {
    const record = await lab.last(csv, ["duplicates"]);
    expect(output(record)).toEqual({ count: 2, rows: [1, 4] });
    expect((await lab.table(record.dataset_url)).rows).toHaveLength(6);
    expect(output(await lab.last(csv, ["duplicates", { keep: "none" }]))).toEqual({ count: 4, rows: [0, 1, 2, 4] });
    expect(output(await lab.last(csv, ["duplicates", { columns: ["a", "b"], keep: "last" }]))).toEqual({
      count: 2,
      rows: [0, 2],
    });
  });

  it("shows them, or says that there are none", async () => {
    expect(await lab.view(await lab.last(csv, ["duplicates"]))).toMatchInlineSnapshot(`
      "! 2 rows equal to another in all columns.

      row        a  b
           integer  string
      ───  ───────  ──────
      1          1  x
      4          ·  x"
    `);
    expect(await lab.view(await lab.last("a\n1\n2\n", ["duplicates"]))).toContain(
      "No row repeats another in all columns.",
    );
  });
});
