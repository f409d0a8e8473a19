import { describe, expect, it } from "vitest";
import { Lab } from "../../support/lab.ts";

const lab = new Lab();
const csv = "k,v,s\n1,1.5,x\n2,,y\n3,-2.0,\n4,8,x\n";

/** The keys of the rows in which a condition is true. */
async function kept(where: string, params?: Record<string, unknown>): Promise<unknown[]> {
  return await lab.column(await lab.last(csv, ["filter", { where, ...(params ? { params } : {}) }]), "k");
}

describe("filter (BL_FILTER)", () => {
  it.each([
    ["v > 0", [1, 4]],
    ["!(v > 0)", [3]],
    ["v > 0 || s == 'y'", [1, 2, 4]],
    ["s != 'x'", [2]],
    ["s == null", [3]],
    ["v > mean(v)", [4]],
    ["v / 0 > 1", [1, 4]],
    ["0 / 0 == null", [1, 2, 3, 4]],
    ["null", []],
    ["['x', 'z'].includes(s)", [1, 4]],
    ["d => d.k % 2 === 0", [2, 4]],
  ])("keeps the rows in which it is true: %s", async (where, rows) => {
    expect(await kept(where)).toEqual(rows);
  });

  it("takes values of the program", async () => {
    expect(await kept("(d, $) => d.v > $.limit", { limit: 2 })).toEqual([4]);
    expect(await kept("(d, $) => $.some.includes(d.k)", { some: [2, 3] })).toEqual([2, 3]);
  });

  // Bloom filters of Parquet files tell these zeros apart, so that the rows were lost.
  it("takes -0 for 0, whichever of them the table has", async () => {
    const zeros = async (b: string, where: string) =>
      (await lab.column(await lab.last(`b\n1.5\n${b}\n`, ["filter", { where }]), "b")).length;
    expect(await zeros("-0.0", "b == 0")).toBe(1);
    expect(await zeros("0.0", "b == -0.0")).toBe(1);
    expect(await zeros("-0.0", "[0, 9].includes(b)")).toBe(1);
  });

  it("takes an empty table, and a column of gaps", async () => {
    expect((await lab.table((await lab.last("a,b\n", ["filter", { where: "a > 1" }])).dataset_url)).rows).toEqual([]);
    expect(await lab.column(await lab.last("a,b\n1,\n2,\n", ["filter", { where: "b > 1" }]), "a")).toEqual([]);
    expect(await lab.column(await lab.last("a,b\n1,\n2,\n", ["filter", { where: "b == null" }]), "a")).toEqual([1, 2]);
  });

  it("keeps roles and folds, and fits on training rows alone", async () => {
    const rows = Array.from({ length: 20 }, (_, k) => `${k},${k < 10 ? "a" : "b"}`).join("\n");
    const records = await lab.chain(
      `v,y\n${rows}\n`,
      ["xy", { y: "y" }],
      ["split", { test_size: 0.5, shuffle: false }],
      ["filter", { where: "v > mean(v)" }],
    );
    const record = records[3];
    const [train, test, y] = await Promise.all(
      [record.x_train_url, record.x_test_url, record.y_test_url].map((url) => lab.table(url)),
    );
    // Training rows are 0 to 9, whose mean is 4.5.
    expect(train.rows.flat()).toEqual([5, 6, 7, 8, 9]);
    expect(test.rows.flat()).toEqual([10, 11, 12, 13, 14, 15, 16, 17, 18, 19]);
    expect(y.rows.flat()).toEqual(new Array(10).fill("b"));
  });

  it("says so when an aggregate saw rows that a split sends to test", async () => {
    const record = await lab.last(csv, ["filter", { where: "k >= mean(k) - 9" }], ["split", { random_state: 0 }]);
    expect(record.notices?.join()).toMatch(/filter/);
  });

  it.each([
    ["kk > 1", /"kk" is neither a column nor a function\. Did you mean "k"\?/],
    ["meann(k) > 1", /"meann" is no function of expressions\. Did you mean "mean"\?/],
    ["s > 1", /> needs values of one type, and s is text, 1 a whole number\. number\(s\) makes it so\./],
    ["k", /where must be a condition, and what came is a whole number/],
    ["d => d.constructor", /column "constructor" is not in the table/],
    ["d.k.constructor('x')", /where/],
    ["k = 1", /an assignment has no place/],
    ["process.exit()", /"process" is neither/],
    ["rank() > 1", /a window over the rows around, which has no place in a condition/],
    ["(d, $) => d.k > $.limit", /params holds no "limit"/],
    ["matches(s, '(?=a)')", /can't look around/],
    ["matches(s, '(a{40}){30}')", /can't count past 1,000, and its counts within each other multiply to more/],
    ["matches(s, '\\\\p{L}{1000}')", /is too large: its counts repeat more letters/],
    ["", /needs where/],
    [`k > 1 ${"&& k > 1 ".repeat(120_000)}`, /at most 10,000 characters, and 1,080,006 came/],
    [`${"!".repeat(9_000)}true`, /at most 64 levels/],
    [`k > 1 ${"&& k > 1 ".repeat(1_000)}`, /at most 2,000 parts/],
  ])("refuses %.60s", async (where, words) => {
    const { status, message } = await lab.failure(csv, ["filter", { where }]);
    expect([status, message]).toEqual([400, expect.stringMatching(words)]);
  });

  it("shows what stays", async () => {
    expect(await lab.view(await lab.last(csv, ["filter", { where: "v > 0" }]))).toMatchInlineSnapshot(`
      "2 rows of 4 kept.

            k       v  s
      integer  number  string
      ───────  ──────  ──────
            1     1.5  x
            4     8.0  x"
    `);
  });
});
