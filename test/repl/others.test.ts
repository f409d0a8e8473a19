import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { createSession } from "../../src/index.ts";
import { quietly } from "../support/served.ts";
import { Screen, whyNoTerminal } from "./screen.ts";

const built = (file: string) => new URL(`../../dist/${file}`, import.meta.url).href;
/** Reads rows without end until a timer ends the process. */
const endsWhileReading = `const { Duck } = await import("${built("engines/duckdb/index.js")}"), { raw } = await import("${built("engines/sql.js")}"); setTimeout(() => process.exit(3), 300); await new Duck({ spillTo: ".", path: String }).eachRun([raw("i::DOUBLE")], raw("SELECT i FROM range(100000000000) t(i)"), 1e11, () => {})`;

const forest = 'await session.input("sample:digits").xy({ y: "digit" }).forestClassifier({ n_estimators: 5000 })';

/** Folders and screens that go with the test. */
const ends: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

function folder(): string {
  const home = mkdtempSync(join(tmpdir(), "blocklab-others-"));
  ends.push(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

function screenIn(home: string, env: Readonly<Record<string, string>> = {}): Screen {
  const screen = new Screen(home, env);
  ends.push(() => screen.kill());
  return screen;
}

describe("two sessions on one project", () => {
  it("leave each other's blocks alone, whole chains at the same time included", async () => {
    const home = folder();
    const [a, b] = [createSession({ home }), createSession({ home })];
    ends.push(async () => {
      await Promise.all([a.close(), b.close()]);
    });
    await Promise.all([a.current(), b.current()]);
    await a.input("sample:iris").info();
    await b.input("sample:penguins");
    await Promise.all([
      a.input("sample:iris").xy({ y: "species" }).knn(),
      b.xy({ y: "species" }).missing("drop").encode(),
    ]);
    const blocks = await a.blocks();
    expect(blocks.map(({ block_id }) => block_id).sort((x, y) => x - y)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(blocks.filter(({ stale }) => stale)).toEqual([]);
    expect((await b.columns()).map(({ name }) => name)).toContain("bill_length_mm");
  });
});

describe.skipIf(whyNoTerminal)("the prompt and what goes on around it", () => {
  it("shares a project with another prompt", async () => {
    const home = folder();
    const other = folder();
    const first = screenIn(home);
    const second = screenIn(other, { BLOCKLAB_HOME: home });
    await Promise.all([first, second].map((screen) => screen.until(/default · no block yet/)));
    first.enter('await session.input("sample:iris")');
    await first.until(/default · block 1 · 150 × 5/);
    second.enter('await session.input("sample:penguins").info()');
    await second.until(/default · block 3 · 344 × 7/);
    first.enter("await session.describe()");
    await first.until(/default · block 4 · 150 × 5/);
    second.enter(":blocks");
    await second.until(
      /1 input \(DP_1\)\n {2}4 describe \(DP_DSC\)\n2 input \(DP_1\).*\n {2}3 info \(DP_INF\) {2}← here/,
    );
  });

  it("says that its service is gone, goes on without, and with it once it is back", async () => {
    const home = folder();
    const start = (port: number) => quietly({ port, home, key: "served", threads: 0 });
    let service = await start(0);
    ends.push(() => service.close());
    const screen = screenIn(folder(), { BLOCKLAB_URL: service.url, BLOCKLAB_KEY: "served" });
    await screen.until(/no block yet · http:/);
    screen.enter('await session.input("sample:iris")');
    await screen.until(/default · block 1 · 150 × 5 · http:/);
    await service.close();
    screen.enter("await session.describe()");
    await screen.until(/No blocklab service answers at http[\s\S]*check BLOCKLAB_URL\./);
    screen.enter("6 * 7");
    await screen.until(/\n42\n/);
    service = await start(Number(new URL(service.url).port));
    screen.enter("await session.describe()");
    await screen.until(/default · block 2 · 150 × 5 · http:/);
  });

  it("shows how far a block is and how long it will take, and cancels it without losing the session", async () => {
    const screen = screenIn(folder());
    await screen.until(/default · no block yet/);
    screen.enter(forest);
    await screen.until(/trees [█░]{20} \d+ of 5000, \d+ s to go \(ctrl-c cancels\)/, 30_000);
    screen.type("\u0003");
    await screen.until(/Interrupted: /);
    screen.enter("session.last");
    await screen.until(/> session\.last\n2\n/);
  });

  it("draws a plot anew on demand, as wide as the terminal is now", async () => {
    const screen = screenIn(folder());
    await screen.until(/default · no block yet/);
    const axis = (length: number) => new RegExp(`└─{${length},${length + 2}}\\n`);
    screen.enter('await session.input("sample:penguins").scatter("bill_length_mm", "bill_depth_mm")');
    await screen.until(axis(73));
    screen.resize(50);
    screen.enter("_");
    await screen.until(axis(43));
  });

  it.each([
    ["a cell ends it", "process.exit(3)", 3],
    ["a cell ends it while the engine reads", endsWhileReading, 3],
    ["it is told to end", "process.kill(process.pid, 'SIGTERM')", 143],
    ["it hangs up", "process.kill(process.pid, 'SIGHUP')", 129],
  ])("gives the terminal back when %s", async (_, code, status) => {
    const screen = screenIn(folder());
    await screen.until(/default · no block yet/);
    screen.enter(code);
    expect(await screen.ended).toBe(status);
    const left = screen.raw.slice(screen.raw.lastIndexOf("\u001b[?25l"));
    expect(left).toContain("\u001b[?25h");
    expect(screen.raw.lastIndexOf("\u001b[?2004l")).toBeGreaterThan(screen.raw.lastIndexOf("\u001b[?2004h"));
    expect(screen.settings).toMatch(/(?<!-)\bicanon\b.*(?<!-)\becho\b/s);
  });
});
