import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { Duck } from "../../../src/engines/duckdb/index.ts";
import { writeRows } from "../../../src/engines/duckdb/rows.ts";

const home = mkdtempSync(join(tmpdir(), "blocklab-rows-"));
const duck = new Duck({ spillTo: home, memoryLimit: 128 * 2 ** 20, path: (id) => join(home, id) });
afterAll(async () => {
  await duck.close();
  rmSync(home, { recursive: true, force: true });
});

it("moves rows to files as they come, keeps their order, and leaves one file", async () => {
  const path = join(home, "rows");
  const files: number[] = [];
  await writeRows(duck, ["bigint", "text"], path, async (sink) => {
    for (let batch = 0; batch < 100; batch++) {
      const ids = Array.from({ length: 500 }, (_, k) => BigInt(batch * 500 + k));
      const total = await sink.append([ids, ids.map((id) => `${id}-`.repeat(700))]);
      expect(total).toBe((batch + 1) * 500);
      files.push(readdirSync(home).filter((name) => name.startsWith("rows.")).length);
    }
    expect(await sink.count(["c0 < 10", "c1 IS NULL"])).toEqual([10, 0]);
    return { outputs: ["c0 AS id", "length(c1) AS size"] };
  });
  // 190 MB in all, so files must have been written long before the end.
  expect(files[50]).toBeGreaterThan(1);
  expect(readdirSync(home).filter((name) => name.startsWith("rows"))).toEqual(["rows"]);
  const read = await duck.use(async (connection) =>
    (
      await connection.runAndReadAll(
        `SELECT count(*), bool_and(id = file_row_number) FROM read_parquet('${path}', file_row_number = true)`,
      )
    ).getRows(),
  );
  expect(read).toEqual([[50_000n, true]]);
});

it("leaves nothing behind when filling fails", async () => {
  const path = join(home, "failed");
  const work = writeRows(duck, ["text"], path, async (sink) => {
    await sink.append([Array.from({ length: 2000 }, () => "x".repeat(20_000))]);
    throw new Error("no more rows");
  });
  await expect(work).rejects.toThrow("no more rows");
  expect(readdirSync(home).filter((name) => name.startsWith("failed"))).toEqual([]);
});
