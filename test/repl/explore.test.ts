import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Explorer, type Wanted } from "../../src/repl/explore/explorer.ts";
import { drawnColumns } from "../../src/repl/explore/layout.ts";
import { promptForTests, type Screen, whyNoTerminal } from "./screen.ts";

/** A table of a million rows and a hundred columns that exists only where it is read. */
function millionRows() {
  const asked: Wanted[] = [];
  const columns = Array.from({ length: 100 }, (_, k) => ({ name: `c${k}`, type: "number" as const, integer: true }));
  const explorer = new Explorer({
    title: "numbers",
    columns: [...columns, { name: "picture", type: "tensor", shape: [28, 28, 1] }],
    total: 1_000_000,
    async read(part) {
      asked.push(part);
      await new Promise((resolve) => setTimeout(resolve, 5));
      return {
        rows: Array.from({ length: part.limit }, (_, i) => part.columns.map(() => part.offset + i)),
        total: 1_000_000,
      };
    },
  });
  const settled = () => expect.poll(() => explorer.state.isReading).toBe(false);
  return { asked, explorer, settled };
}

describe("a table full-screen", () => {
  it("reads what the screen shows and nothing more", async () => {
    const { asked, explorer, settled } = millionRows();
    explorer.resize(20, 80);
    await settled();
    expect(asked).toEqual([{ columns: Array.from({ length: 16 }, (_, k) => `c${k}`), offset: 0, limit: 20 }]);
    explorer.key({ input: "G" });
    await settled();
    expect(explorer.state.page).toMatchObject({ top: 999_980 });
    expect(explorer.state.page.rows).toHaveLength(20);
    explorer.key({ input: "", name: "down" });
    await settled();
    expect(explorer.state.page.top).toBe(999_980);
  });

  it("answers many keys by one more reading", async () => {
    const { asked, explorer, settled } = millionRows();
    explorer.resize(20, 80);
    for (let k = 0; k < 500; k++) explorer.key({ input: "", name: "pageDown" });
    await settled();
    expect(explorer.state.page.top).toBe(10_000);
    expect(asked.length).toBeLessThan(4);
  });

  it("brings the chosen column into sight, and sorts by it both ways and not at all", async () => {
    const { asked, explorer, settled } = millionRows();
    explorer.resize(20, 80);
    await settled();
    explorer.fit(drawnColumns(explorer.state.page, null, 80).length);
    for (let k = 0; k < 30; k++) explorer.key({ input: "", name: "right" });
    await settled();
    const drawn = () => drawnColumns(explorer.state.page, explorer.state.sort, 80).map(({ name }) => name);
    expect(drawn()).toContain("c30");
    for (const sorted of [
      { sort: "c30", descending: false },
      { sort: "c30", descending: true },
    ]) {
      explorer.key({ input: "s" });
      await settled();
      expect(asked.at(-1)).toMatchObject({ ...sorted, offset: 0 });
    }
    explorer.key({ input: "s" });
    await settled();
    expect(asked.at(-1)).not.toHaveProperty("sort");
  });

  it("doesn't wait for the rows of a search that was given up", async () => {
    const { promise: never, resolve: letGo } = Promise.withResolvers<void>();
    const explorer = new Explorer({
      title: "slow",
      columns: [{ name: "a", type: "number" }],
      total: 100,
      async read({ search, offset }) {
        if (search) await never;
        return { rows: [[search ? -1 : offset]], total: search ? 1 : 100 };
      },
    });
    explorer.resize(20, 80);
    await expect.poll(() => explorer.state.isReading).toBe(false);
    for (const input of "/x") explorer.key({ input });
    explorer.key({ input: "", name: "return" });
    expect(explorer.state).toMatchObject({ search: "x", isReading: true });
    explorer.key({ input: "", name: "escape" });
    await expect.poll(() => explorer.state.isReading).toBe(false);
    letGo();
    await new Promise((resolve) => setImmediate(resolve));
    expect(explorer.state).toMatchObject({ search: "", total: 100, isReading: false, page: { rows: [[0]] } });
  });

  it("tells an error and goes on", async () => {
    let fails = true;
    const explorer = new Explorer({
      title: "broken",
      columns: [{ name: "a", type: "string" }],
      total: 1,
      read: async () =>
        fails ? Promise.reject(new Error("the service is gone")) : { rows: [["\u001b[2J"]], total: 1 },
    });
    explorer.resize(5, 20);
    await expect.poll(() => explorer.state.error).toBe("the service is gone");
    fails = false;
    explorer.key({ input: "g" });
    await expect.poll(() => explorer.state.error).toBe(null);
    expect(drawnColumns(explorer.state.page, null, 20)[0].cells).toEqual(["␛[2J  "]);
  });

  describe.skipIf(whyNoTerminal)("in a terminal", () => {
    let screen: Screen;
    promptForTests(
      (opened) => {
        screen = opened;
      },
      (home) => {
        const rows = Array.from(
          { length: 300 },
          (_, k) => `${k},${(k * 7919) % 300},${k === 222 ? "東京 \u001b[2Jneedle" : "hay"}`,
        );
        writeFileSync(join(home, "rows.csv"), `id,shuffled,word\n${rows.join("\n")}\n`);
        return undefined;
      },
    );

    it("says when there is no table", async () => {
      screen.enter(":explore");
      await screen.until(/:explore: there is no table yet; start with an input\./);
    });

    it("scrolls, sorts, filters, takes another size, and gives the screen back", async () => {
      screen.enter('await session.input("rows.csv")');
      await screen.until(/300 rows × 3 columns/);
      screen.enter(":explore");
      await screen.until(/^block 1 input · rows 1–25 of 300/);
      await screen.until(/\n +24 +/);
      screen.type(" ");
      await screen.until(/rows 26–50 of 300/);
      screen.type("\u001b[Cs");
      await screen.until(/rows 1–25 of 300 · by shuffled\n +id +shuffled ↑/);
      screen.type("s");
      await screen.until(/shuffled ↓[^\n]*\n[^\n]*\n +\d+ +299 /);
      screen.type("/NEEDLE");
      await screen.until(/find: NEEDLE/);
      screen.type("\r");
      await screen.until(/rows 1–1 of 1 · with "NEEDLE", of 300 rows · by shuffled[\s\S]*東京 ␛\[2Jneedle/);
      screen.resize(50);
      screen.type("\u001b");
      await screen.until(/rows 1–25 of 300 ·/);
      screen.resize(80);
      screen.type("q");
      await screen.until(/300 rows of block 1 explored\./);
      expect(screen.text).toMatch(/300 rows × 3 columns/);
      screen.enter("'back'");
      await screen.until(/\n'back'\n/);
    });
  });
});
