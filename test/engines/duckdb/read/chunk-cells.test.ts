import { tmpdir } from "node:os";
import { afterAll, describe, expect, it } from "vitest";
import { Duck } from "../../../../src/engines/duckdb/index.ts";
import { toCell } from "../../../../src/engines/duckdb/read/cells.ts";
import { cellsIn } from "../../../../src/engines/duckdb/read/chunk-cells.ts";
import { raw } from "../../../../src/engines/sql.ts";

const duck = new Duck({ spillTo: tmpdir(), path: (id) => id });
afterAll(() => duck.close());

const statement = (text: string) => duck.statement(raw(text));

describe("cells of a chunk", () => {
  it.each([
    "1.5::DOUBLE, NULL, 'NaN'::DOUBLE, '-inf'::DOUBLE",
    "1::BIGINT, NULL, 9007199254740993::BIGINT, -9007199254740991::BIGINT",
    "TIMESTAMP '2024-01-31 23:59:59', NULL, TIMESTAMP '1969-12-31 23:59:59', TIMESTAMP '2024-02-29 00:00:00.25'",
    "TIMESTAMP '0044-03-15 (BC) 12:00:00', TIMESTAMP '0001-01-01', TIMESTAMP '9999-12-31 23:59:59', TIMESTAMP '20000-01-01'",
    "'infinity'::TIMESTAMP, TIMESTAMP '1582-10-10 01:02:03', TIMESTAMP '0099-01-01', '-infinity'::TIMESTAMP",
    "DATE '2024-01-31', NULL",
    "true, false, NULL",
    "'a', NULL, ''",
    "[1.5, 2]::FLOAT[], NULL",
    "3::INTEGER, NULL",
    "[7::BIGINT], NULL",
  ])("are those of one value after the other: %s", async (values) => {
    for await (const chunk of duck.chunks(statement(`SELECT unnest([${values}])`))) {
      expect(cellsIn(chunk, 0)).toEqual(chunk.getColumnValues(0).map(toCell));
    }
  });
});

describe("a query that is read chunk by chunk", () => {
  it("comes whole and in order, beside others", async () => {
    let next = 0;
    for await (const chunk of duck.chunks(statement("SELECT i FROM range(10000) t(i)"))) {
      await duck.rows(raw("SELECT 1"));
      for (const cell of cellsIn(chunk, 0)) expect(cell).toBe(next++);
    }
    expect(next).toBe(10_000);
  });

  it("ends where it is left, and lets go of what it had", async () => {
    const waiting = process.listenerCount("exit");
    for await (const chunk of duck.chunks(statement("SELECT i FROM range(1000000000000) t(i)"))) {
      expect(process.listenerCount("exit")).toBe(waiting + 1);
      expect(chunk.rowCount).toBeGreaterThan(0);
      break;
    }
    expect(process.listenerCount("exit")).toBe(waiting);
    expect(await duck.rows(raw("SELECT 1"))).toEqual([[1]]);
  });

  it("ends with its signal, in one word", async () => {
    const stop = new AbortController();
    const chunks = duck.chunks(
      statement("SELECT i FROM range(1000000000000) t(i) WHERE i % 100000000 = 0"),
      stop.signal,
    );
    const next = chunks.next();
    setTimeout(() => stop.abort(), 50);
    await expect(next.then(() => chunks.next())).rejects.toMatchObject({ name: "CancelledError" });
  });
});
