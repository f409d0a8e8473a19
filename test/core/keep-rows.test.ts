import { describe, expect, it } from "vitest";
import type { StateRecord } from "../../src/core/record.ts";
import { Lab, output, someone } from "../support/lab.ts";

const lab = new Lab();
const rows = 50_000;
/** Every fifth row misses `a`, every seventh `b`. */
const lines = Array.from(
  { length: rows },
  (_, k) => `${k},${k % 5 === 2 ? "" : k % 50},${k % 7 === 3 ? "" : `w${k % 3}`}`,
);
const csv = `k,a,b\n${lines.join("\n")}\n`;
const all = Array.from({ length: rows }, (_, k) => k);
const complete = all.filter((k) => k % 5 !== 2 && k % 7 !== 3);
const drop = ["missing", { strategy: "drop" }] as const;

async function numbers(url: string | null | undefined): Promise<number[]> {
  const { header, rows } = await lab.table(url);
  return rows.map((row) => Number(row[header.indexOf("k")]));
}

async function begun(): Promise<number> {
  const { id } = await lab.project();
  await lab.block(id, 1, 0, ["input", { dburl: lab.file(csv) }]);
  return id;
}

describe("a plan that leaves rows out", () => {
  it("keeps the rows' order, writes no table, and is read alike by whoever reads it", async () => {
    const id = await begun();
    const before = lab.files();
    const record = await lab.block(id, 2, 1, drop);
    expect(lab.files()).toBe(before + 1);
    expect(await numbers(record.dataset_url)).toEqual(complete);
    const described = output<{ columns: Record<string, unknown> }>(await lab.block(id, 3, 2, ["describe"]));
    const sum = complete.reduce((total, k) => total + k, 0);
    expect(described.columns.k).toMatchObject({
      count: complete.length,
      mean: expect.closeTo(sum / complete.length, 6),
      min: complete[0],
      max: complete.at(-1),
    });
    expect(await lab.view(record)).toContain(`${complete.length.toLocaleString("en-US")} rows left`);
  });

  it("is shown as a condition on the cells, as long as nothing asks for the rows' numbers", async () => {
    const id = await begun();
    const dropped = await lab.block(id, 2, 1, ["missing", { strategy: "drop", columns: ["a", "b"] }]);
    const shown = async (record: StateRecord) => await (await lab.service).sql(someone, record.id);
    expect(await shown(dropped)).toContain(
      '"missing_1" AS (\n  SELECT "k", "a", "b"\n  FROM source\n  WHERE "a" IS NOT NULL AND "b" IS NOT NULL\n)',
    );
    const distinct = await lab.block(id, 3, 2, ["dropDuplicates", { columns: ["k"] }]);
    expect(await shown(distinct)).toBe(await shown(dropped));
    const slice = await lab.block(id, 4, 2, ["xy", { x: "1:, 0:2", y: "1:, 2:3" }]);
    expect(await shown(slice)).toContain('WHERE (list_extract("kept"');
  });

  it("drops again and again, each time by the rows that are left", async () => {
    const id = await begun();
    const steps = [
      ["missing", { strategy: "drop", columns: ["a"] }],
      ["xy", { x: "1000:, 0:2", y: "1000:, 2:3" }],
      ["missing", { strategy: "drop", columns: ["b"] }],
      ["dropDuplicates", { columns: ["k"] }],
    ] as const;
    let last: StateRecord | null = null;
    for (const [k, step] of steps.entries()) last = await lab.block(id, k + 2, k + 1, step);
    const expected = all
      .filter((k) => k % 5 !== 2)
      .slice(1000)
      .filter((k) => k % 7 !== 3);
    expect(await numbers(last?.dataset_url)).toEqual(expected);
    // Few rows are a table of their own.
    const few = await lab.block(id, 6, 5, ["dropDuplicates", { columns: ["a", "b"], keep: "last" }]);
    const lastOf = new Map(expected.map((k) => [`${k % 50} ${k % 3}`, k]));
    expect(await numbers(few.dataset_url)).toEqual([...lastOf.values()].sort((a, b) => a - b));
  });

  it("keeps each subset's own order", async () => {
    const id = await begun();
    await lab.block(id, 2, 1, ["xy", { y: "b" }]);
    const split = await lab.block(id, 3, 2, ["split", { test_size: 0.25, random_state: 1 }]);
    const dropped = await lab.block(id, 4, 3, ["missing", { strategy: "drop", columns: ["a"] }]);
    for (const part of ["x_train_url", "x_test_url"] as const) {
      const expected = (await numbers(split[part])).filter((k) => k % 5 !== 2);
      expect(await numbers(dropped[part])).toEqual(expected);
    }
    const scaled = await lab.block(id, 5, 4, ["scale", { columns: ["a"] }]);
    const train = await numbers(scaled.x_train_url);
    const mean = train.reduce((sum, k) => sum + (k % 50), 0) / train.length;
    const { header, rows: cells } = await lab.table(scaled.x_train_url);
    const [k, a] = [header.indexOf("k"), header.indexOf("a")];
    const spread = Math.sqrt(train.reduce((sum, each) => sum + ((each % 50) - mean) ** 2, 0) / train.length);
    for (const row of cells.slice(0, 100)) expect(row[a]).toBeCloseTo(((Number(row[k]) % 50) - mean) / spread, 9);
  });

  it("is a series that windows, fills and samples go along", async () => {
    const id = await begun();
    await lab.block(id, 2, 1, ["missing", { strategy: "drop", columns: ["a"] }]);
    const left = all.filter((k) => k % 5 !== 2);
    const windows = await lab.block(id, 3, 2, ["timesteps", { column: "k", lookback: 2 }]);
    expect((await lab.table(windows.dataset_url)).rows.slice(0, 30_000)).toEqual(
      left.slice(0, 30_000).map((_, i) => left.slice(i, i + 3)),
    );
    const filled = await lab.block(id, 4, 2, ["missing", { strategy: "ffill", columns: ["b"] }]);
    const words = await lab.column(filled, "b");
    const expected: (string | null)[] = [];
    for (const k of left) expected.push(k % 7 === 3 ? (expected.at(-1) ?? null) : `w${k % 3}`);
    expect(words).toEqual(expected);
  });

  it("is another table than one that leaves out as many other rows", async () => {
    const table = "a,b,y\n1,,1\n,2,2\n3,3,3\n4,4,4\n5,5,5\n";
    const { id } = await lab.project();
    await lab.block(id, 1, 0, ["input", { dburl: lab.file(table) }]);
    await lab.block(id, 2, 1, ["xy", { y: "y" }]);
    const other = await lab.block(id, 3, 2, ["missing", { strategy: "drop", columns: ["a"] }]);
    await lab.block(id, 4, 2, ["missing", { strategy: "drop", columns: ["b"] }]);
    await lab.block(id, 5, 4, ["missing", { strategy: "constant", fill_value: 2, columns: ["a"] }]);
    await lab.block(id, 6, 5, ["treeRegressor"]);
    const args = { model_name: "treeRegressor", test_data: other.x_value_url };
    // The rows of the other table lack a cell in b, where this model's table never did.
    await expect(lab.block(id, 7, 6, ["ML_R_5_P", args])).rejects.toThrow(/b has missing cells/);
  });
});
