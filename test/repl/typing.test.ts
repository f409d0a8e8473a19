import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { promptForTests, type Screen, whyNoTerminal } from "./screen.ts";

describe.skipIf(whyNoTerminal)("typing at the prompt", () => {
  let screen: Screen;
  promptForTests(
    (opened) => {
      screen = opened;
    },
    (home) => {
      const editor = join(home, "editor.sh");
      // Shows that it has the whole terminal, which gives it every key, and puts a line behind the cell.
      const lines = [
        "#!/bin/sh",
        "echo 'EDITOR HERE'",
        'for k in 1 2 3 4 5 6; do read answer; echo "GOT $answer"; done',
        'printf \'\\n+ %s\' "$answer" >> "$1"',
      ];
      writeFileSync(editor, lines.join("\n"));
      chmodSync(editor, 0o755);
      return { EDITOR: editor };
    },
  );

  it("keeps the results of earlier cells under names", async () => {
    screen.enter("[1, 2, 3]");
    await screen.until(/result _1/);
    screen.enter("let nothing = 1");
    screen.enter("'second'");
    await screen.until(/result _2/);
    screen.enter("_1.length + _.length");
    await screen.until(/> _1\.length \+ _\.length\n9\n/);
  });

  it("shows in grey how an earlier cell went on, and takes it with the right arrow", async () => {
    screen.enter("const grey = 40 + 3");
    await screen.until(/> const grey = 40 \+ 3\n[\s\S]*> *\n/);
    screen.type("const gr");
    await screen.until(/> const grey = 40 \+ 3\ndefault/);
    screen.type("\u001b[C");
    screen.enter("; grey + 1");
    await screen.until(/\n44\n/);
  });

  it("searches backwards with ctrl-r, older ones with another, and takes the cell to be changed", async () => {
    screen.enter("const alpha = 'needle one'");
    screen.enter("const beta = 'needle two'");
    await screen.until(/> const beta[^\n]*\n[\s\S]*default/);
    screen.type("\u0012");
    await screen.until(/search: +\(ctrl-r: older/);
    screen.type("needle");
    await screen.until(/> const beta = 'needle two'\nsearch: needle/);
    screen.type("\u0012");
    await screen.until(/> const alpha = 'needle one'\nsearch: needle/);
    screen.type("\u007f\u007fx");
    await screen.until(/search: needx \(nothing\)/);
    screen.type("\u007f\r");
    await screen.until(/> const beta = 'needle two'\n(?!search)/);
    screen.type(" + '!'; beta\r");
    await screen.until(/'needle two!'\n/);
    screen.type("\u0012alpha");
    await screen.until(/search: alpha/);
    screen.type("\u0003");
    await screen.until(/\n> *\ndefault/);
  });

  it("opens the cell in the user's editor, and takes back what was saved", async () => {
    screen.type("40");
    await screen.until(/> 40/);
    screen.type("\u000f");
    await screen.until(/EDITOR HERE/);
    for (const answer of ["a", "b", "c", "d", "e", "2"]) {
      screen.type(`${answer}\r`);
      await screen.until(new RegExp(`GOT ${answer}`));
    }
    await screen.until(/> 40\n {2}\+ 2/);
    screen.type("\r");
    await screen.until(/\n42\n/);
    screen.enter("process.env.EDITOR = 'no-such-editor'");
    await screen.until(/'no-such-editor'\n/);
    screen.type("\u001be");
    await screen.until(/the editor "no-such-editor" ended with status 127; set EDITOR/);
    screen.enter("'still here'");
    await screen.until(/\n'still here'\n/);
  });

  it("empties the screen with ctrl-l, and keeps what is typed", async () => {
    screen.enter("'before the screen was emptied'");
    await screen.until(/\n'before the screen was emptied'\n/);
    screen.type("40 + 3");
    await screen.until(/> 40 \+ 3/);
    screen.type("\u000c");
    await screen.until(/^(?![\s\S]*before the screen)[\s\S]*> 40 \+ 3 *\n/);
    screen.type("\r");
    await screen.until(/\n43\n/);
  });

  it("shows a long help page a screen at a time", async () => {
    screen.enter("help()");
    await screen.until(/ (\d+) of \d+ lines: space goes on, q ends/);
    expect(screen.text).toMatch(/\nastype +DP_ASP/);
    expect(screen.text).not.toContain("On the session or a chain also");
    for (;;) {
      const [, shown, of] = await screen.until(/ (\d+) of (\d+) lines: space goes on, q ends/);
      const rest = Number(of) - Number(shown);
      screen.type(" ");
      // The last screen may hold a line more.
      if (rest <= 27) break;
      await screen.until(new RegExp(` (?!${shown} )\\d+ of \\d+ lines: space`));
    }
    await screen.until(/On the session or a chain also[\s\S]*\n> *\n/);
    screen.enter("help()");
    await screen.until(/space goes on, q ends[^\n]*\n/);
    screen.type("q");
    await screen.until(/\n> *\ndefault/);
    screen.enter("help()");
    await screen.until(/space goes on, q ends[^\n]*\n/);
    // Any other key is typed.
    screen.type("7 * 6\r");
    await screen.until(/> 7 \* 6\n42\n/);
  });

  it("completes samples and paths where a file is read", async () => {
    screen.type('session.input("sample:pen\t');
    await screen.until(/> session\.input\("sample:penguins/);
    screen.type("\u0003");
    screen.type('session.input("edi\t');
    await screen.until(/> session\.input\("editor\.sh/);
    screen.type("\u0003");
  });

  it("completes the columns of the table in a function of a row, and explains a function", async () => {
    screen.enter('await session.input("sample:penguins")');
    await screen.until(/default · block 1/);
    screen.type("session.filter(d => d.bill_l\t");
    await screen.until(/> session\.filter\(d => d\.bill_length_mm/);
    screen.type("\u0003");
    screen.enter("quantile?");
    await screen.until(/quantile\(x, q\): a number, in expressions/);
    await screen.until(/enter runs the example/);
    screen.type("1");
    screen.type("\u0003");
  });

  it("offers a help page's example, which enter runs", async () => {
    screen.enter("uniques?");
    await screen.until(/> await session\.input\("sample[^\n]*\n(?:[^\n]*\n)?enter runs the example/);
    screen.type("1");
    await screen.until(/> 1 *\ndefault/);
    screen.type("\u0003");
    screen.enter("help(session.input)");
    await screen.until(/space goes on, q ends[^\n]*\n/);
    screen.type("q");
    await screen.until(/> await session\.input[^\n]*\n(?:[^\n]*\n)?enter runs the example/);
    screen.type("\r");
    await screen.until(/default · block [12]/);
  });

  it("shows the value of a pure expression while it is typed, and has no effect", async () => {
    screen.enter("let kept = [3, 1, 2]");
    screen.type("kept.map((n) => n * 10)");
    await screen.until(/= \[30, 10, 20\]\n/);
    screen.type("\u0003kept.sort()");
    await screen.until(/> kept\.sort\(\)/);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(screen.text).not.toMatch(/= \[1, 2, 3\]/);
    screen.type("\u0003(() => { while (true); })()");
    await screen.until(/while \(true\); \}\)\(\)/);
    screen.type("\u0003kept");
    await screen.until(/= \[3, 1, 2\]\n/);
    screen.type("\u0003");
  });

  it("takes a closing bracket back out to where its block began", async () => {
    for (const line of ["const nested = (a) => {", "if (a) {", "return [", "a,", "]", "}", "}"]) screen.enter(line);
    await screen.until(
      /> const nested = \(a\) => \{\n… {3}if \(a\) \{\n… {5}return \[\n… {7}a,\n… {5}\]\n… {3}\}\n… \}\n(?!…)/,
    );
    screen.enter("nested(7)");
    await screen.until(/> nested\(7\)\n\[ 7 \]\n/);
  });

  it("breaks an error's sentence between words", async () => {
    screen.enter(`throw new Error("${"several words ".repeat(8)}")`);
    await screen.until(/\nError: several[\s\S]*at cell \d+/);
    const error = screen.text.slice(screen.text.lastIndexOf("Error: several"));
    expect(error.split("\n").slice(0, 2).join(" ").trimEnd()).toBe(`Error: ${"several words ".repeat(8)}`.trimEnd());
  });
});
