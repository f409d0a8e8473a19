import { fork } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { cpSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it, vi } from "vitest";
import type { StateRecord } from "../../src/core/record.ts";
import { createService } from "../../src/service/index.ts";
import { Lab, output, someone } from "../support/lab.ts";
import { writePoints } from "./write-points.ts";

const lab = new Lab();
const template = join(lab.home, "template");
const script = fileURLToPath(new URL("./faults.ts", import.meta.url));
let project = 0;
let file = "";
let copies = 0;

interface Report {
  readonly failures: readonly { readonly status: number; readonly message: string }[];
  /** Writes of the run that went well. */
  readonly count: number;
}

beforeAll(async () => {
  const service = await createService({ home: template, threads: 0 });
  project = (await service.createProject(someone, "p")).id;
  const rows = Array.from({ length: 40 }, (_, k) => `${k},${(k * 7) % 5},${k * 2}`);
  file = lab.file(`a,b,y\n${rows.join("\n")}\n`);
  const run = (block_id: number, parent_id: number, function_code: string, args: object) =>
    service.run(someone, { project_id: project, block_id, parent_id, function_code, args });
  await run(1, 0, "DP_1", { dburl: file, x_boundaries: ["a", "b"], y_boundaries: "y" });
  await run(2, 1, "ML_R_5", { max_depth: 1 });
  await service.close();
});

/** Replaces block 2 in a copy of the home, or writes something else, with a fault; what the child said, null when it died. */
async function withFault(fault: string, what = "model"): Promise<{ home: string; report: Report | null }> {
  const home = join(lab.home, `copy${++copies}`);
  cpSync(template, home, { recursive: true });
  const child = fork(script, [home, String(project), what, file], {
    env: { ...process.env, BLOCKLAB_FAULT: fault },
    execArgv: ["--disable-warning=ExperimentalWarning"],
  });
  let report: Report | null = null;
  child.on("message", (message) => {
    report = message as Report;
  });
  await once(child, "exit");
  return { home, report };
}

/** Block 1 is as it was, block 2 is the old one or the new one, whole, and the project goes on. */
async function expectSound(home: string): Promise<number> {
  const service = await createService({ home, threads: 0 });
  try {
    const states = await service.states(someone, project);
    const [first, second] = [1, 2].map((id) => states.find(({ block_id }) => block_id === id)) as StateRecord[];
    expect((await service.table(someone, someone.artifactIn(first.dataset_url as string) as string)).total).toBe(40);
    const { args } = await service.request(someone, second.id);
    const run = (block_id: number, parent_id: number, function_code: string, more: object) =>
      service.run(someone, { project_id: project, block_id, parent_id, function_code, args: more });
    const predicted = await run(9, 1, "ML_R_5_P", { model_name: "treeRegressor" });
    const url = output<{ y_pred_url: string }>(predicted).y_pred_url;
    const { rows } = await service.table(someone, someone.artifactIn(url) as string);
    const depth = args?.max_depth as number;
    // A tree of one question has two answers, of two questions four: the model is the record's.
    expect(new Set(rows.map(([value]) => value)).size).toBe(2 ** depth);
    expect(readdirSync(join(home, "artifacts")).filter((name) => name.startsWith("tmp-"))).toEqual([]);
    expect(existsSync(join(home, "quarantine"))).toBe(false);
    return depth;
  } finally {
    await service.close();
  }
}

/** Every table, model and upload that the home tells of is there, whole, with the digest it was stored with. */
async function expectWhole(home: string): Promise<void> {
  await (await createService({ home, threads: 0 })).close();
  const database = new DatabaseSync(join(home, "blocklab.db"));
  const rows = database
    .prepare(
      "SELECT id, 'artifacts' AS folder, sha256 FROM artifacts WHERE kind <> 'projection' UNION ALL SELECT id, 'uploads', sha256 FROM uploads",
    )
    .all() as { id: string; folder: string; sha256: string }[];
  expect(rows.length).toBeGreaterThan(1);
  for (const { id, folder, sha256 } of rows) {
    const content = readFileSync(join(home, folder, id));
    expect(createHash("sha256").update(content).digest("hex"), `${folder}/${id}`).toBe(sha256);
  }
  // A block of a project that is there has its artifacts; nothing is claimed by a process that is gone.
  expect(database.prepare("SELECT * FROM artifacts WHERE process IS NOT NULL").all()).toEqual([]);
  expect(database.prepare("SELECT * FROM running").all()).toEqual([]);
  database.close();
  for (const folder of ["artifacts", "uploads"]) {
    expect(readdirSync(join(home, folder)).filter((name) => name.startsWith("tmp-"))).toEqual([]);
  }
  // What a kill leaves behind is known to be litter.
  expect(existsSync(join(home, "quarantine"))).toBe(false);
}

describe("whatever is being written", () => {
  const step = process.env.BLOCKLAB_FAULTS === "all" ? 1 : 9;

  it.each(["input", "rows", "copy", "save", "upload", "project"])(
    "(%s) is absent or whole after kill -9 at its writes",
    { timeout: 900_000 },
    async (what) => {
      let deaths = 0;
      for (let at = 1; ; at += 2 * step) {
        const pair = await Promise.all([withFault(`kill:${at}`, what), withFault(`kill:${at + step}`, what)]);
        for (const { home, report } of pair) {
          if (report !== null) continue;
          deaths += 1;
          await expectWhole(home);
          expect(await expectSound(home)).toBe(1);
        }
        if (pair.some(({ report }) => report !== null)) break;
      }
      expect(deaths).toBeGreaterThan(0);
    },
  );

  it.each(["input", "rows", "save", "upload"])(
    "(%s) fails whole where the disk is full at any of its writes",
    { timeout: 300_000 },
    async (what) => {
      const { home, report } = await withFault("ENOSPC:1", what);
      expect(report?.failures.length).toBeGreaterThan(3);
      for (const failure of report?.failures ?? []) expect(failure).toMatchObject({ status: 503 });
      await expectWhole(home);
      expect(await expectSound(home)).toBe(1);
    },
  );

  it("is written by what this file kills and fails", () => {
    const rooms = ["core", "engines", "service", "store", "workers"];
    const reading =
      /^(?:open|stat|statSync|statfsSync|Stats|FileHandle|exists(?:Sync)?|readdirSync|readFile|readFileSync|createReadStream|realpath|readlinkSync)$/;
    // Folders and locks are made and removed before anything runs; the key file is made with its folder.
    const atStart = ["mkdirSync", "rmSync", "chmodSync"];
    const known: readonly string[] = [...writePoints["node:fs/promises"], ...writePoints["node:fs"], ...atStart];
    const others: string[] = [];
    for (const room of rooms) {
      const folder = fileURLToPath(new URL(`../../src/${room}/`, import.meta.url));
      for (const entry of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
        if (!entry.endsWith(".ts")) continue;
        const text = readFileSync(join(folder, entry), "utf8");
        for (const [, names] of text.matchAll(/import \{([^}]*)\} from "node:fs(?:\/promises)?"/g)) {
          for (const name of names.split(",").map((each) => each.replace(/\btype\b/, "").trim()))
            if (name !== "" && !reading.test(name) && !known.includes(name)) others.push(`${room}/${entry}: ${name}`);
        }
        if (/import (?:\* as )?\w+ from "node:fs/.test(text)) others.push(`${room}/${entry}: a whole module`);
        // What SQLite writes goes through exec and run alone; a row that is asked back would come through get or all.
        if (/\bRETURNING\b/.test(text)) others.push(`${room}/${entry}: RETURNING`);
        // What the table engine writes are COPY statements; an attached database or an export would be others.
        if (/\b(?:ATTACH|EXPORT DATABASE)\b/.test(text.replace(/\/\*[\s\S]*?\*\//g, "")))
          others.push(`${room}/${entry}: ATTACH`);
      }
    }
    expect(others).toEqual([]);
  });
});

describe("a block that is being stored", () => {
  it("is absent or complete after kill -9 at its writes", { timeout: 600_000 }, async () => {
    // Every write takes minutes: BLOCKLAB_FAULTS=all. Otherwise every sixth, before and after it in turn.
    const step = process.env.BLOCKLAB_FAULTS === "all" ? 1 : 6;
    const depths: number[] = [];
    for (let at = 1; ; at += 2 * step) {
      const pair = await Promise.all([withFault(`kill:${at}`), withFault(`kill:${at + step}`)]);
      for (const { home, report } of pair) if (report === null) depths.push(await expectSound(home));
      if (pair.some(({ report }) => report !== null)) break;
    }
    // Old ones up to the commit, new ones from it on; and there were writes on both sides.
    expect(depths.length).toBeGreaterThan(5);
    expect(depths).toEqual(depths.toSorted((a, b) => a - b));
    expect(new Set(depths)).toEqual(new Set([1, 2]));
  });

  it.each(["ENOSPC", "EIO"])(
    "fails whole on %s at any of its writes, and the service goes on",
    { timeout: 120_000 },
    async (code) => {
      const { home, report } = await withFault(`${code}:1`);
      expect(report?.failures.length).toBeGreaterThan(10);
      for (const failure of report?.failures ?? []) {
        expect(failure).toEqual({
          status: 503,
          message: expect.stringMatching(
            /^(treeRegressor \(ML_R_5\)|The service): the disk of the service (is full|can't be written to); nothing was stored/,
          ),
        });
      }
      expect(await expectSound(home)).toBe(2);
    },
  );
});

describe("a database that another process holds", () => {
  it("is one clear 503, changes nothing, and is served again once it is free", async () => {
    const home = join(lab.home, "locked");
    cpSync(template, home, { recursive: true });
    const service = await createService({ home, threads: 0 });
    const other = new DatabaseSync(join(home, "blocklab.db"));
    other.exec("BEGIN IMMEDIATE");
    const request = { project_id: project, block_id: 2, parent_id: 1, function_code: "ML_R_5", args: { max_depth: 2 } };
    const refusal = {
      status: 503,
      message: expect.stringContaining("another process holds the service's database; nothing was stored"),
      detail: { code: "database_locked" },
      retryAfter: 5,
    };
    const started = performance.now();
    await expect(service.run(someone, request)).rejects.toMatchObject(refusal);
    expect(performance.now() - started).toBeLessThan(8000);
    // What only reads is served meanwhile.
    expect(await service.states(someone, project)).toHaveLength(2);
    other.exec("ROLLBACK");
    other.close();
    expect(await service.run(someone, request)).toMatchObject({ block_id: 2 });
    await service.close();
    expect(await expectSound(home)).toBe(2);
  });
});

describe("the clock", () => {
  it("may go backwards: nothing is lost, and nothing is held up", async () => {
    const home = join(lab.home, "clock");
    cpSync(template, home, { recursive: true });
    vi.useFakeTimers({ toFake: ["Date"], now: new Date("2001-01-01") });
    try {
      const service = await createService({ home, threads: 0 });
      const request = { project_id: project, block_id: 5, parent_id: 1, function_code: "DP_INF", args: {} };
      const record = await service.run(someone, request);
      expect((await service.states(someone, project)).map(({ block_id }) => block_id)).toEqual([1, 2, 5]);
      vi.setSystemTime(new Date("1999-01-01"));
      expect((await service.run(someone, request)).id).toBe(record.id);
      await service.run(someone, { ...request, block_id: 6, function_code: "DP_2", args: { strategy_value: "drop" } });
      await service.close();
    } finally {
      vi.useRealTimers();
    }
    expect(await expectSound(home)).toBe(1);
  });
});
