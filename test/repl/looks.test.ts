import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { Screen, whyNoTerminal } from "./screen.ts";

const cli = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));
const scatter =
  'await session.input("sample:penguins").scatter("flipper_length_mm", "body_mass_g", { color: "species" })';

describe.skipIf(whyNoTerminal)("how the prompt looks", () => {
  const home = mkdtempSync(join(tmpdir(), "blocklab-looks-"));
  let screen: Screen | null = null;
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  /** A prompt that ends with the test, whatever comes of it. */
  async function within(
    work: (screen: Screen) => Promise<void>,
    env: Record<string, string>,
    words = "",
  ): Promise<void> {
    screen = new Screen(home, env, words);
    try {
      await screen.until(/default · |^>/m);
      await work(screen);
    } finally {
      screen.kill();
    }
  }

  it("draws pictures where the terminal says that it can, and goes on below them", async () => {
    await within(
      async (screen) => {
        screen.enter(scatter);
        await screen.until(/block 2/);
        expect(screen.raw).toMatch(/\u001b_Ga=T,f=100,q=2,c=\d+,m=1;iVBOR/);
        expect(screen.text).not.toMatch(/⡀|⢀/);
        screen.enter("'below'");
        await screen.until(/\n'below'\n/);
      },
      { TERM: "xterm-kitty" },
    );
  });

  it("draws pictures, or none, as it is told", async () => {
    const asIterm = (screen: Screen) => screen.until(/block \d/).then(() => screen.enter(scatter));
    await within(
      async (screen) => {
        await asIterm(screen);
        await expect
          .poll(() => screen.raw, { timeout: 15_000 })
          .toMatch(/\u001b\]1337;File=inline=1;size=\d+;width=\d+/);
      },
      {},
      "--graphics iterm",
    );
    await within(
      async (screen) => {
        await asIterm(screen);
        await screen.until(/n = 342/);
        expect(screen.raw).not.toContain("\u001b_G");
      },
      { TERM: "xterm-kitty" },
      "--graphics none",
    );
    const wrong = spawnSync(process.execPath, [cli, "--graphics", "sixel", "-e", "1"], { encoding: "utf8" });
    expect(wrong).toMatchObject({
      status: 1,
      stderr: 'blocklab: --graphics must be kitty, iterm or none, got "sixel".\n',
    });
  });

  it("says all in plain lines to a screen reader", async () => {
    await within(
      async (screen) => {
        screen.enter(scatter);
        await screen.until(/Chart: .*\n[\s\S]*Adelie: 151 points, body_mass_g from 2850 to 4775/);
        screen.type("session.forest\t");
        await screen.until(/forest\w+, 1 of \d/);
        screen.type("\u0003");
        screen.enter("1 + 1");
        await screen.until(/> 1 \+ 1\n2\n/);
        expect(screen.text).not.toMatch(/[─-▟⠀-⣿]/);
      },
      {},
      "--screen-reader",
    );
  });

  it("has no colour where NO_COLOR asks for none", async () => {
    await within(
      async (screen) => {
        screen.enter("'no colour'");
        await screen.until(/\n'no colour'\n/);
        screen.type("const word = 'typed'");
        await screen.until(/> const word = 'typed'/);
        expect(screen.raw).not.toMatch(/\u001b\[(?:3[0-8]|9\d)[;m]/);
      },
      { NO_COLOR: "1" },
    );
  });
});
