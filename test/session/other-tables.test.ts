import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { embeddedLink } from "../../src/client/embedded.ts";
import { Session } from "../../src/session/index.ts";

const folder = mkdtempSync(join(tmpdir(), "blocklab-other-"));
const session = new Session(() => embeddedLink({ home: join(folder, "home"), threads: 0 }));
const file = (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

afterAll(async () => {
  await session.close();
  rmSync(folder, { recursive: true, force: true });
});

describe("another table among a helper's arguments", () => {
  it("is a chain, a result, or a list of them, and goes over the wire as its block", async () => {
    const towns = session.input(file("towns.csv", "shop,n\na,1\nb,2\n"));
    const shops = await session.input(file("shops.csv", "shop\nb\nc\n"));
    const joined = await session.at(shops.block).join({ other: towns, on: ["shop"], how: "left" });
    expect(joined.record.parent_id).toBe(shops.block);
    expect(await joined.dataset.rows()).toEqual([
      { shop: "b", n: 2 },
      { shop: "c", n: null },
    ]);
    const all = await session.at(shops.block).append({ others: [shops, joined] });
    expect((await all.dataset.shape()).rows).toBe(6);
    const sql = await joined.sql();
    expect(sql).toMatch(/LEFT JOIN/);
  });

  it("is rows or columns of the program, one table or several, beside chains and files", async () => {
    const shops = await session.input(file("more.csv", "shop,n\na,1\n"));
    const last = () => session.at(shops.block);
    const shopsOf = async (chain: PromiseLike<{ dataset: { rows(): Promise<unknown> } }>) =>
      ((await (await chain).dataset.rows()) as { shop: string }[]).map(({ shop }) => shop).join("");
    const rows = [{ shop: "b", n: 2 }, { shop: "c" }];
    expect(await shopsOf(last().append(rows))).toBe("abc");
    expect(await shopsOf(last().append({ others: [rows] }))).toBe("abc");
    expect(await shopsOf(last().append({ others: rows as never }))).toBe("abc");
    expect(await shopsOf(last().append({ shop: ["d"], n: [4] }))).toBe("ad");
    expect(await shopsOf(last().append(rows, { shop: ["d"], n: [4] }))).toBe("abcd");
    const path = file("last.csv", "shop,n\nz,9\n");
    expect(await shopsOf(last().append(rows, shops, path, shops.dataset))).toBe("abcaza");
    expect(await shopsOf(last().append({ others: [shops, path] }))).toBe("aaz");
    expect(await (await last().append(rows, path)).code()).toContain(
      `.append({ others: [[{ shop: "b", n: 2 }, { shop: "c", n: null }], ${JSON.stringify(path)}] });`,
    );
    // They are taken as they are now.
    const held = [{ shop: "x", n: 1 }];
    const waiting = last().append(held);
    held[0].shop = "y";
    expect(await shopsOf(waiting)).toBe("ax");
  });

  it("is refused where it is none, by the helper's name", async () => {
    const shops = await session.input(file("one.csv", "shop\na\n"));
    const refusal = async (others: unknown) =>
      await (async () => await session.at(shops.block).append(others as never))().catch(
        (error: Error) => error.message,
      );
    expect(await refusal([[{ shop: "b" }, 7]])).toMatch(
      /^append \(BL_APPEND\): rows must be objects, but row 2 is number "7"/,
    );
    expect(await refusal([])).toMatch(/others/);
  });
});
