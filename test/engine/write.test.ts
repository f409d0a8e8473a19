import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { raw } from "../../src/core/sql.ts";
import { Duck } from "../../src/engine/index.ts";
import { writeRows } from "../../src/engine/rows.ts";
import { writeColumns } from "../../src/engine/write.ts";

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
