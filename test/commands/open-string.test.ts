import { expect, it } from "vitest";
import { openString } from "../../src/commands/open-string.ts";

it.each([
  ['session.xy({ y: "spe', "xy", "y", "spe"],
  ['await session.input("a.csv").drop("se', "drop", null, "se"],
  ['session.missing("mean", { columns: ["a b", "b', "missing", "columns", "b"],
  ["session.encode({ columns: ['", "encode", "columns", ""],
  ['session.xy({ x: ["a"], y: "', "xy", "y", ""],
  ['// "\nsession.scatter("a", "b", { color: "', "scatter", "color", ""],
  ['const s = `"`; session.drop("it\\"s', "drop", null, 'it\\"s'],
  ['f({ a: g.xy({ y: "s', "xy", "y", "s"],
])("%j is a string of the call", (code, call, argument, typed) => {
  expect(openString(code, code.length)).toMatchObject({ call, argument, typed });
});

it.each([
  'const a = "x',
  'session.xy({ y: "species" })',
  "session.xy({ y: `spe",
  "session.xy(",
  '["a',
  '/* session.xy("',
])("%j is none", (code) => {
  expect(openString(code, code.length)).toBeNull();
});
