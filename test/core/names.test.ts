import { expect, it } from "vitest";
import { ArgsError } from "../../src/core/errors.ts";
import { freshNames, listed, quoted, uniqueNames } from "../../src/core/names.ts";
import { oneSelect } from "../../src/core/statement.ts";

it("quotes names so that nothing in them can steer a terminal", () => {
  expect(quoted("a\u001b[2J\u009b31m\u202e\n")).toBe('"a\\u001b[2J\\x9b31m\\u202e\\n"');
  expect(listed(["plain", "\u009b"])).toBe('plain, "\\x9b"');
  expect(listed(["a".repeat(300)])).toBe(`"${"a".repeat(77)}…"`);
});

it("numbers a name that comes often, as it does one that comes twice", () => {
  expect(uniqueNames(["a", "a", "A", "a_1", "a", ""])).toEqual(["a", "a_2", "A_3", "a_1", "a_4", "column_6"]);
  expect(freshNames(["a", "a", "b", "a"], ["a", "a_2"])).toEqual(["a_1", "a_3", "b", "a_4"]);
  const many = uniqueNames(Array.from({ length: 50_000 }, () => "a"));
  expect([new Set(many).size, many.at(-1)]).toEqual([50_000, "a_49999"]);
});

it("refuses a query that asks a server for its files", () => {
  const refused = (query: string, server: "postgres" | "mysql") => () => oneSelect(query, server);
  expect(refused("SELECT pg_read_file('/etc/passwd')", "postgres")).toThrow(ArgsError);
  expect(refused("SELECT * FROM pg_ls_dir('.')", "postgres")).toThrow(/got "pg_ls_dir"/);
  expect(refused("SELECT lo_export(1, '/tmp/x')", "postgres")).toThrow(ArgsError);
  expect(refused("SELECT LOAD_FILE('/etc/passwd')", "mysql")).toThrow(/got "LOAD_FILE"/);
  expect(refused("SELECT 1 INTO OUTFILE '/tmp/x'", "mysql")).toThrow(/must not write files/);
  expect(oneSelect("SELECT pg_readings, load_files FROM t", "postgres")).toContain("pg_readings");
});
