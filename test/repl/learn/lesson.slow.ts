import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeCell, type NotebookCell, writeNotebook } from "../../../src/notebooks/ipynb.ts";
import { Screen, whyNoTerminal } from "../screen.ts";

const cli = fileURLToPath(new URL("../../../dist/cli.js", import.meta.url));
const home = mkdtempSync(join(tmpdir(), "blocklab-learn-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

function code(id: string, source: string, blocklab?: object): NotebookCell {
  return { ...makeCell("code", source), id, metadata: blocklab ? { blocklab } : {} };
}

const cells = [
  makeCell("markdown", "# Flowers\n\nA **short** lesson, \u001b[2Jwith an escape code."),
  code("read", 'const flowers = await session.input("sample:iris");\nflowers', {
    predict: { ask: "How many rows?\u001b]0;title\u0007", answer: 150 },
    checks: [{ expr: "(await _.dataset.shape()).rows === 150", message: "It should be 150 rows." }],
    why: "Fifty of *each* species.",
  }),
  makeCell("markdown", "## Assign"),
  code("assign", 'await session.xy({ y: "species" })', {
    start: 'await session.xy({ y: "petal_width" })',
    checks: [{ expr: "(await _.y.shape()).columns[0].name === 'species'", message: "Predict the \u001b[2Jspecies." }],
    hints: ["What is it called?", '`y: "species"`'],
  }),
  makeCell("markdown", "The last one."),
  code("last", "session.last + 10", { start: "session.last + ___ // \u001b]0;title\u0007" }),
  makeCell("markdown", "Goodbye."),
];

writeFileSync(join(home, "flowers.ipynb"), writeNotebook({ cells, metadata: {}, nbformat: 4, nbformat_minor: 5 }));

function run(words: readonly string[], input = "", more: Readonly<Record<string, string>> = {}) {
  const env = { ...process.env, NODE_OPTIONS: "", BLOCKLAB_HOME: join(home, "lines"), BLOCKLAB_URL: "", ...more };
  return spawnSync(process.execPath, [cli, ...words], { input, encoding: "utf8", env, cwd: home });
}

function blocklab(words: readonly string[], input = "") {
  return run(["learn", ...words], input);
}

describe.skipIf(whyNoTerminal)("a lesson at the prompt", () => {
  let screen: Screen;

  beforeAll(async () => {
    screen = new Screen(home, {}, "learn flowers.ipynb");
    await screen.until(/step 1 of 3/);
  }, 30_000);
  afterAll(() => screen.kill());

  it("explains, and asks what comes", async () => {
    await screen.until(/A short lesson, ␛\[2Jwith an escape code\./);
    await screen.until(/What will come\? How many rows\?␛\]0;title␇/);
    await screen.until(/your answer, or enter to skip the question/);
    screen.enter("151");
    await screen.until(/You expect: 151\. Now run the cell\./);
  });

  it("begins with the cell, runs it on enter, and compares", async () => {
    await screen.until(/> const flowers = await session\.input\("sample:iris"\);\n {2}flowers/);
    screen.enter("");
    await screen.until(/! You expected: 151\. It is: 150\.\n✓ 1 check holds\./);
    screen.enter(":why");
    await screen.until(/Fifty of each species\./);
    await screen.until(/enter goes on to the next step/);
  });

  it("tells what a check misses, keeps the cell to be changed, and gives hints", async () => {
    screen.enter("");
    await screen.until(/step 2 of 3/);
    await screen.until(/> await session\.xy\(\{ y: "petal_width" \}\)/);
    screen.enter("");
    await screen.until(/! Predict the ␛\[2Jspecies\./);
    screen.enter(":learn hint");
    await screen.until(/Hint 1 of 2\. What is it called\?\n\n> await session/);
    screen.type("\u0003");
    await screen.until(/enter runs the example/);
    screen.enter(":hint");
    await screen.until(/Hint 2 of 2\. y: "species"/);
  });

  it("lets one play, and puts the blocks back afterwards", async () => {
    screen.enter(":play");
    await screen.until(/step 2 of 3, playing/);
    screen.enter('await session.input("sample:penguins")');
    await screen.until(/default · block 3/);
    screen.enter(":play");
    await screen.until(/Back at step 2/);
    await screen.until(/default · block 2 .* step 2 of 3\n?$/);
  });

  it("replaces the step's own block when its cell runs again, and shows the solution beside another way", async () => {
    screen.type("\u0003");
    screen.enter('const y = "species"; await session.xy({ y })');
    await screen.until(/Run again: block 2 replaced/);
    await screen.until(/✓ 1 check holds\.\n\nThe solution:\n\n {4}await session\.xy/);
    screen.enter(":next");
    await screen.until(/step 3 of 3/);
  });

  it("goes on where it was left in the next session, the cells before run again unseen", async () => {
    screen.type("\u0004");
    expect(await screen.ended).toBe(0);
    screen = new Screen(home, {}, "");
    await screen.until(/default · block 2/);
    screen.enter(":learn flowers.ipynb");
    await screen.until(/Going on at step 3 of 3; the cells before it run again\./);
    await screen.until(/The last one\./);
    expect(screen.text).not.toMatch(/sepal_length/);
    await screen.until(/> session\.last \+ ___ \/\/ \]0;title/);
    screen.enter("\u007f\u007f\u007f20");
    await screen.until(/> session\.last \+ 20 \/\/ \]0;title\n2\d\n\nThe solution:\n\n {4}session\.last \+ 10\n/);
    screen.enter("");
    await screen.until(/Goodbye\.[\s\S]*The end of this lesson: 3 steps done, 0 of 1 prediction came true\./);
    await screen.until(/local[^\n]*_\d+\n?$/);
  });

  it("knows its commands outside of a lesson too, and saves what a lesson's cells carry", async () => {
    screen.enter(":next");
    await screen.until(/":next" belongs to a lesson, and none is open; :learn lists them\./);
    screen.enter(":learn");
    await screen.until(/leakage +Leakage, and how to see it +14 +not begun/);
    screen.type(":learn quick\t");
    await screen.until(/> :learn quickstart/);
    screen.type("\u0003");
    screen.enter(":learn quikstart");
    await screen.until(/there is no lesson "quikstart"\. Did you mean "quickstart"\?/);
    screen.enter(":save kept.ipynb");
    await screen.until(/✓ 3 cells saved to kept\.ipynb\./);
    const kept = JSON.parse(readFileSync(join(home, "kept.ipynb"), "utf8")) as { cells: NotebookCell[] };
    expect(kept.cells.map((cell) => cell.metadata)).toEqual([1, 3, 5].map((k) => cells[k].metadata));
  });
});

describe("a lesson without a terminal", () => {
  it("prints lines and takes lines; an empty one does what enter does", () => {
    const input = ["150", "", "", 'await session.xy({ y: "species" })', ":next", ":skip", "", "never read"].join("\n");
    const done = blocklab(["flowers.ipynb"], `${input}\n`);
    expect(done).toMatchObject({ status: 0, stderr: "" });
    expect(done.stdout).toMatch(/✓ As you expected: 150\.\n✓ 1 check holds\.[\s\S]*## Assign[\s\S]*Goodbye\./);
    expect(done.stdout).toMatch(/3 steps done, 1 of them skipped, 1 of 1 prediction\s+came true\./);
    expect(done.stdout).not.toMatch(/\u001b|\u0007|never read/);
  });

  it("says where one stands when the input ends, and goes on from there", () => {
    expect(blocklab(["flowers.ipynb"], "\n\n:next\n").stdout).toContain(
      "blocklab learn flowers.ipynb goes on from here.",
    );
    const again = blocklab(["flowers.ipynb"], ":skip\n:restart\n").stdout;
    expect(again).toMatch(
      /Going on at step 2 of 3[\s\S]*> await session\.xy\(\{ y: "species" \}\)[\s\S]*1 cell before/,
    );
    expect(again.match(/## Assign/g)).toHaveLength(2);
  });

  it("runs in the place of its own blocks when it is taken again, and leaves others' alone", () => {
    const env = { BLOCKLAB_HOME: join(home, "twice") };
    const blocks =
      "(await session.blocks()).map(({ block_id, function_code, stale }) => [block_id, function_code, stale])";
    const made = () => JSON.parse(run(["-e", blocks, "--json"], "", env).stdout) as unknown[];
    const take = () => run(["learn", "flowers.ipynb"], ":skip\n:next\n:skip\n:next\n:skip\n:next\n", env).stdout;
    expect(run(["-e", 'await session.input("sample:penguins")'], "", env).status).toBe(0);
    expect(take()).not.toContain("You were here before");
    const first = made();
    expect(first).toHaveLength(3);
    const again = take();
    expect(again).toContain("You were here before: each cell runs in the place of the blocks it made.");
    expect(again).toContain("Run again: block 2 unchanged.");
    expect(made()).toEqual(first);
    // Who replaced one of them keeps it; the lesson makes its own then.
    const other = `const { id: project_id } = await session.current();
      const request = { project_id, block_id: 2, parent_id: 0, function_code: "DP_1", args: { dburl: "sample:penguins" } };
      await (await session.link).run(request)`;
    expect(run(["-e", other], "", env).status).toBe(0);
    take();
    expect(made()).toEqual(
      expect.arrayContaining([
        [2, "DP_1", null],
        [3, "DP_FSP", null],
        [4, "DP_1", null],
      ]),
    );
  });

  it("lists the lessons of the course with what was done", () => {
    const { status, stdout } = blocklab([]);
    expect(status).toBe(0);
    expect(stdout).toMatch(/quickstart +From a table to a judged model +9 +not begun/);
  });

  it.each([
    [
      ["quikstart"],
      /^there is no lesson "quikstart"\. Did you mean "quickstart"\? Lessons: quickstart, question, .*\n$/,
    ],
    [["none.ipynb"], /^there is no notebook "none\.ipynb"\.\n$/],
    [["a", "b"], /^blocklab learn takes one lesson's name, or the path of a notebook \(\.ipynb\)\.\n$/],
    [["--check"], /^blocklab learn takes one lesson's name/],
    [["--check", "none.ipynb"], /^there is no file ".*none\.ipynb" to check\.\n$/],
  ])("refuses %j in one sentence", (words, sentence) => {
    const { status, stderr } = blocklab(words);
    expect(status).toBe(1);
    expect(stderr).toMatch(sentence);
  });

  it("keeps its metadata when blocklab run writes the outputs back", () => {
    writeFileSync(join(home, "run.ipynb"), readFileSync(join(home, "flowers.ipynb")));
    expect(run(["run", "run.ipynb", "--inplace", "--fresh"]).status).toBe(0);
    const after = JSON.parse(readFileSync(join(home, "run.ipynb"), "utf8")) as { cells: NotebookCell[] };
    expect(after.cells[1].outputs).toHaveLength(1);
    expect(after.cells.map((cell) => cell.metadata)).toEqual(cells.map((cell) => cell.metadata));
  });

  it("proves a lesson, and says in a sentence each what is wrong with a broken one", () => {
    expect(blocklab(["--check", "flowers.ipynb"])).toMatchObject({
      status: 0,
      stdout: "flowers.ipynb: 3 steps and 2 checks hold.\n",
    });
    const broken = cells.map((cell) => (cell.id === "assign" ? code("assign", "1", { start: "1", hint: [] }) : cell));
    const book = writeNotebook({ cells: broken, metadata: {}, nbformat: 4, nbformat_minor: 5 });
    writeFileSync(join(home, "broken.ipynb"), book);
    const { status, stderr } = blocklab(["--check", "broken.ipynb"]);
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /^broken\.ipynb: cell 4 \("assign"\): metadata\.blocklab has no "hint"\. Did you mean "hints"\?.*\n$/,
    );
  });
});
