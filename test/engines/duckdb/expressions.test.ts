import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join as path } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { storedTypes, writeExpression } from "../../../src/engines/duckdb/expressions.ts";
import { Duck } from "../../../src/engines/duckdb/index.ts";
import { toCell } from "../../../src/engines/duckdb/read/cells.ts";
import { writeColumns } from "../../../src/engines/duckdb/write.ts";
import { col, join, raw, type Sql, sql } from "../../../src/engines/sql.ts";
import { call, column, type Expr, partsOf } from "../../../src/plan/expr.ts";
import { type FunctionName, functions } from "../../../src/plan/functions.ts";
import { type Answer, type Conformance, casesOf, conformance, fitted, near } from "../../plan/conformance.ts";

const spillTo = mkdtempSync(path(tmpdir(), "blocklab-duck-"));
const duck = new Duck({ spillTo, path: (artifact) => path(spillTo, artifact), memoryLimit: 2 ** 28 });
beforeAll(async () => {
  const values = { start: Int32Array.from(fitted.start), items: Float64Array.from(fitted.lists) };
  await writeColumns(duck, [{ column: { name: "items", type: "tensor" }, values }], duck.path(fitted.artifact));
});
afterAll(async () => {
  await duck.close();
  rmSync(spillTo, { recursive: true, force: true });
});

const row = col("__row");

/** The table of a conformance as a SELECT, with the rows' numbers. */
function tableOf({ columns }: Conformance): Sql {
  const entries = Object.entries(columns);
  const rows = entries[0][1][1].map((_, i) => {
    const cells = entries.map(([, [type, cells]]) => {
      // By way of text, so that whole numbers beyond 2^53 arrive.
      const cell = cells[i] === null ? null : String(cells[i]);
      return sql`CAST(${cell} AS ${raw(storedTypes[type as keyof typeof storedTypes])})`;
    });
    return sql`(${join([...cells, raw(String(i))])})`;
  });
  const names = join([...entries.map(([name]) => col(name)), row]);
  if (rows.length > 0) return sql`SELECT * FROM (VALUES ${join(rows)}) AS t(${names})`;
  const none = entries.map(([, [type]]) => raw(`NULL::${storedTypes[type as keyof typeof storedTypes]}`));
  return sql`SELECT * FROM (VALUES (${join([...none, raw("0")])})) AS t(${names}) WHERE FALSE`;
}

describe.each(Object.entries(conformance))("expressions over %s", (_, given) => {
  it.each(casesOf(given))("$text", async ({ expr, expected }) => {
    const isRows = Array.isArray(expected);
    const order = isRows ? sql` ORDER BY ${row}` : raw("");
    const found = await duck.rows(sql`SELECT ${writeExpression(expr)} FROM (${tableOf(given)})${order}`);
    const answers = found.map(([cell]) => toCell(cell) as Answer);
    expect(isRows ? answers : answers[0]).toEqual(near(expected, answers));
  });
});

it("has a case for every function", () => {
  const trees = Object.values(conformance).flatMap((given) => casesOf(given).map(({ expr }) => expr));
  const used = new Set(
    trees.flatMap((tree) => [...partsOf(tree)].flatMap((part) => ("call" in part ? [part.call] : []))),
  );
  expect(Object.keys(functions).filter((name) => !used.has(name as FunctionName))).toEqual([]);
});

it("ends an expression that would grow beyond all memory", () => {
  const nested = (levels: number): Expr => (levels === 0 ? column("x", "number") : call("sqrt", nested(levels - 1)));
  expect(writeExpression(nested(8)).parts.length).toBeLessThan(3_000);
  expect(() => writeExpression(nested(60))).toThrow(/^sqrt\(\): the expression grows .*Derive the inner ones/);
});
