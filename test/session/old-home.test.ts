import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { embeddedLink } from "../../src/client/embedded.ts";
import { Session } from "../../src/session/session.ts";
import tables from "./old-home/tables.json" with { type: "json" };

// A home that 0.1 made: a project for each chain. The tables are what 0.1 answered after one more block.
const packed = fileURLToPath(new URL("./old-home/home-0.1.tgz", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "blocklab-old-home-"));
let session: Session;

beforeAll(() => {
  const unpacked = spawnSync("tar", ["-xzf", packed, "-C", folder], { encoding: "utf8" });
  expect([unpacked.status, unpacked.stderr]).toEqual([0, ""]);
  session = new Session(() => embeddedLink({ home: join(folder, "home"), threads: 0 }));
});

afterAll(async () => {
  await session.close();
  rmSync(folder, { recursive: true, force: true });
});

it.each(Object.entries(tables))("goes on from a state of 0.1: %s", async (project, { block, rows, first, sha256 }) => {
  await session.project(project);
  const { dataset } = await session.at(block).drop({ columns: [0] });
  const path = join(folder, `${project}.csv`);
  await dataset.save(path);
  const text = readFileSync(path, "utf8");
  const lines = text.split("\n");
  expect([lines.length - 2, lines.slice(0, 2)]).toEqual([rows, first]);
  expect(createHash("sha256").update(text).digest("hex")).toBe(sha256);
});

it("tells training rows of 0.1 from test rows", async () => {
  const shapes: [string, number, number][] = [];
  for (const project of Object.keys(tables)) {
    await session.project(project);
    const split = (await session.blocks()).find((state) => state.x_train_url);
    if (!split) continue;
    const { x_train, x_test } = await session.at(split.block_id);
    const [train, test] = await Promise.all([x_train, x_test].map(async (each) => (await each.rows()).length));
    shapes.push([project, train, test]);
  }
  expect(shapes).toEqual([
    ["prepared", 258, 86],
    ["automatic", 258, 86],
  ]);
});
