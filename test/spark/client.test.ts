import { setTimeout as wait } from "node:timers/promises";
import { DataType, type RecordBatch, tableFromArrays, tableToIPC } from "apache-arrow";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type Arguments,
  files,
  localRows,
  SparkClient,
  type SparkError,
  type SparkProgress,
  sql,
  table,
} from "../../src/spark/index.ts";
import { hasSpark, sparkAddress } from "../support/spark.ts";
import { cuttingProxy } from "./cutting-proxy.ts";

let address: string;
let spark: SparkClient;

beforeAll(async () => {
  if (!hasSpark) return;
  address = await sparkAddress();
  // The first session of a server that has just started takes a while.
  spark = new SparkClient(address, { patienceMs: 60_000 });
  await spark.version();
}, 200_000);

afterAll(async () => {
  await spark?.close();
});

/** All rows as arrays of plain values. */
async function rowsOf(query: string, args: Arguments = {}): Promise<unknown[][]> {
  const all: unknown[][] = [];
  for await (const batch of spark.rows(sql(query, args))) {
    for (const row of batch) all.push(batch.schema.fields.map(({ name }) => plain(row?.[name])));
  }
  return all;
}

function plain(value: unknown): unknown {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
  return JSON.parse(JSON.stringify(value, (_, each) => (typeof each === "bigint" ? String(each) : each)));
}

async function failureOf(work: Promise<unknown>): Promise<SparkError> {
  return (await work.then(
    () => expect.unreachable("it did not fail"),
    (error: unknown) => error,
  )) as SparkError;
}

describe.skipIf(!hasSpark)("a client of Spark", () => {
  it("says which version answers, and how a session is set", async () => {
    expect(await spark.version()).toMatch(/^[4-9]\.\d+\.\d+/);
    await spark.set({ "spark.sql.shuffle.partitions": "3" });
    const found = await spark.settings("spark.sql.session.timeZone", "spark.sql.shuffle.partitions", "spark.no.such");
    expect(found).toEqual({
      "spark.sql.session.timeZone": "UTC",
      "spark.sql.shuffle.partitions": "3",
      "spark.no.such": undefined,
    });
  });

  it("reads every type of Spark's", async () => {
    const columns: [string, unknown][] = [
      ["CAST(-128 AS TINYINT)", -128],
      ["CAST(32767 AS SMALLINT)", 32_767],
      ["CAST(-2147483648 AS INT)", -(2 ** 31)],
      ["CAST(9223372036854775807 AS BIGINT)", 2n ** 63n - 1n],
      ["CAST(1.5 AS FLOAT)", 1.5],
      ["CAST('NaN' AS DOUBLE)", Number.NaN],
      ["CAST('-Infinity' AS DOUBLE)", -Infinity],
      ["CAST('-0.0' AS DOUBLE)", -0],
      ["TRUE", true],
      ["'Straße 𝄞 \\0 \\n'", "Straße 𝄞 \0 \n"],
      ["''", ""],
      ["X'00FF'", Uint8Array.of(0, 255)],
      ["DATE'0001-01-01'", Date.UTC(2001, 0, 1) - (Date.UTC(2001, 0, 1) - new Date("0001-01-01").getTime())],
      ["TIMESTAMP'1969-12-31 23:59:59.999999Z'", -0.001],
      ["TIMESTAMP_NTZ'2026-03-29 02:30:00'", Date.UTC(2026, 2, 29, 2, 30)],
      ["CAST(NULL AS INT)", null],
      ["NULL", null],
      ["array(1, NULL)", [1, null]],
      ["map('a', 1L)", { a: "1" }],
      ["named_struct('x', 1, 'y z', array('b'))", { x: 1, "y z": ["b"] }],
    ];
    const [row] = await rowsOf(`SELECT ${columns.map(([text], k) => `${text} AS c${k}`).join(", ")}`);
    columns.forEach(([text, expected], k) => {
      expect(row[k], text).toStrictEqual(expected);
    });
  });

  it("reads decimals of 38 digits to the last one", async () => {
    const digits = "12345678901234567890123456789012345678";
    const batches: RecordBatch[] = [];
    for await (const batch of spark.rows(sql(`SELECT CAST('-${digits}' AS DECIMAL(38,0)) AS d`))) batches.push(batch);
    const column = batches[0].getChildAt(0);
    expect(DataType.isDecimal(column?.type)).toBe(true);
    const words = column?.get(0) as Uint32Array;
    const whole = words.reduceRight((all, word) => (all << 32n) | BigInt(word), 0n);
    expect(String(BigInt.asIntN(128, whole))).toBe(`-${digits}`);
  });

  it("takes values for parameters, whatever they hold", async () => {
    const odd = "'; DROP TABLE x; -- ä\0\n`\"\\";
    const args = { n: null, t: true, d: 0.1, i: 2n ** 62n, s: odd, b: Uint8Array.of(1), at: new Date(86_400_000) };
    expect(await rowsOf("SELECT :n, :t, :d, :i, :s, :b, :at", args)).toEqual([
      [null, true, 0.1, 2n ** 62n, odd, Uint8Array.of(1), 86_400_000],
    ]);
    expect(await rowsOf("SELECT ? + ?, ?", [1n, 2n, "x"])).toEqual([[3n, "x"]]);
    const typed = { a: { double: -0 }, b: { date: 1 }, c: { timestamp_ntz: 0n }, d: { float: Infinity } };
    expect(await rowsOf("SELECT :a, :b, :c, :d", typed)).toEqual([[-0, 86_400_000, 0, Infinity]]);
  });

  it("knows the columns of a query without running it, nested ones too", async () => {
    const query =
      "SELECT 1 AS a, CAST(1 AS DECIMAL(10,2)) AS `odd ``name`, map('k', array(named_struct('x y', DATE'2026-01-01'))) AS m, " +
      "INTERVAL 1 DAY AS i, CAST(NULL AS STRING) AS s, current_timestamp() AS t, raise_error('it ran') AS never";
    const fields = await spark.schema(sql(query));
    expect(fields.map(({ name, type, isNullable }) => [name, type.text, isNullable])).toEqual([
      ["a", "int", false],
      ["odd `name", "decimal(10,2)", true],
      ["m", "map<string,array<struct<`x y`:date>>>", false],
      ["i", "interval day", false],
      ["s", "string", true],
      ["t", "timestamp", false],
      ["never", "void", true],
    ]);
    expect(await spark.explain(sql("SELECT id FROM range(3)"), "simple")).toContain("== Physical Plan ==");
  });

  it("answers the columns of an empty table, and reads rows twice", async () => {
    const rows = spark.rows(sql("SELECT id, 'x' AS s FROM range(0)"));
    for (let k = 0; k < 2; k++) {
      const batches = await Array.fromAsync(rows);
      expect(batches.map(({ numRows, schema }) => [numRows, schema.names])).toEqual([[0, ["id", "s"]]]);
    }
    expect(rows.count).toBe(0);
  });

  it("names rows from here, reads tables and files", async () => {
    const given = tableFromArrays({ a: Int32Array.of(1, 2, 3), s: ["x", null, "ü"] });
    await spark.createView("given_rows", localRows(tableToIPC(given, "stream")));
    expect(await rowsOf("SELECT sum(a), count(s) FROM given_rows")).toEqual([[6n, 2n]]);
    const batches = await Array.fromAsync(spark.rows(table("given_rows")));
    expect(batches.reduce((all, { numRows }) => all + numRows, 0)).toBe(3);
    await spark.createView("second", sql("SELECT * FROM given_rows WHERE a = :a", { a: 2n }));
    await spark.command("CREATE OR REPLACE TEMPORARY VIEW letters AS SELECT s FROM second");
    expect(await rowsOf("SELECT count(*), count(s) FROM letters")).toEqual([[1n, 0n]]);
    const missing = await failureOf(Array.fromAsync(spark.rows(files("parquet", ["/no/such/file"]))));
    expect(missing.message).toMatch(/finds no file at file:\/no\/such\/file; the path must be one that the server/);
  });

  it("streams a million rows in order, in little memory, and tells how far it is", async () => {
    const seen: SparkProgress[] = [];
    const query = sql("SELECT id, CAST(id AS STRING) AS text, rand(1) AS r FROM range(0, 1000000, 1, 8)");
    const rows = spark.rows(query, { onProgress: (progress) => seen.push(progress) });
    let sum = 0n;
    let last = -1n;
    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    for await (const batch of rows) {
      const ids = batch.getChildAt(0)?.toArray() as BigInt64Array;
      for (const id of ids) {
        sum += id;
        if (id !== last + 1n) throw new Error(`${id} after ${last}`);
        last = id;
      }
      most = Math.max(most, process.memoryUsage().arrayBuffers - before);
    }
    expect(rows.count).toBe(1_000_000);
    expect(sum).toBe(499_999_500_000n);
    // All of it is 28 MB; what is dropped may still lie there until it is collected.
    expect(most).toBeLessThan(200e6);
    expect(seen.at(-1)?.tasks).toBe(8);
    expect(seen.at(-1)?.tasksDone).toBeGreaterThan(0);
    const counted = rows.metrics.flatMap(({ values }) => values["number of output rows"] ?? []);
    expect(counted).toContain(1_000_000);
  });

  it("tells what is wrong with a query in one sentence", async () => {
    const cases: [string, string, RegExp][] = [
      ["SELECT * FROM nope", "TABLE_OR_VIEW_NOT_FOUND", /has no table or view `nope`; check its spelling/],
      ["SELEC 1", "PARSE_SYNTAX_ERROR", /can't read the SQL at 'SELEC'\.$/],
      [
        "SELECT nam FROM VALUES ('x') AS t(name)",
        "UNRESOLVED_COLUMN.WITH_SUGGESTION",
        /finds no column `nam`; did you mean one of `name`\?$/,
      ],
      ["SELECT nope(1)", "UNRESOLVED_ROUTINE", /knows no function `nope`/],
      ["SELECT CAST('abc' AS INT)", "CAST_INVALID_INPUT", /can't make "INT" of the "STRING" 'abc'; try_cast/],
      ["SELECT id / (id - 5) FROM range(10)", "DIVIDE_BY_ZERO", /divided by zero; try_divide/],
      ["SELECT * FROM a.b.c", "REQUIRES_SINGLE_PART_NAMESPACE", /has no catalog for `a`\.`b`; write/],
      ["SELECT raise_error('so')", "USER_RAISED_EXCEPTION", /can't do that: so\.$/],
    ];
    for (const [query, code, text] of cases) {
      const error = await failureOf(rowsOf(query));
      expect(error.code, query).toBe(code);
      expect(error.message).toMatch(text);
      expect(error.message).toMatch(/^Spark at [^\n]*$/);
    }
    expect((await failureOf(spark.schema(table("nope")))).code).toBe("TABLE_OR_VIEW_NOT_FOUND");
    // A failure ends the query alone.
    expect(await rowsOf("SELECT 1")).toEqual([[1]]);
  });

  it("stops on the server too, within two seconds", async () => {
    const long = sql("SELECT sum(hash(a.id, b.id)) FROM range(3000000) AS a CROSS JOIN range(30000) AS b");
    const giveUp = new AbortController();
    const work = Array.fromAsync(spark.rows(long, { signal: giveUp.signal }));
    await wait(1000);
    const before = Date.now();
    giveUp.abort();
    expect((await failureOf(work)).name).toBe("AbortError");
    expect(Date.now() - before).toBeLessThan(500);
    // Both cores were busy with it.
    expect(await rowsOf("SELECT count(*) FROM range(0, 4, 1, 4)")).toEqual([[4n]]);
    expect(Date.now() - before).toBeLessThan(3000);
  });

  it("stops what runs under a tag", async () => {
    const long = sql("SELECT sum(hash(a.id, b.id)) FROM range(3000000) AS a CROSS JOIN range(30000) AS b");
    const work = failureOf(Array.fromAsync(spark.rows(long, { tags: ["slow"] })));
    await expect.poll(() => spark.interrupt("slow"), { timeout: 10_000 }).toBe(1);
    const error = await work;
    expect(error.message).toContain("was told by somebody else to stop this work");
    expect(await spark.interrupt("slow")).toBe(0);
  });

  it("loses and repeats no row when its connection is cut again and again", async () => {
    const proxy = await cuttingProxy(Number(/:(\d+)/.exec(address)?.[1]), { afterBytes: 1_000_000, times: 4 });
    const client = new SparkClient(proxy.address);
    try {
      let next = 0n;
      for await (const batch of client.rows(sql("SELECT id FROM range(0, 1000000, 1, 4)"))) {
        const ids = batch.getChildAt(0)?.toArray() as BigInt64Array;
        for (const id of ids) if (id !== next++) throw new Error(`${id} in place of ${next - 1n}`);
      }
      expect(next).toBe(1_000_000n);
      expect(proxy.cuts()).toBe(4);
    } finally {
      await client.close();
      proxy.close();
    }
  });
});
