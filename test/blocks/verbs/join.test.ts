import { describe, expect, it } from "vitest";
import { Lab, type Link } from "../../support/lab.ts";

const lab = new Lab();
const shops = "shop,v\nb,1\na,2\n,3\nc,4\nb,5\n";
const towns = "town,v,n\nb,x,10\na,y,20\n,z,30\nd,w,40\n";
const twice = "town,n\nb,1\na,2\nb,3\n";

/** The first table behind some links, joined with a second one of the same project. */
async function joined(args: object, { left = shops, right = towns, links = [] as readonly Link[] } = {}) {
  const { id } = await lab.project();
  await lab.block(id, 1, 0, ["input", { dburl: lab.file(right) }]);
  await lab.block(id, 2, 0, ["input", { dburl: lab.file(left) }]);
  for (const [k, link] of links.entries()) await lab.block(id, k + 3, k + 2, link);
  const block = links.length + 3;
  return { id, block, record: await lab.block(id, block, block - 1, ["join", { other: 1, ...args }]) };
}

const rows = async (args: object, more?: object) =>
  (await lab.table((await joined(args, more)).record.dataset_url)).rows;
const on = { shop: "town" };

describe("join (BL_JOIN)", () => {
  it("keeps this table's order, then the other's; a missing key is like no other", async () => {
    const { record } = await joined({ on, how: "left" });
    expect(await lab.table(record.dataset_url)).toEqual({
      header: ["shop", "v", "v_right", "n"],
      types: ["string", "integer", "string", "integer"],
      rows: [
        ["b", 1, "x", 10],
        ["a", 2, "y", 20],
        [null, 3, null, null],
        ["c", 4, null, null],
        ["b", 5, "x", 10],
      ],
    });
    expect(await rows({ on, columns: "n" })).toEqual([
      ["b", 1, 10],
      ["a", 2, 20],
      ["b", 5, 10],
    ]);
    expect(await rows({ on, how: "semi" })).toEqual([
      ["b", 1],
      ["a", 2],
      ["b", 5],
    ]);
    expect(await rows({ on, how: "anti" })).toEqual([
      [null, 3],
      ["c", 4],
    ]);
    expect(await rows({ on, how: "right", columns: ["n"] })).toEqual([
      ["b", 1, 10],
      ["a", 2, 20],
      ["b", 5, 10],
      [null, null, 30],
      ["d", null, 40],
    ]);
    expect((await rows({ on, how: "full", columns: ["n"] })).length).toBe(7);
    expect(await rows({ how: "cross", columns: ["n"] }, { right: "n\n1\n2\n", left: "a\n7\n8\n" })).toEqual([
      [7, 1],
      [7, 2],
      [8, 1],
      [8, 2],
    ]);
  });

  it("repeats a row for each that is alike, in the other's order", async () => {
    expect(await rows({ on, how: "inner" }, { right: twice })).toEqual([
      ["b", 1, 1],
      ["b", 1, 3],
      ["a", 2, 2],
      ["b", 5, 1],
      ["b", 5, 3],
    ]);
  });

  it("reads a file or a sample as the other table, and compares whole numbers with others", async () => {
    const other = lab.file("k,w\n1.0,a\n2.5,b\n", "other.csv");
    const record = await lab.last("k\n1\n2\n", ["join", { other, on: "k", how: "left" }]);
    expect((await lab.table(record.dataset_url)).rows).toEqual([
      [1, "a"],
      [2, null],
    ]);
  });

  it("takes empty tables and a key of gaps alone", async () => {
    expect(await rows({ on: ["n"], how: "left" }, { left: "n\n", right: towns })).toEqual([]);
    expect(await rows({ on: { k: "n" }, how: "left", columns: "v" }, { left: "k,a\n,1\n", right: towns })).toEqual([
      [null, 1, null],
    ]);
  });

  it("makes new columns features, and keeps copies of a row on its side of a split", async () => {
    const left = `shop,v\n${Array.from({ length: 20 }, (_, k) => `${k % 2 ? "a" : "b"},${k}`).join("\n")}\n`;
    const links: Link[] = [
      ["xy", { x: ["shop"], y: "v" }],
      ["split", { random_state: 0 }],
    ];
    const { record } = await joined({ on, how: "left" }, { left, right: twice, links });
    expect((await lab.table(record.x_value_url)).header).toEqual(["shop", "n"]);
    const [train, test] = await Promise.all([record.y_train_url, record.y_test_url].map((url) => lab.table(url)));
    expect(train.rows.length + test.rows.length).toBe(30);
    const tested = new Set(test.rows.flat());
    expect(train.rows.flat().filter((v) => tested.has(v))).toEqual([]);
    expect(record.notices?.join()).toMatch(/copies of a row stay/);
    await expect(joined({ on, how: "inner" }, { left, links })).rejects.toThrow(
      /after a split only left, semi and anti/,
    );
  });

  it("looks new rows up in the other table where each key is there once", async () => {
    const left = `shop,v\n${Array.from({ length: 30 }, (_, k) => `${"ab"[k % 2]},${k % 2}`).join("\n")}\n`;
    const links: Link[] = [];
    const { id, block } = await joined({ on, how: "left", columns: ["n"] }, { left, links });
    await lab.block(id, block + 1, block, ["xy", { x: ["n"], y: "v" }]);
    await lab.block(id, block + 2, block + 1, ["treeRegressor", {}]);
    const predicted = await lab.block(id, block + 3, block + 2, ["ML_R_5_P", { model_name: "treeRegressor" }]);
    const { someone } = await import("../../support/lab.ts");
    const made = await (await lab.service).produce(someone, predicted.id, [{ shop: "a" }, { shop: "b" }]);
    expect(made.y_pred).toEqual([0, 1]);
  });

  it("becomes stale with either table, and then runs again", async () => {
    const { id, block, record } = await joined({ on, how: "left", columns: ["n"] });
    const again = async () => lab.block(id, block, block - 1, ["join", { other: 1, on, how: "left", columns: ["n"] }]);
    expect((await again()).id).toBe(record.id);
    await lab.block(id, 1, 0, ["input", { dburl: lab.file("town,n\nb,7\n") }]);
    const fresh = await again();
    expect(fresh.id).not.toBe(record.id);
    expect((await lab.table(fresh.dataset_url)).rows[0]).toEqual(["b", 1, 7]);
    await expect(lab.block(id, 1, 2, ["join", { other: block, on: ["shop"] }])).rejects.toThrow(
      "join (BL_JOIN): block 3 builds on block 1, which can't be made of it.",
    );
  });

  it("refuses what multiplies beyond all room, with the number, before it begins", async () => {
    const many = `k\n${"1\n".repeat(20_000)}`;
    await expect(joined({ on: ["k"] }, { left: many, right: many })).rejects.toThrow(
      /would have 400,000,000 rows, and a table has at most 200,000,000/,
    );
  });

  it.each([
    [{ on: ["shp"] }, 400, /column "shp" is not in the table\. Did you mean "shop"/],
    [{ on: { shop: "twn" } }, 400, /column "twn" is not in block 1\. Did you mean "town"/],
    [{ on: { v: "town" } }, 400, /"v" is a whole number, and "town" of block 1 text/],
    [{}, 400, /on must name the columns that are alike.*Both tables have v/],
    [{ on, other: 99 }, 404, /there is no block 99 in this project/],
    [{ on, other: "nowhere.csv" }, 400, /^join \(BL_JOIN\): there is no file/],
    [{ on, columns: ["m"] }, 400, /column "m" is not in block 1/],
    [{ on, how: "semi", columns: ["n"] }, 400, /a semi join takes no columns/],
  ])("refuses %j", async (args, status, words) => {
    const error = await joined(args).then(
      () => null,
      (each) => each,
    );
    expect([error?.status, error?.message]).toEqual([status, expect.stringMatching(words)]);
  });

  // Bloom filters of Parquet files tell these zeros apart, so that the rows were lost.
  it("takes -0 for 0 among keys", async () => {
    const other = lab.file("b,w\n0.0,a\n1.5,c\n");
    expect(await lab.column(await lab.last("b\n-0.0\n", ["join", { other, on: ["b"] }]), "w")).toEqual(["a"]);
  });

  it("says before it begins how many rows a cross join would have", async () => {
    const many = `a\n${"1\n".repeat(20_000)}`;
    const { status, message } = await lab.failure(many, ["join", { other: lab.file(many), how: "cross" }]);
    expect([status, message]).toEqual([422, expect.stringMatching(/400,000,000 rows.*Every row is paired with every/)]);
  });

  it("reads no block of another project", async () => {
    const first = await lab.project();
    await lab.block(first.id, 7, 0, ["input", { dburl: lab.file(towns) }]);
    const error = await lab.failure(shops, ["join", { other: 7, on }]);
    expect([error.status, error.message]).toEqual([404, "join (BL_JOIN): there is no block 7 in this project."]);
  });

  it("says how many rows found one alike", async () => {
    expect(await lab.view((await joined({ on, how: "left", columns: "n" })).record)).toMatchInlineSnapshot(`
      "Joined with block 1 (left): 5 rows. 3 of 5 rows found one alike.

      shop          v        n
      string  integer  integer
      ──────  ───────  ───────
      b             1       10
      a             2       20
      ·             3        ·
      c             4        ·
      b             5       10
      missing: shop 1, n 2"
    `);
  });
});
