import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { drawSixels } from "../support/sixels.ts";
import { Screen, whyNoTerminal } from "./screen.ts";

const cli = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));
const scatter =
  'await session.input("sample:penguins").scatter("flipper_length_mm", "body_mass_g", { color: "species" })';
/** A whole picture in sixels. */
const sixels = /\u001bP[\d;]*q"[^\u001b]*\u001b\\/;

describe.skipIf(whyNoTerminal)("how the prompt looks", () => {
  const home = mkdtempSync(join(tmpdir(), "blocklab-looks-"));
  let screen: Screen | null = null;
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  /** A prompt that ends with the test, whatever comes of it. */
  async function within(
    work: (screen: Screen) => Promise<void>,
    env: Record<string, string>,
    words = "",
    isSixel = false,
  ): Promise<void> {
    screen = new Screen(home, env, words, isSixel);
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
        screen.enter("'below'");
        await screen.until(/\n'below'\n/);
        expect(screen.raw).toMatch(/\u001b_Ga=T,f=100,q=2,c=\d+,m=1;iVBOR/);
        expect(screen.text).not.toMatch(/⡀|⢀/);
      },
      { TERM: "xterm-kitty" },
    );
  });

  it("draws sixels where the terminal answers that it can, as wide as its letters are, and takes no answer for keys", async () => {
    await within(
      async (screen) => {
        screen.enter(scatter);
        await screen.until(/block \d+ · /);
        screen.enter("'below'");
        await screen.until(/\n'below'\n/);
        const { width } = drawSixels(sixels.exec(screen.raw)?.[0] ?? "");
        // 12 pixels to each column, as the terminal said.
        expect([width % 12, width > 400, width <= 80 * 12]).toEqual([0, true, true]);
        expect(screen.text).not.toMatch(/⡀|⢀|62;4|24;12t/);
      },
      {},
      "",
      true,
    );
  });

  it("draws a chart as text where the terminal answers that it can't draw", async () => {
    await within(async (screen) => {
      await screen.until(/block \d/);
      expect(screen.raw).toContain("\u001b[c");
      screen.enter(scatter);
      await screen.until(/n = 342/);
      expect(screen.raw).not.toContain("\u001bP");
      expect(screen.text).not.toMatch(/\[\?1;2c/);
    }, {});
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
        await expect.poll(() => sixels.test(screen.raw), { timeout: 15_000 }).toBe(true);
      },
      {},
      "--graphics sixel",
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
    const wrong = spawnSync(process.execPath, [cli, "--graphics", "tiff", "-e", "1"], { encoding: "utf8" });
    expect(wrong).toMatchObject({
      status: 1,
      stderr: 'blocklab: --graphics must be kitty, iterm, sixel or none, got "tiff".\n',
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
