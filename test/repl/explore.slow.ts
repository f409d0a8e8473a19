import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { promptForTests, type Screen, whyNoTerminal } from "./screen.ts";

const rows = 1_000_000;
const numbers = 17;

/** A million rows of twenty columns: the row's number, seventeen numbers without an order, a colour and a city. */
async function writeTable(path: string): Promise<void> {
  const out = createWriteStream(path);
  const names = Array.from({ length: numbers }, (_, k) => `n${k}`);
  out.write(`id,${names.join(",")},colour,city\n`);
  let seed = 1;
  const random = () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed / 2 ** 32;
  };
  for (let at = 0; at < rows; at += 1_000) {
    const lines = Array.from({ length: 1_000 }, (_, k) => {
      const values = names.map(() => (random() * 200 - 100).toFixed(4)).join(",");
      return `${at + k},${values},${["red", "green", "blue"][Math.floor(random() * 3)]},city${Math.floor(random() * 5_000)}\n`;
    });
    if (!out.write(lines.join(""))) await once(out, "drain");
  }
  out.end();
  await finished(out);
}

describe.skipIf(whyNoTerminal)("a million rows full-screen", () => {
  let screen: Screen;
  const home = promptForTests((opened) => {
    screen = opened;
  });
  const took: string[] = [];

  /** Presses a key, and waits for what it shows; a crowded machine gets ten times what a quiet one takes. */
  async function press(what: string, keys: string, sign: RegExp, mostMs = 1_500): Promise<void> {
    const start = performance.now();
    screen.type(keys);
    await screen.until(sign, 30_000);
    const ms = performance.now() - start;
    took.push(`${what}: ${ms.toFixed(0)} ms`);
    expect(ms, what).toBeLessThan(mostMs);
    await new Promise((resolve) => setTimeout(resolve, 300));
  }

  beforeAll(async () => {
    await writeTable(join(home, "million.csv"));
    screen.enter("await session.input('million.csv')");
    await screen.until(/block 1 · 1,000,000 × 20/, 60_000);
  }, 120_000);

  it("scroll, sort and filter from wherever one is, and take no more memory", async () => {
    await press("open", ":explore\r", /rows 1–25 of 1,000,000/);
    const before = screen.memory;
    await press("page down", "\u001b[6~", /rows 26–50 of/);
    await press("end", "\u001b[F", /rows 999,976–1,000,000 of/);
    await press("page up from the end", "\u001b[5~", /rows 999,951–999,975 of/);
    await press("home", "\u001b[H", /rows 1–25 of/);
    await press("sort", "\u001b[Cs", /by n0\n/);
    await press("end of the sorted", "G", /999,976–1,000,000 of 1,000,000 · by n0\n/);
    await press("page up from there", "b", /999,951–999,975 of 1,000,000 · by n0\n/);
    await press("a search is seen to run", "/city42\r", /with "city42"/, 500);
    await screen.until(/rows 1–25 of [\d,]+ · with "city42", of 1,000,000 rows · by n0\n/);
    await press("page down in what was found", " ", /rows 26–50 of [\d,]+ · with/);
    await press("all rows again", "\u001b", /rows 1–25 of 1,000,000 · by n0\n/);
    await press("as the table is", "ss", /rows 1–25 of 1,000,000\n/);
    await press("the last column", "\u001b[C".repeat(numbers + 1), /colour +city *\n/);
    await press("a hundred pages at once", " ".repeat(100), /rows 2,501–2,525 of 1,000,000\n/);
    process.stdout.write(
      `${took.join("\n")}\nmemory: ${before.toFixed(0)} MB at first, ${screen.memory.toFixed(0)} MB after\n`,
    );
    expect(screen.memory).toBeLessThan(before + 200);
    screen.type("q");
    await screen.until(/block 1 · 1,000,000 × 20/);
  }, 120_000);
});
