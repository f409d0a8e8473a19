import { fork } from "node:child_process";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { createService } from "../../src/service/index.ts";
import { Lab, output, someone } from "../support/lab.ts";

const lab = new Lab();
const csv = "a,b,c\n1,2,x\n,4,y\n5,6,x\n";

async function threeBlocks() {
  const { id } = await lab.project();
  const file = lab.file(csv);
  const first = await lab.block(id, 1, 0, ["input", { dburl: file }]);
  const second = await lab.block(id, 2, 1, ["missing", { strategy: "mean" }]);
  const third = await lab.block(id, 3, 2, ["scale", { columns: ["a"] }]);
  return { id, file, first, second, third };
}

const stale = async (project: number) => {
  const states = await (await lab.service).states(someone, project);
  return states.filter((state) => state.stale).map((state) => state.block_id);
};

describe("the runner", () => {
  it("answers a repeated request without computing, and replaces a changed one, marking what follows stale", async () => {
    const { id, second, third } = await threeBlocks();
    expect((await lab.block(id, 2, 1, ["missing", { strategy: "mean" }])).id).toBe(second.id);
    expect(await stale(id)).toEqual([]);
    const changed = await lab.block(id, 2, 1, ["missing", { strategy: "median" }]);
    expect(changed.id).not.toBe(second.id);
    expect(await stale(id)).toEqual([3]);
    const again = await lab.block(id, 3, 2, ["scale", { columns: ["a"] }]);
    expect(again.id).not.toBe(third.id);
    expect(await stale(id)).toEqual([]);
    await expect(lab.table(second.dataset_url)).rejects.toMatchObject({ status: 404 });
  });

  it("gives a new block the next id, no id twice, and a repeated request the block that it made", async () => {
    const { id } = await threeBlocks();
    const service = await lab.service;
    const request = { project_id: id, parent_id: 2, function_code: "DP_SDC", args: { columns: ["c"] } };
    const run = (more: object = {}, key?: string) => service.run(someone, { ...request, ...more }, { key });
    const [first, second] = await Promise.all([run({}, "once"), run({ block_id: null })]);
    expect([first.block_id, second.block_id].sort()).toEqual([4, 5]);
    expect(await run({}, "once")).toEqual(first);
    await expect(run({ args: { columns: ["a"] } }, "once")).rejects.toMatchObject({
      status: 409,
      message: `block ${first.block_id} was made by another request with the same Idempotency-Key; a new request needs a key of its own.`,
    });
    await service.deleteState(someone, second.id);
    await service.deleteState(someone, first.id);
    expect(await run({}, "once")).toMatchObject({ block_id: 6 });
    expect(await run({ block_id: 6, parent_id: 1 }, "once")).toMatchObject({ block_id: 6, parent_id: 1 });
    await expect(run({ block_id: "six" })).rejects.toMatchObject({
      message: 'block_id must be a whole number from 1, got "six".',
    });
    await run({ block_id: 2 ** 31 });
    await expect(run()).rejects.toMatchObject({ status: 400, detail: { path: "block_id" } });
  });

  it("tells what a block shows with its answer where the table is small", async () => {
    const { id } = await threeBlocks();
    const service = await lab.service;
    const views: unknown[] = [];
    const options = { onView: (view: unknown) => views.push(view) };
    const record = await service.run(someone, { project_id: id, parent_id: 2, function_code: "DP_DSC" }, options);
    expect(views).toEqual([await service.view(someone, record.id)]);
    const many = lab.file(`a\n${"1\n".repeat(200_001)}`);
    await service.run(someone, { project_id: id, function_code: "DP_1", args: { dburl: many } }, options);
    expect(views).toHaveLength(1);
  });

  it("reads a local file anew when it changed", async () => {
    const { id, file, first } = await threeBlocks();
    const { utimesSync, writeFileSync } = await import("node:fs");
    writeFileSync(file, "a\n9\n");
    utimesSync(file, new Date(0), new Date(0));
    const again = await lab.block(id, 1, 0, ["input", { dburl: file }]);
    expect(again.id).not.toBe(first.id);
    expect(await lab.column(again, "a")).toEqual([9]);
  });

  it("keeps branches of one parent apart", async () => {
    const { id, second } = await threeBlocks();
    const before = await lab.table(second.dataset_url);
    await lab.block(id, 4, 1, ["drop", { columns: ["a"] }]);
    expect(await lab.table(second.dataset_url)).toEqual(before);
    expect(await stale(id)).toEqual([]);
  });

  it("refuses unknown projects, parents and codes, a missing parent, and a block after itself", async () => {
    const { id } = await threeBlocks();
    const say = (...args: Parameters<Lab["block"]>) =>
      lab.block(...args).then(
        () => "",
        (error) => [error.status, error.message].join(" "),
      );
    expect(await say(999, 1, 0, ["input", { dburl: "x.csv" }])).toMatch(/^404 there is no project 999/);
    expect(await say(id, 4, 9, ["info"])).toBe(
      "404 info (DP_INF): parent block 9 is not in project p4.".replace(
        "p4",
        (await (await lab.service).projects(someone)).find((each) => each.id === id)?.project_name ?? "",
      ),
    );
    expect(await say(id, 4, 1, ["DP_99"])).toMatch(/^400 function_code "DP_99" is unknown\./);
    expect(await say(id, 4, 0, ["info"])).toMatch(
      /^400 info \(DP_INF\) works on what another block made, so it needs parent_id/,
    );
    expect(await say(id, 1, 3, ["info"])).toMatch(/^400 info \(DP_INF\): block 1 can't come after itself/);
    const service = await lab.service;
    const second = (await service.states(someone, id)).find(({ block_id }) => block_id === 2);
    await service.deleteState(someone, second?.id ?? 0);
    expect(await say(id, 2, 3, ["info"])).toMatch(/^400 info \(DP_INF\): block 2 can't come after itself/);
    expect(await say(id, 0, 1, ["info"])).toMatch(/^400 block_id must be a whole number from 1, got 0\./);
    for (const request of [null, [], "x", { project_id: "a" }]) {
      await expect((await lab.service).run(someone, request)).rejects.toMatchObject({ status: 400 });
    }
  });

  it("leaves the state before untouched when a block fails, and leaves no file behind", async () => {
    const { id, third } = await threeBlocks();
    const files = lab.files();
    const error = await lab.block(id, 3, 2, ["scale", { columns: ["c"] }]).catch((each) => each);
    expect(error.status).toBe(422);
    expect((await (await lab.service).state(someone, third.id)).stale).toBeUndefined();
    const lost = await lab.block(id, 5, 1, ["xy", { x: "0:99, 0:1", y: "0:1, 1" }]).catch((each) => each);
    expect(lost.status).toBe(400);
    expect(lab.files()).toBe(files);
  });

  it("hands out the file that a block wrote as it is, and writes one where steps make other rows of it", async () => {
    const { first, second } = await threeBlocks();
    const service = await lab.service;
    const of = (url: unknown, part = {}) => service.file(someone, (url as string).slice(5), "parquet", part);
    const files = lab.files();
    const own = await of(first.dataset_url);
    expect(lab.files()).toBe(files);
    expect(own).toEqual(await of(first.dataset_url));
    const made = await of(second.dataset_url);
    expect(lab.files()).toBeGreaterThan(files);
    expect(made.sha256).not.toBe(own.sha256);
    const part = await of(first.dataset_url, { columns: ["b"] });
    expect(part).toMatchObject({ temporary: true });
    expect(part.path).not.toBe(own.path);
  });

  it("runs one block at a time per project, and refuses the same block twice at once", async () => {
    const { id } = await lab.project();
    const file = lab.file(`a\n${"1\n".repeat(200_000)}`);
    const both = await Promise.allSettled([
      lab.block(id, 1, 0, ["input", { dburl: file }]),
      lab.block(id, 1, 0, ["input", { dburl: file }]),
    ]);
    expect(both.map((each) => each.status)).toEqual(["fulfilled", "rejected"]);
    expect((both[1] as PromiseRejectedResult).reason).toMatchObject({ status: 409 });
  });

  it("stores nothing of a cancelled block", async () => {
    const { id } = await lab.project();
    const service = await lab.service;
    const file = lab.file(
      `a,y\n${Array.from({ length: 20_000 }, (_, k) => `${(k * 7919) % 1000},${k % 3}`).join("\n")}\n`,
    );
    await lab.block(id, 1, 0, ["input", { dburl: file, y: "y" }]);
    const files = lab.files();
    const request = {
      project_id: id,
      block_id: 2,
      parent_id: 1,
      function_code: "ML_CN_7",
      args: { n_estimators: 200 },
    };
    const stop = new AbortController();
    const pooled = await createService({ home: `${lab.home}/data`, threads: 1 });
    const run = pooled.run(someone, request, {
      signal: stop.signal,
      onProgress: ({ phase, done, total }) => phase === "trees" && done < total && stop.abort(),
    });
    await expect(run).rejects.toMatchObject({ name: "CancelledError" });
    expect((await service.states(someone, id)).map((state) => state.block_id)).toEqual([1]);
    expect(lab.files()).toBe(files);
    await pooled.close();
  });

  it("never lets test rows change what was fitted", async () => {
    const fitted = async (last: string) => {
      const links = [
        ["xy", { y: "y" }],
        ["split", { test_size: 2, shuffle: false }],
        ["missing", { strategy: "mean", columns: ["a"] }],
        ["missing", { strategy: "mode", columns: ["c"] }],
        ["encode", { columns: ["c"] }],
        ["scale", { scaler: "robust" }],
      ] as const;
      const record = await lab.last(`a,c,y\n1,p,0\n,q,1\n5,,0\n7,p,1\n${last}`, ...links);
      return await lab.table(record.x_train_url);
    };
    expect(await fitted("9,p,0\n11,q,1\n")).toEqual(await fitted("-1000,p,0\n1e9,z,1\n"));
  });

  it("lets two services share a home", async () => {
    const { id, third } = await threeBlocks();
    const other = await createService({ home: `${lab.home}/data`, threads: 0 });
    const [mine, theirs] = await Promise.all([
      lab.block(id, 4, 3, ["info"]),
      other.run(someone, { project_id: id, block_id: 5, parent_id: 3, function_code: "DP_DTY", args: {} }),
    ]);
    expect([mine.parent_id, theirs.parent_id]).toEqual([3, 3]);
    expect((await other.state(someone, third.id)).block_id).toBe(3);
    await other.close();
  });

  it("hides what another key owns", async () => {
    const { id, first } = await threeBlocks();
    const service = await lab.service;
    const other = { ...someone, owner: "other" };
    await expect(service.state(other, first.id)).rejects.toMatchObject({ status: 404 });
    await expect(service.table(other, (first.dataset_url as string).slice(5))).rejects.toMatchObject({ status: 404 });
    await expect(
      service.run(other, { project_id: id, block_id: 9, parent_id: 1, function_code: "DP_INF" }),
    ).rejects.toMatchObject({ status: 404 });
    await expect(service.states(other, id)).rejects.toMatchObject({ status: 404, detail: { code: "unknown_project" } });
    expect(await service.states(other)).toEqual([]);
  });

  it("survives kill -9 in the middle of a block: earlier ones intact, leftovers swept at the next start", async () => {
    const home = `${lab.home}/killed`;
    const file = lab.file(`a,b\n${Array.from({ length: 300_000 }, (_, k) => `${k},${k % 7}`).join("\n")}\n`);
    const before = await createService({ home, threads: 0 });
    const { id } = await before.createProject(someone, "p");
    await before.run(someone, { project_id: id, block_id: 1, function_code: "DP_1", args: { dburl: file } });
    await before.close();
    for (const delayMs of [5, 20, 60, 120]) {
      const script = fileURLToPath(new URL("./endless-input.ts", import.meta.url));
      const child = fork(script, [home, String(id), file], { stdio: ["ignore", "ignore", "inherit", "ipc"] });
      await new Promise((resolve) => child.once("message", resolve));
      await new Promise((resolve) => setTimeout(resolve, delayMs));
      child.kill("SIGKILL");
      await new Promise((resolve) => child.once("exit", resolve));
    }
    const after = await createService({ home, threads: 0 });
    const states = await after.states(someone, id);
    expect(states[0].block_id).toBe(1);
    for (const state of states) {
      const { total } = await after.table(someone, (state.dataset_url as string).slice(5), { limit: 1 });
      expect(total).toBe(300_000);
    }
    expect(readdirSync(`${home}/artifacts`).filter((name) => name.startsWith("tmp-"))).toEqual([]);
    const next = await after.run(someone, { project_id: id, block_id: 99, parent_id: 1, function_code: "DP_UNQ" });
    expect(output(next)).toEqual({ columns: { a: 300_000, b: 7 } });
    await after.close();
  }, 120_000);
});
