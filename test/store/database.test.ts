import { createHash } from "node:crypto";
import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test, vi } from "vitest";
import { Database } from "../../src/store/database.ts";
import { migrations } from "../../src/store/schema.ts";
import { Lab } from "../support/lab.ts";

const lab = new Lab();

test("moves its write-ahead log into the database beside the work, long before a commit would have to", async () => {
  const home = join(lab.home, "log");
  const database = new Database(home);
  try {
    const size = () => statSync(join(home, "blocklab.db")).size;
    const add = (n: number) =>
      database.run(
        "INSERT INTO uploads (id, owner, name, bytes, sha256, created_at) VALUES (?, 'a', ?, 1, '', '')",
        String(n),
        "x".repeat(1000),
      );
    const before = size();
    for (let n = 0; n < 2500; n++) add(n);
    expect(size()).toBe(before);
    for (let n = 2500; n < 3100; n++) add(n);
    await vi.waitFor(() => expect(size()).toBeGreaterThan(2500 * 1000), { timeout: 20_000, interval: 50 });
    // Reading and writing go on, and nothing is lost.
    add(3100);
    expect(database.get("SELECT count(*) AS n FROM uploads")).toEqual({ n: 3101 });
  } finally {
    database.close();
  }
  const again = new DatabaseSync(join(home, "blocklab.db"), { readOnly: true, timeout: 5000 });
  expect(again.prepare("SELECT count(*) AS n FROM uploads").get()).toEqual({ n: 3101 });
  again.close();
});

test("keeps a statement for the next time, whatever became of it the last time", () => {
  const database = new Database(join(lab.home, "statements"));
  try {
    const add = (id: string) =>
      database.run(
        "INSERT INTO uploads (id, owner, name, bytes, sha256, created_at) VALUES (?, 'a', 'b', 1, '', '')",
        id,
      );
    expect(add("1").changes).toBe(1);
    expect(() => add("1")).toThrow(/UNIQUE/);
    expect(() =>
      database.transaction(() => {
        add("2");
        throw new Error("given up");
      }),
    ).toThrow("given up");
    expect(add("2").changes).toBe(1);
    expect(database.all("SELECT id FROM uploads ORDER BY id")).toEqual([{ id: "1" }, { id: "2" }]);
  } finally {
    database.close();
  }
});

test("says why a transaction failed, though SQLite has undone it by itself, as on a full disk", () => {
  const database = new Database(join(lab.home, "undone"));
  try {
    const insert = "INSERT INTO uploads (id, owner, name, bytes, sha256, created_at) VALUES (?, 'a', ?, 1, '', '')";
    expect(() =>
      database.transaction(() => {
        database.run(insert, "1", "a");
        database.run("ROLLBACK");
        throw new Error("database or disk is full");
      }),
    ).toThrow("database or disk is full");
    database.transaction(() => database.run(insert, "2", "b"));
    expect(database.all("SELECT id FROM uploads")).toEqual([{ id: "2" }]);
  } finally {
    database.close();
  }
});

test("never changes a migration that homes have gone through: add another one", () => {
  const digests = migrations.map((text) => createHash("sha256").update(text).digest("hex").slice(0, 12));
  expect(digests).toEqual([
    "13a464c427b3",
    "61489ae869d2",
    "a5fafbd30523",
    "96ada5447f6c",
    "3a2521897b39",
    "d905c4b5f89f",
    "3bacb4feffa9",
    "3d77301a426f",
    "f26978006605",
  ]);
});

test.each(migrations.map((_, version) => version).slice(1))("brings a home of schema %i up to date", (version) => {
  const home = join(lab.home, `schema${version}`);
  mkdirSync(home);
  const old = new DatabaseSync(join(home, "blocklab.db"));
  for (const step of migrations.slice(0, version)) old.exec(step);
  old.exec(`PRAGMA user_version = ${version};
    INSERT INTO projects VALUES (1, 'a', 'ann', 'old', '', '2024-01-01T00:00:00.000000Z');
    INSERT INTO states (id, project, block_id, parent_id, parent_state, code, asked, args, frame, output, report, notices,
      function_action, urls, stale, created_at) VALUES (1, 1, 1, 0, NULL, 'DP_1', '{}', '{}',
      '{"relation":{"artifact":"AAAAAAAAAAAAAAAAAAAAAA","steps":[]},"folds":{"artifact":"BBBBBBBBBBBBBBBBBBBBBB"}}',
      '{"m":{"model_url":{"$artifact":"CCCCCCCCCCCCCCCCCCCCCC"}}}', NULL, '[]', NULL, '{}', 0, '');
    INSERT INTO artifacts (id, project, state, kind) VALUES ('AAAAAAAAAAAAAAAAAAAAAA', 1, 1, 'table');
    INSERT INTO artifacts (id, project, state, kind) VALUES ('BBBBBBBBBBBBBBBBBBBBBB', 1, 7, 'table');
    INSERT INTO models VALUES (1, 'tree', 1, 'AAAAAAAAAAAAAAAAAAAAAA');`);
  // From the fifth on, who stores and deletes a state says this.
  if (version >= 5) {
    old.exec(`UPDATE artifacts SET orphaned = 1 WHERE state = 7;
      INSERT INTO named VALUES (1, 'AAAAAAAAAAAAAAAAAAAAAA'), (1, 'BBBBBBBBBBBBBBBBBBBBBB'), (1, 'CCCCCCCCCCCCCCCCCCCCCC');`);
  }
  old.close();
  const database = new Database(home);
  try {
    expect(database.get("PRAGMA user_version")).toEqual({ user_version: migrations.length });
    expect(database.get("SELECT name FROM projects")).toEqual({ name: "old" });
    expect(database.get("SELECT code FROM states")).toEqual({ code: "DP_1" });
    expect(database.all("SELECT kind, process, orphaned FROM artifacts ORDER BY id")).toEqual([
      { kind: "table", process: null, orphaned: 0 },
      { kind: "table", process: null, orphaned: 1 },
    ]);
    const named = database.all("SELECT state, artifact FROM named ORDER BY artifact");
    expect(named).toEqual(["A", "B", "C"].map((letter) => ({ state: 1, artifact: letter.repeat(22) })));
    expect(database.get("SELECT name FROM models")).toEqual({ name: "tree" });
    // The same schema as that of a fresh home, index for index.
    const fresh = new Database(join(lab.home, `fresh${version}`));
    const made = (each: Database) => each.all("SELECT type, name, tbl_name FROM sqlite_schema ORDER BY type, name");
    expect(made(database)).toEqual(made(fresh));
    fresh.close();
  } finally {
    database.close();
  }
});

test("looks among a project's own artifacts, however many others there are", () => {
  const database = new Database(join(lab.home, "plan"));
  try {
    for (const text of [
      "SELECT id FROM artifacts WHERE project = 1",
      "SELECT id FROM artifacts WHERE project = 1 AND orphaned = 1",
      "SELECT sum(a.bytes) FROM artifacts a JOIN projects p ON p.id = a.project WHERE p.owner = 'a' AND a.bytes IS NOT NULL",
      "SELECT block_id FROM states WHERE project = 1 AND parent_id = 2",
      "SELECT 1 FROM named WHERE artifact = 'a'",
      "SELECT 1 FROM models WHERE artifact = 'a'",
      "DELETE FROM models WHERE state = 1",
    ]) {
      const plan = database.all(`EXPLAIN QUERY PLAN ${text}`).map(({ detail }) => detail);
      expect(plan.join("; "), text).not.toMatch(/\bSCAN (?:a|artifacts|models|states|named)\b/);
    }
  } finally {
    database.close();
  }
});
