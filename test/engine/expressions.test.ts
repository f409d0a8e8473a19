import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join as path } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { col, join, raw, type Sql, sql } from "../../src/core/sql.ts";
import { toCell } from "../../src/engine/cells.ts";
import { storedTypes, writeExpression } from "../../src/engine/expressions.ts";
import { Duck } from "../../src/engine/index.ts";
import { check } from "../../src/plan/check.ts";
import { type Expr, partsOf } from "../../src/plan/expr.ts";
import { callable, functions } from "../../src/plan/functions.ts";
import { parse } from "../../src/plan/parse.ts";
import { type Answer, type Conformance, conformance } from "../plan/conformance.ts";

const spillTo = mkdtempSync(path(tmpdir(), "blocklab-duck-"));
const duck = new Duck({ spillTo, path: () => "", memoryLimit: 2 ** 28 });
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
  return sql`SELECT * FROM (VALUES ${join(rows)}) AS t(${join([...entries.map(([name]) => col(name)), row])})`;
}

function checkedOver(text: string, { columns, over }: Conformance) {
  const schema = new Map(Object.entries(columns).map(([name, [type]]) => [name, type]));
  const parsed = parse(text, new Set(schema.keys()));
  if ("problem" in parsed) throw new Error(`${text}: ${parsed.problem.message}`);
  const found = check(parsed.expr, schema, { kinds: ["aggregate", "window"], where: "nothing" }, parsed.spans);
  if ("problem" in found) throw new Error(`${text}: ${found.problem.message}`);
  return over ? alongWindows(found.expr, over) : found.expr;
}

function alongWindows(expr: Expr, over: NonNullable<Conformance["over"]>): Expr {
  if (!("call" in expr)) return expr;
  const made = { ...expr, args: expr.args.map((arg) => alongWindows(arg, over)) };
  const along = { by: over.by, order: over.order.map((column) => ({ column })) };
  return functions[expr.call].kind === "row" ? made : { ...made, over: along };
}

describe.each(Object.entries(conformance))("expressions over %s", (_, given) => {
  it.each(Object.entries(given.cases))("%s", async (text, expected) => {
    const written = writeExpression(checkedOver(text, given));
    const isRows = Array.isArray(expected);
    const order = isRows ? sql` ORDER BY ${row}` : raw("");
    const found = await duck.rows(sql`SELECT ${written} FROM (${tableOf(given)})${order}`);
    const answers = found.map(([cell]) => toCell(cell) as Answer);
    expect(isRows ? answers : answers[0]).toEqual(near(expected, answers));
  });
});

/** The expected cells, with what agrees to 15 digits taken as it came. */
function near(expected: readonly Answer[] | Answer, answers: readonly Answer[]): unknown {
  const one = (want: Answer, got: Answer) => {
    const isClose =
      typeof want === "number" &&
      got !== null &&
      typeof got !== "boolean" &&
      Math.abs(Number(got) - want) <= 4e-16 * Math.abs(want);
    return isClose || (want === 0 && Object.is(got, -0)) ? got : want;
  };
  return Array.isArray(expected)
    ? expected.map((want, i) => one(want, answers[i]))
    : one(expected as Answer, answers[0]);
}

it("has a case for every function", () => {
  const used = new Set<string>();
  for (const given of Object.values(conformance)) {
    for (const text of Object.keys(given.cases)) {
      for (const part of partsOf(checkedOver(text, given))) if ("call" in part) used.add(part.call);
    }
  }
  expect(callable.filter((name) => !used.has(name))).toEqual([]);
});
