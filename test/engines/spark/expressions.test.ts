import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { can, writeExpression } from "../../../src/engines/spark/expressions.ts";
import { dialect } from "../../../src/engines/spark/plan.ts";
import { sessionSettings, storedTypes } from "../../../src/engines/spark/words.ts";
import { col, join, raw, type Sql, show, sql } from "../../../src/engines/sql.ts";
import { call, column, partsOf, value } from "../../../src/plan/expr.ts";
import { functions } from "../../../src/plan/functions.ts";
import { SparkClient } from "../../../src/spark/index.ts";
import { type Answer, type Conformance, casesOf, conformance, near } from "../../plan/conformance.ts";
import { hasSpark, sparkAddress } from "../../support/spark.ts";
import { cellsOf } from "../../support/spark-cells.ts";

let client: SparkClient;

beforeAll(async () => {
  if (!hasSpark) return;
  client = new SparkClient(await sparkAddress(), { patienceMs: 60_000, settings: sessionSettings });
  await client.version();
}, 200_000);

afterAll(async () => {
  await client?.close();
});

/** The table of a conformance as a SELECT, with the rows' numbers. */
function tableOf({ columns }: Conformance): Sql {
  const entries = Object.entries(columns);
  const stored = (type: string) => raw(storedTypes[type as keyof typeof storedTypes]);
  const rows = entries[0][1][1].map((_, i) => {
    const cells = entries.map(([, [type, cells]]) => {
      const cell = cells[i] === null ? null : Object.is(cells[i], -0) ? "-0" : String(cells[i]);
      return sql`CAST(${cell} AS ${stored(type)})`;
    });
    return sql`(${join([...cells, raw(`${i}L`)])})`;
  });
  const names = join([...entries.map(([name]) => col(name)), col("__row")]);
  if (rows.length > 0) return sql`SELECT * FROM VALUES ${join(rows)} AS t(${names})`;
  const none = entries.map(([, [type]]) => sql`CAST(NULL AS ${stored(type)})`);
  return sql`SELECT * FROM VALUES (${join([...none, raw("0L")])}) AS t(${names}) WHERE FALSE`;
}

/** The answers of several expressions over one table, asked for together. */
async function answered(written: readonly Sql[], given: Conformance, isRows: boolean): Promise<Answer[][]> {
  if (written.length === 0) return [];
  const cells = written.map((each, k) => sql`${each} AS ${col(`c${k}`)}`);
  const order = isRows ? sql` ORDER BY ${col("__row")}` : raw("");
  const query = sql`SELECT ${join(cells)} FROM (${tableOf(given)}) AS t${order}`;
  const { rows } = await cellsOf(client, show(query, dialect));
  return written.map((_, k) => rows.map((row) => row[k] as Answer));
}

describe.skipIf(!hasSpark)("expressions in Spark, which needs BLOCKLAB_SPARK", () => {
  const kinds = Object.entries(conformance).flatMap(([group, given]) =>
    [true, false].map((isRows) => ({
      group,
      kind: isRows ? "rows" : "aggregates",
      given,
      isRows,
      cases: casesOf(given).filter(
        ({ expr, expected }) => Array.isArray(expected) === isRows && can(expr).length === 0,
      ),
    })),
  );
  it.each(kinds.filter(({ cases }) => cases.length > 0))("over $group: $kind", async ({ given, isRows, cases }) => {
    const all = await answered(
      cases.map(({ expr }) => writeExpression(expr)),
      given,
      isRows,
    );
    const found = cases.map(({ text }, k) => [text, isRows ? all[k] : all[k][0]]);
    expect(found).toEqual(cases.map(({ text, expected }, k) => [text, near(expected, all[k])]));
  });
});

it("refuses by name what Spark has no words for, and writes all else", () => {
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
    "norm",
    "phrases",
    "placesOf",
    "readDate",
    "scaled",
    "weighted",
    "words",
  ]);
  expect(Object.keys(functions).filter((name) => !written.has(name) && !refused.has(name))).toEqual([]);
});

it.each([
  ["(a+)+b", true],
  ["(?:a|b)*", true],
  ["(?:x(?:[a-z]+,)){2,}", true],
  ["(a{2})+[(|+]*", false],
  ["(?:a|b)?c+", false],
  ["(?:ab)+", false],
])("refuses the expression /%s/ where Java may try for ever: %s", (pattern, isRefused) => {
  const expr = call("matches", column("s", "string"), value(pattern));
  expect(can(expr).map((each) => each.call)).toEqual(isRefused ? ["matches"] : []);
});

it("writes names and texts so that nothing in them is read as SQL", () => {
  const hostile = "`a' \\ ${spark.app.name} \0 \"--";
  expect(show(sql`${col(hostile)} = ${hostile}`, dialect)).toBe(
    "```a' \\ ${spark.app.name} \0 \"--` = '`a\\' \\\\ \\u0024{spark.app.name} \\u0000 \"--'",
  );
});
