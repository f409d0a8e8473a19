import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { BlocklabError } from "../../src/core/errors.ts";
import type { StateRecord } from "../../src/core/record.ts";
import { createService, type Service, type ServiceOptions } from "../../src/service/index.ts";
import { SparkClient } from "../../src/spark/index.ts";
import { type Behaviour, startFake } from "../spark/fake-server.ts";
import { someone } from "../support/caller.ts";
import { hasSpark, hasSparkPackage, sparkAddress } from "../support/spark.ts";
import { cellsOf } from "../support/spark-cells.ts";

const home = mkdtempSync(join(tmpdir(), "blocklab-cluster-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

let services = 0;

async function started(options: Partial<ServiceOptions>): Promise<Service> {
  return await createService({ home: join(home, `service-${services++}`), threads: 0, ...options });
}

type Args = Readonly<Record<string, unknown>>;

async function read(service: Service, args: Args, options: Parameters<Service["run"]>[2] = {}): Promise<StateRecord> {
  const { id } = await service.createProject(someone, `p${Math.random()}`);
  const request = { project_id: id, block_id: 1, parent_id: 0, function_code: "DP_1", args };
  return await service.run(someone, request, options);
}

async function tableOf(service: Service, { dataset_url }: StateRecord) {
  const { columns, rows } = await service.table(someone, someone.artifactIn(dataset_url as string) as string);
  return {
    header: columns.map(({ name }) => name),
    types: columns.map(({ type, integer }) => (integer ? "integer" : type)),
    rows: rows.map((row) => [...row]),
  };
}

async function failureOf(work: Promise<unknown>): Promise<BlocklabError> {
  return await work.then(
    () => Promise.reject(new Error("it did not fail")),
    (error: BlocklabError) => error,
  );
}

describe.skipIf(!hasSpark)("input (DP_1) from Spark, which needs BLOCKLAB_SPARK", { timeout: 90_000 }, () => {
  const prefix = `t${Math.random().toString(36).slice(2)}`;
  let spark: SparkClient;
  let service: Service;

  beforeAll(async () => {
    const address = await sparkAddress();
    spark = new SparkClient(address, { patienceMs: 60_000 });
    service = await started({ spark: address });
    await spark.command(`CREATE TABLE ${prefix}_types USING parquet AS SELECT 9007199254740993L AS big,
      CAST(12.5 AS DECIMAL(20, 4)) AS price, CAST('NaN' AS DOUBLE) AS share, -CAST('Infinity' AS DOUBLE) AS low, TRUE AS yes,
      DATE'2026-01-02' AS day, TIMESTAMP_NTZ'2026-01-02 03:04:05.25' AS at, TIMESTAMP'2026-01-02 03:04:05+02:00' AS zoned,
      named_struct('a', array(1)) AS doc, array('x', 'y') AS tags, 'naïve \\'q\\'' AS \`odd \`\`name\`, CAST(NULL AS INT) AS none`);
    await spark.command(
      `CREATE TABLE ${prefix}_parts USING parquet AS SELECT /*+ REPARTITION(5) */ id FROM range(2000)`,
    );
    await spark.command(`CREATE DATABASE ${prefix}_db`);
    await spark.command(
      `CREATE VIEW ${prefix}_db.\`no_files\` AS SELECT * FROM VALUES (2, 'b', map('k', 2)), (1, NULL, NULL), (2, 'a', map()), (2, 'b', map('k', 1)) AS t(n, s, m)`,
    );
    await spark.command(`CREATE VIEW ${prefix}_large AS SELECT id, uuid() AS u FROM range(0, 300000000, 1, 200)`);
    await spark.command(`CREATE VIEW ${prefix}_unheld AS SELECT 1 AS n, INTERVAL '2' YEAR AS age`);
  }, 200_000);

  afterAll(async () => {
    for (const name of ["types", "parts"]) await spark?.command(`DROP TABLE IF EXISTS ${prefix}_${name}`);
    for (const name of ["large", "unheld"]) await spark?.command(`DROP VIEW IF EXISTS ${prefix}_${name}`);
    await spark?.command(`DROP DATABASE IF EXISTS ${prefix}_db CASCADE`);
    await spark?.close();
    await service?.close();
  });

  it("takes a table's columns of every type", async () => {
    const { header, types, rows } = await tableOf(service, await read(service, { dburl: `spark:${prefix}_types` }));
    expect(Object.fromEntries(header.map((name, k) => [name, [types[k], rows[0][k]]]))).toEqual({
      big: ["integer", "9007199254740993"],
      price: ["number", 12.5],
      share: ["number", null],
      low: ["number", Number.NEGATIVE_INFINITY],
      yes: ["boolean", true],
      day: ["datetime", "2026-01-02"],
      at: ["datetime", "2026-01-02 03:04:05.25"],
      zoned: ["datetime", "2026-01-02 01:04:05"],
      doc: ["string", '{"a":[1]}'],
      tags: ["string", '["x","y"]'],
      "odd `name": ["string", "naïve 'q'"],
      none: ["integer", null],
    });
  });

  it("tells how many rows there are before they come, and brings them in the order of the files", async () => {
    const heard: { phase: string; done: number; total: number }[] = [];
    const record = await read(service, { dburl: `spark:${prefix}_parts` }, { onProgress: (each) => heard.push(each) });
    expect(heard[0]).toMatchObject({ phase: "rows of 2,000 collected", done: 0, total: 2000 });
    const { rows } = await tableOf(service, record);
    const byFile = `SELECT id FROM ${prefix}_parts ORDER BY _metadata.file_path, _metadata.row_index`;
    expect(rows).toEqual((await cellsOf(spark, byFile)).rows);
    expect(rows.slice(0, 3)).not.toEqual([[0], [1], [2]]);
  });

  it("sorts the rows of what has no files by their cells, and says so", async () => {
    const record = await read(service, { dburl: `spark:${prefix}_db.\`no_files\`` });
    expect((await tableOf(service, record)).rows).toEqual([
      [1, null, null],
      [2, "a", "{}"],
      [2, "b", '{"k":1}'],
      [2, "b", '{"k":2}'],
    ]);
    expect(record.notices?.join(" ")).toContain("so its rows were sorted by all columns");
  });

  it("refuses a table of too many rows before they come", async () => {
    const error = await failureOf(read(service, { dburl: `spark:${prefix}_parts`, most_rows: 1999, keep: false }));
    expect(error.message).toBe(
      `input (DP_1): spark:${prefix}_parts has 2,000 rows, and most_rows is 1,999; raise most_rows, or make a view in Spark with fewer rows, and read that.`,
    );
    expect(error).toMatchObject({ status: 422, detail: { code: "too_many_rows" } });
  });

  it("names a column of a type that it can't hold", async () => {
    const error = await failureOf(read(service, { dburl: `spark:${prefix}_unheld` }));
    expect(error.message).toContain(
      `age of spark:${prefix}_unheld is of type interval year, which no column here can hold`,
    );
  });

  it.each([
    ["gone", /has no table or view `gone`/],
    ["no_such.gone", /has no table or view|has no schema/],
    ["text.`/etc/hostname`", /has no table or view/],
    ["parquet.`file:///tmp`", /has no table or view/],
  ])("finds no table spark:%s", async (name, sentence) => {
    const error = await failureOf(read(service, { dburl: `spark:${name}` }));
    expect(error.message).toMatch(sentence);
    expect(error).toMatchObject({ status: 422, detail: { code: "no_table" } });
  });

  it.each(["", "a b", "a..b", "a.", "`a", "a;DROP TABLE x"])("takes %j for no table's name", async (name) => {
    const error = await failureOf(read(service, { dburl: `spark:${name}` }));
    expect(error.message).toMatch(/dburl must name a table of Spark/);
  });

  it("ends when it is cancelled, here and there", async () => {
    const stop = new AbortController();
    const asked = read(
      service,
      { dburl: `spark:${prefix}_large`, most_rows: 2 ** 31 - 1 },
      { signal: stop.signal, onProgress: () => setTimeout(() => stop.abort(), 500) },
    );
    expect((await failureOf(asked)).name).toBe("CancelledError");
    // Its tasks took all places of the server's.
    const begun = performance.now();
    await cellsOf(spark, "SELECT count(*) FROM range(10)");
    expect(performance.now() - begun).toBeLessThan(20_000);
  });

  describe.skipIf(!hasSparkPackage)("and its files, which need a server on this machine", { timeout: 90_000 }, () => {
    const files = join(home, "files");
    const small = 'zip,n,s\n007,1,NA\n008,,"two\nlines ""x"""\n';
    const large = `zip,n,s\n${"09,2.5, blanks \n".repeat(5000)}`;

    beforeAll(() => {
      mkdirSync(join(files, "csv"), { recursive: true });
      mkdirSync(join(files, "mixed"));
      mkdirSync(join(files, "a[b]"));
      writeFileSync(join(files, "csv", "a.csv"), small);
      writeFileSync(join(files, "csv", "z.csv"), large);
      writeFileSync(join(files, "mixed", "a.csv"), "a,b\n1,2\n");
      writeFileSync(join(files, "mixed", "b.csv"), "b,a\n1,2\n");
      writeFileSync(join(files, "whole.csv"), small + large.slice(large.indexOf("\n") + 1));
      symlinkSync("/etc", join(files, "out"));
    });

    it("reads a folder of CSV as one such file would be read here", async () => {
      const found = await tableOf(
        service,
        await read(service, { dburl: join(files, "csv"), engine: "spark", file_type: "csv" }),
      );
      const here = await tableOf(service, await read(service, { dburl: join(files, "whole.csv") }));
      expect(found).toEqual(here);
      expect(found.rows[1]).toEqual(["008", null, 'two\nlines "x"']);
      expect(found.types).toEqual(["string", "number", "string"]);
    });

    it("reads a folder of Parquet, and lets types be named", async () => {
      const folder = join(files, "parquet");
      await spark.command(
        `CREATE TABLE ${prefix}_out USING parquet LOCATION '${folder}' AS SELECT id, CAST(id AS STRING) AS s FROM range(0, 50, 1, 3)`,
      );
      await spark.command(`DROP TABLE ${prefix}_out`);
      const found = await tableOf(
        service,
        await read(service, { dburl: folder, engine: "spark", types: { s: "integer" } }),
      );
      expect(found.types).toEqual(["integer", "integer"]);
      expect(found.rows).toEqual(Array.from({ length: 50 }, (_, k) => [k, k]));
    });

    it.each([
      [{ dburl: "mixed", file_type: "csv" }, /as CSV; its files must have the same columns in the same order/],
      [{ dburl: "csv" }, /as Parquet; give file_type: "csv" if it holds CSV files/],
      [{ dburl: "a[b]" }, /takes \*, \?, \[, \], .* for a pattern/],
      [{ dburl: "nowhere" }, /there is no file "nowhere"/],
      [{ dburl: "out/hosts", file_type: "csv" }, /is outside the folder/],
      [{ dburl: "../service-0" }, /is outside the folder/],
      [{ dburl: "csv", file_type: "csv", skip_rows: 1 }, /skip_rows is not for files that Spark reads/],
      [{ dburl: "x.xlsx" }, /file_type must be "parquet" or "csv" where Spark reads, got "xlsx"/],
      [{ dburl: "http://example.org/x" }, /Spark reads a path, or an address that begins with/],
      [{ dburl: "jar:file:///x" }, /Spark reads a path, or an address that begins with/],
      [{ dburl: "s3://bucket/x" }, /reads no s3:\/\/ addresses/],
    ] as const)("refuses %j", async (args, sentence) => {
      const strict = await started({ spark: await sparkAddress(), files });
      onTestFinished(() => strict.close());
      expect((await failureOf(read(strict, { engine: "spark", ...args }))).message).toMatch(sentence);
    });
  });
});

describe("input (DP_1) from Spark", () => {
  async function fake(behaviour: Behaviour, more = ""): Promise<{ service: Service; port: number }> {
    const server = await startFake(behaviour);
    const service = await started({ spark: `sc://127.0.0.1:${server.port}/${more}` });
    onTestFinished(async () => {
      await service.close();
      server.stop();
    });
    return { service, port: server.port };
  }

  it("needs one that is known", async () => {
    const service = await started({});
    onTestFinished(() => service.close());
    for (const args of [{ dburl: "spark:t" }, { dburl: "s3://bucket/x", engine: "spark" }]) {
      const error = await failureOf(read(service, args));
      expect(error.message).toContain("no Spark is known here; start the service with --engine spark=sc://HOST:15002");
      expect(error).toMatchObject({ status: 400, detail: { code: "no_engine" } });
    }
  });

  it("says where nothing listens", async () => {
    const service = await started({ spark: "sc://127.0.0.1:1" });
    onTestFinished(() => service.close());
    const error = await failureOf(read(service, { dburl: "spark:t" }));
    expect(error.message).toBe("input (DP_1): Spark at 127.0.0.1:1 can't be reached: nothing listens there.");
    expect(error).toMatchObject({ status: 422, detail: { code: "cluster_unreachable" } });
  });

  it("says that the server is too old", async () => {
    const { service, port } = await fake({ version: "3.5.6" });
    const error = await failureOf(read(service, { dburl: "spark:t" }));
    expect(error.message).toBe(
      `input (DP_1): Spark at 127.0.0.1:${port} must have version 4.0 or later, and it has 3.5.6; ask for another server.`,
    );
    expect(error).toMatchObject({ detail: { code: "cluster_old" } });
  });

  it("says that the token is wrong, and does not repeat it", async () => {
    const guard: Behaviour["guard"] = () => ({ code: 16, details: "Invalid token: hidden" });
    const { service } = await fake({ guard }, ";token=hidden");
    const error = await failureOf(read(service, { dburl: "spark:t" }));
    expect(error.message).toContain("refuses the token; give the right one");
    expect(JSON.stringify([error.message, error])).not.toContain("hidden");
    expect(error).toMatchObject({ detail: { code: "cluster_refused" } });
  });

  it("does not start with an address that can be none", async () => {
    const error = await failureOf(started({ spark: "http://u:secret@host" }));
    expect(error.message).toContain("--engine spark: An address of Spark Connect must look like sc://HOST:15002");
    expect(error.message).not.toContain("secret");
  });
});
