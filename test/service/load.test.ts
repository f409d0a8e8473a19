import { createReadStream, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it, vi } from "vitest";
import { createService } from "../../src/service/index.ts";
import { Lab, someone } from "../support/lab.ts";

const lab = new Lab();
const home = join(lab.home, "load");
const service = await createService({ home, threads: 1, atOnce: 1, queue: 7, quota: 10_000_000, memoryLimit: 2 ** 30 });
afterAll(() => service.close());
const other = { ...someone, owner: "other" };

const bytesIn = (folder: string) =>
  readdirSync(join(home, folder)).reduce((sum, name) => sum + statSync(join(home, folder, name)).size, 0);

it("tells what runs and waits, which threads are busy, and how much of the disk is taken", async () => {
  expect(service.load()).toMatchObject({
    blocks: { running: 0, waiting: 0, limits: { atOnce: 1, waiting: 7 }, given: 0, waitedSeconds: 0 },
    workers: { busy: 0, idle: 0, waiting: 0 },
    disk: { used: 0, fullest: 0, quota: 10_000_000 },
    memoryLimit: 2 ** 30,
  });
  expect(service.load().disk.free).toBeGreaterThan(1e6);
  const rows = Array.from({ length: 2000 }, (_, k) => `${(k * 7919) % 1009},${k % 3}`);
  const file = lab.file(`a,y\n${rows.join("\n")}\n`);
  const { id: project_id } = await service.createProject(someone, "p");
  const run = (block_id: number, parent_id: number, function_code: string, args: object, signal?: AbortSignal) =>
    service.run(someone, { project_id, block_id, parent_id, function_code, args }, { signal });
  const record = await run(1, 0, "DP_1", { dburl: file, y_boundaries: "y", x_boundaries: ["a"] });

  const stop = new AbortController();
  const long = run(2, 1, "ML_CN_7", { n_estimators: 100_000 }, stop.signal);
  const ended = expect(long).rejects.toMatchObject({ name: "CancelledError" });
  const waits = run(3, 1, "DP_INF", {});
  await vi.waitFor(() => expect(service.load().workers).toEqual({ busy: 1, idle: 0, waiting: 0 }), { timeout: 20_000 });
  expect(service.load().blocks).toMatchObject({ running: 1, waiting: 1, given: 2 });
  stop.abort();
  await ended;
  await waits;
  const { blocks } = service.load();
  expect(blocks).toMatchObject({ running: 0, waiting: 0, given: 3 });
  expect(blocks.waitedSeconds).toBeGreaterThan(0);

  await service.file(someone, someone.artifactIn(record.dataset_url as string) as string, "csv");
  const { bytes } = await service.library.upload(
    other,
    { name: "a.csv", content: createReadStream(file) },
    { mostBytes: 1e6 },
  );
  const { used, fullest } = service.load().disk;
  expect(used).toBe(bytesIn("artifacts") + bytesIn("uploads"));
  expect(used - fullest).toBe(Math.min(bytes, used - bytes));
});
