import { afterAll, expect, it } from "vitest";
import { openWorkbench } from "../../src/commands/workbench.ts";
import { notebookWriter } from "../../src/core/notebook-writer.ts";

const printed: string[] = [];
const bench = await openWorkbench({ onOutput: (_stream, text) => void printed.push(text) });
const places = globalThis as { [notebookWriter]?: unknown };

afterAll(async () => {
  delete places[notebookWriter];
  await bench.close();
});

const cell = `
const svg = { nodeType: 1, tagName: "svg", outerHTML: '<svg width="60" height="24"><rect x="12" width="36" height="24"/></svg>' };
await display(svg);
await display({ a: 1 });
svg`;

it("shows values from the middle of a cell as text, and the last one as what it is", async () => {
  const result = await bench.evaluator.run(cell);
  expect(printed.join("")).toMatch(/^ +⣿+\n +⣿+\n\{ a: 1 \}\n$/);
  const [bundle] = await bench.display(result.kind === "error" ? undefined : result.value);
  expect(Object.keys(bundle?.data ?? {})).toEqual(["image/svg+xml", "text/plain"]);
});

it("shows them as rich output in a notebook", async () => {
  const shown: Record<string, unknown>[] = [];
  places[notebookWriter] = ({ data }: { data: Record<string, unknown> }) => void shown.push(data);
  await bench.evaluator.run(cell);
  expect(shown.map((data) => Object.keys(data))).toEqual([["image/svg+xml", "text/plain"], ["text/plain"]]);
});
