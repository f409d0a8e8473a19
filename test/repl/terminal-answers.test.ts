import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { answersIn, askTerminal, type TerminalAnswers } from "../../src/repl/terminal-answers.ts";

it("knows a terminal's abilities, and its class from them", () => {
  const of = (text: string) => answersIn(text.replaceAll("^", "\u001b"));
  expect(of("^[6;20;10t^[?62;4;22c")).toEqual({ sixel: true, columnPixels: 10 });
  expect(of("^[?1;2;4c")).toEqual({ sixel: true, columnPixels: null });
  expect(of("typed^[A^[?1;2cmore")).toEqual({ sixel: false, columnPixels: null });
  // A VT132 says 4 for what it is.
  expect(of("^[?4;6c")).toEqual({ sixel: false, columnPixels: null });
  expect(of("^[6;0;0t^[?64;14;44c")).toEqual({ sixel: false, columnPixels: null });
  expect(of("^[6;20;99999t^[?62;4c")).toEqual({ sixel: true, columnPixels: null });
  for (const keys of ["c", "[?62;4c", "^[c", "^[A", "^[6;20;10t", "^[4;600;800t", "^[?62;4"])
    expect(of(keys)).toBe(null);
});

it("asks, hears the answer in pieces and between keys, and then listens no longer", async () => {
  const stdin = new PassThrough({ encoding: "utf8" });
  const told: TerminalAnswers[] = [];
  let asked = "";
  askTerminal(
    stdin,
    (text) => {
      asked += text;
    },
    (answers) => told.push(answers),
  );
  expect(asked).toBe("\u001b[16t\u001b[c");
  for (const piece of ["x".repeat(1_000), "\u001b[6;20;", "10t a \u001b[?62", ";4c", "\u001b[?1;2c"])
    stdin.write(piece);
  await expect.poll(() => told).toEqual([{ sixel: true, columnPixels: 10 }]);
  expect(stdin.listenerCount("data")).toBe(0);
});
