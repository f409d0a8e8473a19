import { describe, expect, it } from "vitest";
import { Lab } from "../../support/lab.ts";

const lab = new Lab();
const csv = "shop,units\nb,1\na,2\nb,3\n";
const ask = (sql: string) => lab.last(csv, ["query", { sql }]);

describe("query (BL_QUERY)", () => {
  it("answers a SELECT over data, with every column's type", async () => {
    const record = await ask(
      "WITH t AS (SELECT * FROM data) SELECT shop, sum(units) AS n, avg(units), 1.5 AS d, DATE '2026-01-31' AS day, true AS ok, [1] AS list, shop FROM t GROUP BY shop ORDER BY shop; -- done",
    );
    expect(await lab.table(record.dataset_url)).toEqual({
      header: ["shop", "n", "avg(units)", "d", "day", "ok", "list", "shop_1"],
      types: ["string", "number", "number", "number", "datetime", "boolean", "string", "string"],
      rows: [
        ["a", 2, 2, 1.5, "2026-01-31", true, "[1]", "a"],
        ["b", 4, 2, 1.5, "2026-01-31", true, "[1]", "b"],
      ],
    });
  });

  it("joins the tables of other blocks, filtered ones too, and becomes stale with them", async () => {
    const { id } = await lab.project();
    await lab.block(id, 1, 0, ["input", { dburl: lab.file("town,n\na,7\nb,8\nc,9\n") }]);
    await lab.block(id, 2, 1, ["filter", { where: "n > 7" }]);
    await lab.block(id, 3, 0, ["input", { dburl: lab.file(csv) }]);
    const sql = "SELECT units, n FROM data JOIN BLOCK_2 ON shop = town ORDER BY units";
    const first = await lab.block(id, 4, 3, ["query", { sql }]);
    expect((await lab.table(first.dataset_url)).rows).toEqual([
      [1, 8],
      [3, 8],
    ]);
    await lab.block(id, 2, 1, ["filter", { where: "n < 8" }]);
    const fresh = await lab.block(id, 4, 3, ["query", { sql }]);
    expect((await lab.table(fresh.dataset_url)).rows).toEqual([[2, 7]]);
  });

  it("answers no rows, and NaN as missing", async () => {
    expect((await lab.table((await ask("SELECT * FROM data WHERE false")).dataset_url)).rows).toEqual([]);
    expect((await lab.table((await ask("SELECT 'nan'::DOUBLE AS x")).dataset_url)).rows).toEqual([[null]]);
  });

  it.each([
    ["SELECT * FROM read_csv('/etc/passwd')", /sql reads read_csv\(\)/],
    ["SELECT * FROM '/etc/passwd'", /sql reads "\/etc\/passwd"/],
    ["SELECT * FROM (SELECT * FROM read_text('/etc/hostname'))", /sql reads read_text/],
    ["SELECT (SELECT count(*) FROM glob('/*'))", /sql reads glob/],
    ["SELECT getenv('HOME')", /tells of the machine/],
    ["SELECT * FROM duckdb_settings()", /sql reads duckdb_settings/],
    ["SELECT * FROM information_schema.tables", /no table here/],
    ["SELECT * FROM query('SELECT 1')", /sql reads query/],
    ["COPY data TO '/tmp/x.csv'", /must be one SELECT/],
    ["ATTACH '/tmp/x.db'", /must be one SELECT/],
    ["PRAGMA version", /must be one SELECT/],
    ["INSTALL httpfs", /must be one SELECT/],
    ["SET memory_limit = '1GB'", /must be one SELECT/],
    ["DROP VIEW data", /must be one SELECT/],
    ["DESCRIBE data", /DESCRIBE, SHOW/],
    ["SELECT 1; SELECT 2", /exactly one SELECT/],
    ["SELECT 1e400", /sql holds a number that is too large/],
    ["SELECT 1) TO '/tmp/x.csv' --", /can't be read/],
    ["SELEC 1", /can't be read/],
    ["SELECT * FROM dta", /no table here\. Did you mean "data"/],
    ["SELECT unts FROM data", /unts/],
    ["SELECT 1/0 + 'x'", /query \(BL_QUERY\)/],
  ])("refuses %s", async (sql, words) => {
    const error = await lab.failure(csv, ["query", { sql }]);
    expect([400, 422]).toContain(error.status);
    expect(error.message).toMatch(words);
    expect(error.message).not.toContain(lab.home);
  });

  it("knows no block of another project", async () => {
    const { id } = await lab.project();
    await lab.block(id, 77, 0, ["input", { dburl: lab.file(csv) }]);
    expect((await lab.failure(csv, ["query", { sql: "SELECT * FROM block_77" }])).status).toBe(404);
  });

  it("is stopped by its caller", async () => {
    const { id } = await lab.project();
    await lab.block(id, 1, 0, ["input", { dburl: lab.file(csv) }]);
    const stop = AbortSignal.timeout(300);
    const sql = "SELECT sum(a.range * b.range) AS n FROM range(10000000) AS a, range(1000000) AS b";
    await expect(lab.block(id, 2, 1, ["query", { sql }], stop)).rejects.toMatchObject({ status: 499 });
  });

  it("says what it asked", async () => {
    expect(await lab.view(await ask("SELECT count(*) AS n FROM data"))).toMatchInlineSnapshot(`
      "Asked data: 1 row.

            n
      integer
      ───────
            3"
    `);
  });
});
