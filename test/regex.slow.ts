import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { checkSync } from "recheck";
import ts from "typescript";
import { expect, test } from "vitest";

const root = new URL("../src/", import.meta.url).pathname;

/** Patterns that may take more than linear time, by their files, and what keeps their texts short. */
const bounded: Readonly<Record<string, string>> = {
  "commands/open-string.ts": "the last 2,000 letters before the cursor",
  "evaluator/type-files.ts": "names and texts of Node's own type files",
  "plan/pattern.ts": "patterns of up to 1,000 letters",
  "render/markdown.ts": "paragraphs of up to 4,000 letters",
  "render/plot/scale.ts": "our own numbers",
  "render/slim-svg.ts": "pictures that Vega drew, in whose words < is escaped",
};

test("every regular expression takes linear time, whatever text it meets", () => {
  const slow = patterns().filter(({ file, source, flags }) => {
    if (Object.hasOwn(bounded, file)) return false;
    return isVulnerable(source, flags) && isVulnerable(source, flags);
  });
  expect(slow.map(({ file, line, source }) => `${file}:${line} /${source}/`)).toEqual([]);
}, 300_000);

/** Asked twice before it is believed, as attacks are looked for by chance; a busy machine may answer "unknown". */
function isVulnerable(source: string, flags: string): boolean {
  return checkSync(source, flags, { timeout: 30_000 }).status === "vulnerable";
}

interface Pattern {
  readonly file: string;
  readonly line: number;
  readonly source: string;
  readonly flags: string;
}

/** The regular expressions written in the source. */
function patterns(): Pattern[] {
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) => /\.tsx?$/.test(name));
  return files.flatMap((file) => {
    const found: Pattern[] = [];
    const parsed = ts.createSourceFile(file, readFileSync(join(root, file), "utf8"), ts.ScriptTarget.Latest, true);
    const visit = (node: ts.Node) => {
      if (ts.isRegularExpressionLiteral(node)) {
        const end = node.text.lastIndexOf("/");
        const line = parsed.getLineAndCharacterOfPosition(node.getStart()).line + 1;
        found.push({ file, line, source: node.text.slice(1, end), flags: node.text.slice(end + 1) });
      }
      ts.forEachChild(node, visit);
    };
    visit(parsed);
    return found;
  });
}
