import { expect, it } from "vitest";
import { failingLines, sectionsOf } from "../../scripts/docs/lines.mjs";

const document = [
  "# Title",
  "",
  "Words with `code()` that is not run.",
  "",
  "## Look",
  "",
  "```ts",
  "const seen = [];",
  "```",
  "",
  "```text",
  "not.run()",
  "```",
  "",
  "| Task | there | here |",
  "|---|---|---|",
  "| One | `theirs()` | `seen.push(1)` |",
  "| Two | `a \\| b` | `seen.push(1 \\|\\| 2)` and `` say(`${seen.length}`) `` |",
].join("\n");

/** Runs code as the workshop does, on nothing but what it is given. */
function workshop(heard: string[]) {
  return {
    fresh: async () => undefined,
    runAll: async (code: string, names: object) => {
      const scope = { ...names, say: (word: string) => heard.push(word) };
      const AsyncFunction = (async () => undefined).constructor as FunctionConstructor;
      await new AsyncFunction(...Object.keys(scope), code)(...Object.values(scope));
    },
  };
}

it("finds the TypeScript of a document, and the code in the last column of its tables", () => {
  expect(sectionsOf(document)).toEqual([
    { title: "Look", lines: ["const seen = [];", "seen.push(1)", "seen.push(1 || 2)", "say(`${seen.length}`)"] },
  ]);
});

it("runs the lines of a section together, and says which one fails", async () => {
  const heard: string[] = [];
  expect(await failingLines("docs/a.md", document, workshop(heard))).toEqual([]);
  expect(heard).toEqual(["2"]);
  const broken = document.replace("`seen.push(1)`", "`seen.shove(1)`");
  expect(await failingLines("docs/a.md", broken, workshop(heard))).toEqual([
    "docs/a.md, Look: seen.shove(1)\n  seen.shove is not a function",
  ]);
});
