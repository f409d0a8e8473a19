import { describe, expect, it } from "vitest";
import { Lab, type Link, someone } from "../../support/lab.ts";

const lab = new Lab();
const csv = "shop,units,price\na,3,2\nb,5,4\na,,6\nb,7,8\n";

/** What the last block of a chain says it did. */
async function did(...links: readonly Link[]): Promise<string> {
  const { id } = await lab.project();
  await lab.block(id, 1, 0, ["input", { dburl: lab.file("town,place\na,x\na,y\nd,z\n", "towns.csv") }]);
  await lab.block(id, 2, 0, ["input", { dburl: lab.file(csv) }]);
  let last = await lab.block(id, 3, 2, links[0]);
  for (const [k, link] of links.slice(1).entries()) last = await lab.block(id, k + 4, k + 3, link);
  return (await (await lab.service).explain(someone, last.id)).did.join("\n");
}

const split: readonly Link[] = [
  ["xy", { x: ["units", "price"], y: "shop" }],
  ["split", { test_size: 1, shuffle: false }],
];

describe("explanations of verbs", () => {
  it("count the rows of a filter, and tell what it learnt from which rows", async () => {
    expect(await did(["filter", { where: "d => d.units > 3" }])).toBe(
      "Kept 2 of 4 rows, 50%, where d.units > 3.\n2 rows went, those among them of which the condition can't be told as a cell is missing.",
    );
    expect(await did(["filter", { where: "price > 0" }])).toBe("Kept all 4 rows, where price > 0.");
    expect(await did(...split, ["filter", { where: "price >= mean(price)" }])).toMatch(
      /\nLearnt from the 3 training rows, and kept for new rows: the mean of price is 4\.$/,
    );
  });

  it("name what derive made, of which groups, and what became a feature", async () => {
    expect(
      await did(["derive", { columns: { value: "units * price", share: "price / sum(price)" }, by: "shop" }]),
    ).toBe(
      "Made value: units * price.\nMade share: price / sum(price).\nWhat looks at other rows looks at each of 2 groups by shop alone.\nLearnt from all 4 rows, and kept for new rows: the sum of price of each group.",
    );
    expect(await did(...split, ["derive", { columns: { price: "price / 2", value: "units * price" } }])).toBe(
      "Replaced price: price / 2.\nMade value: units * price.\nvalue is a feature now.",
    );
    expect(await did(["derive", { columns: { long: `units + ${"0 + ".repeat(60)}1` } }])).toMatch(/^.{90,130}…\.$/);
  });

  it("count columns that were chosen, and tell new names", async () => {
    expect(await did(["select", { columns: ["price", "shop"] }])).toBe(
      "Kept 2 of 3 columns, in this order: price, shop.\nLeft out: units.",
    );
    expect(await did(["rename", { names: { shop: "town" } }])).toBe(
      "Renamed 1 of 3 columns: shop → town. No cell changed.",
    );
  });

  it("tell the order, the places and the draw of rows", async () => {
    expect(await did(["sort", { by: ["shop", "-price"] }])).toBe(
      "Put 4 rows in the order of shop, then price from the greatest down; missing cells come last, and equal rows stay as they were.",
    );
    expect(await did(...split, ["sort", { by: "price" }])).toMatch(/Training and test rows are the same as before\.$/);
    expect(await did(["slice", { from: 1, to: 3 }])).toBe("Kept 2 of 4 rows, 50%: from number 1 to 2, counted from 0.");
    expect(await did(["slice", { from: 9 }])).toBe("Kept 0 of 4 rows, 0%: none lies there.");
    expect(await did(["sample", { n: 1, by: "shop", random_state: 4 }])).toBe(
      "Drew 2 rows of 4, from each of 2 groups.\nThe seed was 4.",
    );
  });

  it("count the groups of a summary, and say that roles end", async () => {
    expect(await did(["summarize", { by: "shop", columns: { n: "count()", most: "max(price)" } }])).toBe(
      "4 rows became 2, one for each group by shop.\nIn each, n is count() and most is max(price).",
    );
    expect(await did(...split, ["summarize", { columns: { n: "count()" } }])).toBe(
      "4 rows became 1.\nIn each, n is count().\nIt is a new table: the split ended, so assign them anew behind it.",
    );
  });

  it("count the rows that a join matched, in both tables, and what repeats", async () => {
    expect(await did(["join", { other: 1, on: { shop: "town" }, how: "left" }])).toBe(
      "Joined 4 rows with 3 of block 1 (left), rows that are alike in shop and town: 6 rows now.\n2 found one alike, 2 did not; of the other table 2 were found and 1 not.\nThe other table has a key up to 2 times, so such rows came as often.\nNew: place.",
    );
    expect(await did(["join", { other: 1, how: "cross" }])).toBe(
      "Joined 4 rows with 3 of block 1 (cross): 12 rows now.\nNew: town, place.",
    );
  });

  it("tell what append, longer, wider and query made of rows and columns", async () => {
    expect(await did(["append", { others: [1] }])).toBe(
      "Put 3 rows of 1 table below 4: 7 rows now.\nNew, and missing in rows of tables that lack them: town, place.",
    );
    expect(await did(["longer", { columns: ["units", "price"] }])).toBe(
      "Each row became 2, one for each of units, price: 4 became 8 rows.\nThe column's name stands in name, its cell in value; the other columns repeat.",
    );
    expect(
      await did(
        ["select", { columns: ["shop", "price"] }],
        ["wider", { names_from: "shop", values_from: "price", aggregate: "sum" }],
      ),
    ).toBe(
      "Made 2 columns of shop, filled from price: a, b; of several cells in one place it is their sum.\n4 rows became 1.",
    );
    expect(await did(["query", { sql: "SELECT shop FROM data JOIN block_1 ON town = shop" }])).toBe(
      "Asked data, block_1 with one SELECT: 4 rows and 3 columns became 4 rows and 1 column.",
    );
  });
});
