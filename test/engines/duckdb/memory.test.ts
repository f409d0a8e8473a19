import { mkdtempSync, rmSync, utimesSync } from "node:fs";
import { tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { runInNewContext } from "node:vm";
import { afterAll, expect, test, vi } from "vitest";
import { Duck } from "../../../src/engines/duckdb/index.ts";
import { parquetOptions } from "../../../src/engines/duckdb/read/chunks.ts";
import { forgetCopies } from "../../../src/engines/duckdb/read/copies.ts";

const home = mkdtempSync(join(tmpdir(), "blocklab-engine-"));
const duck = new Duck({ spillTo: home, path: (id) => join(home, id) });
afterAll(async () => {
  await duck.close();
  rmSync(home, { recursive: true, force: true });
});

test("the table engine keeps nothing of the files it has read, however many come and go", async () => {
  const ask = (text: string) =>
    duck.use(async (connection) => (await connection.runAndReadAll(text)).getRows() as unknown as [string, bigint][]);
  for (let k = 0; k < 40; k++) {
    const path = join(home, `t${k}.parquet`);
    await duck.run(`COPY (SELECT random() AS a, random() AS b FROM range(2000)) TO '${path}' (FORMAT parquet)`);
    // DuckDB takes what was written in the last seconds for something that may yet change.
    utimesSync(path, new Date(0), new Date(0));
    expect(await ask(`SELECT avg(a) < 1, count(b) FROM '${path}'`)).toEqual([[true, 2000n]]);
    rmSync(path);
  }
  const held = await ask("SELECT tag, memory_usage_bytes FROM duckdb_memory() WHERE memory_usage_bytes > 0");
  expect(held.reduce((sum, [, bytes]) => sum + Number(bytes), 0)).toBeLessThan(100_000);
});

test("the engine takes a quarter of what a container has, where that is less than the machine's", () => {
  const memory = vi.spyOn(process, "constrainedMemory").mockReturnValue(1024 * 2 ** 20);
  try {
    expect(new Duck({ spillTo: home, path: (id) => id }).memory).toBe(256 * 2 ** 20);
    // Where nothing constrains it, Linux answers a number beyond all memory.
    memory.mockReturnValue(2 ** 64);
    expect(duck.memory).toBe(Math.floor(totalmem() / 4));
  } finally {
    memory.mockRestore();
  }
});

test("copies of vectors don't pile up, and cells get no collector of memory for it", () => {
  const before = process.memoryUsage().arrayBuffers;
  let most = 0;
  for (let k = 0; k < 8000; k++) {
    // 16 KB each, and 128 MB in all; left alone, at least half of these are there at once.
    new Float64Array(2048)[0] = k;
    forgetCopies({ rowCount: 2048, columnCount: 1 });
    if (k % 20 === 0) most = Math.max(most, process.memoryUsage().arrayBuffers - before);
  }
  expect(most).toBeLessThan(40e6);
  expect(most).toBeGreaterThan(1e6);
  expect(runInNewContext("typeof gc")).toBe("undefined");
});

test("a table of many columns of texts is written in the memory that it takes", async () => {
  const small = new Duck({ spillTo: home, memoryLimit: 160 * 2 ** 20, path: (id) => join(home, id) });
  const columns = Array.from({ length: 400 }, (_, k) => `'a text' AS c${k}`);
  await small.run(`COPY (SELECT ${columns.join(", ")}) TO '${join(home, "texts.parquet")}' (${parquetOptions()})`);
  await small.close();
});
