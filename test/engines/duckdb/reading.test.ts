import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Duck } from "../../../src/engines/duckdb/index.ts";
import { KeptNumbers } from "../../../src/engines/duckdb/read/kept.ts";
import { knownNulls } from "../../../src/engines/duckdb/read/null-counts.ts";
import { lookAtNumbers, readClasses, readNumbers } from "../../../src/engines/duckdb/read/read.ts";
import { eachTableRun } from "../../../src/engines/duckdb/read/table-runs.ts";
import { col, sql } from "../../../src/engines/sql.ts";
import { addStep } from "../../../src/plan/node.ts";

const rows = 10_000;
const folder = mkdtempSync(join(tmpdir(), "blocklab-reading-"));
const duck = new Duck({ spillTo: join(folder, "spill"), path: (id) => join(folder, id) });
const plain = { artifact: "table", steps: [] };
const relation = addStep(plain, {
  block: 1,
  name: "double",
  outputs: [
    { column: { name: "twice", type: "number" }, expr: sql`2 * "a"` },
    { column: { name: "label", type: "string" } },
  ],
});
/** Two rows in three train, in reverse; one in three tests, but for the last thousand, which are in no subset. */
const split = { artifact: "split", train: 6000, test: 3000 };

const write = (name: string, select: string, groupRows = 2048 * 3) =>
  duck.run(`COPY (${select}) TO '${join(folder, name)}' (FORMAT parquet, ROW_GROUP_SIZE ${groupRows})`);

beforeAll(async () => {
  const cells = "CASE WHEN i % 10 = 3 THEN NULL ELSE i::DOUBLE END AS a, ['x', 'y', NULL][i % 3 + 1] AS label";
  await write("table", `SELECT ${cells} FROM range(${rows}) t(i)`);
  await write("cut", `SELECT ${cells} FROM range(${rows}) t(i)`, 2048);
  const subset = "CASE WHEN i >= 9000 THEN 2 WHEN i % 3 = 0 THEN 1 ELSE 0 END";
  const place = `CASE WHEN i >= 9000 THEN 0 WHEN i % 3 = 0 THEN i // 3 ELSE 5999 - (2 * (i // 3) + i % 3 - 1) END`;
  await write(
    "split",
    `SELECT i::INTEGER AS "row", ${subset} AS "fold", (${place})::INTEGER AS "pos" FROM range(${rows}) t(i)`,
  );
});

afterAll(async () => {
  await duck.close();
  rmSync(folder, { recursive: true, force: true });
});

/** What stands in a row of the plan. */
const twice = (row: number) => (row % 10 === 3 ? Number.NaN : 2 * row);
const testRows = Array.from({ length: 3000 }, (_, k) => 3 * k);
const trainRows = Array.from({ length: 9000 }, (_, row) => row)
  .filter((row) => row % 3 !== 0)
  .toReversed();

describe("numbers", () => {
  it("are those of the whole table, missing ones NaN", async () => {
    const { n, data } = await readNumbers(duck, relation, { columns: ["twice"] });
    expect(n).toBe(rows);
    expect([...data]).toEqual(Array.from({ length: rows }, (_, row) => twice(row)));
  });

  it.each([
    ["train", trainRows],
    ["test", testRows],
  ] as const)("of the %s subset stand in the subset's own order", async (subset, wanted) => {
    const { n, data } = await readNumbers(duck, relation, { columns: ["twice"], subset, split });
    expect(n).toBe(wanted.length);
    expect([...data]).toEqual(wanted.map(twice));
  });

  it("of a slice, of the table or of a subset, stand in its order", async () => {
    const part = await readNumbers(duck, relation, { columns: ["twice"], offset: 4000, limit: 3 });
    expect([...part.data]).toEqual([8000, 8002, 8004]);
    const ofSubset = await readNumbers(duck, relation, {
      columns: ["twice"],
      subset: "train",
      split,
      offset: 5,
      limit: 4,
    });
    expect([...ofSubset.data]).toEqual(trainRows.slice(5, 9).map(twice));
  });
});

it("classes of a subset are codes into the labels, -1 where missing", async () => {
  const { labels, codes } = await readClasses(duck, relation, "label", { subset: "train", split });
  expect(labels).toEqual(["y"]);
  expect([...codes]).toEqual(trainRows.map((row) => (row % 3 === 1 ? 0 : -1)));
});

describe("runs of a table", () => {
  const runsOf = async (artifact: string, subset?: "train" | "test") => {
    const found: { first: number; next: number; values: number[] }[] = [];
    await eachTableRun(duck, { ...relation, artifact }, { columns: ["twice"], subset, split }, (run) => {
      found.push({ first: run.first, next: run.next, values: [...run.column(0)] });
    });
    return found.sort((a, b) => a.first - b.first);
  };

  it("are the same however the file is cut, and leave no row out", async () => {
    const found = await runsOf("table");
    expect(found).toEqual(await runsOf("cut"));
    expect(found.flatMap(({ values }) => values)).toEqual(Array.from({ length: rows }, (_, row) => twice(row)));
    for (const [k, { first }] of found.entries()) expect(first).toBe(found[k - 1]?.next ?? 0);
  });

  it("of a subset hold its rows alone, in table order", async () => {
    const found = await runsOf("cut", "train");
    expect(found.flatMap(({ values }) => values)).toEqual(trainRows.toReversed().map(twice));
  });
});

it("what fails while rows are taken fails the reading as it was thrown, and the next reading works", async () => {
  const broken = new RangeError("no room");
  const reading = eachTableRun(duck, plain, { columns: ["a"] }, () => {
    throw broken;
  });
  await expect(reading).rejects.toBe(broken);
  expect((await readNumbers(duck, plain, { columns: ["a"] })).n).toBe(rows);
});

it("a reading that is stopped says so", async () => {
  const stop = new AbortController();
  const reading = eachTableRun(duck, plain, { columns: ["a"] }, () => stop.abort(), stop.signal);
  await expect(reading).rejects.toThrow("cancelled");
});

it.each([
  ["asks to end", "process.exit(3)", 3],
  ["fails", "throw new Error('a fault of its own')", 1],
])("a process that %s while the engine works ends at once and as it says", async (_, fault, status) => {
  const engine = new URL("../../../src/engines/duckdb/index.ts", import.meta.url).href;
  const core = new URL("../../../src/engines/sql.ts", import.meta.url).href;
  const script = `
    import { Duck } from ${JSON.stringify(engine)};
    import { col, sql } from ${JSON.stringify(core)};
    const duck = new Duck({ spillTo: ".", path: (id) => id });
    setTimeout(() => { ${fault} }, 300);
    const rows = sql\`SELECT i FROM range(100000000000) t(i)\`;
    const items = new Uint8Array(100_000).fill(1);
    await Promise.all([
      duck.eachRun([sql\`i::DOUBLE\`], rows, 1e11, () => {}),
      duck.rows(sql\`SELECT sum(i) FROM (\${rows})\`),
      duck.withItems(items, (item, { statement, run }) => {
        const { text } = statement(sql\`SELECT sum(\${item(sql\`i % 100000\`)}) FROM (\${rows})\`);
        return run(text);
      }),
    ]);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], { cwd: folder, stdio: "ignore" });
  const late = setTimeout(() => child.kill("SIGKILL"), 20_000);
  const ended = await once(child, "exit");
  clearTimeout(late);
  expect(ended).toEqual([status, null]);
});

describe("numbers that are looked at", () => {
  const look = (from: typeof relation, names: readonly string[]) => lookAtNumbers(duck, from, { columns: names });

  it("are kept, and found again under other names, as part of more, and by runs of a subset", async () => {
    const first = await look(plain, ["a"]);
    expect(first.isKept).toBe(true);
    expect((await look(plain, ["a"])).data.buffer).toBe(first.data.buffer);
    const renamed = addStep(plain, {
      block: 2,
      name: "rename",
      outputs: [{ column: { name: "b", type: "number" }, expr: sql`${col("a")}` }],
    });
    const again = await look(renamed, ["b"]);
    expect(again.names).toEqual(["b"]);
    expect(again.data.buffer).toBe(first.data.buffer);
    const before = [...first.data];
    const runs: number[] = [];
    const ofSubset = { columns: ["a"], subset: "train", split } as const;
    await eachTableRun(duck, plain, ofSubset, (run) => runs.push(...run.column(0)));
    expect(runs).toEqual(trainRows.toReversed().map((row) => twice(row) / 2));
    expect([...first.data]).toEqual(before);
  });

  it("of a plan and a subset are kept for the same plan and subset alone", async () => {
    const train = { columns: ["twice"], subset: "train", split } as const;
    const first = await lookAtNumbers(duck, relation, train);
    expect([...first.data]).toEqual(trainRows.map(twice));
    expect((await lookAtNumbers(duck, relation, train)).data.buffer).toBe(first.data.buffer);
    const test = await lookAtNumbers(duck, relation, { ...train, subset: "test" });
    expect([...test.data]).toEqual(testRows.map(twice));
    const thrice = { column: { name: "twice", type: "number" }, expr: sql`3 * "a"` } as const;
    const other = addStep(plain, { block: 1, name: "double", outputs: [thrice] });
    expect((await lookAtNumbers(duck, other, train)).data[0]).toBe(1.5 * first.data[0]!);
    const all = await look(relation, ["twice"]);
    expect([...all.data]).toEqual(Array.from({ length: rows }, (_, row) => twice(row)));
  });

  it("make room for later ones, and too large ones are not kept", () => {
    const kept = new KeptNumbers(800);
    const columns = (key: string, n: number) => ({ key, names: ["a"], n, data: new Float64Array(n) });
    expect(kept.add(columns("large", 101))).toBe(false);
    for (const name of ["one", "two"]) expect(kept.add(columns(name, 40))).toBe(true);
    expect(kept.find("one", ["a"])).not.toBeNull();
    kept.add(columns("three", 40));
    expect(["one", "two", "three"].filter((name) => kept.find(name, ["a"]))).toEqual(["one", "three"]);
    expect(kept.find("one", ["a", "b"])).toBeNull();
    kept.clear();
    expect(kept.find("one", ["a"])).toBeNull();
  });
});

it("numbers that were read into memory of somebody else's are not kept", async () => {
  const memory = new Float64Array(new SharedArrayBuffer(8 * 2 * rows));
  const lent = await lookAtNumbers(duck, { ...plain, artifact: "cut" }, { columns: ["a"] }, undefined, memory);
  expect(lent.data.buffer).toBe(memory.buffer);
  expect(lent.isKept).toBe(false);
});

describe("missing cells that a file tells of", () => {
  it("are counted by its statistics for its own columns, under whatever name", async () => {
    expect(await knownNulls(duck, plain, ["label", "a"])).toEqual([3333, 1000]);
    const outputs = [{ column: { name: "b", type: "number" as const }, expr: col("a") }];
    const renamed = addStep(plain, { block: 1, name: "rename", outputs });
    expect(await knownNulls(duck, renamed, ["b"])).toEqual([1000]);
  });

  it("are not known of what a plan makes, of fewer rows, of lists and of a table without rows", async () => {
    expect(await knownNulls(duck, relation, ["label", "twice"])).toEqual([3333, null]);
    const outputs = [{ column: { name: "a", type: "number" as const } }];
    expect(await knownNulls(duck, addStep(plain, { block: 1, name: "few", outputs, rows: 10 }), ["a"])).toEqual([null]);
    const whole = addStep(
      { artifact: "lists", steps: [] },
      { block: 1, name: "few", outputs: [{ column: { name: "n", type: "number" } }], rows: 1 },
    );
    await write("lists", "SELECT 1 AS n, [NULL, 2]::FLOAT[] AS items");
    expect(await knownNulls(duck, { artifact: "lists", steps: [] }, ["n"])).toEqual([0]);
    // Without gaps there are none in fewer rows either.
    expect(await knownNulls(duck, whole, ["n"])).toEqual([0]);
    expect(await knownNulls(duck, { artifact: "lists", steps: [] }, ["n", "items"])).toEqual([0, null]);
    await write("alike", `SELECT 1 AS n, [NULL, 2]::FLOAT[] AS t, 3 AS "t, list, element", NULL::INT AS "a, b"`);
    expect(await knownNulls(duck, { artifact: "alike", steps: [] }, ["a, b", "n"])).toEqual([1, 0]);
    expect(await knownNulls(duck, { artifact: "alike", steps: [] }, ["t, list, element"])).toEqual([null]);
    await write("none", "SELECT 1 AS n LIMIT 0");
    expect(await knownNulls(duck, { artifact: "none", steps: [] }, ["n"])).toEqual([null]);
  });
});
