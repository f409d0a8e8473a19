import type { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { can, writeExpression } from "../../../src/engines/postgres/expressions.ts";
import { storedTypes } from "../../../src/engines/postgres/functions/writing.ts";
import { col, compile, join, raw, type Sql, sql } from "../../../src/engines/sql.ts";
import { partsOf } from "../../../src/plan/expr.ts";
import { functions } from "../../../src/plan/functions.ts";
import { type Answer, type Conformance, casesOf, conformance, near } from "../../plan/conformance.ts";
import { asText, connectedTo, startPostgres, type TestServer, whyNoPostgres } from "../../support/postgres.ts";

const reason = whyNoPostgres();
const dialect = { path: () => "", write: writeExpression };

let server: TestServer;
let client: Client;

beforeAll(async () => {
  if (reason) return;
  server = await startPostgres();
  client = await connectedTo(server);
}, 60_000);

afterAll(async () => {
  await client?.end();
  await server?.stop();
});

/** The table of a conformance as a SELECT, with the rows' numbers. */
function tableOf({ columns }: Conformance): Sql {
  const entries = Object.entries(columns);
  const rows = entries[0][1][1].map((_, i) => {
    const cells = entries.map(([, [type, cells]]) => {
      const cell = cells[i] === null ? null : String(cells[i]);
      return sql`${cell}::text::${raw(storedTypes[type as keyof typeof storedTypes])}`;
    });
    return sql`(${join([...cells, raw(`${i}::bigint`)])})`;
  });
  const names = join([...entries.map(([name]) => col(name)), col("__row")]);
  if (rows.length > 0) return sql`SELECT * FROM (VALUES ${join(rows)}) AS t(${names})`;
  const none = entries.map(([, [type]]) => raw(`NULL::${storedTypes[type as keyof typeof storedTypes]}`));
  return sql`SELECT * FROM (SELECT ${join([...none, raw("0")])}) AS t(${names}) WHERE FALSE`;
}

/** Cells as the conformance has them. */
function toAnswer(cell: string | null, type: string): Answer {
  if (cell === null) return null;
  if (type === "boolean") return cell === "t";
  if (type === "double precision") return Number(cell);
  return type === "bigint" && Number.isSafeInteger(Number(cell)) ? Number(cell) : cell;
}

const words: Readonly<Record<number, string>> = {
  16: "boolean",
  20: "bigint",
  25: "text",
  701: "double precision",
  1114: "timestamp",
};

async function answered(written: Sql, given: Conformance, isRows: boolean): Promise<Answer[]> {
  const order = isRows ? sql` ORDER BY ${col("__row")}` : raw("");
  const { text, values } = compile(sql`SELECT ${written} FROM (${tableOf(given)}) AS t${order}`, dialect);
  const { rows, fields } = await client.query({ text, values: [...values], rowMode: "array", types: asText });
  return rows.map(([cell]) => toAnswer(cell, words[fields[0].dataTypeID] ?? String(fields[0].dataTypeID)));
}

/** Postgres has no arithmetic that doesn't raise out of range; the writer's own words say so. */
const raises = ["numbers: x + y", "numbers: x * y", "numbers: bin(x, 0.5)"];

/** Postgres' texts hold no NUL, so that no table of its can have one. */
const tables = Object.entries(conformance).filter(([group]) => group !== "NUL letters");

describe.skipIf(reason).each(tables)("expressions over %s", (group, given) => {
  it.each(casesOf(given).filter(({ expr }) => can(expr).length === 0))("$text", async ({ text, expr, expected }) => {
    const isRows = Array.isArray(expected);
    const asked = answered(writeExpression(expr), given, isRows);
    if (raises.includes(`${group}: ${text}`)) return expect(asked).rejects.toMatchObject({ code: "22003" });
    const answers = await asked;
    expect(isRows ? answers : answers[0]).toEqual(near(expected, answers));
  });
});

it("refuses by name what Postgres has no words for, and writes all else", () => {
  const refused = new Set<string>();
  const written = new Set<string>();
  for (const given of Object.values(conformance)) {
    for (const { expr } of casesOf(given)) {
      const found = can(expr);
      for (const { call, message, cure } of found) {
        refused.add(call);
        expect(`${message}. ${cure}`).toMatch(/^.{15,}[^.]\. .{15,}\.$/);
      }
      if (found.length === 0) for (const part of partsOf(expr)) if ("call" in part) written.add(part.call);
    }
  }
  expect([...refused].filter((name) => !written.has(name)).sort()).toEqual([
    "counted",
    "dots",
    "endSigma",
    "interpolate",
    "next",
    "norm",
    "phrases",
    "placesOf",
    "previous",
    "readDate",
    "readNumber",
    "scaled",
    "unitOf",
    "weighted",
    "words",
  ]);
  expect(Object.keys(functions).filter((name) => !written.has(name) && !refused.has(name))).toEqual([]);
});
