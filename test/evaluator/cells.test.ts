import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createEvaluator } from "../../src/evaluator/create.ts";
import type { CellError, Evaluator } from "../../src/evaluator/evaluator.ts";

const folder = mkdtempSync(join(tmpdir(), "blocklab-more-cells-"));
let evaluator: Evaluator;

beforeAll(() => {
  evaluator = createEvaluator({ cwd: folder, modules: { handed: { hello: 1 } } });
});

afterAll(async () => {
  await evaluator.close();
  rmSync(folder, { recursive: true, force: true });
});

async function value(...cells: string[]): Promise<unknown> {
  let last: unknown;
  for (const cell of cells) {
    const result = await evaluator.run(cell);
    if (result.kind === "error") throw new Error(`${result.error.name}: ${result.error.message}`);
    last = result.value;
  }
  return last;
}

async function error(cell: string): Promise<CellError> {
  const result = await evaluator.run(cell);
  if (result.kind === "value") throw new Error(`no error but ${String(result.value)}`);
  return result.error;
}

/** Writes a file with a time of change of its own, however fast the test runs. */
let changes = 1_000;
function put(name: string, text: string): void {
  writeFileSync(join(folder, name), text);
  changes++;
  utimesSync(join(folder, name), changes, changes);
}

describe("a cell that ends in a declaration", () => {
  it.each([
    "7; const k1 = 1",
    "7; let k2 = 1 // why",
    "7; function k3() {}",
    "7; class k4 {}",
    "7\nimport { sep as k5 } from 'node:path'",
  ])("has no value: %s", async (cell) => {
    expect(await value(cell)).toBe(undefined);
    expect(await value("8", "k1", "const k6 = 2; k6 + 1")).toBe(3);
  });
});

describe("declaring again", () => {
  const kinds: Readonly<Record<string, (name: string) => string>> = {
    const: (name) => `const ${name} = 1`,
    let: (name) => `let ${name} = 1`,
    var: (name) => `var ${name} = 1`,
    function: (name) => `function ${name}() {}`,
    class: (name) => `class ${name} {}`,
    enum: (name) => `enum ${name} { A }`,
    import: (name) => `import { sep as ${name} } from "node:path"`,
  };
  const pairs = Object.keys(kinds).flatMap((first) => Object.keys(kinds).map((second) => [first, second] as const));

  it.each(pairs)("%s, then %s", async (first, second) => {
    const name = `${first}_${second}`;
    const types: Record<string, string> = { function: "function", class: "function", enum: "object", import: "string" };
    expect(await value(kinds[first](name), kinds[second](name), `typeof ${name}`)).toBe(types[second] ?? "number");
  });

  it("gives a `let` without a value undefined each time", async () => {
    expect(await value("let again", "again = 1", "let again; again")).toBeUndefined();
  });

  it("lets a cell take the name of a global that can't be assigned to", async () => {
    expect(await value("const navigator = { mine: true }; navigator.mine")).toBe(true);
  });

  it("refuses to declare a name twice within a cell", async () => {
    expect(await error("let twice = 1; let twice = 2")).toMatchObject({ name: "SyntaxError" });
  });
});

describe("constants", () => {
  it.each([
    ["const fixed = 1; fixed = 2", "  |                  ^"],
    ["const list = [1]; for (list of [2]) {}", "  |                        ^"],
    ["const counted = 1; counted++", "  |                    ^"],
    ["const [one, two] = [1, 2];\n() => { [two] = [3] }", "  |         ^"],
  ])("%s is refused before it runs", async (cell, caret) => {
    const found = await error(cell);
    expect(found.name).toBe("TypeError");
    expect(found.message).toMatch(/^Assignment to a constant/);
    expect(found.trace[1]).toBe(caret.replace("  |", `${" ".repeat(found.trace[0].indexOf("|"))}|`));
  });

  it("stay constant in later cells, until declared again", async () => {
    await value("const kept = 1");
    expect((await error("kept = 2")).message).toContain('"kept"');
    expect(await value("let kept = 2; kept = 3")).toBe(3);
    expect(await value("kept = 4")).toBe(4);
  });

  it.each([
    "((hidden) => { hidden = 2; return hidden })(0)",
    "{ let hidden = 1; hidden = 2; hidden }",
    "(() => { var hidden = 1; if (true) { hidden = 2 } return hidden })()",
    "for (let hidden = 0; hidden < 2; hidden++) hidden + 1",
    "try { throw 1 } catch (hidden) { hidden = 2; hidden }",
  ])("may be hidden by inner names: %s", async (cell) => {
    expect(await value("const hidden = 1", cell)).toBe(2);
  });
});

describe("what comes out", () => {
  it("hands over symbols, functions and exotic values as they are", async () => {
    expect(await value("Symbol.for('blocklab.test')")).toBe(Symbol.for("blocklab.test"));
    expect(await value("-0")).toBe(-0);
    expect(await value("NaN")).toBeNaN();
    expect(await value("(a: number) => a")).toBeTypeOf("function");
    expect(Object.getPrototypeOf(await value("Object.create(null)"))).toBeNull();
  });

  it("keeps the last value there was in `_`, unless a cell takes that name", async () => {
    expect(await value("40 + 2", "const nothing = 1", "_")).toBe(42);
    expect(await value("const _ = 'mine'", "7", "_")).toBe("mine");
  });

  it("shows what a default export exports", async () => {
    expect(await value("export default { a: 1 }")).toEqual({ a: 1 });
    expect(await value("export default class {}")).toBeTypeOf("function");
    expect(await value("export default function named() { return 3 }", "named()")).toBe(3);
  });

  it("runs decorators and parameter properties", async () => {
    expect(
      await value("const twice = (f: Function, _: object) => function (this: object) { return 2 * f.call(this) }"),
    ).toBe(undefined);
    expect(
      await value("class D { constructor(private n: number) {} @twice get2() { return this.n } }\nnew D(4).get2()"),
    ).toBe(8);
  });

  it("tells what it started of an interrupt by its signal, also where nobody waits for that any more", async () => {
    const own = "const cell = globalThis[Symbol.for('blocklab.cell')]();";
    const heard =
      "globalThis.heard = new Promise((resolve) => cell.signal.addEventListener('abort', () => resolve('told')));";
    const waiting = evaluator.run(`${own} ${heard} await new Promise(() => {})`);
    setTimeout(() => evaluator.interrupt(), 50);
    expect(await waiting).toMatchObject({ kind: "error", error: { name: "Interrupted" } });
    expect(await value("heard")).toBe("told");
  });

  it("does not run a cell whose signal aborted before", async () => {
    const result = await evaluator.run("globalThis.ranAborted = 1", { signal: AbortSignal.abort() });
    expect(result).toMatchObject({ kind: "error", error: { name: "Interrupted" } });
    expect(await value("typeof ranAborted")).toBe("undefined");
  });
});

describe("places of errors", () => {
  it.each([
    ["after an enum", "enum Z { A }\n  nope()", "line 2, column 3"],
    ["in an object literal", "{ a: nope() }", "line 1, column 6"],
    ["behind an import", 'import { join } from "node:path"; nope(join)', "line 1, column 35"],
    ["behind an import of several lines", 'import {\n  join,\n} from "node:path";\nnope(join)', "line 4, column 1"],
    ["behind declarations", "const q1 = 1; let q2; class Q3 {} nope()", "line 1, column 35"],
    ["behind types", "const q: Map<string, number> = new Map(); nope(q)", "line 1, column 43"],
  ])("%s", async (_, cell, place) => {
    expect((await error(cell)).trace[0]).toContain(place);
  });

  it("tells where the text can't be read, also behind types", async () => {
    expect((await error("const n: number = 1\nconst y = ;")).trace).toEqual(["2 | const y = ;", "  |           ^"]);
  });

  it("names causes and keeps calm about values that can't be looked at", async () => {
    expect((await error("throw new Error('out', { cause: new TypeError('in') })")).trace.at(-1)).toBe(
      "caused by TypeError: in",
    );
    expect((await error("throw new Proxy({}, { get() { throw 1 }, has() { throw 1 } })")).name).toBe("Thrown");
  });
});

describe("importing", () => {
  it("says which name a module lacks, if the cell needs it as a value", async () => {
    expect((await error('import { joinn } from "node:path"; joinn()')).message).toBe(
      'The module "node:path" has no export named "joinn". Did you mean "join"?',
    );
    expect((await error('import d from "handed"; d')).message).toBe('The module "handed" has no default export.');
    expect(await value('import { SomeType, hello } from "handed"; const typed: SomeType = hello; typed')).toBe(1);
  });

  it("loads a local file anew when a file that it imports changed, and only then", async () => {
    put("inner.ts", "export const n = 1");
    put("outer.ts", 'export { n } from "./inner.ts"; export const token = {}');
    const first = await value('import { token } from "./outer.ts"; token');
    expect(await value('import { n, token } from "./outer.ts"; n')).toBe(1);
    expect(await value("token")).toBe(first);
    put("inner.ts", "export const n = 2");
    expect(await value('import { n } from "./outer.ts"; n')).toBe(2);
  });

  it("reads a JSON file anew when it changed, by both kinds of import", async () => {
    put("counts.json", '{"n": 1}');
    expect(await value('import c from "./counts.json"; c.n')).toBe(1);
    put("counts.json", '{"n": 2}');
    expect(await value('import c from "./counts.json"; c.n')).toBe(2);
    put("counts.json", '{"n": 3}');
    expect(await value('(await import("./counts.json")).default.n')).toBe(3);
  });

  it("finds packages in the notebook's own folder first, those that are modules alone as well", async () => {
    for (const [name, json, file, text] of [
      [
        "modules-only",
        '{"type":"module","exports":{".":{"import":"./m.js"},"./in":"./m.js"}}',
        "m.js",
        "export const who = 'm'",
      ],
      // Another one of this name is among blocklab's own packages.
      ["zod", '{"main":"i.js"}', "i.js", "exports.mine = true"],
    ]) {
      mkdirSync(join(folder, "node_modules", name), { recursive: true });
      put(join("node_modules", name, "package.json"), json);
      put(join("node_modules", name, file), text);
    }
    expect(await value('import { who } from "modules-only"; who')).toBe("m");
    expect(await value('import * as deep from "modules-only/in"; deep.who')).toBe("m");
    expect(await value('import { mine } from "zod"; mine')).toBe(true);
    expect(await value('require("zod").mine')).toBe(true);
  });

  it("tries a local file again after it failed", async () => {
    put("late-outer.ts", 'export { n } from "./late-inner.ts"');
    await error('import { n } from "./late-outer.ts"; n');
    put("late-inner.ts", "export const n = 3");
    expect(await value('import { n } from "./late-outer.ts"; n')).toBe(3);
  });
});

describe("what a cell has of a module", () => {
  it("is strict: a frozen object can't be written to, nor a name that nobody declared", async () => {
    expect((await error("const still = Object.freeze({ a: 1 });\nstill.a = 2")).trace[0]).toContain("line 2, column 9");
    expect((await error("undeclared = 1")).message).toBe("undeclared is not defined");
    expect(await value("(function () { return this })()", "{ function inner() {} }\ntypeof inner")).toBe("undefined");
  });

  it("has its imports before it begins, and a #! line", async () => {
    expect(
      await value('#!/usr/bin/env node\nconst early = sep9;\nimport { sep as sep9 } from "node:path"\nearly'),
    ).toBe("/");
  });

  it("refuses what belongs to CommonJS alone, and says what to write", async () => {
    const found = await error('\nimport fs = require("node:fs")');
    expect(found).toMatchObject({
      name: "SyntaxError",
      message: '"import fs = require(…)" belongs to CommonJS. Write import fs from …, or const fs = require(…).',
    });
    expect(found.trace).toEqual(['2 | import fs = require("node:fs")', "  | ^"]);
    expect((await error("export = 4")).message).toBe('"export =" belongs to CommonJS. Write export default.');
    expect(await value("namespace Near { export const x = 1 }\nimport y = Near.x; y")).toBe(1);
  });

  it("is told how to get a package that is not there", async () => {
    for (const [asked, name] of [
      ["nowhere-at-all", "nowhere-at-all"],
      ["@no/where/deep.js", "@no/where"],
    ]) {
      expect((await error(`import "${asked}"`)).message).toBe(
        `There is no package "${name}" beside the notebook. In its folder: npm install ${name}`,
      );
    }
  });

  it("has no value when it does nothing", async () => {
    for (const cell of [";", "// only words", "", "if (false) 1"]) expect(await value("8", cell)).toBeUndefined();
  });

  it("keeps no resource that would never be disposed of, and disposes of those in its blocks", async () => {
    const found = await error("\n  using q = { [Symbol.dispose]() {} }");
    expect(found).toMatchObject({ name: "SyntaxError", message: expect.stringMatching(/^"using" needs a block/) });
    expect(found.trace[1]).toBe("  |   ^");
  });
});
