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
});
