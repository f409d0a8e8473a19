import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { createEvaluator } from "../../src/evaluator/create.ts";
import { display } from "../../src/evaluator/display.ts";
import { makeCell, parseNotebook, writeNotebook } from "../../src/notebooks/ipynb.ts";
import { type OpenBench, runFile } from "../../src/notebooks/run.ts";

const folder = mkdtempSync(join(tmpdir(), "blocklab-run-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const open: OpenBench = async ({ onOutput, cwd }) => {
  const evaluator = createEvaluator({ cwd, onOutput });
  return { evaluator, display, close: () => evaluator.close() };
};

/** Runs a file, and collects what it prints. */
async function run(name: string, options: { inplace?: boolean; check?: boolean } = {}) {
  const out: string[] = [];
  const err: string[] = [];
  const spies = [
    vi.spyOn(process.stdout, "write").mockImplementation((text) => Boolean(out.push(String(text)))),
    vi.spyOn(process.stderr, "write").mockImplementation((text) => Boolean(err.push(String(text)))),
  ];
  try {
    const status = await runFile(join(folder, name), { inplace: false, check: false, ...options }, open);
    return { status, out: out.join(""), err: err.join("") };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

function book(name: string, ...sources: string[]): void {
  const cells = [makeCell("markdown", "# Title"), ...sources.map((source) => makeCell("code", source))];
  writeFileSync(join(folder, name), writeNotebook({ cells, metadata: {}, nbformat: 4, nbformat_minor: 5 }));
}

describe("blocklab run", () => {
  it("prints the values and streams of a notebook's cells", async () => {
    book("a.ipynb", "const x = 2", "console.log('hi'); x * 2");
    expect(await run("a.ipynb")).toEqual({ status: 0, out: "hi\n4\n", err: "" });
  });

  it("writes outputs in place as Jupyter does, and then finds them as stored", async () => {
    book("b.ipynb", "console.log('one\\ntwo'); ({ a: 1 })");
    expect((await run("b.ipynb", { inplace: true })).status).toBe(0);
    const [, cell] = parseNotebook(readFileSync(join(folder, "b.ipynb"), "utf8"), "b").cells;
    expect(cell).toMatchObject({
      execution_count: 1,
      outputs: [
        { output_type: "stream", name: "stdout", text: ["one\n", "two\n"] },
        { output_type: "execute_result", execution_count: 1, data: { "text/plain": ["{ a: 1 }"] } },
      ],
    });
    expect(await run("b.ipynb", { check: true })).toEqual({ status: 0, out: "b.ipynb: 1 cells as stored.\n", err: "" });
  });

  it("fails a check that finds another output, and says where", async () => {
    book("c.ipynb", "1 + 1");
    await run("c.ipynb", { inplace: true });
    writeFileSync(join(folder, "c.ipynb"), readFileSync(join(folder, "c.ipynb"), "utf8").replace('"2"', '"3"'));
    expect(await run("c.ipynb", { check: true })).toEqual({
      status: 1,
      out: "",
      err: "c.ipynb, cell 1: stored output differs.\n  line 1\n  - 3\n  + 2\n",
    });
  });

  it("stops at the first error", async () => {
    book("d.ipynb", "throw new Error('no')", "console.log('never')");
    const { status, out, err } = await run("d.ipynb");
    expect([status, out]).toEqual([1, ""]);
    expect(err).toMatch(/^Error: no\nat cell 1, line 1/);
  });

  it("runs a script with imports and top-level await", async () => {
    writeFileSync(
      join(folder, "s.ts"),
      "import { sep } from 'node:path';\nconst wait: number = await Promise.resolve(1);\nconsole.log(wait);\nsep",
    );
    expect(await run("s.ts")).toEqual({ status: 0, out: "1\n'/'\n", err: "" });
    await expect(run("nowhere.ts")).rejects.toThrow(/there is no file/);
  });

  it("keeps what it doesn't know of a notebook, and refuses what is none", () => {
    const text =
      '{"cells":[{"cell_type":"raw","id":"r","metadata":{"x":1},"source":"s","extra":2}],"metadata":{"m":{}},"nbformat":4,"nbformat_minor":5}';
    expect(JSON.parse(writeNotebook(parseNotebook(text, "n")))).toEqual(JSON.parse(text));
    expect(() => parseNotebook("{", "n.ipynb")).toThrow('"n.ipynb" is not a notebook: it is not JSON.');
    expect(() => parseNotebook('{"nbformat":3}', "n.ipynb")).toThrow(/is not a notebook of format 4/);
  });
});
