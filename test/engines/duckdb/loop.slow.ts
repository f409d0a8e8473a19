import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Duck } from "../../../src/engines/duckdb/index.ts";
import { lookAtNumbers, readNumbers } from "../../../src/engines/duckdb/read/read.ts";
import { eachTableRun } from "../../../src/engines/duckdb/read/table-runs.ts";
import { loopDelay } from "../../support/loop-delay.ts";

/** Whatever is read, others have their turn; what the thread itself works between two of them takes a few. */
const longestMs = 50;

const rows = 1_000_000;
const columns = Array.from({ length: 20 }, (_, k) => `c${k}`);
const folder = mkdtempSync(join(tmpdir(), "blocklab-loop-"));
const duck = new Duck({ spillTo: join(folder, "spill"), path: (id) => join(folder, id) });
const relation = { artifact: "table", steps: [] };
const split = { artifact: "split", train: rows / 2, test: rows / 2 };

beforeAll(async () => {
  const cells = columns.map((name, k) => `hash(${k}, i) / 1e10 AS ${name}`);
  const write = (name: string, select: string) =>
    duck.run(`COPY (SELECT ${select} FROM range(${rows}) t(i)) TO '${join(folder, name)}' (FORMAT parquet)`);
  await write("table", cells.join());
  await write("split", `i::INTEGER AS "row", (i % 2)::INTEGER AS "fold", (i // 2)::INTEGER AS "pos"`);
}, 120_000);

afterAll(async () => {
  await duck.close();
  rmSync(folder, { recursive: true, force: true });
});

const readings: readonly (readonly [string, () => Promise<unknown>])[] = [
  ["all rows", () => readNumbers(duck, relation, { columns })],
  ["the rows of a subset", () => readNumbers(duck, relation, { columns, subset: "test", split })],
  ["training and test rows, to be kept", () => lookAtNumbers(duck, relation, { columns, subset: "train", split })],
  ["run after run", () => eachTableRun(duck, relation, { columns }, ({ column }) => column(19))],
  [
    "run after run of a subset",
    () => eachTableRun(duck, relation, { columns, subset: "train", split }, (run) => run.column(0)),
  ],
];

test.each(readings)("a million rows of 20 columns keep nobody waiting: %s", { timeout: 120_000 }, async (_, read) => {
  expect(await loopDelay(read)).toBeLessThan(longestMs);
});
