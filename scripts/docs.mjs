// Fills the parts of the README that are made from the real thing: the tour's transcript and the table of blocks.
// `--check` fails when they are not what comes out now, or when a link leads nowhere.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const readme = join(root, "README.md");

function tour() {
  const home = mkdtempSync(join(tmpdir(), "blocklab-docs-"));
  try {
    const env = { ...process.env, BLOCKLAB_HOME: home, NO_COLOR: "1", COLUMNS: "80" };
    const done = spawnSync(process.execPath, [join(root, "dist/cli.js")], { input: "", env, encoding: "utf8" });
    if (done.status !== 0) throw new Error(`the tour failed:\n${done.stdout}${done.stderr}`);
    return `\`\`\`text\n${done.stdout.trim()}\n\`\`\``;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

async function blocks() {
  const { allBlocks, helpOf } = await import(join(root, "dist/registry/index.js"));
  const rows = allBlocks
    .filter((block) => !block.name.includes("."))
    .map((block) => {
      const { code, name, summary } = helpOf(block);
      return `| \`${name}\` | ${code} | ${summary.replaceAll("|", "\\|")} |`;
    });
  return ["| Helper | Code | What it does |", "|---|---|---|", ...rows].join("\n");
}

function fill(text, name, made) {
  const start = `<!-- made: ${name} -->\n`;
  const from = text.indexOf(start);
  const to = text.indexOf("<!-- end -->", from);
  if (from < 0 || to < 0) throw new Error(`README.md has no place for "${name}"`);
  return `${text.slice(0, from + start.length)}${made}\n${text.slice(to)}`;
}

/** Links between our own documents that lead nowhere. */
function brokenLinks() {
  const documents = ["", "docs", "docs/notes", "samples"].flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((file) => file.endsWith(".md"))
      .map((file) => join(root, folder, file)),
  );
  return documents.flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)]
      .filter((match) => !existsSync(join(dirname(file), match[1])))
      .map((match) => `${file.slice(root.length)}: ${match[1]}`),
  );
}

const stored = readFileSync(readme, "utf8");
const fresh = fill(fill(stored, "tour", tour()), "blocks", await blocks());
const broken = brokenLinks();
if (broken.length > 0) console.error(`Links that lead nowhere:\n${broken.join("\n")}`);
if (process.argv.includes("--check")) {
  if (fresh !== stored) console.error("README.md is not what comes out now; run `npm run docs`.");
  if (fresh !== stored || broken.length > 0) process.exit(1);
} else writeFileSync(readme, fresh);
