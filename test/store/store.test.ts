import { fork } from "node:child_process";
import { once } from "node:events";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync, StatementSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { NewState } from "../../src/store/state.ts";
import { Store } from "../../src/store/store.ts";
import { quarantined } from "../../src/store/sweep.ts";

let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "blocklab-store-"));
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

/** The database as the first schema had it, with a project, a finished block and one that was broken off. */
function firstSchema(): void {
  const database = new DatabaseSync(join(home, "blocklab.db"));
  database.exec(`
    CREATE TABLE projects (id INTEGER PRIMARY KEY AUTOINCREMENT, app_id TEXT NOT NULL UNIQUE, owner TEXT NOT NULL,
      name TEXT NOT NULL, description TEXT NOT NULL, created_at TEXT NOT NULL, UNIQUE (owner, name)) STRICT;
    CREATE TABLE states (id INTEGER PRIMARY KEY AUTOINCREMENT,
      project INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE, block_id INTEGER NOT NULL,
      parent_id INTEGER NOT NULL, parent_state INTEGER, code TEXT NOT NULL, asked TEXT NOT NULL, args TEXT NOT NULL,
      frame TEXT NOT NULL, output TEXT, report TEXT, notices TEXT NOT NULL, function_action INTEGER,
      urls TEXT NOT NULL, stale INTEGER NOT NULL DEFAULT 0, created_at TEXT NOT NULL, UNIQUE (project, block_id)) STRICT;
    CREATE TABLE artifacts (id TEXT PRIMARY KEY, project INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
      state INTEGER, kind TEXT NOT NULL, variable TEXT, sha256 TEXT, bytes INTEGER, pid INTEGER) STRICT;
    CREATE INDEX artifacts_by_state ON artifacts (state);
    CREATE TABLE models (project INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE, name TEXT NOT NULL,
      state INTEGER NOT NULL, artifact TEXT NOT NULL, PRIMARY KEY (project, name)) STRICT;
    CREATE TABLE running (project INTEGER PRIMARY KEY REFERENCES projects (id) ON DELETE CASCADE,
      block_id INTEGER NOT NULL, pid INTEGER NOT NULL) STRICT;
    INSERT INTO projects VALUES (1, 'a', 'ann', 'old', '', '2024-01-01T00:00:00.000000Z');
    INSERT INTO states VALUES (1, 1, 1, 0, NULL, 'DP_1', '{}', '{}', '{"columns":[],"relation":{"artifact":"AAAAAAAAAAAAAAAAAAAAAA","steps":[]}}', NULL, NULL, '[]', NULL, '{}', 0, '');
    INSERT INTO artifacts VALUES ('AAAAAAAAAAAAAAAAAAAAAA', 1, 1, 'table', NULL, NULL, NULL, NULL);
    INSERT INTO artifacts VALUES ('BBBBBBBBBBBBBBBBBBBBBB', 1, NULL, 'table', NULL, NULL, NULL, ${process.pid});
    INSERT INTO running VALUES (1, 2, ${process.pid});
    PRAGMA user_version = 1;
  `);
  database.close();
  mkdirSync(join(home, "artifacts"));
  for (const id of ["A", "B"]) {
    const path = join(home, "artifacts", id.repeat(22));
    writeFileSync(path, id);
    utimesSync(path, new Date(0), new Date(0));
  }
}

describe("the store", () => {
  it("brings a home of the first schema up to date, and gives up what was unfinished", async () => {
    firstSchema();
    const store = new Store(home);
    await store.sweep();
    expect(store.projects("ann").map((project) => project.project_name)).toEqual(["old"]);
    expect(store.state("ann", 1)).toMatchObject({ code: "DP_1", blockId: 1 });
    expect(store.artifacts.find("ann", "A".repeat(22))).toMatchObject({ kind: "table", state: 1 });
    expect(readdirSync(join(home, "artifacts"))).toEqual(["A".repeat(22)]);
    expect(store.tryClaim(1, 3)).toBeNull();
    expect(
      store.library.createDataset("ann", {
        dataset_name: "n",
        dataset_description: "",
        dataset_type: "",
        dataset_url: "u",
      }),
    ).toMatchObject({ id: 1 });
    store.close();
    const again = new Store(home);
    expect(again.projects("ann")).toHaveLength(1);
    again.close();
  });

  it("refuses a home that a newer version wrote", () => {
    const database = new DatabaseSync(join(home, "blocklab.db"));
    database.exec("PRAGMA user_version = 999");
    database.close();
    expect(() => new Store(home)).toThrow("The data folder was written by a newer blocklab (schema 999");
  });

  it("keeps a claim while its process lives, and not a moment longer, whatever its number", () => {
    const [one, other] = [new Store(home), new Store(home)];
    one.createProject("ann", "p", "");
    expect(one.tryClaim(1, 7)).toBeNull();
    expect(other.tryClaim(1, 8)).toBe(7);
    // Both have this process's number; the end of one frees what it held.
    one.close();
    expect(other.tryClaim(1, 8)).toBeNull();
    other.close();
  });

  it("keeps what another process holds until kill -9 ends that, and not longer", { timeout: 30_000 }, async () => {
    const store = new Store(home);
    store.createProject("ann", "p", "");
    const script = fileURLToPath(new URL("./holder.ts", import.meta.url));
    const child = fork(script, [home], { execArgv: ["--disable-warning=ExperimentalWarning"] });
    expect(await once(child, "message")).toEqual([null, undefined]);
    expect(store.tryClaim(1, 8)).toBe(7);
    await store.sweep();
    expect(store.tryClaim(1, 8)).toBe(7);
    expect(readdirSync(store.files.folder)).toHaveLength(1);
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(store.tryClaim(1, 8)).toBeNull();
    await store.sweep();
    expect(readdirSync(store.files.folder)).toEqual([]);
    store.close();
  });

  it("removes the locks of killed processes and their journals, a minute later", async () => {
    const locks = join(home, "processes");
    const store = new Store(home);
    const dead = ["0123456789abcdef01234567.lock", "0123456789abcdef01234567.lock-journal"];
    for (const name of [...dead, "0123456789abcdef76543210.lock"]) writeFileSync(join(locks, name), "");
    for (const name of dead) utimesSync(join(locks, name), new Date(0), new Date(0));
    await store.sweep();
    expect(readdirSync(locks).filter((name) => name.startsWith("0123"))).toEqual(["0123456789abcdef76543210.lock"]);
    expect(readdirSync(locks)).toContainEqual(expect.not.stringMatching(/^0123/));
    store.close();
  });

  it("leaves alone what another living process is writing, and removes it once that is gone", async () => {
    const [one, other] = [new Store(home), new Store(home)];
    one.createProject("ann", "p", "");
    const id = one.artifacts.reserve(1, "table", { sha256: "", bytes: 5 });
    writeFileSync(one.files.temporary(), "half");
    writeFileSync(one.files.path(id), "whole");
    utimesSync(one.files.path(id), new Date(0), new Date(0));
    expect(await other.sweep()).toEqual({ removed: 0, setAside: 0, back: 0 });
    one.close();
    expect(await other.sweep()).toEqual({ removed: 2, setAside: 0, back: 0 });
    expect(readdirSync(other.files.folder)).toEqual([]);
    other.close();
  });

  it("is served again after a full disk, which refused a claim twice", () => {
    const store = new Store(home);
    store.createProject("ann", "p", "");
    expect(store.tryClaim(1, 7)).toBeNull();
    // As SQLite fails on a full disk: what was begun is undone, and nothing can be written any more.
    const { exec } = DatabaseSync.prototype;
    const full = Object.assign(new Error("database or disk is full"), { code: "ERR_SQLITE_ERROR", errcode: 13 });
    const run = vi.spyOn(StatementSync.prototype, "run").mockImplementation(() => {
      throw full;
    });
    store.release(1);
    run.mockRestore();
    const commit = vi.spyOn(DatabaseSync.prototype, "exec").mockImplementation(function (this: DatabaseSync, text) {
      if (text !== "COMMIT") return exec.call(this, text);
      exec.call(this, "ROLLBACK");
      throw full;
    });
    expect(() => store.tryClaim(1, 8)).toThrow("full");
    commit.mockRestore();
    expect(store.tryClaim(1, 9)).toBeNull();
    store.close();
  });

  it("gives up a block's artifacts though the disk is full, and forgets them once there is room", async () => {
    const store = new Store(home);
    store.createProject("ann", "p", "");
    const id = store.artifacts.reserve(1, "table", { sha256: "", bytes: 5 });
    writeFileSync(store.files.path(id), "whole");
    const run = vi.spyOn(StatementSync.prototype, "run").mockImplementation(() => {
      throw new Error("database or disk is full");
    });
    await store.artifacts.discard([id]);
    run.mockRestore();
    expect(readdirSync(store.files.folder)).toEqual([]);
    expect(store.artifacts.usage("ann")).toBe(5);
    store.artifacts.reserve(1, "table", { sha256: "", bytes: 0 });
    expect(store.artifacts.usage("ann")).toBe(0);
    store.close();
  });

  it("removes the file of an upload that could not be stored", async () => {
    const store = new Store(home);
    const { files } = store.library;
    const temporary = files.temporary();
    writeFileSync(temporary, "rows");
    const { run } = StatementSync.prototype;
    const failing = vi.spyOn(StatementSync.prototype, "run").mockImplementation(function (
      this: StatementSync,
      ...values
    ) {
      if (this.sourceSQL.startsWith("INSERT INTO uploads")) throw new Error("database or disk is full");
      return run.apply(this, values as never);
    });
    const about = { name: "a.csv", bytes: 4, sha256: "" };
    await expect(store.library.keep("ann", temporary, about)).rejects.toThrow("full");
    failing.mockRestore();
    expect(readdirSync(files.folder)).toEqual([]);
    store.close();
  });
});

describe("files that the database does not know", () => {
  /** A home with an artifact and an upload, and its database as it was before the upload. */
  async function homeWithFiles(): Promise<{ artifact: string; upload: string }> {
    const store = new Store(home);
    store.createProject("ann", "p", "");
    const artifact = store.artifacts.reserve(1, "table", { sha256: "", bytes: 5 });
    writeFileSync(store.files.temporary(), "rows");
    await store.artifacts.keep(artifact, join(store.files.folder, readdirSync(store.files.folder)[0]));
    store.commit(finished(artifact));
    store.close();
    copyFileSync(join(home, "blocklab.db"), join(home, "older.db"));
    const later = new Store(home);
    writeFileSync(later.library.files.temporary(), "rows");
    const temporary = join(later.library.files.folder, readdirSync(later.library.files.folder)[0]);
    const { id } = await later.library.keep("ann", temporary, { name: "a", bytes: 4, sha256: "" });
    later.close();
    return { artifact, upload: id };
  }

  const finished = (artifact: string): NewState => ({
    project: 1,
    blockId: 1,
    parentId: 0,
    parentState: null,
    code: "DP_1",
    asked: "",
    args: {},
    frame: { relation: { artifact, steps: [] }, lineage: [] } as never,
    output: null,
    outputFile: null,
    report: undefined,
    notices: [],
    functionAction: null,
    variables: [],
    written: [artifact],
    uses: new Map(),
    model: undefined,
  });

  const names = (...path: string[]) => readdirSync(join(home, ...path));

  async function sweep() {
    const store = new Store(home);
    const swept = await store.sweep();
    store.close();
    return swept;
  }

  it.each([
    ["lost", () => rmSync(join(home, "blocklab.db"))],
    ["empty", () => truncateSync(join(home, "blocklab.db"))],
  ])("because it is %s are set aside, and come back with it", async (_, lose) => {
    const { artifact, upload } = await homeWithFiles();
    copyFileSync(join(home, "blocklab.db"), join(home, "right.db"));
    lose();
    expect(await sweep()).toEqual({ removed: 0, setAside: 2, back: 0 });
    expect(names("artifacts")).toEqual([]);
    expect(names("quarantine", "artifacts")).toEqual([artifact]);
    expect(names("quarantine", "uploads")).toEqual([upload]);
    expect(quarantined(home)).toEqual({ files: 2, bytes: 8 });
    copyFileSync(join(home, "right.db"), join(home, "blocklab.db"));
    expect(await sweep()).toEqual({ removed: 0, setAside: 0, back: 2 });
    expect(names("artifacts")).toEqual([artifact]);
    expect(names("uploads")).toEqual([upload]);
    expect(quarantined(home)).toEqual({ files: 0, bytes: 0 });
  });

  it("because an older one was restored are set aside, and the others stay", async () => {
    const { artifact, upload } = await homeWithFiles();
    copyFileSync(join(home, "older.db"), join(home, "blocklab.db"));
    expect(await sweep()).toEqual({ removed: 0, setAside: 1, back: 0 });
    expect(names("artifacts")).toEqual([artifact]);
    expect(names("quarantine", "uploads")).toEqual([upload]);
  });

  it("because somebody put them there are left alone", async () => {
    await homeWithFiles();
    writeFileSync(join(home, "artifacts", "notes.txt"), "mine");
    await sweep();
    expect(names("artifacts")).toContain("notes.txt");
  });

  it("any more, since their project was deleted, go at the next start where that was broken off", async () => {
    const { artifact } = await homeWithFiles();
    const database = new DatabaseSync(join(home, "blocklab.db"));
    database.exec("PRAGMA foreign_keys = ON; DELETE FROM projects");
    database.close();
    expect(await sweep()).toEqual({ removed: 1, setAside: 0, back: 0 });
    expect(names("artifacts")).not.toContain(artifact);
    expect(await sweep()).toEqual({ removed: 0, setAside: 0, back: 0 });
  });
});
