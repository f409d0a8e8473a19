import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { embeddedLink } from "../../src/client/embedded.ts";
import { viewOf } from "../../src/core/view.ts";
import { fromLines, parseNotebook } from "../../src/notebooks/ipynb.ts";
import { toText } from "../../src/render/index.ts";
import { Session } from "../../src/session/index.ts";

const home = mkdtempSync(join(tmpdir(), "blocklab-chain-"));
const sessions = ["one", "two"].map((name) => new Session(() => embeddedLink({ home: join(home, name), threads: 0 })));

afterAll(async () => {
  for (const session of sessions) await session.close();
  rmSync(home, { recursive: true, force: true });
});

/** Runs the code of cells as a notebook would, on another session. */
async function runCells(json: string, session: Session): Promise<void> {
  for (const cell of parseNotebook(json, "test").cells) {
    if (cell.cell_type !== "code") continue;
    const source = fromLines(cell.source).replace('import { session } from "blocklab";\n', "");
    await new Function("session", `return (async () => { ${source} })()`)(session);
  }
}

/** The tables and the model of a session's blocks, each as a digest; URLs in outputs differ from home to home. */
async function digests(session: Session): Promise<string[]> {
  const link = await session.link;
  const found: string[] = [];
  for (const state of await session.blocks()) {
    const csv = await link.download(state.dataset_url as string, "csv");
    const output = (state.output ?? "").replace(/blocklab:[^"]*/g, "");
    found.push(createHash("sha256").update(csv).update(output).digest("hex"));
  }
  return found;
}

it("writes a chain as a notebook that gives the same when it is run", async () => {
  const [session, other] = sessions;
  await session.project("a *b* <c>");
  await session
    .input("sample:penguins")
    .xy({ y: "species" })
    .split({ test_size: 0.2 })
    .missing("mode")
    .encode()
    .forestClassifier({ n_estimators: 5 })
    .metrics();
  const file = join(home, "chain.ipynb");
  const made = await session.notebook(file);
  const json = readFileSync(file, "utf8");
  expect(json).toBe(made.json());
  const { cells } = parseNotebook(json, "chain.ipynb");
  expect(cells.map(({ cell_type }) => cell_type)).toEqual(
    Array.from({ length: 16 }, (_, k) => (k % 2 ? "code" : "markdown")),
  );
  expect(fromLines(cells[0].source)).toBe(
    "# a \\*b\\* &lt;c&gt;\n\n7 blocks, each with what it did and why one would.",
  );
  expect(fromLines(cells[8].source)).toMatch(
    /^## 4\. missing\n\nFilled 2 gaps in [\s\S]* in sex with "\w+": [\s\S]*\n\n\*Why:\* Most models/,
  );
  expect(fromLines(cells[9].source)).toBe('await session.missing("mode")');
  expect(fromLines(cells[7].source)).toMatch(
    /^await session\.split\(0\.2, \{ random_state: \d+ \}\)$|^await session\.split\(\{ test_size: 0\.2, random_state: \d+ \}\)$/,
  );
  expect(toText(made[viewOf]())).toMatch(/^Notebook of 7 blocks: chain\.ipynb\./);
  await runCells(json, other);
  expect((await other.current()).project_name).toBe("a *b* <c> (notebook)");
  expect(await digests(other)).toEqual(await digests(session));
});

it("replaces its own file alone, and answers the notebook without one", async () => {
  const [session] = sessions;
  const file = join(home, "again.ipynb");
  await session.notebook(file);
  await session.notebook(file);
  const foreign = join(home, "foreign.ipynb");
  writeFileSync(foreign, "mine");
  await expect(session.notebook(foreign)).rejects.toThrow(
    /foreign\.ipynb" exists already and is not this session's; take another name\./,
  );
  expect(readFileSync(foreign, "utf8")).toBe("mine");
  await expect(session.notebook("notes.txt")).rejects.toThrow(
    'notebook: the file\'s name must end in .ipynb, got "notes.txt".',
  );
  await expect(session.notebook(join(home, "no", "folder.ipynb"))).rejects.toThrow(/can't be written \(ENOENT\)\./);
  const made = await session.notebook();
  expect(made.file).toBeNull();
  expect(toText(made[viewOf]())).toContain("not written yet");
});
