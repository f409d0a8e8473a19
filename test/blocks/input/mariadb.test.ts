import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BlocklabError } from "../../../src/core/errors.ts";
import { Lab } from "../../support/lab.ts";
import { startMariadb, whyNoMariadb } from "../../support/mariadb.ts";

const reason = whyNoMariadb();
const lab = new Lab();

describe.skipIf(reason !== null)(`input (DP_1) from MariaDB${reason ? `, skipped: ${reason}` : ""}`, () => {
  let server: Awaited<ReturnType<typeof startMariadb>>;
  beforeAll(async () => {
    server = await startMariadb();
    await server.sql(`USE shop; CREATE TABLE t (k int, big bigint, huge bigint unsigned, price decimal(20,4), share double, yes bool, day date, at datetime(2), zoned timestamp NULL, doc json, raw varbinary(8), size enum('s','m'), bits bit(4), year year, word varchar(50)) CHARACTER SET utf8mb4;
      SET time_zone = '+02:00';
      INSERT INTO t VALUES (1, 9007199254740993, 18446744073709551615, 12.5, 0.1, true, '2026-01-02', '2026-01-02 03:04:05.25', '2026-01-02 03:04:05', '{"a": [1]}', x'00ff', 'm', b'101', 2026, 'naïve ''q'' 🦊'), (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
      CREATE TABLE dates (d date); SET sql_mode = ''; INSERT INTO dates VALUES ('0000-00-00'), ('2026-01-02');`);
  });
  afterAll(() => server?.stop());

  const run = async (more: Record<string, unknown> = {}, signal?: AbortSignal) => {
    const { id } = await lab.project();
    const args = {
      dburl: `localhost:${server.port}`,
      file_type: "db",
      dbservertype: "MySQL",
      dbname: "shop",
      dbuser: server.user,
      dbpassword: server.password,
      query: "SELECT * FROM t ORDER BY k IS NULL",
      ...more,
    };
    return await lab.block(id, 1, 0, ["input", args], signal);
  };
  const refusal = async (more: Record<string, unknown>): Promise<BlocklabError> =>
    await run(more).then(
      () => Promise.reject(new Error("it was not refused")),
      (error: BlocklabError) => error,
    );

  it("maps every type, and tells where a number lost digits", async () => {
    const record = await run();
    const { header, types, rows } = await lab.table(record.dataset_url);
    expect(Object.fromEntries(header.map((name, k) => [name, [types[k], rows[0][k]]]))).toEqual({
      k: ["integer", 1],
      big: ["integer", "9007199254740993"],
      huge: ["string", "18446744073709551615"],
      price: ["number", 12.5],
      share: ["number", 0.1],
      yes: ["integer", 1],
      day: ["datetime", "2026-01-02"],
      at: ["datetime", "2026-01-02 03:04:05.25"],
      zoned: ["datetime", "2026-01-02 01:04:05"],
      doc: ["string", '{"a": [1]}'],
      raw: ["string", "00ff"],
      size: ["string", "m"],
      bits: ["string", "05"],
      year: ["integer", 2026],
      word: ["string", "naïve 'q' 🦊"],
    });
    expect(rows[1]).toEqual(header.map(() => null));
    expect(record.notices).toEqual([
      "input (DP_1): column huge holds numbers of more digits than are kept exactly, so it was kept as text; cast it in the query to read the nearest floats.",
    ]);
    expect(
      (await lab.table((await run({ query: "SELECT CAST(k AS UNSIGNED) AS k FROM t" })).dataset_url)).types,
    ).toEqual(["integer"]);
    expect((await run({ query: "SELECT d FROM dates" })).notices).toEqual([
      "input (DP_1): column d has 1 value that no calendar knows; now missing.",
    ]);
  });

  it("reads an empty answer and many rows in order", async () => {
    expect((await lab.table((await run({ query: "SELECT k FROM t WHERE false" })).dataset_url)).rows).toEqual([]);
    const many = await lab.table((await run({ query: "SELECT seq FROM seq_1_to_50000" })).dataset_url);
    expect([many.rows.length, many.rows.every(([value], k) => value === k + 1)]).toEqual([50_000, true]);
  });

  it("ends a query on the server when its block is cancelled, or takes too long", async () => {
    const query = "SELECT k, SLEEP(20) FROM t";
    const listed = "SELECT count(*) FROM information_schema.processlist";
    const running = async () => {
      const found = await run({ query: `${listed} WHERE info LIKE '%SLEEP(20) FROM t'` });
      return Number((await lab.table(found.dataset_url)).rows[0][0]);
    };
    const becomes = async (wanted: number) => {
      for (let left = 50; left > 0 && (await running()) !== wanted; left--)
        await new Promise((resolve) => setTimeout(resolve, 100));
      return await running();
    };
    const stop = new AbortController();
    const block = run({ query }, stop.signal).catch((error: Error) => error.name);
    expect(await becomes(1)).toBe(1);
    stop.abort();
    expect(await block).toBe("CancelledError");
    expect(await becomes(0)).toBe(0);
    expect((await refusal({ query, timeout: 1 })).detail.code).toBe("database_timeout");
    expect(await becomes(0)).toBe(0);
  });

  it("refuses a wrong password, a write, two statements, files, hidden code and a stall", async () => {
    const wrong = await refusal({ dbpassword: "gu3ss" });
    expect([wrong.status, wrong.message]).toEqual([
      422,
      `input (DP_1): mysql at "localhost:${server.port}" refused user "reader" for database "shop"; check dbuser, dbpassword and database_name.`,
    ]);
    expect((await refusal({ query: "DELETE FROM t" })).status).toBe(400);
    expect((await refusal({ query: "SELECT 'it\\'s'; DROP TABLE t" })).message).toMatch(/exactly one statement/);
    expect((await refusal({ query: "SELECT 1 INTO/**/OUTFILE '/tmp/x'" })).message).toMatch(/must not write files/);
    expect((await refusal({ query: "SELECT 1 /*!; DROP TABLE t */" })).message).toMatch(/comments that MySQL executes/);
    expect((await refusal({ query: "SELECT nope FROM t" })).message).toMatch(
      /can't answer the query: Unknown column 'nope'/,
    );
    expect((await refusal({ query: "SELECT sleep(30)", timeout: 1 })).detail.code).toBe("database_timeout");
    expect((await refusal({ tls: "require" })).message).toMatch(/can't be reached: it offers no TLS; give tls: "off"/);
    await server.sql(
      "USE shop; CREATE FUNCTION wipe() RETURNS int MODIFIES SQL DATA BEGIN DELETE FROM t; RETURN 1; END",
    );
    const hidden = await refusal({ query: "SELECT wipe()" });
    expect([hidden.status, hidden.message]).toEqual([
      400,
      "input (DP_1): query must only read; input runs it in a read-only transaction, which it would change.",
    ]);
    expect((await lab.table((await run()).dataset_url)).rows.length).toBe(2);
  });
});
