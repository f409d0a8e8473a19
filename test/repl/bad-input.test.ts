import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { apply, type Editor } from "../../src/repl/editor.ts";
import { Printer } from "../../src/repl/printer.ts";
import { viewport } from "../../src/repl/viewport.ts";
import { promptForTests, type Screen, whyNoTerminal } from "./screen.ts";

describe("the editor's window", () => {
  const words = (editor: Editor, columns: number, rows: number) => {
    const { pieces, above, below } = viewport(editor, columns, rows);
    return {
      text: pieces.map((piece) => piece.text).join(""),
      cursor: pieces.find((piece) => piece.isCursor)?.text,
      above,
      below,
    };
  };

  it("shows all of a text that fits, with the cursor on a whole character", () => {
    const text = "const s = '東京👩‍👩‍👧e\u0301'";
    expect(words({ text, cursor: text.indexOf("👩") }, 40, 5)).toMatchObject({ text, cursor: "👩‍👩‍👧" });
    expect(words({ text, cursor: text.indexOf("e\u0301") }, 40, 5)).toMatchObject({ text, cursor: "e\u0301" });
    expect(words({ text: "", cursor: 0 }, 40, 5)).toEqual({ text: " ", cursor: " ", above: 0, below: 0 });
    expect(words({ text: "a\nb", cursor: 1 }, 40, 5)).toMatchObject({ text: "a \nb", cursor: " " });
    expect(words({ text: "a\n", cursor: 2 }, 40, 5)).toMatchObject({ text: "a\n ", cursor: " " });
  });

  it("shows the lines around the cursor of one that doesn't, and counts the rest", () => {
    const text = Array.from({ length: 100 }, (_, k) => `line ${k}`).join("\n");
    const cursor = text.indexOf("line 50");
    const { text: shown, above, below } = words({ text, cursor }, 40, 7);
    expect(shown.split("\n")).toEqual(["line 47", "line 48", "line 49", "line 50", "line 51", "line 52", "line 53"]);
    expect([above, below]).toEqual([47, 46]);
    expect(words({ text, cursor: 0 }, 40, 7)).toMatchObject({ above: 0, below: 93 });
    expect(words({ text, cursor: text.length }, 40, 7)).toMatchObject({ above: 93, below: 0 });
  });

  it("cuts a line that is longer than the screen around the cursor, at once", () => {
    const text = "x".repeat(1_000_000);
    const start = performance.now();
    expect(words({ text, cursor: 500_000 }, 80, 10).text.length).toBe(800);
    const { text: shown, cursor } = words({ text, cursor: text.length }, 80, 10);
    expect([shown.length, cursor]).toEqual([801, " "]);
    expect(performance.now() - start).toBeLessThan(1_000);
  });

  it("knows that a line is within a comment that began far above", () => {
    const text = `/*\n${"inside\n".repeat(50)}*/`;
    const { pieces } = viewport({ text, cursor: 100 }, 40, 5);
    expect(new Set(pieces.filter((piece) => !piece.isCursor).map((piece) => piece.kind))).toEqual(new Set(["comment"]));
  });

  it("erases whole characters, and keeps control characters out", () => {
    const family = { text: "a👩‍👩‍👧", cursor: "a👩‍👩‍👧".length };
    expect(apply(family, { kind: "erase", what: "before" })).toEqual({ text: "a", cursor: 1 });
    expect(apply({ text: "", cursor: 0 }, { kind: "insert", text: "a\u001b[2J\u009bb\r\nc\td\u0000" }).text).toBe(
      "a[2Jb\nc  d",
    );
  });
});

describe("what cells print", () => {
  it("reaches the terminal in whole lines, in order, with colours alone", async () => {
    const written: string[] = [];
    const printer = new Printer((text) => written.push(text));
    printer.add("one\ntw");
    printer.add("o\n\u001b[31mred\u001b[0m \u001b[2J\u001b]0;t\u0007 東京\r\nrest");
    printer.print("value\n");
    expect(written.join("")).toBe("one\ntwo\n\u001b[31mred\u001b[0m ␛[2J␛]0;t␇ 東京\u001b[0m\nrest\nvalue\n");
    for (const text of written) expect(text.endsWith("\n")).toBe(true);
  });

  it("is not kept until a loop ends", () => {
    let length = 0;
    const printer = new Printer((text) => {
      length += text.length;
    });
    for (let k = 0; k < 10_000; k++) printer.add("x".repeat(100));
    expect(length).toBeGreaterThan(900_000);
  });
});

describe.skipIf(whyNoTerminal)("bad input in a terminal", () => {
  let screen: Screen;
  promptForTests(
    (opened) => {
      screen = opened;
    },
    (home) => {
      const rows = [{ "a\u001b[2J": "\u001b]0;title\u0007x" }, { "a\u001b[2J": "\u009b31m" }];
      writeFileSync(join(home, "hostile.json"), JSON.stringify(rows));
      return undefined;
    },
  );
  // Whatever came, the editor lives and the session works.
  afterEach(async () => {
    const sign = `alive ${Math.random()}`;
    screen.type("\u0003");
    screen.enter(`"${sign}"`);
    await screen.until(new RegExp(`\n'${sign}'\n`));
  });

  it("survives another size in the middle of everything", async () => {
    for (const keys of [
      "const a = [1,\n2,\n",
      "\u0003session.\t",
      "\u001b\u0003\u0012alive",
      "\u0003",
      "await new Promise((r) => setTimeout(r, 1500))\r",
    ]) {
      screen.type(keys);
      for (const columns of [31, 200, 12, 80]) {
        screen.resize(columns);
        await new Promise((resolve) => setTimeout(resolve, 60));
      }
    }
    await screen.until(/default · no block yet/);
  });

  it("edits wide and combining characters", async () => {
    screen.type("'東京👩‍👩‍👧e\u0301x'");
    await screen.until(/> '東京/);
    screen.type("\u001b[D\u007f\u007f\u007f");
    await screen.until(/> '東京' ?\n/);
    screen.type("\u001b[DX\r");
    await screen.until(/\n'東X京'\n/);
  });

  it("shows escape codes in data, names, errors and what is printed, and obeys none", async () => {
    screen.enter("'witness'");
    await screen.until(/\n'witness'\n/);
    screen.enter('await session.input("hostile.json")');
    await screen.until(/a␛\[2J[\s\S]*␛\]0;title␇x/);
    screen.enter("console.log('\\u001b[2J\\u001b[Hprinted'); throw new Error('\\u001b[2Jthrown')");
    await screen.until(/\n␛\[2J␛\[Hprinted\n[\s\S]*Error: ␛\[2Jthrown/);
    screen.enter("({ [Symbol.for('nodejs.util.inspect.custom')]: () => '\\u001b[2Jshown' })");
    await screen.until(/\n␛\[2Jshown\n/);
    screen.enter("const odd = '\\u001b[2J'");
    screen.enter(":vars");
    await screen.until(/odd +string +"␛\[2J"/);
    screen.type("odd");
    await screen.until(/= "␛\[2J"/);
    expect(screen.text).toContain("'witness'");
  });

  it("takes a paste of a megabyte, in one line and in many, and lets go of it", async () => {
    for (const line of ["x".repeat(1_000_000), "const y = '東京';\n".repeat(60_000)]) {
      screen.type(`\u001b[200~${line}\u001b[201~`);
      await screen.until(line.includes("\n") ? /\d{5} lines above, 0 below/ : /x{70}\n {2}x{70}/);
      screen.type("END");
      await screen.until(/END ?\n/);
      screen.type("\u007f\u001b[D\u0003");
      await screen.until(/> *\ndefault/);
    }
  });

  let round = 0;

  it("stops a cell that prints forever, with ctrl-c", async () => {
    // A second try must not take what the first one printed for its own.
    round++;
    for (const word of ["spam", "more", "most", "tick"].map((each) => `${each}${round}`)) {
      const rest = word.startsWith("tick") ? "; await new Promise((r) => setTimeout(r, 1))" : "";
      screen.enter(`for (let k = 0; ; k++) { console.log('${word}', k)${rest} }`);
      await screen.until(new RegExp(`${word} \\d\\d\\d`));
      screen.type("\u0003");
      await screen.until(new RegExp(`${word} \\d+\nInterrupted: the cell was interrupted; names keep their values`));
    }
  });

  it("prints a hundred thousand lines, the last one last", async () => {
    const start = performance.now();
    screen.enter("for (let k = 0; k < 100_000; k++) console.log('line', k); 'done'");
    await screen.until(/line 99998\nline 99999\n'done'\n/);
    expect(performance.now() - start).toBeLessThan(10_000);
  });

  it("shows an unfinished line before the value", async () => {
    screen.enter("process.stdout.write('unfinished'); 7");
    await screen.until(/\nunfinished\n7\n/);
    screen.enter("process.stdout.write('half '); process.stdout.write('and half'); undefined");
    await screen.until(/\nhalf and half\n/);
  });
});
