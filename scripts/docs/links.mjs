// Links between our own documents that lead nowhere: files and anchors, in Markdown files and in notebooks' words.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

const folders = ["", "docs", "docs/notes", "docs/blocks", "samples", "notebooks"];

/** One line for each link of a checkout without a target, such as "docs/README.md: blocks/nowhere.md". */
export function brokenLinks(root) {
  const present = folders.filter((folder) => existsSync(join(root, folder)));
  return present.flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((file) => /\.(md|ipynb)$/.test(file))
      .flatMap((file) => brokenIn(root, join(root, folder, file))),
  );
}

function brokenIn(root, file) {
  const words = markdownOf(file)
    .replaceAll(/^```[\s\S]*?^```/gm, "")
    .replaceAll(/`[^`\n]*`/g, "``");
  const inline = [...words.matchAll(/\]\(<?([^)>\s]+)>?(?: "[^"]*")?\)/g)];
  const html = [...words.matchAll(/(?:href|src)="([^"]+)"/g)];
  return [...inline, ...html]
    .map((match) => match[1])
    .filter((target) => !/^[a-z]+:/i.test(target) && !isThere(file, target))
    .map((target) => `${relative(root, file)}: ${target}`);
}

function isThere(file, target) {
  const [path, anchor] = target.split("#");
  const found = path === "" ? file : resolve(dirname(file), decodeURIComponent(path));
  if (!existsSync(found)) return false;
  if (anchor === undefined || statSync(found).isDirectory() || !/\.(md|ipynb)$/.test(found)) return true;
  return anchorsIn(found).has(anchor);
}

/** The anchors that GitHub gives the headings of a document. */
function anchorsIn(file) {
  const seen = new Map();
  const headings = markdownOf(file)
    .replaceAll(/^```[\s\S]*?^```/gm, "")
    .matchAll(/^#{1,6} +(.+?) *#*$/gm);
  const anchors = new Set();
  for (const [, title] of headings) {
    const plain = title.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
    const base = plain
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replaceAll(" ", "-");
    const before = seen.get(base) ?? 0;
    seen.set(base, before + 1);
    anchors.add(before === 0 ? base : `${base}-${before}`);
  }
  return anchors;
}

function markdownOf(file) {
  const text = readFileSync(file, "utf8");
  if (!file.endsWith(".ipynb")) return text;
  return JSON.parse(text)
    .cells.filter((cell) => cell.cell_type === "markdown")
    .map((cell) => [cell.source].flat().join(""))
    .join("\n\n");
}
