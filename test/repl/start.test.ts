import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { Screen, whyNoTerminal } from "./screen.ts";

const root = fileURLToPath(new URL("../../src/", import.meta.url));

/** The files and packages that a file loads at once, types left out. */
function loadedWith(path: string): Set<string> {
  const found = new Set([path]);
  for (const file of found) {
    if (!/\.tsx?$/.test(file)) continue;
    const text = readFileSync(join(root, file), "utf8");
    for (const [, name] of text.matchAll(/^(?:import|export)\s+(?!type\b)[^;"]*?from\s+"([^"]+)"/gm)) {
      found.add(name.startsWith(".") ? relative(root, join(root, dirname(file), name)) : name);
    }
  }
  return found;
}

describe("the start of the prompt", () => {
  it("loads what draws the prompt and nothing of what runs cells", () => {
    const loaded = [...loadedWith("commands/repl.ts"), ...loadedWith("repl/start.ts")];
    expect(loaded).toContain("repl/app.tsx");
    const heavy = /^(?:zod|acorn|typescript|@duckdb|blocks|registry|session|runner|engine|notebook|render\/index)\b/;
    expect(loaded.filter((name) => heavy.test(name))).toEqual([]);
  });
});

describe.skipIf(whyNoTerminal)("what is typed before all is loaded", () => {
  const homes: string[] = [];
  const screens: Screen[] = [];
  const start = () => {
    homes.push(mkdtempSync(join(tmpdir(), "blocklab-start-")));
    screens.push(new Screen(homes.at(-1) as string));
    return screens.at(-1) as Screen;
  };
  afterAll(() => {
    for (const screen of screens) screen.kill();
    for (const home of homes) rmSync(home, { recursive: true, force: true });
  });

  it("runs in its order, from the start of the process on", async () => {
    const screen = start();
    const keys = ["let fi", "rst = 40\r", "first +", " 2\r", "[first,\r", "7]\r", "'the last'\r"];
    for (const key of keys) {
      screen.type(key);
      await new Promise((resolve) => setTimeout(resolve, 40));
    }
    await screen.until(/'the last'\n[\s\S]*result _3/);
    expect(screen.text).toMatch(/\n42\n[\s\S]*> \[first,\n… +7\]\n\[ 40, 7 \]\n[\s\S]*\n'the last'\n/);
  });

  it("is drawn at once, and runs when it can", async () => {
    const screen = start();
    await screen.until(/^> /m);
    screen.type("const early = 1");
    await screen.until(/^> const early = 1/m);
    screen.type("\r");
    screen.type("early + 6");
    screen.type("\r");
    await screen.until(/> early \+ 6\n7\n/);
  });
});
