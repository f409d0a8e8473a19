import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { embeddedLink } from "../../src/client/embedded.ts";
import { type Result, Session } from "../../src/session/index.ts";

const rows = 300_000;
/** Keys that repeat, missing cells, and enough cells that nothing is written before somebody reads it. */
const cells = `range AS id, range * 7919 % 1000 AS k, if(range % 11 = 0, NULL, range * 31 % 997) AS v,
  ${Array.from({ length: 5 }, (_, j) => `range % ${j + 3} AS c${j}`).join(", ")}`;
const made = (k: number) => ({ id: k, k: (k * 7919) % 1000, v: k % 11 === 0 ? null : (k * 31) % 997 });

describe("a large table that a verb gives other rows", { timeout: 60_000 }, () => {
  const home = mkdtempSync(join(tmpdir(), "blocklab-later-"));
  let session = new Session(() => embeddedLink({ home, threads: 0 }));
  let table: Result;
  let keys: Result;
  const at = (result: Result) => session.at(result.block);
  const files = () => readdirSync(join(home, "artifacts")).length;
  const idsOf = async (result: Result) => [...(await result.dataset.columns(["id"])).id!].map(Number);

  /** The ids in the order of v from the greatest down, missing ones last. */
  const sorted = Array.from({ length: rows }, (_, k) => made(k))
    .sort((a, b) => (b.v ?? -1) - (a.v ?? -1) || a.id - b.id)
    .map(({ id }) => id);

  beforeAll(async () => {
    await session.input("sample:iris");
    keys = await session.query("SELECT range * 2 AS k, range + 0.5 AS w FROM range(400)");
    table = await session.query(`SELECT ${cells} FROM range(${rows})`);
  });
  afterAll(async () => {
    await session.close();
    rmSync(home, { recursive: true, force: true });
  });

  const shown = async (result: Result) => JSON.stringify(await (await session.link).view(result.record.id));

  it("shows its first rows without a file, and has one once it is read", async () => {
    const before = files();
    const result = await at(table).sort("-v");
    const view = await shown(result);
    expect(files()).toBe(before);
    expect(view).toContain(`"missing":${Math.ceil(rows / 11)}`);
    expect(view).toContain(`"rows":[[${sorted[0]},`);
    expect(await idsOf(result)).toEqual(sorted);
    expect(files()).toBe(before + 1);
  });

  it("is cut from what is sorted, written or not", async () => {
    const before = files();
    const top = await at(table).sort("v").slice(2, 5);
    expect(files()).toBe(before + 1);
    const least = [...sorted].filter((id) => id % 11 !== 0).sort((a, b) => made(a).v! - made(b).v! || a - b);
    expect(await idsOf(top)).toEqual(least.slice(2, 5));
    expect(await idsOf(await at(table).sort("-v").slice(-3))).toEqual(sorted.slice(-3));
    expect(await top.sql()).toMatch(/LIMIT 3 OFFSET 2/);
    const many = await at(table).sort("-v").slice(10).filter("id < 5");
    expect(await idsOf(many)).toEqual(sorted.slice(10).filter((id) => id < 5));
  });

  it("is what few rows are kept of", async () => {
    const size = 1_200_000;
    const all = await at(table).query(`SELECT ${cells} FROM range(${size})`);
    const before = files();
    const few = await at(all).filter("k < 230 || v == 5");
    const isKept = (id: number) => made(id).k < 230 || made(id).v === 5;
    const wanted = Array.from({ length: size }, (_, id) => id).filter(isKept);
    expect(await shown(few)).toContain(`"rows":[[${wanted[0]},`);
    expect(files()).toBe(before);
    expect((await shown(few)).match(/"missing":\d+/g)).toContain(
      `"missing":${wanted.filter((id) => made(id).v === null).length}`,
    );
    expect(await idsOf(few)).toEqual(wanted);
    expect(files()).toBe(before + 1);
  });

  it("keeps training and test rows apart", async () => {
    const split = await at(table).xy({ y: "v" }).split({ test_size: 0.25, shuffle: false });
    const top = await at(split).sort("-v").slice(0, 100_000);
    const isTest = (id: number) => id >= 225_000;
    const ids = sorted.slice(0, 100_000);
    const link = await session.link;
    const { total } = await link.table(top.record.x_test_url as string, { limit: 1 });
    expect(total).toBe(ids.filter(isTest).length);
    expect((await link.table(top.record.x_train_url as string, { limit: 1, columns: ["id"] })).rows).toEqual([
      [Math.min(...ids)],
    ]);
  });

  it("has the rows of a join, of which each is found once or more often", async () => {
    const found = (k: number) => (k % 2 === 0 && k < 800 ? k / 2 + 0.5 : null);
    const left = await at(table).join({ other: keys.block, on: ["k"], how: "left" });
    const none = Array.from({ length: rows }, (_, k) => found(made(k).k)).filter((w) => w === null).length;
    const view = await shown(left);
    expect(view).toContain(`"missing":${none}`);
    expect(view).toContain(`"missing":${Math.ceil(rows / 11)}`);
    const { id, w } = await left.dataset.columns(["id", "w"]);
    expect([...w!].map((each) => (Number.isNaN(each) ? null : each))).toEqual(
      [...id!].map((k) => found(made(Number(k)).k)),
    );

    const inner = await at(table).join({ other: keys.block, on: ["k"] });
    expect(await shown(inner)).toContain(`${(rows - none).toLocaleString("en-US")} rows`);
    expect((await idsOf(inner)).length).toBe(rows - none);
    const mean = await at(inner).summarize({ columns: { n: "count()", m: "mean(w)" } });
    expect((await mean.dataset.columns(["n"])).n).toEqual(Float64Array.of(rows - none));
  });

  it("is read by a later process, and says which block to run again when what it is made of is gone", async () => {
    const result = await at(table).sort("c0", "-id");
    const lost = await at(table).sort("c1", "-id");
    await session.close();
    session = new Session(() => embeddedLink({ home, threads: 0 }));
    const link = await session.link;
    const first = await link.table(result.dataset.url, { limit: 2, columns: ["id"] });
    expect(first.rows).toEqual([[rows - 3], [rows - 6]]);
    for (const name of readdirSync(join(home, "artifacts"))) rmSync(join(home, "artifacts", name));
    await expect(link.table(lost.dataset.url, { limit: 2 })).rejects.toThrow(/gone from disk\. Run block \d+ again/);
  });
});
