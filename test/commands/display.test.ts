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

it("shows rows of a program as a table, and texts of several lines as people write them", async () => {
  printed.length = 0;
  delete places[notebookWriter];
  const result = await bench.evaluator.run(`
const rows = [{ a: 1, b: "<x>" }, { a: 2 }];
await display(rows);
await display("SELECT *\\nFROM t\\n");
await display("one line");
console.log(rows);
rows`);
  expect(printed.join("")).toMatch(
    /^ +a {2}b\n.*\n +1 {2}<x>\n +2 {2}·\nSELECT \*\nFROM t\n'one line'\n\[ \{ a: 1, b: '<x>' \}, \{ a: 2 \} \]\n$/s,
  );
  const [bundle] = await bench.display(result.kind === "error" ? undefined : result.value);
  expect(bundle.data["text/html"]).toMatch(/<table.*&lt;x&gt;/s);
  expect(bundle.data["text/plain"]).toMatch(/1 {2}<x>/);
  expect(await bench.display("a\nb\u001b[2J")).toEqual([{ data: { "text/plain": "a\nb␛[2J" }, metadata: {} }]);
});
