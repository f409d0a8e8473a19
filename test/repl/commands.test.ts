import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { promptForTests, type Screen, whyNoTerminal } from "./screen.ts";

describe.skipIf(whyNoTerminal)("the prompt's commands", () => {
  let screen: Screen;
  const home = promptForTests((opened) => {
    screen = opened;
  });

  it("all stand in :help", async () => {
    screen.enter(":help");
    // It is longer than the screen: space goes on.
    await screen.until(/lines: space goes on, q ends/);
    for (let k = 0; k < 3; k++) screen.type(" ");
    for (const name of ["undo", "vars", "time", "save FILE.ipynb", "load FILE.ipynb", "theme", "doctor"])
      await screen.until(new RegExp(`:${name}`));
    await screen.until(/ctrl-c, ctrl-d/);
    await screen.until(/space goes on, q ends[^\n]*\n/);
    screen.type("q");
    await screen.until(/\n> *\ndefault/);
  });

  it("show what cells declared, with types and values", async () => {
    screen.enter(":vars");
    await screen.until(/No cell has declared a name yet\./);
    screen.enter("const rows = [{ a: 1 }]; let word: string = 'x'; const later = () => rows.length");
    screen.enter(":vars");
    await screen.until(/rows +Array\(1\) +\[Object\]\nword +string +"x"\nlater +function +\(\) => rows\.length/);
  });

  it("say how long a cell and each of its blocks took", async () => {
    screen.enter('await session.input("sample:iris").xy({ y: "species" })');
    await screen.until(/block 2/);
    screen.enter(":time");
    await screen.until(
      /1 input \(DP_1\) +[\d.]+ m?s\n2 xy \(DP_FSP\) +(?:under )?[\d.]+ m?s\nthe whole cell +[\d.]+ m?s/,
    );
  });

  it("explain the last block, and show the chain in two languages", async () => {
    screen.enter(":explain");
    await screen.until(/Features: sepal_length, [\s\S]*Why: A model learns to tell the targets/);
    screen.enter(":code python");
    await screen.until(/y = \["species"\]/);
    screen.enter(":code");
    await screen.until(/\.xy\(\{ y_boundaries: "species" \}\)/);
    screen.enter(":code perl");
    await screen.until(/:code takes nothing, typescript or python, got "perl"\./);
  });

  it("go back to the parent of the last block, and no further than the input", async () => {
    screen.enter(":undo");
    await screen.until(/Back at block 1; block 2 stays/);
    await screen.until(/default · block 1 · 150 × 5 · local/);
    screen.enter(":undo");
    await screen.until(/:undo: block 1 begins its chain, so there is nothing before it\./);
    screen.enter(":at two");
    await screen.until(/:at takes the number of a block, as :blocks shows it, got "two"\./);
  });

  it("save the cells with their outputs as a notebook, and never over a stranger's file", async () => {
    screen.enter("console.log('printed'); 6 * 7");
    await screen.until(/\n42\n/);
    screen.enter("null.x");
    await screen.until(/TypeError/);
    screen.enter(":save all.ipynb");
    await screen.until(/✓ 4 cells saved to all\.ipynb\./);
    const { cells } = JSON.parse(readFileSync(join(home, "all.ipynb"), "utf8"));
    expect(cells).toHaveLength(4);
    expect(cells[1].outputs[0].data["text/html"].join("")).toContain("sepal_length");
    expect(cells[2].outputs).toMatchObject([
      { output_type: "stream", name: "stdout", text: ["printed\n"] },
      { output_type: "execute_result", data: { "text/plain": ["42"] }, execution_count: 3 },
    ]);
    expect(cells[3].outputs[0]).toMatchObject({ output_type: "error", ename: "TypeError" });
    screen.enter(":save all.ipynb");
    await screen.until(/4 cells saved to all\.ipynb\.[\s\S]*4 cells saved/);
    writeFileSync(join(home, "theirs.ipynb"), "{}");
    screen.enter(":save theirs.ipynb");
    await screen.until(/"theirs\.ipynb" exists already and is not this session's/);
    screen.enter(":save notes.txt");
    await screen.until(/:save takes the name of a notebook that ends in \.ipynb, got "notes\.txt"\./);
  });

  it("run a notebook's cells in order, up to the first error", async () => {
    screen.enter(":load all.ipynb");
    await screen.until(/! Cell 4 of 4 failed; the rest did not run\./);
    const book = JSON.parse(readFileSync(join(home, "all.ipynb"), "utf8"));
    writeFileSync(join(home, "good.ipynb"), JSON.stringify({ ...book, cells: book.cells.slice(2, 3) }));
    screen.enter(":load good.ipynb");
    await screen.until(/✓ 1 cell of good\.ipynb ran\./);
    screen.enter(":load none.ipynb");
    await screen.until(/:load: there is no file "none\.ipynb"\./);
    screen.enter(":load theirs.ipynb");
    await screen.until(/"theirs\.ipynb" is not a notebook of format 4/);
  });

  it("tell what is installed", async () => {
    screen.enter(":doctor");
    await screen.until(/✓ blocklab[\s\S]*table engine +DuckDB/);
  });

  it("complete themselves and what they take", async () => {
    screen.type(":un\t");
    await screen.until(/> :undo/);
    screen.type("\u0003:at \t");
    await screen.until(/▸ 4 {2}xy \(DP_FSP\)/);
    screen.type("\r");
    await screen.until(/> :at 4/);
    screen.type("\u0003:open def\t");
    await screen.until(/> :open default/);
    screen.type("\u0003:load g\t");
    await screen.until(/> :load good\.ipynb/);
    screen.type("\u0003:theme d\t\r");
    await screen.until(/Colours: dark\./);
  });

  it("take the colours away", async () => {
    screen.enter(":theme none");
    await screen.until(/Colours: none\./);
    screen.enter("'no colour'");
    await screen.until(/\n'no colour'\n/);
    expect(screen.coloursFrom("'no colour'")).toEqual([]);
    screen.enter(":theme pink");
    await screen.until(/:theme takes light, dark, none, auto, got "pink"\./);
  });
});
