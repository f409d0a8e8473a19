// Makes the parts of the documents that come from the real thing: the tour, the README's picture, a table of the blocks
// and a page for each. Fails when a call in a document has a wrong type or fails, or a link leads nowhere; with `--check`
// also when what is made is not fresh.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { functionTables } from "./docs/expressions.mjs";
import { failingLines, sectionsOf } from "./docs/lines.mjs";
import { brokenLinks } from "./docs/links.mjs";
import { picture } from "./docs/picture.mjs";
import { blockIndex, examples, referencePages } from "./docs/reference.mjs";
import { typeErrors } from "./docs/types.mjs";
import { root, Workshop } from "./docs/workshop.mjs";

process.chdir(root);

const isCheck = process.argv.includes("--check");

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

/** A document with what is made put between its marks. */
function filled(path, made) {
  return Object.entries(made).reduce(
    (text, [name, part]) => {
      const start = `<!-- made: ${name} -->\n`;
      const from = text.indexOf(start);
      const to = text.indexOf("<!-- end -->", from);
      if (from < 0 || to < 0) throw new Error(`${path} has no place for "${name}"`);
      return `${text.slice(0, from + start.length)}${part}\n${text.slice(to)}`;
    },
    readFileSync(join(root, path), "utf8"),
  );
}

/** All that is made, by its path in the checkout; and the lines of documents that fail. */
async function everything() {
  const workshop = await new Workshop().open();
  try {
    const made = new Map();
    const texts = ["docs/from-pandas.md", "docs/expressions.md"].map((path) => [
      path,
      readFileSync(join(root, path), "utf8"),
    ]);
    const sections = texts.flatMap(([path, text]) =>
      sectionsOf(text).map((each) => ({ ...each, title: `${path}, ${each.title}` })),
    );
    const failing = typeErrors(root, [...examples(), ...sections]);
    for (const [path, text] of texts) failing.push(...(await failingLines(path, text, workshop)));
    for (const [path, text] of await referencePages(workshop)) made.set(`docs/${path}`, text);
    made.set("docs/picture.svg", await picture(workshop));
    made.set("docs/tour.md", filled("docs/tour.md", { tour: tour() }));
    made.set("docs/expressions.md", filled("docs/expressions.md", { functions: functionTables() }));
    made.set("docs/README.md", filled("docs/README.md", { blocks: blockIndex() }));
    return { made, failing };
  } finally {
    await workshop.close();
  }
}

const { made, failing } = await everything();
const pages = existsSync(join(root, "docs/blocks")) ? readdirSync(join(root, "docs/blocks")) : [];
const left = pages.map((file) => `docs/blocks/${file}`).filter((path) => !made.has(path));
const isFresh = ([path, text]) => existsSync(join(root, path)) && readFileSync(join(root, path), "utf8") === text;
const stale = [...made].filter((each) => !isFresh(each)).map(([path]) => path);
if (!isCheck) {
  for (const path of left) rmSync(join(root, path));
  for (const path of stale) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), made.get(path));
  }
}
const broken = brokenLinks(root);
if (broken.length > 0) console.error(`Links that lead nowhere:\n${broken.join("\n")}`);
if (failing.length > 0) console.error(`Lines that fail:\n${failing.join("\n")}`);
if (isCheck && stale.length + left.length > 0) {
  console.error(`Not what comes out now; run \`npm run docs\`:\n${[...stale, ...left].join("\n")}`);
}
if (failing.length + broken.length > 0 || (isCheck && stale.length + left.length > 0)) process.exitCode = 1;
