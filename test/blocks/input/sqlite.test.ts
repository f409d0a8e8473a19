import { mkdirSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import type { BlocklabError } from "../../../src/core/errors.ts";
import { createService } from "../../../src/service/index.ts";
import { Lab, someone } from "../../support/lab.ts";

const lab = new Lab();
const path = lab.file("", "shop.sqlite");
const database = new DatabaseSync(path);
database.exec(`CREATE TABLE t (k INTEGER, price DECIMAL(9,2), yes BOOLEAN, day DATE, at DATETIME, raw BLOB, word TEXT, mixed);
  INSERT INTO t VALUES (9007199254740993, 12, 1, '2026-01-02', '2026-01-02 03:04:05', x'00ff', 'naïve', 1), (NULL, 2.5, 0, NULL, NULL, NULL, NULL, 'one');
  CREATE TABLE odd (at DATETIME); INSERT INTO odd VALUES ('2026-01-02'), ('soon')`);
database.close();

async function run(more: Record<string, unknown> = {}) {
  const { id } = await lab.project();
  return await lab.block(id, 1, 0, ["input", { dburl: path, query: "SELECT * FROM t", ...more }]);
}

async function refusal(more: Record<string, unknown>): Promise<BlocklabError> {
  return await run(more).then(
    () => Promise.reject(new Error("it was not refused")),
    (error: BlocklabError) => error,
  );
}

describe("input (DP_1) from SQLite", () => {
  it("lets values decide the types, and declared dates and booleans where all values fit", async () => {
    const { header, types, rows } = await lab.table((await run()).dataset_url);
    expect(Object.fromEntries(header.map((name, k) => [name, [types[k], rows[0][k], rows[1][k]]]))).toEqual({
      k: ["integer", "9007199254740993", null],
      price: ["number", 12, 2.5],
      yes: ["boolean", true, false],
      day: ["datetime", "2026-01-02", null],
      at: ["datetime", "2026-01-02 03:04:05", null],
      raw: ["string", "00ff", null],
      word: ["string", "naïve", null],
      mixed: ["string", "1", "one"],
    });
    const odd = await lab.table((await run({ query: "SELECT at FROM odd" })).dataset_url);
    expect([odd.types, odd.rows]).toEqual([["string"], [["2026-01-02"], ["soon"]]]);
  });

  it("reads empty answers and many rows in order, and runs anew when the file changed", async () => {
    expect((await lab.table((await run({ query: "SELECT k FROM t WHERE 0" })).dataset_url)).types).toEqual(["number"]);
    const query = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30000) SELECT i FROM n";
    const many = await lab.table((await run({ query })).dataset_url);
    expect([many.rows.length, many.rows.every(([value], k) => value === k + 1)]).toEqual([30_000, true]);
  });

  it("refuses two statements, writes, and a file that is no database", async () => {
    expect((await refusal({ query: "SELECT 1; DELETE FROM t" })).status).toBe(400);
    expect((await refusal({ query: "DELETE FROM t" })).status).toBe(400);
    expect((await refusal({ query: "SELECT nope FROM t" })).message).toBe(
      "input (DP_1): the SQLite file can't answer the query: no such column: nope.",
    );
    const other = lab.file("not a database, but long enough to look at".repeat(50), "other.db");
    expect((await refusal({ dburl: other })).message).toMatch(/file is not a database\.$/);
    await expect.poll(() => process.getActiveResourcesInfo().filter((name) => /process/i.test(name))).toEqual([]);
    expect((await refusal({ query: "" })).message).toBe('input (DP_1) with file_type "db" needs query: one SELECT.');
  });

  it("refuses to write behind a WITH, and to tell where the file lies", async () => {
    const message = "input: query must only read; input runs it in a read-only transaction, which it would change.";
    for (const write of ["INSERT INTO t (k) SELECT k FROM n", "DELETE FROM t", "UPDATE t SET k = 1 RETURNING k"]) {
      const error = await refusal({ query: `WITH n AS (SELECT 1 AS k) ${write}` });
      expect([error.status, error.message], write).toEqual([400, message.replace("input:", "input (DP_1):")]);
    }
    for (const name of ["pragma_database_list", '"pragma_Database_list"', "[PRAGMA_database_list]()"]) {
      const error = await refusal({ query: `SELECT * FROM ${name}` });
      expect(error.status).toBe(400);
      expect(error.message).toMatch(
        /query must read tables, not files or settings of the server, got "pragma_database_list"/i,
      );
    }
    const tale = lab.file("", "tale.sqlite");
    const views = new DatabaseSync(tale);
    views.exec("CREATE VIEW v AS SELECT * FROM pragma_database_list");
    views.close();
    expect((await refusal({ dburl: tale, query: "SELECT * FROM v" })).status).toBe(422);
  });

  it("gives up on a query without an end, and leaves this process free meanwhile", async () => {
    const query = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";
    let beats = 0;
    const heart = setInterval(() => beats++, 50);
    const error = await refusal({ query, timeout: 1 });
    clearInterval(heart);
    expect([error.status, error.detail.code]).toEqual([422, "database_timeout"]);
    expect(beats).toBeGreaterThan(10);
  });

  it("stays below the folder of a service", async () => {
    const files = `${lab.home}/files`;
    mkdirSync(files);
    const service = await createService({ home: `${lab.home}/served`, files, threads: 0 });
    const project = await service.createProject(someone, "p");
    const request = {
      project_id: project.id,
      block_id: 1,
      function_code: "DP_1",
      args: { dburl: path, query: "SELECT 1" },
    };
    await expect(service.run(someone, request)).rejects.toMatchObject({ status: 400 });
    await service.close();
  });
});
