import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { createEvaluator } from "../../src/evaluator/create.ts";
import { display } from "../../src/evaluator/display.ts";
import { makeCell, parseNotebook, toMimeLines, writeNotebook } from "../../src/notebooks/ipynb.ts";
import { runFile } from "../../src/notebooks/run.ts";

/** Written by Jupyter's own nbformat 5.10: numbers as Python tells them, keys that look like numbers, odd letters. */
const jupyters = readFileSync(new URL("../evaluator/jupyter.ipynb", import.meta.url), "utf8");

describe("notebooks", () => {
  it("come back as Jupyter wrote them, to the byte", () => {
    expect(writeNotebook(parseNotebook(jupyters, "jupyter.ipynb"))).toBe(jupyters);
  });

  it("keep texts line by line, and JSON and pictures whole", () => {
    const data = { "text/html": "a\nb", "image/png": "aGk=\n", "application/json": "x\ny", "image/svg+xml": "" };
    expect(toMimeLines(data)).toEqual({
      "text/html": ["a\n", "b"],
      "image/png": "aGk=\n",
      "application/json": "x\ny",
      "image/svg+xml": [],
    });
  });
});

describe("running a notebook", () => {
  const file = join(tmpdir(), `blocklab-drawn-${process.pid}.ipynb`);

  it("tells a value that can't be drawn as an error of its cell, and keeps the file's mode", async () => {
    const cells = [
      makeCell("code", ""),
      makeCell("code", "({ [Symbol.for('Jupyter.display')]() { throw new Error('no picture') } })"),
    ];
    writeFileSync(file, writeNotebook({ cells, metadata: {}, nbformat: 4, nbformat_minor: 5 }), { mode: 0o600 });
    const stderr = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    try {
      const evaluator = createEvaluator({ cwd: tmpdir() });
      const bench = { evaluator, display, close: () => evaluator.close() };
      expect(await runFile(file, { inplace: true, check: false }, async () => bench)).toBe(1);
      const [empty, failed] = parseNotebook(readFileSync(file, "utf8"), file).cells;
      expect(empty).toMatchObject({ execution_count: null, outputs: [] });
      expect(failed.outputs).toMatchObject([{ output_type: "error", ename: "Error", evalue: "no picture" }]);
      expect(statSync(file).mode & 0o777).toBe(0o600);
    } finally {
      stderr.mockRestore();
      rmSync(file, { force: true });
    }
  });
});
