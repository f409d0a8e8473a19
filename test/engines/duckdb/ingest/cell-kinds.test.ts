import { tmpdir } from "node:os";
import { afterAll, expect, test } from "vitest";
import { Duck } from "../../../../src/engines/duckdb/index.ts";
import { isWord, kindOf } from "../../../../src/engines/duckdb/ingest/csv-columns.ts";
import { literal } from "../../../../src/engines/sql.ts";

const duck = new Duck({ spillTo: tmpdir(), path: (id) => id });
afterAll(() => duck.close());

const words = [
  "species",
  "x1",
  "_",
  "A 7",
  "e5",
  "True story",
  "infinite",
  "nano",
  "Überbau",
  "ж",
  "表",
  "😀",
  ";",
  "t",
  "NaN%",
];
const others = [
  "true",
  "FALSE",
  "nan",
  "NaN ",
  "Inf",
  "infinity\t",
  "1e5",
  "-inf",
  "7",
  "",
  " x",
  ":",
  "+1",
  "2020-01-01",
  "(a)",
];

test.each([...words, ...others])("%j is a word only where the engine calls it a text", async (cell) => {
  const [[kind]] = await duck.answers({
    text: `SELECT ${kindOf("cell")} FROM (SELECT ${literal(cell)} AS cell)`,
    values: [],
  });
  if (isWord(cell)) expect(kind).toBe("text");
  expect(isWord(cell)).toBe(words.includes(cell));
});
