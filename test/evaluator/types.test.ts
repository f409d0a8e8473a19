import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createEvaluator } from "../../src/evaluator/create.ts";
import type { Evaluator } from "../../src/evaluator/evaluator.ts";
import { giveBackMemory } from "../../src/evaluator/rest.ts";
import { Types } from "../../src/evaluator/types.ts";

const folder = mkdtempSync(join(tmpdir(), "blocklab-types-"));
const own = join(folder, "own", "index.d.ts");
const fill = (options: object) => ({ made: options, run: (work: () => unknown) => work() });

const declarations = `
export interface Chain { run<T>(work: () => T): T; made: object }
export interface Session {
  /** Fills missing cells. */
  fill(options: { strategy: "mean" | "median"; rows_count?: number }): Chain;
  fill(columns: string[], options?: never): Chain;
}
`;

let evaluator: Evaluator;

beforeAll(async () => {
  const { mkdirSync } = await import("node:fs");
  mkdirSync(join(folder, "own"));
  writeFileSync(own, declarations);
  evaluator = open();
  await evaluator.inspect("session", 3);
}, 60_000);

afterAll(async () => {
  await evaluator.close();
  rmSync(folder, { recursive: true, force: true });
});

function open(): Evaluator {
  return createEvaluator({
    cwd: folder,
    globals: { session: { fill } },
    types: {
      check: "session",
      prelude: 'declare const session: import("blocklab").Session;',
      paths: { blocklab: own },
    },
  });
}

describe("checking before running", () => {
  it.each([
    ['session.fill({ strategy: "meen" })', /"meen"/],
    ["session.fil({})", /Property 'fil' does not exist/],
    ['session.fill({ strategy: "mean", rows: 1 })', /'rows'/],
    ["session.fill()", /arguments/],
    ['function later() { return session.fill({ strategy: "meen" }) }', /"meen"/],
    ['const c = session.fill({ strategy: "mean" }); c.nope()', /'nope'/],
  ])("refuses %s", async (cell, words) => {
    const result = await evaluator.run(cell);
    expect(result).toMatchObject({ kind: "error", error: { name: "Type error" } });
    expect(result.kind === "error" && result.error.message).toMatch(words);
  });

  it.each([
    [
      "names of a cell that failed half-way",
      "const left = { strategy: 'mean' as const }; throw 1",
      "session.fill(left)",
    ],
    ["names that only the program knows", "globalThis.made = { strategy: 'mean' }", "session.fill(made)"],
    ["the last value", "({ strategy: 'mean' })", "session.fill(_)"],
    [
      "what a callback does",
      "0",
      "session.fill({ strategy: 'mean' }).run(() => { const n: number = JSON.parse('\"x\"'); const m: number = 'y'; return m })",
    ],
    ["faults elsewhere", "0", "const n: number = 'text'; String(n)"],
    [
      "a name declared again with another type",
      "let again = 'mean'",
      "const again = { strategy: 'mean' as const }; session.fill(again)",
    ],
  ])("lets %s be", async (_, before, cell) => {
    await evaluator.run(before);
    expect(await evaluator.run(cell)).toMatchObject({ kind: "value" });
  });

  it("does not make the first cells wait for the checker", async () => {
    const fresh = open();
    expect(await fresh.run('session.fill({ strategy: "meen" })')).toMatchObject({ kind: "value" });
    await fresh.close();
  });
});

describe("checking all", () => {
  it("warns of what does not concern the session, where it stands, and runs the cell", async () => {
    const heard: string[] = [];
    const strict = createEvaluator({
      cwd: folder,
      globals: { session: { fill } },
      onOutput: (stream, words, id) => heard.push(`${stream} ${String(id)}: ${words}`),
      types: {
        check: "all",
        prelude: 'declare const session: import("blocklab").Session;',
        paths: { blocklab: own },
      },
    });
    try {
      await strict.inspect("session", 3);
      expect(await strict.run("const n: number = 'text';\nn", { cellId: "a" })).toMatchObject({ value: "text" });
      expect(heard).toEqual([
        "stderr a: Type warning: Type 'string' is not assignable to type 'number'.\n1 | const n: number = 'text';\n  |       ^\n",
      ]);
      heard.length = 0;
      expect(await strict.run("globalThis.loose = (a) => a; loose(1)")).toMatchObject({ value: 1 });
      expect(heard).toEqual([]);
      expect(await strict.run("session.fil({})")).toMatchObject({ kind: "error", error: { name: "Type error" } });
    } finally {
      await strict.close();
    }
  }, 30_000);
});

describe("completing", () => {
  it("offers options while half a name is typed, also where a signature no longer fits", async () => {
    const code = 'session.fill({ strategy: "mean", rows_';
    expect((await evaluator.complete(code, code.length)).items.map((item) => item.text)).toEqual(["rows_count"]);
  });

  it("adds what only the running program knows to what the types say", async () => {
    await evaluator.run("const record: { known: number } = Object.assign({ known: 1 }, { kind: 2 })");
    const { items, start } = await evaluator.complete("record.k", 8);
    expect(start).toBe(7);
    expect(items).toMatchObject([
      { text: "known", detail: "(property) known: number" },
      { text: "kind", kind: "property" },
    ]);
  });

  it("calls no getter for it", async () => {
    await evaluator.run("globalThis.called = 0; const trap: any = { get inner() { called++; return { x: 1 } } }");
    await evaluator.complete("trap.inner.", 11);
    expect(await evaluator.run("called")).toMatchObject({ value: 0 });
  });

  it("answers with nothing after closing", async () => {
    const closed = open();
    const waiting = closed.complete("session.", 8);
    await closed.close();
    expect((await waiting).items).toEqual([]);
  });
});

describe("a checker that nobody asks", () => {
  it("goes, and the next question loads it with all that ran before", async () => {
    const types = new Types({ cwd: folder }, 200);
    try {
      await types.ask("add", "const answer = { forty: 40 }");
      expect(types.isReady).toBe(true);
      await vi.waitFor(() => expect(types.isReady).toBe(false), 10_000);
      expect(await types.ask("complete", "answer.f", 8)).toMatchObject({ items: [{ text: "forty" }] });
      expect(types.isReady).toBe(true);
    } finally {
      await types.close();
    }
    expect(await types.ask("complete", "answer.f", 8)).toBeNull();
  }, 30_000);

  it("goes with the memory that this thread held for nothing, its collector out of cells' reach", async () => {
    const called = Promise.withResolvers<void>();
    const types = new Types({ cwd: folder }, 100, () => {
      giveBackMemory();
      called.resolve();
    });
    try {
      const held = Array.from({ length: 300 }, (_, k) => new Array(10_000).fill(k));
      held.length = 0;
      const before = process.memoryUsage().heapTotal;
      await called.promise;
      expect(process.memoryUsage().heapTotal).toBeLessThan(before);
      expect(runInNewContext("typeof gc")).toBe("undefined");
    } finally {
      await types.close();
    }
  }, 30_000);
});
