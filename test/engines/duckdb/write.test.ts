import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DuckDBListValue } from "@duckdb/node-api";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Duck } from "../../../src/engines/duckdb/index.ts";
import { writeRows } from "../../../src/engines/duckdb/rows.ts";
import { sideList } from "../../../src/engines/duckdb/side-table.ts";
import { writeColumns } from "../../../src/engines/duckdb/write.ts";
import { raw } from "../../../src/engines/sql.ts";

let folder: string;
let duck: Duck;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "blocklab-write-"));
  duck = new Duck({ spillTo: join(folder, "spill"), path: (id) => join(folder, id) });
});

afterAll(async () => {
  await duck.close();
  rmSync(folder, { recursive: true, force: true });
});

it("writes columns of any kind, whole numbers as such", async () => {
  const path = join(folder, "kinds");
  const number = (name: string, integer: boolean) => ({ name, type: "number", integer }) as const;
  await writeColumns(
    duck,
    [
      { column: number("whole", true), values: Int32Array.of(-5, 0, 2 ** 31 - 1) },
      { column: number("codes", false), values: Int32Array.of(-5, 0, 2 ** 31 - 1) },
      { column: number("real", false), values: Float64Array.of(0.5, Number.NaN, -1) },
      { column: { name: "text", type: "string" }, values: ["a", null, "é"] },
    ],
    path,
  );
  expect(await duck.rows(raw(`SELECT * FROM read_parquet('${path}')`))).toEqual([
    [-5n, -5, 0.5, "a"],
    [0n, 0, null, null],
    [2n ** 31n - 1n, 2 ** 31 - 1, -1, "é"],
  ]);
});

it("writes a row of long lists, one of none and names as they are", async () => {
  const path = join(folder, "lists");
  const doubles = Float64Array.from({ length: 50_000 }, (_, k) => (k % 3 === 0 ? Number.NaN : k / 7));
  const whole = Float64Array.of(0, 2 ** 53 - 1, -7);
  await writeColumns(
    duck,
    [
      sideList("real", doubles),
      sideList(`it's "whole"; DROP`, whole, { integer: true }),
      sideList("bytes", Uint8Array.of(0, 255)),
      sideList("places", Int32Array.of(-(2 ** 31), 2 ** 31 - 1)),
      sideList("none", new Float64Array(0)),
    ],
    path,
  );
  const from = `read_parquet('${path}')`;
  expect((await duck.rows(raw(`DESCRIBE SELECT * FROM ${from}`))).map(([name, type]) => [name, type])).toEqual([
    ["real", "DOUBLE[]"],
    [`it's "whole"; DROP`, "BIGINT[]"],
    ["bytes", "UTINYINT[]"],
    ["places", "INTEGER[]"],
    ["none", "DOUBLE[]"],
  ]);
  const [[real, ...others]] = (await duck.rows(raw(`SELECT * FROM ${from}`))) as [DuckDBListValue[]];
  expect(real.items).toEqual([...doubles]);
  const expected = [[0n, 2n ** 53n - 1n, -7n], [0, 255], [-(2 ** 31), 2 ** 31 - 1], []];
  expect(others.map(({ items }) => items)).toEqual(expected);
});

it("writes more rows than it takes at once in their order, and leaves no parts behind", async () => {
  const path = join(folder, "long");
  const rows = 4_100_000;
  const values = new Int32Array(rows);
  for (let i = 0; i < rows; i++) values[i] = i;
  await writeColumns(duck, [{ column: { name: "row", type: "number", integer: true }, values }], path);
  const text = `SELECT count(*), count(*) FILTER (WHERE "row" <> file_row_number) FROM read_parquet('${path}', file_row_number = true)`;
  expect(await duck.rows(raw(text))).toEqual([[BigInt(rows), 0n]]);
  expect(readdirSync(folder).filter((name) => name.startsWith("long"))).toEqual(["long"]);
});

it("leaves nothing of one chunk in the next: texts, gaps and tensors stay where they were", async () => {
  const rows = 5_000;
  const index = Array.from({ length: rows }, (_, k) => k);
  const words = index.map((k) => (k < 2_048 && k % 3 === 0 ? null : `${k}`.repeat(1 + (k % 5))));
  const tensors = index.map((k) => new Float32Array(k % 4).fill(k));
  const path = join(folder, "chunks");
  await writeColumns(
    duck,
    [
      { column: { name: "word", type: "string" }, values: words },
      { column: { name: "cells", type: "tensor", shape: [] }, values: tensors },
    ],
    path,
  );
  const other = join(folder, "chunks-by-rows");
  await writeRows(duck, ["text", "tensor"], other, async (sink) => {
    await sink.append([words, tensors]);
    return { outputs: ["c0 AS word", "c1 AS cells"] };
  });
  for (const file of [path, other]) {
    const found = await duck.rows(raw(`SELECT word, len(cells), list_sum(cells) FROM read_parquet('${file}')`));
    expect(found).toEqual(index.map((k) => [words[k], BigInt(k % 4), k % 4 === 0 ? null : k * (k % 4)]));
  }
});
