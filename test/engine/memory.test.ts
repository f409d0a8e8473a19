import { mkdtempSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { Duck } from "../../src/engine/index.ts";

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
