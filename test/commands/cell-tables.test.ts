import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import type ts from "typescript";
import { beforeAll, describe, expect, it } from "vitest";
import { expressionLanguage } from "../../src/commands/cell-tables.ts";
import { CellTypes } from "../../src/evaluator/cell-types.ts";
import type { Tables } from "../../src/evaluator/types-protocol.ts";
import { declared } from "../../src/registry/index.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

const tables: Tables = {
  session: [
    { name: "species", type: "string" },
    { name: "mass", type: "integer" },
    { name: "seen", type: "datetime" },
    { name: "island", type: "category" },
  ],
  odd: [
    { name: "bill length", type: "number" },
    { name: "bill", type: "number" },
  ],
};

let types: CellTypes;
beforeAll(() => {
  const compiler = createRequire(import.meta.url)("typescript") as typeof ts;
  types = new CellTypes(compiler, {
    cwd: root,
    language: expressionLanguage(),
    prelude: 'declare const session: import("blocklab").Session;',
    paths: { blocklab: `${root}src/index.ts` },
  });
  types.fault("void 0");
}, 60_000);

/** Completes at the bar. */
function complete(cell: string) {
  const cursor = cell.indexOf("|");
  const found = types.complete(cell.replace("|", ""), cursor, tables);
  return found.items.map(({ text }) => text);
}

describe("the columns of the table at hand", () => {
  it("complete behind the row, in the table's order, with their types, also while the call is open", () => {
    expect(complete("session.filter(d => d.|)")).toEqual(["species", "mass", "seen", "island"]);
    expect(complete("await session.filter((d) => d.mass > 3 && d.|")).toEqual(["species", "mass", "seen", "island"]);
    expect(complete("session.derive({ columns: { v: d => d.s|, w: d => 1 } })")).toEqual(["species", "seen"]);
    expect(complete("session.filter(function (row) { return row.m| })")).toEqual(["mass"]);
    const { items } = types.complete("session.filter(d => d.)", 22, tables);
    expect(items.map(({ detail }) => detail)).toEqual([
      "(property) species: text",
      "(property) mass: number",
      "(property) seen: date",
      "(property) island: text",
    ]);
  });

  it("complete with brackets where they have odd names", () => {
    expect(complete("odd.filter(d => d.|)")).toEqual(['d["bill length"]', "d.bill"]);
    expect(types.complete("odd.filter(d => d.)", 18, tables)).toMatchObject({ start: 16, end: 18 });
    expect(complete('odd.filter(d => d["|"])')).toEqual(["bill length", "bill"]);
  });

  it("go along a chain as far as its blocks tell, and a cell's own constants", () => {
    const all = ["species", "mass", "seen", "island"];
    expect(complete('session.sort("mass").filter(d => d.|)')).toEqual(all);
    expect(complete("session.derive({ columns: { kg: d => d.mass / 1000 } }).filter(d => d.|)")).toEqual([
      ...all,
      "kg",
    ]);
    expect(complete("const big = session.filter(d => d.mass > 1); big.filter(d => d.|)")).toEqual(all);
    expect(complete("await session.derive({ columns: { kg: d => d.mass / 1000 } })\nsession.filter(d => d.|)")).toEqual(
      [...all, "kg"],
    );
    expect(complete('session.input("sample:iris").filter(d => d.|)')).toEqual([]);
    expect(complete('session.project("other"); session.filter(d => d.|)')).toEqual([]);
  });

  it("have the methods of the language, and none where there are none", () => {
    const methods = complete("session.filter(d => d.species.|)");
    expect(methods).toEqual(expect.arrayContaining(["lower", "startsWith", "toLowerCase", "length"]));
    expect(methods).not.toContain("charAt");
    expect(complete("session.filter(d => d.mass.|)")).toEqual([]);
  });
});

describe("the functions of the language", () => {
  it("complete inside of an expression alone", () => {
    expect(complete("session.filter(d => d.mass > me|)")).toEqual(["mean", "median"]);
    expect(complete("session.filter(d => |)")).toEqual(expect.arrayContaining(["d", "round", "Math"]));
    expect(complete("session.filter(d => |)")).not.toContain("session");
    expect(complete("const x = mea|")).toEqual([]);
    expect(complete('session.derive({ columns: { v: d => dateTrunc(d.seen, "|") } })')).toContain("month");
  });

  it("are explained where the cursor is", () => {
    expect(types.inspect("session.filter(d => round(d.mass))", 22, tables)).toEqual({
      signature: "function round(x: number, digits?: number): number",
      docs: expect.stringMatching(/^Rounded to so many digits/),
    });
    expect(types.inspect("session.filter(d => round(d.mass))", 30, tables)).toEqual({
      signature: "(property) mass: number",
      docs: "integer",
    });
  });
});

describe("a misspelt column", () => {
  it.each([
    ["session.filter(d => d.speces == 'x')", 'column "speces" is not in the table. Did you mean "species"?', "speces"],
    [
      'odd.filter(d => d["bil length"] > 3)',
      'column "bil length" is not in the table. Did you mean "bill length"?',
      '"bil length"',
    ],
    ["session.derive({ columns: { a: d => d.mass } }).filter(d => d.masss > d.a)", 'column "masss"', "masss"],
  ])("is a fault of the cell: %s", (cell, words, part) => {
    const fault = types.fault(cell, 0, tables);
    expect(fault?.message).toContain(words);
    const [line, mark] = fault?.excerpt ?? [];
    expect(line.slice(mark.indexOf("^")).startsWith(part)).toBe(true);
  });

  it.each([
    "session.filter(d => d.species.lower() > 3 && mean(d.mass) - d.seen + lag(d.mass, 1) > 1)",
    "session.filter((d, $) => d.mass > $.limit, { params: { limit: 3 } })",
    "session.derive({ columns: { v: d => d.mass, w: d => d.v + d.mass } })",
    "const mean = 3; session.filter(d => d.mass > mean)",
    "session.filter((d: any) => d.nowhere)",
    // What another table has, nobody can tell before it is there.
    'session.input("sample:iris").filter(d => d.nowhere)',
    'session.select({ columns: ["mass"] }).filter(d => d.nowhere)',
    'session.select({ columns: ["mass"] }); session.filter(d => d.nowhere)',
    "for (const k of [1, 2]) session.filter(d => d.nowhere)",
    "function later() { return session.filter(d => d.nowhere) }",
    "if (Math.random() > 0.5) session.filter(d => d.nowhere)",
    "const own = { filter: (f: (d: any) => boolean) => f }; own.filter(d => d.nowhere)",
    "let odd: any = 1; odd = session; odd.filter((d: any) => d.nowhere)",
    "[{ nowhere: 1 }].filter(d => d.nowhere)",
  ])("is none where that can't be told: %s", (cell) => {
    expect(types.fault(cell, 0, tables)).toBeNull();
    expect(types.warnings(cell, 0, tables)).toEqual([]);
  });
});

it("says of helpers that there are what they do with columns", () => {
  const names = new Set(declared.map(({ name }) => name));
  const { helpers } = expressionLanguage();
  const kept = Object.keys(helpers).filter((name) => helpers[name] !== "makes");
  const others = ["predict", "metrics", "train", "evaluate"];
  expect(kept.filter((name) => !names.has(name))).toEqual(others);
});
