import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Duck } from "../../../../src/engines/duckdb/index.ts";
import { lookAtNumbers } from "../../../../src/engines/duckdb/read/read.ts";
import { maskBits, selectionMask } from "../../../../src/engines/duckdb/read/selection-mask.ts";
import { eachTableRun } from "../../../../src/engines/duckdb/read/table-runs.ts";
import { col, sql } from "../../../../src/engines/sql.ts";
import { call, column, value } from "../../../../src/plan/expr.ts";
import { filledColumns } from "../../../../src/plan/lineage.ts";
import { addStep, type Relation } from "../../../../src/plan/node.ts";

const rows = 10_001;
let folder: string;
let duck: Duck;

const plain: Relation = { artifact: "table", steps: [] };
const filled = addStep(plain, {
  block: 1,
  name: "missing",
  outputs: [
    {
      column: { name: "b", type: "number" },
      expr: call("coalesce", column("a", "number"), value(0.5)),
    },
    { column: { name: "i", type: "number", integer: true } },
    { column: { name: "even", type: "boolean" }, expr: sql`${col("i")} % 2 = 0` },
    { column: { name: "big", type: "number", integer: true }, expr: sql`${col("i")} + 9000000000000000` },
  ],
});
const split = { artifact: "split", train: 6667, test: 3334 };

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "blocklab-runs-"));
  duck = new Duck({ spillTo: join(folder, "spill"), path: (id) => join(folder, id) });
  const write = (name: string, select: string) =>
    duck.run(`COPY (${select} FROM range(${rows}) t(i)) TO '${join(folder, name)}' (FORMAT parquet)`);
  await write("table", "SELECT CASE WHEN i % 10 = 3 THEN NULL ELSE i / 7 END AS a, nullif(i, 5) AS i");
  await write("split", `SELECT i AS "row", CASE WHEN i % 3 = 0 THEN 1 ELSE 0 END AS "fold", 0 AS "pos"`);
});

afterEach(async () => {
  await duck.close();
  rmSync(folder, { recursive: true, force: true });
});

/** All numbers of a column, in the table's order, and the sums of others. */
async function read(columns: readonly string[], whole: readonly string[], subset?: "train") {
  const runs: { first: number; values: number[][] }[] = [];
  const sums = await eachTableRun(duck, filled, { columns, whole, subset, split }, ({ first, column }) => {
    runs.push({ first, values: columns.map((_, k) => [...column(k)]) });
  });
  runs.sort((a, b) => a.first - b.first);
  return { columns: columns.map((_, k) => runs.flatMap(({ values }) => values[k]!)), sums };
}

/** What whole numbers add up to, with integers of any size. */
function sumsOf(numbers: readonly number[]) {
  const n = numbers.length;
  const [min, max] = [Math.min(...numbers), Math.max(...numbers)];
  const sum = numbers.reduce((all, each) => all + BigInt(each), 0n);
  const squares = numbers.reduce((all, each) => all + BigInt(each) ** 2n, 0n);
  return { n, min, max, sum: Number(sum), squares: Number(squares) };
}

const all = Array.from({ length: rows }, (_, row) => row);
const train = all.filter((row) => row % 3 !== 0);

describe.each([
  ["of all rows", undefined, all],
  ["of training rows", "train", train],
] as const)("whole columns %s", (_, subset, members) => {
  it("are added up, those of the file and those that a plan makes, in the order asked for", async () => {
    const even = sumsOf(members.map((row) => (row % 2 === 0 ? 1 : 0)));
    const { sums } = await read([], ["even", "i"], subset);
    const i = sumsOf(members.filter((row) => row !== 5));
    // Row 5 has no number, so it is neither even nor odd.
    expect(sums[0]).toEqual({ ...even, n: even.n - 1 });
    expect(sums[1]).toEqual(i);
    expect((await read(["b"], ["i", "even"], subset)).sums).toEqual([sums[1], sums[0]]);
  });

  it("have no sums that a double can't hold for certain", async () => {
    const { sums } = await read([], ["big"], subset);
    expect(sums[0]).toMatchObject({ n: members.length - 1, sum: null, squares: null });
  });

  it("come out the same from memory, as do numbers that a plan fills", async () => {
    const first = await read(["b"], ["i", "even"], subset);
    await lookAtNumbers(duck, plain, { columns: ["a", "i"] });
    const asked = vi.spyOn(duck, "eachRun");
    expect(await read(["b"], ["i", "even"], subset)).toEqual(first);
    expect(asked).not.toHaveBeenCalled();
    expect(first.columns[0]).toEqual(members.map((row) => (row % 10 === 3 ? 0.5 : row / 7)));
  });
});

it("numbers that were looked at as a plan fills them are read no more", async () => {
  const first = await read(["b"], []);
  await lookAtNumbers(duck, filled, { columns: ["b"] });
  const asked = vi.spyOn(duck, "eachRun");
  expect(await read(["b"], [])).toEqual(first);
  expect(asked).not.toHaveBeenCalled();
});

it("no rows add up to nothing", async () => {
  await duck.run(`COPY (SELECT 1 AS a, 1 AS i WHERE FALSE) TO '${join(folder, "table")}' (FORMAT parquet)`);
  await duck.run(
    `COPY (SELECT 1 AS "row", 0 AS "fold", 0 AS "pos" WHERE FALSE) TO '${join(folder, "split")}' (FORMAT parquet)`,
  );
  const nothing = { n: 0, min: null, max: null, sum: 0, squares: 0 };
  expect((await read([], ["i", "even"])).sums).toEqual([nothing, nothing]);
  expect((await read([], ["i", "even"], "train")).sums).toEqual([nothing, nothing]);
});

it("a column is the file's through fills and steps that pass it on; the first fill stands", () => {
  const outputs = (constant: number) => [
    {
      column: { name: "a", type: "number" as const },
      expr: call("coalesce", column("a", "number"), value(constant)),
    },
    { column: { name: "i", type: "number" as const } },
  ];
  const twice = [1, 2].reduce((plan, value) => addStep(plan, { block: 1, name: "m", outputs: outputs(value) }), plain);
  expect(filledColumns(twice, ["i", "a", "other"])).toEqual([
    { name: "i", filled: null },
    { name: "a", filled: 1 },
    null,
  ]);
  const fewer = addStep(twice, { block: 2, name: "drop", outputs: outputs(3), rows: 7 });
  expect(filledColumns(fewer, ["a"])).toEqual([null]);
});

it.each([1, 7, 8, 9, 4096, 10_001])("marks of %i rows go to the engine and back", async (n) => {
  const numbers = sql`SELECT i AS "row" FROM range(${n}) t(i) WHERE i % 3 <> 1`;
  const marks = await selectionMask(duck, numbers, n);
  expect([...marks]).toEqual(Array.from({ length: n }, (_, row) => (row % 3 === 1 ? 0 : 1)));
  const bits = maskBits(marks);
  expect(bits.length).toBe(n);
  expect([...bits.toBits()]).toEqual([...marks]);
});

it("no rows have no marks, and rows that nobody names are not marked", async () => {
  expect([...(await selectionMask(duck, sql`SELECT 0 AS "row" WHERE FALSE`, 0))]).toEqual([]);
  expect([...(await selectionMask(duck, sql`SELECT 0 AS "row" WHERE FALSE`, 3))]).toEqual([0, 0, 0]);
});
