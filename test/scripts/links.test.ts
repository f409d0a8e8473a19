import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { brokenLinks } from "../../scripts/docs/links.mjs";

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "blocklab-links-"));
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

it("finds files and anchors, from any folder", () => {
  write(
    "README.md",
    "# Top\n\n[here](#top), [a page](docs/page.md#how-it-is-read), [a folder](docs), [far](https://x.org/#y)",
  );
  write("docs/page.md", '## How it is `read`\n\n[back](../README.md) <img src="../picture.svg">');
  write("picture.svg", "<svg/>");
  expect(brokenLinks(root)).toEqual([]);
});

it("names a lost file, a lost anchor, a lost picture", () => {
  write("README.md", "# Top\n\n[a](lost.md) [b](docs/page.md#nowhere) [c](#bottom) ![d](lost.svg)");
  write("docs/page.md", "# Page");
  expect(brokenLinks(root)).toEqual([
    "README.md: lost.md",
    "README.md: docs/page.md#nowhere",
    "README.md: #bottom",
    "README.md: lost.svg",
  ]);
});

it("reads a notebook's words and not its code, and no code in documents", () => {
  const cells = [
    { cell_type: "markdown", source: ["[lost](", "lost.md)"] },
    { cell_type: "code", source: ["[x](y.md)"] },
  ];
  write("notebooks/one.ipynb", JSON.stringify({ cells }));
  write("README.md", "`[x](y.md)`\n\n```ts\n[x](y.md)\n```\n");
  expect(brokenLinks(root)).toEqual(["notebooks/one.ipynb: lost.md"]);
});

it("counts equal headings as GitHub does", () => {
  write("README.md", "# Twice\n\n# Twice\n\n[second](#twice-1) [third](#twice-2)\n");
  expect(brokenLinks(root)).toEqual(["README.md: #twice-2"]);
});
