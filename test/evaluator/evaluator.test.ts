import { mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createEvaluator } from "../../src/evaluator/create.ts";
import type { Evaluator } from "../../src/evaluator/evaluator.ts";

const folder = mkdtempSync(join(tmpdir(), "blocklab-cells-"));
const outputs: { stream: string; text: string; cell: string | undefined }[] = [];
let evaluator: Evaluator;

beforeAll(() => {
  evaluator = createEvaluator({
    cwd: folder,
    globals: { given: 3 },
    modules: { blocklab: { hello: "from blocklab" } },
    onOutput: (stream, text, cell) => outputs.push({ stream, text, cell }),
  });
});

afterAll(async () => {
  await evaluator.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The value of the last of several cells. */
async function value(...cells: string[]): Promise<unknown> {
  let last: unknown;
  for (const cell of cells) {
    const result = await evaluator.run(cell, { cellId: "c" });
    if (result.kind === "error") throw new Error(`${result.error.name}: ${result.error.message}`);
    last = result.value;
  }
  return last;
}

async function error(cell: string) {
  const result = await evaluator.run(cell);
  if (result.kind === "value") throw new Error(`no error but ${String(result.value)}`);
  return result.error;
}

describe("running cells", () => {
  it.each([
    ["1 + 1", 2],
    ["const a: number = 5; a * 2", 10],
    ["given", 3],
    ["{ a: 1, b: [2] }", { a: 1, b: [2] }],
    ["if (true) { 5 }", 5],
    ["for (let i = 0; i < 3; i++) i", 2],
    ["await Promise.resolve(9)", 9],
    ["Promise.resolve(10)", 10],
    ["({ then: (f) => f(11) })", 11],
    ["const q = 1", undefined],
    ["interface P { x: number }; const p: P = { x: 1 }; p satisfies P", { x: 1 }],
    ["enum E { A = 3 } E.A", 3],
    ["namespace N { export const x = 4 } N.x", 4],
    ["class C { #p = 1; get p(): number { return this.#p } } new C().p", 1],
    ["10n", 10n],
    ["null", null],
    ["export const kept = 7; kept", 7],
    ["typeof require('node:path').join", "function"],
  ])("%s", async (cell, expected) => {
    expect(await value(cell)).toEqual(expected);
  });

  it("keeps names between cells and lets them be declared again", async () => {
    expect(
      await value(
        "const x = 1; let y = 2; class K {}; function f() { return x }",
        "const x = 5; function f() { return x + 1 } class K { k = 1 }",
        "f() + y + new K().k",
      ),
    ).toBe(9);
    expect(await value("const { s, ...t } = { s: 1, u: 2 }; [s, t]", "_")).toEqual([1, { u: 2 }]);
  });

  it("imports statically and dynamically: files, JSON, packages, Node's own, and what it was handed", async () => {
    writeFileSync(join(folder, "mod.ts"), "export const k: number = 5; export default 'd';");
    writeFileSync(join(folder, "data.json"), '{"n": 1}');
    expect(await value('import d, { k as kk } from "./mod.ts"\n[d, kk]')).toEqual(["d", 5]);
    expect(await value('import * as ns from "./mod.ts"; ns.k')).toBe(5);
    expect(await value('import type { T } from "./nowhere.ts"; import data from "./data.json"; data.n')).toBe(1);
    expect(await value('import { readFileSync } from "node:fs"; typeof readFileSync')).toBe("function");
    expect(await value('import { hello } from "blocklab"; hello')).toBe("from blocklab");
    expect(await value('typeof (await import("zod")).z.object')).toBe("function");
    expect((await error('import "./missing.ts"')).message).toMatch(/Cannot find module/);
    writeFileSync(join(folder, "mod.ts"), "export const k = 6");
    utimesSync(join(folder, "mod.ts"), new Date(0), new Date(0));
    expect(await value('import { k } from "./mod.ts"; k')).toBe(6);
  });

  it("tells errors with places in the cell, and no frames of its own", async () => {
    const thrown = await error("const fail = (m: string) => { throw new TypeError(m) }\n\nfail('no')");
    expect(thrown).toMatchObject({ name: "TypeError", message: "no" });
    expect(thrown.trace[0]).toMatch(/cell \d+, line 1, column 37/);
    expect(thrown.trace.join()).not.toMatch(/src\/notebook|node:internal/);
    expect(await error("const y = ;")).toMatchObject({
      name: "SyntaxError",
      trace: ["1 | const y = ;", "  |           ^"],
    });
    expect(await error("Promise.reject(new Error('later'))")).toMatchObject({ message: "later" });
    expect(await error("throw 'text'")).toMatchObject({ name: "Thrown", message: "text" });
    expect(await error("notThere")).toMatchObject({ name: "ReferenceError" });
  });

  it("gives output to the cell that made it, also after it ended", async () => {
    outputs.length = 0;
    await evaluator.run("console.log('now'); setTimeout(() => console.error('late'), 20); 0", { cellId: "first" });
    await evaluator.run("await new Promise((resolve) => setTimeout(resolve, 60))", { cellId: "second" });
    expect(outputs).toEqual([
      { stream: "stdout", text: "now\n", cell: "first" },
      { stream: "stderr", text: "late\n", cell: "first" },
    ]);
  });

  it("ends a long await when interrupted or aborted, and goes on with names kept", async () => {
    await value("let counter = 1");
    const waiting = evaluator.run("counter = 2; await new Promise(() => {})");
    setTimeout(() => evaluator.interrupt(), 30);
    expect(await waiting).toMatchObject({ kind: "error", error: { name: "Interrupted" } });
    const aborted = await evaluator.run("await new Promise(() => {})", { signal: AbortSignal.timeout(30) });
    expect(aborted.kind).toBe("error");
    expect(await value("counter")).toBe(2);
  });

  it("tells the session which cell runs, with a signal that an interrupt aborts", async () => {
    const cell = await value("globalThis[Symbol.for('blocklab.cell')]()");
    expect(cell).toMatchObject({ id: "c", signal: expect.any(AbortSignal) });
  });
});

describe("is it a whole cell?", () => {
  it.each([
    "1",
    "a.b()",
    "// c",
    "x++",
    "const r = /[(]/",
    "let z: Map<string, number>",
    "`a${1}b`",
    "session\n  .input('x')",
    "if (x) y()",
  ])("%s is", (code) => {
    expect(evaluator.isComplete(code).status).toBe("complete");
  });

  it.each([
    "1 +",
    "foo(",
    "`abc",
    "`a${",
    "if (x)",
    "if (x) {",
    "/* x",
    "x =>",
    "a ? b :",
    "[1, 2",
    "class A {",
    "for (const a of b)",
    "type T = {",
    "a\n  .b(",
  ])("%s is not", (code) => {
    expect(evaluator.isComplete(code).status).toBe("incomplete");
  });

  it.each(["const = 3", "'abc", ")"])("%s can't be", (code) => {
    expect(evaluator.isComplete(code).status).toBe("invalid");
  });
});

describe("types beside it", () => {
  const types = fileURLToPath(new URL("../../src/index.ts", import.meta.url));
  let typed: Evaluator;

  beforeAll(() => {
    typed = createEvaluator({
      cwd: folder,
      types: {
        check: "session",
        prelude: 'declare const session: import("blocklab").Session;',
        paths: { blocklab: types },
        cwd: fileURLToPath(new URL("../../", import.meta.url)),
      },
    });
  });

  it("completes helpers with their docs, argument names and values", { timeout: 60_000 }, async () => {
    // An answer to this means that the types are there.
    await typed.inspect("session", 3);
    const helpers = await typed.complete("session.mis", 11);
    expect(helpers).toMatchObject({
      start: 8,
      end: 11,
      items: [{ text: "missing", docs: expect.stringMatching(/^DP_2\. Fills missing cells/) }],
    });
    const strategies = await typed.complete('session.missing({ strategy: "me', 31);
    expect(strategies.items.map((item) => item.text)).toEqual(["mean", "median"]);
    const fields = await typed.complete("session.forestClassifier({ n_", 29);
    expect(fields.items[0]).toMatchObject({ text: "n_estimators", docs: "Trees in the forest (default 100)." });
  });

  it("explains the name under the cursor", { timeout: 60_000 }, async () => {
    expect((await typed.inspect("session.split({ test_size: 1 })", 18))?.docs).toMatch(
      /^Test rows: a share between 0 and 1/,
    );
    expect(await typed.inspect("   ", 1)).toBeNull();
  });

  it("stops a cell whose call on the session can't be right, with the right word", { timeout: 60_000 }, async () => {
    await typed.inspect("session", 3);
    const misspelt = await typed.run('session.missing({ strategy: "meen" })');
    expect(misspelt).toMatchObject({
      kind: "error",
      error: { name: "Type error", message: expect.stringContaining('"median"') },
    });
    const word = await typed.run('session.missing("meen")');
    expect(word).toMatchObject({ error: { name: "Type error", message: expect.stringContaining('"median"') } });
    const unknown = await typed.run("session\n  .misssing()");
    expect(unknown).toMatchObject({
      error: {
        message: "Property 'misssing' does not exist on type 'Session'. Did you mean 'missing'?",
        trace: ["2 |   .misssing()", "  |    ^"],
      },
    });
    expect(await typed.run("const n: number = JSON.parse('\"text\"'); String(n)")).toMatchObject({
      kind: "value",
      value: "text",
    });
  });
});
