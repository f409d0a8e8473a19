import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Selection } from "../../../src/core/selection.ts";
import { Duck, readCells } from "../../../src/engines/duckdb/index.ts";
import { readNumbers } from "../../../src/engines/duckdb/read/read.ts";
import { writeColumns } from "../../../src/engines/duckdb/write.ts";
import { col, sql } from "../../../src/engines/sql.ts";
import type { Relation } from "../../../src/plan/node.ts";

let folder: string;
let duck: Duck;

const rows = 5000;
const number = (name: string) => ({ name, type: "number" }) as const;
const list = (name: string) => ({ name, type: "tensor" }) as const;

/** Row i holds the terms 0…3 whose bit of i is set, with weights that tell rows and terms apart; every 16th is empty. */
const start = new Int32Array(rows + 1);
const terms: number[] = [];
const weights: number[] = [];
for (let i = 0; i < rows; i++) {
  for (let k = 0; k < 4; k++) if ((i >> k) & 1) terms.push(k) && weights.push(i + k / 10);
  start[i + 1] = terms.length;
}

const entry = (name: string, at: number) => ({ column: number(name), entry: { terms: "ts", weights: "ws", at } });
const relation: Relation = {
  artifact: "lists",
  steps: [
    {
      block: 1,
      name: "vectorize",
      outputs: [entry("a", 0), { column: number("id") }, entry("b", 1), entry("c", 2), entry("d", 3), entry("none", 9)],
    },
    {
      block: 2,
      name: "more",
      outputs: [
        ...["id", "a", "c", "d", "none"].map((name) => ({ column: number(name) })),
        { column: number("other"), expr: col("b") },
        { column: number("twice"), expr: sql`${col("a")} * 2` },
        { column: number("again"), expr: col("a") },
      ],
    },
  ],
};
const split = { artifact: "split", train: 3000, test: 2000 };

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "blocklab-entries-"));
  duck = new Duck({ spillTo: join(folder, "spill"), path: (id) => join(folder, id), memoryLimit: 100 * 2 ** 20 });
  await writeColumns(
    duck,
    [
      { column: list("ts"), values: { start, items: Int32Array.from(terms) } },
      { column: number("id"), values: Float64Array.from({ length: rows }, (_, i) => (i === 3 ? Number.NaN : -i)) },
      { column: list("ws"), values: { start, items: Float64Array.from(weights) } },
    ],
    join(folder, "lists"),
  );
  // Rows in an order of their own, as a shuffled split leaves them.
  const place = (i: number) => (i * 1361) % rows;
  const whole = { type: "number", integer: true } as const;
  await writeColumns(
    duck,
    [
      { column: { ...whole, name: "row" }, values: Int32Array.from({ length: rows }, (_, i) => i) },
      {
        column: { ...whole, name: "fold" },
        values: Int32Array.from({ length: rows }, (_, i) => +(place(i) >= 3000)),
      },
      { column: { ...whole, name: "pos" }, values: Int32Array.from({ length: rows }, (_, i) => place(i) % 3000) },
    ],
    join(folder, "split"),
  );
});

afterAll(async () => {
  await duck.close();
  rmSync(folder, { recursive: true, force: true });
});

describe("numbers of columns that are places of sparse rows", () => {
  const columns = ["d", "id", "other", "a", "none", "twice", "again", "c"];

  it.each<[string, Selection]>([
    ["of all rows", {}],
    ["of a subset in its own order", { subset: "train", split }],
    ["of the other subset", { subset: "test", split }],
    ["of a part", { offset: 4090, limit: 20 }],
    ["of a part of a subset", { subset: "test", split, limit: 7 }],
    ["of rows sorted by one of them", { sort: "other", descending: true, limit: 50 }],
  ])("are those that SQL looks up, %s", async (_, selection) => {
    const { n, d, data } = await readNumbers(duck, relation, { ...selection, columns });
    const cells = await readCells(duck, relation, { ...selection, columns });
    expect([n, d]).toEqual([cells[0].length, columns.length]);
    columns.forEach((name, k) => {
      const found = [...data.subarray(k * n, (k + 1) * n)].map((value) => (Number.isNaN(value) ? null : value));
      expect([name, found]).toEqual([name, cells[k]]);
    });
  });

  it("are refused before they fill the memory", async () => {
    const wide = Array.from({ length: 3000 }, (_, k) => `e${k}`);
    const step = { block: 1, name: "vectorize", outputs: wide.map(entry) };
    await expect(readNumbers(duck, { artifact: "lists", steps: [step] }, { columns: wide })).rejects.toThrow(
      /^5,000 rows × 3,000 columns of terms would fill 0\.12 GB of memory, and 0\.10 GB is the most here\. Lower max_features/,
    );
  });
});
