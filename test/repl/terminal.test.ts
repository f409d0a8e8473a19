import { describe, expect, it } from "vitest";
import { promptForTests, Screen, whyNoTerminal } from "./screen.ts";

describe.skipIf(whyNoTerminal)("the prompt in a terminal", () => {
  let screen: Screen;
  const home = promptForTests((opened) => {
    screen = opened;
  });

  it("greets with lines to type", () => {
    expect(screen.text).toMatch(/session\.input\("sample:penguins"\)/);
  });

  it("takes less than 200 MB while nobody types", async () => {
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    expect(screen.memory).toBeLessThan(200);
  });

  it("runs a cell and prints its value", async () => {
    screen.enter("6 * 7");
    await screen.until(/> 6 \* 7\n42\n/);
  });

  it("goes on to the next line while the cell isn't whole", async () => {
    screen.type("[1, 2].map((n) => {\r");
    screen.type("return n * 10 })\r");
    await screen.until(/\[ 10, 20 \]/);
  });

  it("draws a table of a block, and says where one stands", async () => {
    screen.enter('await session.input("sample:penguins")');
    await screen.until(/344 rows × 7 columns/);
    await screen.until(/default · block 1/);
  });

  it("completes a column's name in the block's call", async () => {
    screen.type('session.drop("spec\t');
    await screen.until(/> session\.drop\("species/);
    screen.type("\u0003");
  });

  it("shows a menu of several, and takes the chosen one", async () => {
    screen.type("session.forest\t");
    await screen.until(/▸ forest\w+[\s\S]*\n *forestClassifier\(\{ [\w?, ]*n_estimators\?[\s\S]*1 of 2 +ML_CN_7\. /);
    screen.type("\u001b[B\r");
    await screen.until(/> session\.forest(Classifier|Regressor)/);
    screen.type("\u0003");
  });

  it("explains a block after a question mark", async () => {
    screen.enter("missing?");
    await screen.until(/DP_2[\s\S]*strategy_value/);
  });

  it("explains an argument and a method of the session, and runs the example with enter", async () => {
    screen.enter("split.test_size?");
    await screen.until(/test_size, of split \(DP_4\)[\s\S]*Example: session\.input/);
    screen.enter("session.projects?");
    await screen.until(/session\.projects\(\): [\s\S]*enter runs the example/);
    screen.type("\r");
    await screen.until(/> await session\.projects\(\)\n[\s\S]*\bproject_name\b[\s\S]*\bdefault\b/);
  });

  it("explains a method of a value, by its types", async () => {
    screen.enter("const asked = await session.at(1)");
    screen.enter("asked.dataset.page?");
    await screen.until(/table\.page\(options: PageOptions/);
  });

  it("finds an earlier cell with up", async () => {
    screen.type("6 *\u001b[A");
    await screen.until(/> 6 \* 7\n/);
    screen.type("\u0003");
  });

  it("shows an error in one sentence and keeps the session", async () => {
    screen.enter('await session.drop("speces")');
    await screen.until(/column "speces" is not in the table\.[\s\S]*Did you mean "species"/);
    screen.enter("session.last");
    await screen.until(/> session\.last\n1\n/);
  });

  it("stops a loop and a long block with ctrl-c, and keeps what was declared", async () => {
    screen.enter("let kept = 41");
    await screen.until(/> let kept = 41\n/);
    for (const code of ["while (true) {}", "await new Promise(() => {})"]) {
      screen.enter(code);
      await screen.until(/running…/);
      await new Promise((resolve) => setTimeout(resolve, 600));
      screen.type("\u0003");
      await screen.until(/no block yet|block 1 · 344 × 7 · local/);
    }
    screen.enter("kept + 1");
    await screen.until(/> kept \+ 1\n42\n/);
  });

  it("shows escape codes that are data, and doesn't obey them", async () => {
    screen.enter("console.log('a\\u001b[2Jb'); '\\u001b]0;title\\u0007'");
    await screen.until(/> console\.log/);
    await screen.until(/title/);
    expect(screen.text).toContain("> 6 * 7");
  });

  it("draws itself anew at another width", async () => {
    screen.resize(60);
    screen.enter("'narrow now'");
    await screen.until(/'narrow now'\n/);
    screen.resize(80);
  });

  it("takes a paste of many lines as text, without running it", async () => {
    screen.type("\u001b[200~const a = 1;\nconst b = 2;\na + b\u001b[201~");
    await screen.until(/const b = 2;/);
    screen.type("\r");
    await screen.until(/a \+ b\n3\n/);
  });

  it("draws the blocks as a tree", async () => {
    screen.enter(":blocks");
    await screen.until(/1 input \(DP_1\) {2}← here/);
  });

  it("says where one stands: rows × columns, split and the model at hand", async () => {
    screen.enter(
      'await session.xy({ y: "species" }).split({ test_size: 0.2 }).missing("drop").encode().treeClassifier()',
    );
    await screen.until(/default · block 6 · 333 × \d+ · split \d+ \+ \d+ · model treeClassifier · local/);
    screen.enter(":at 1");
    await screen.until(/default · block 1 · 344 × 7 · local/);
    screen.enter("await session.duplicates()");
    await screen.until(/default · block 7 · 344 × 7 · local/);
  });

  it("leaves with ctrl-d, status 0, and the cursor visible", async () => {
    screen.type("\u0004");
    expect(await screen.ended).toBe(0);
  });

  it("remembers what was typed in the next session", async () => {
    const next = new Screen(home);
    await next.until(/default · block 7/);
    next.type("kept\u001b[A");
    await next.until(/> kept \+ 1/);
    next.type("\u0003\u0004");
    expect(await next.ended).toBe(0);
  });

  it.each([
    ["idle", ""],
    ["in a loop", "while (true) {}"],
  ])("ends when its terminal goes away while it is %s", async (_, code) => {
    const next = new Screen(home);
    await next.until(/default · block 7/);
    if (code) {
      next.enter(code);
      await next.until(/running…/);
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    expect(next.isAlive).toBe(true);
    next.kill();
    await expect.poll(() => next.isAlive, { timeout: 10_000 }).toBe(false);
  });
});
