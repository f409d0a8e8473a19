import { tmpdir } from "node:os";
import { afterAll, expect, it } from "vitest";
import { Duck } from "../../../../src/engines/duckdb/index.ts";
import { kindOf, plainKind } from "../../../../src/engines/duckdb/ingest/csv-columns.ts";
import { literal } from "../../../../src/engines/sql.ts";

const duck = new Duck({ spillTo: tmpdir(), path: (id) => id });
afterAll(() => duck.close());

const cells = {
  text: [
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
  ],
  whole: ["0", "-0", "7", "-12", "123456789012345"],
  "one point": ["1.234", "-12.000", "999.999"],
  real: ["0.5", "-0.25", "1.2", "1234.567", "0.125", "3.14159", "-0.000", "1.123456789012345"],
};
const doubtful = [
  "true",
  "FALSE",
  "nan",
  "NaN ",
  "Inf",
  "infinity\t",
  "1e5",
  "-inf",
  "",
  " x",
  ":",
  "+1",
  "2020-01-01",
];
const more = [
  "(a)",
  "007",
  "1_000",
  " 7",
  "7 ",
  ".5",
  "1.",
  "1234567890123456",
  "1,234",
  "--1",
  "1-2",
  "1.2.3",
  "12:30",
];

it.each(Object.entries(cells).flatMap(([kind, all]) => all.map((cell) => [cell, kind])))(
  "%j is told by its letters: %s",
  async (cell, kind) => {
    expect(plainKind(cell)).toBe(kind);
    expect(await kindByQuery(cell)).toBe(kind);
  },
);

it.each([...doubtful, ...more])("%j is left to the engine", (cell) => {
  expect(plainKind(cell)).toBeUndefined();
});

async function kindByQuery(cell: string) {
  const text = `SELECT ${kindOf("cell")} FROM (SELECT ${literal(cell)} AS cell)`;
  const [[kind]] = await duck.answers({ text, values: [] });
  return kind;
}
