import { createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BlocklabError } from "../../../src/core/errors.ts";
import { createService } from "../../../src/service/index.ts";
import { codeFor } from "../../../src/session/code.ts";
import { Lab, someone } from "../../support/lab.ts";
import { startPostgres, whyNoPostgres } from "../../support/postgres.ts";

const reason = whyNoPostgres();
const lab = new Lab();

describe.skipIf(reason !== null)(`input (DP_1) from Postgres${reason ? `, skipped: ${reason}` : ""}`, () => {
  let server: Awaited<ReturnType<typeof startPostgres>>;
  beforeAll(async () => {
    server = await startPostgres(true);
    await server.sql(`CREATE TABLE t (k int, big int8, price numeric(20,4), share float8, yes bool, day date, at timestamp, zoned timestamptz, doc jsonb, raw bytea, id uuid, tags text[], word text);
      INSERT INTO t VALUES (1, 9007199254740993, 12.5, 'NaN', true, '2026-01-02', '2026-01-02 03:04:05.25', '2026-01-02 03:04:05+02', '{"a": [1]}', '\\x00ff', '6f9619ff-8b86-d011-b42d-00c04fc964ff', '{x,y}', 'naïve ''q'''),
        (NULL, NULL, NULL, 'Infinity', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
      CREATE USER stranger PASSWORD 'other'`);
  });
  afterAll(() => server?.stop());

  const args = (more: Record<string, unknown> = {}) => ({
    dburl: `localhost:${server.port}`,
    file_type: "db",
    dbservertype: "postgres",
    database_name: "postgres",
    dbuser: server.user,
    dbpassword: server.password,
    query: "SELECT * FROM t ORDER BY k",
    ...more,
  });
  const run = async (more: Record<string, unknown> = {}) => {
    const { id } = await lab.project();
    return await lab.block(id, 1, 0, ["input", args(more)]);
  };
  const refusal = async (more: Record<string, unknown>): Promise<BlocklabError> =>
    await run(more).then(
      () => Promise.reject(new Error("it was not refused")),
      (error: BlocklabError) => error,
    );

  it("maps every type, and keeps 64-bit integers exact and times in UTC", async () => {
    const record = await run();
    const { header, types, rows } = await lab.table(record.dataset_url);
    expect(Object.fromEntries(header.map((name, k) => [name, [types[k], rows[0][k], rows[1][k]]]))).toEqual({
      k: ["integer", 1, null],
      big: ["integer", "9007199254740993", null],
      price: ["number", 12.5, null],
      share: ["number", null, Infinity],
      yes: ["boolean", true, null],
      day: ["datetime", "2026-01-02", null],
      at: ["datetime", "2026-01-02 03:04:05.25", null],
      zoned: ["datetime", "2026-01-02 01:04:05", null],
      doc: ["string", '{"a": [1]}', null],
      raw: ["string", "00ff", null],
      id: ["string", "6f9619ff-8b86-d011-b42d-00c04fc964ff", null],
      tags: ["string", "{x,y}", null],
      word: ["string", "naïve 'q'", null],
    });
    expect(record.notices).toBeUndefined();
  });

  it("keeps numerics that floats would round as text or whole numbers, and others as numbers", async () => {
    const query =
      "SELECT * FROM (VALUES (12345678901234567890123::numeric, 9007199254740993::numeric, 12345678901234567.25::numeric, 1.5::numeric), (12345678901234567890124, 1, NULL, 2)) AS t (id, whole, price, share)";
    const record = await run({ query });
    const { types, rows } = await lab.table(record.dataset_url);
    expect(types).toEqual(["string", "integer", "string", "number"]);
    expect(rows).toEqual([
      ["12345678901234567890123", "9007199254740993", "12345678901234567.25", 1.5],
      ["12345678901234567890124", 1, null, 2],
    ]);
    expect(record.notices).toEqual([
      expect.stringMatching(/column id .* text/),
      expect.stringMatching(/column price .* text/),
    ]);
  });

  it("reads an empty answer, repeated names, and a query with comments and a semicolon", async () => {
    const empty = await lab.table((await run({ query: "SELECT k, word FROM t WHERE false" })).dataset_url);
    expect([empty.header, empty.types, empty.rows]).toEqual([["k", "word"], ["integer", "string"], []]);
    const query = "-- all; of it\nSELECT 1 AS a, ';' AS a, $x$;$x$ AS b /* ; */ ; -- done";
    expect((await lab.table((await run({ query })).dataset_url)).header).toEqual(["a", "a_1", "b"]);
  });

  it("takes a URL, with the password in it or beside", async () => {
    const place = `localhost:${server.port}/postgres`;
    const { id } = await lab.project();
    const inUrl = {
      dburl: `postgres://admin:${encodeURIComponent(server.password)}@${place}`,
      query: "SELECT 1 AS one",
    };
    expect((await lab.table((await lab.block(id, 1, 0, ["input", inUrl])).dataset_url)).rows).toEqual([[1]]);
    const beside = { dburl: `postgresql://admin@${place}`, dbpassword: server.password, query: "SELECT 2 AS two" };
    expect((await lab.table((await lab.block(id, 2, 0, ["input", beside])).dataset_url)).rows).toEqual([[2]]);
    expect(
      JSON.stringify(await (await lab.service).request(someone, (await lab.block(id, 1, 0, ["input", inUrl])).id)),
    ).not.toContain("s3cret");
  });

  it("streams rows, however many, a few megabytes at a time", async () => {
    const seen: number[] = [];
    const { id } = await lab.project();
    const query = "SELECT i, repeat(md5(i::text), 16) AS pad FROM generate_series(1, 100000) AS i";
    const request = { project_id: id, block_id: 1, function_code: "DP_1", args: args({ query }) };
    const record = await (await lab.service).run(someone, request, { onProgress: ({ done }) => seen.push(done) });
    expect(await lab.view(record)).toContain("100,000 rows, 2 columns");
    // 4 MB are about 7,700 of these rows of 530 bytes.
    expect(Math.max(...seen.map((done, k) => done - (seen[k - 1] ?? 0)))).toBeLessThan(60_000);
    const { rows } = await lab.table(record.dataset_url);
    expect(rows.every(([i], k) => i === k + 1)).toBe(true);
  });

  it("keeps the password out of records, stored arguments, code, views, and the home", async () => {
    const { id } = await lab.project();
    const record = await lab.block(id, 1, 0, ["input", args({ query: "SELECT 1 AS a" })]);
    const service = await lab.service;
    const request = await service.request(someone, record.id);
    expect(request.args?.dbpassword).toBeNull();
    const link = {
      states: () => service.states(someone, id),
      request: (state: number) => service.request(someone, state),
    };
    const code = await codeFor(link as never, record);
    expect(code).toContain("dbpassword: process.env.BLOCKLAB_DBPASSWORD");
    const { readFileSync, readdirSync } = await import("node:fs");
    const files = readdirSync(lab.home, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const bytes = files.map((entry) => readFileSync(`${entry.parentPath}/${entry.name}`).toString("latin1")).join("\n");
    for (const said of [JSON.stringify(record), JSON.stringify(request), code, await lab.view(record), bytes]) {
      expect(said).not.toContain("s3cret");
    }
    const replayed = await lab
      .block(id, 2, 0, ["input", request.args as Record<string, unknown>])
      .catch((error) => error);
    expect([replayed.status, replayed.message]).toEqual([
      400,
      'input (DP_1) with file_type "db" needs dbpassword: the user\'s password; it is never stored, so give it with each run.',
    ]);
  });

  it("answers a repetition from what was stored, but never one with another password", async () => {
    const { id } = await lab.project();
    const first = await lab.block(id, 1, 0, ["input", args()]);
    expect((await lab.block(id, 1, 0, ["input", args()])).id).toBe(first.id);
    const other = await lab.block(id, 1, 0, ["input", args({ dbpassword: "guess" })]).catch((error) => error);
    expect(other.status).toBe(422);
  });

  it("refuses a wrong password, database and host in one sentence each", async () => {
    const wrong = await refusal({ dbpassword: "gu3ss" });
    expect([wrong.status, wrong.message]).toEqual([
      422,
      `input (DP_1): postgres at "localhost:${server.port}" refused user "admin" for database "postgres"; check dbuser, dbpassword and database_name.`,
    ]);
    expect(JSON.stringify([wrong.message, wrong.detail, wrong.stack, String(wrong.cause)])).not.toContain("gu3ss");
    expect((await refusal({ database_name: "nowhere" })).detail.code).toBe("database_refused");
    const closed = await refusal({ dburl: "127.0.0.1:1" });
    expect([closed.status, closed.message]).toEqual([
      422,
      'input (DP_1): postgres at "127.0.0.1:1" can\'t be reached: nothing listens there.',
    ]);
    expect((await refusal({ dburl: "no-such-host.invalid" })).message).toMatch(
      /can't be reached: its host is not known\.$/,
    );
    expect((await refusal({ dburl: "a b:9" })).status).toBe(400);
  });

  it("refuses two statements and whatever writes, before the server and by the server", async () => {
    const two = await refusal({ query: "SELECT 1; DROP TABLE t" });
    expect([two.status, two.message]).toEqual([
      400,
      'input (DP_1): query must be exactly one statement, got "DROP TABLE t".',
    ]);
    const write = await refusal({ query: "DELETE FROM t" });
    expect([write.status, write.message]).toEqual([
      400,
      'input (DP_1): query must be a SELECT; input reads and never writes, got "DELETE".',
    ]);
    for (const query of [
      "WITH gone AS (DELETE FROM t RETURNING k) SELECT * FROM gone",
      "SELECT nextval('s'), setval('s', 9) FROM (SELECT 1) q",
      "SELECT k FROM t FOR UPDATE",
      "SELECT 1 INTO made",
    ]) {
      if (query.includes("nextval")) await server.sql("CREATE SEQUENCE s");
      expect([query, (await refusal({ query })).status]).toEqual([
        query,
        expect.toSatisfy((status) => status === 400 || status === 422),
      ]);
    }
    await server.sql(
      "DO $$ BEGIN IF (SELECT count(*) FROM t) <> 2 OR to_regclass('made') IS NOT NULL THEN RAISE 'changed'; END IF; END $$",
    );
    expect((await refusal({ query: "SELECT nope FROM t" })).message).toMatch(
      /can't answer the query: column "nope" does not exist\.$/,
    );
  });

  it("gives up on a server that stalls, in the query or before it greets", async () => {
    const slow = await refusal({ query: "SELECT pg_sleep(30)", timeout: 1 });
    expect([slow.status, slow.message]).toMatchObject([
      422,
      expect.stringMatching(/gave no answer within 1 s; ask for less, or raise timeout\.$/),
    ]);
    const mute = createServer(() => undefined).listen(0, "127.0.0.1");
    await new Promise((resolve) => mute.once("listening", resolve));
    const { port } = mute.address() as { port: number };
    for (const dbservertype of ["postgres", "mysql"]) {
      expect((await refusal({ dburl: `127.0.0.1:${port}`, dbservertype, timeout: 1 })).detail.code).toBe(
        "database_timeout",
      );
    }
    mute.close();
  });

  it("stops when the caller does, on the server too", async () => {
    const { id } = await lab.project();
    const listed = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'";
    const becomes = async (wanted: number) => {
      const running = async () => Number((await lab.table((await run({ query: listed })).dataset_url)).rows[0][0]);
      for (let left = 50; left > 0 && (await running()) !== wanted; left--)
        await new Promise((resolve) => setTimeout(resolve, 100));
      return await running();
    };
    const stop = new AbortController();
    const sleeping = lab.block(id, 1, 0, ["input", args({ query: "SELECT pg_sleep(30)" })], stop.signal);
    const end = sleeping.catch((error: BlocklabError) => error.status);
    expect(await becomes(1)).toBe(1);
    stop.abort();
    expect(await end).toBe(499);
    expect(await becomes(0)).toBe(0);
  });

  it("checks certificates when asked to, and encrypts or not", async () => {
    const encrypted = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
    const answer = async (more: Record<string, unknown>) =>
      (await lab.table((await run({ query: encrypted, ...more })).dataset_url)).rows[0][0];
    expect(await answer({})).toBe(true);
    expect(await answer({ tls: "off" })).toBe(false);
    expect(await answer({ tls: "verify", tls_ca: server.certificate })).toBe(true);
    const unknown = await refusal({ tls: "verify" });
    expect([unknown.status, unknown.detail.code]).toEqual([422, "database_certificate"]);
    const byAddress = await refusal({ tls: "verify", tls_ca: server.certificate, dburl: `127.0.0.1:${server.port}` });
    expect(byAddress.detail.code).toBe("database_certificate");
  });

  it("refuses addresses of a service's own network", async () => {
    const service = await createService({ home: `${lab.home}/served`, files: null, threads: 0 });
    try {
      const project = await service.createProject(someone, "p");
      for (const dburl of [`127.0.0.1:${server.port}`, `localhost:${server.port}`, "10.0.0.1", "[::1]:5432"]) {
        const request = { project_id: project.id, block_id: 1, function_code: "DP_1", args: args({ dburl }) };
        await expect(service.run(someone, request)).rejects.toMatchObject({
          status: 422,
          message: expect.stringContaining("its address is not public, so this service does not connect to it"),
        });
      }
    } finally {
      await service.close();
    }
  });

  it("says what is missing or misspelt", async () => {
    expect((await refusal({ dbuser: "" })).message).toBe(
      'input (DP_1) with file_type "db" needs dbuser: a database user, best one with restricted permissions.',
    );
    expect((await refusal({ dbservertype: "postgrse" })).message).toMatch(
      /got "postgrse"\. Did you mean "postgres"\?$/,
    );
    const typed = await refusal({ dbpassword: 12345678 });
    expect([typed.status, JSON.stringify([typed.message, typed.detail])]).toMatchObject([
      400,
      expect.not.stringContaining("12345678"),
    ]);
  });
});
