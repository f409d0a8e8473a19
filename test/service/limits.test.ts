import { afterAll, describe, expect, it } from "vitest";
import { createService, type ServiceOptions } from "../../src/service/index.ts";
import { Watch } from "../../src/service/limits.ts";
import { Lab, someone } from "../support/lab.ts";

const lab = new Lab();
const closing: (() => Promise<void>)[] = [];
afterAll(() => Promise.all(closing.map((close) => close())));
let homes = 0;

async function limited(options: Partial<ServiceOptions>) {
  const service = await createService({ home: `${lab.home}/limited${++homes}`, threads: 1, ...options });
  closing.push(() => service.close());
  const { id } = await service.createProject(someone, "p");
  const run = (block_id: number, parent_id: number, function_code: string, args: object = {}) =>
    service.run(someone, { project_id: id, block_id, parent_id, function_code, args });
  return { service, run };
}

const numbers = (n: number) =>
  `a,b,y\n${Array.from({ length: n }, (_, k) => `${(k * 7919) % 1009},${(k * 31) % 77},${k % 3}`).join("\n")}\n`;

describe("a block that takes too much", () => {
  it("time is ended with the limit's name, and the service lives", async () => {
    const { run } = await limited({ blockTimeoutMs: 2000 });
    await run(1, 0, "DP_1", { dburl: lab.file(numbers(2000)), y_boundaries: "y", x_boundaries: ["a", "b"] });
    const started = performance.now();
    await expect(run(2, 1, "ML_CN_7", { n_estimators: 100_000 })).rejects.toMatchObject({
      status: 422,
      message:
        "forestClassifier (ML_CN_7): the block ran longer than the 2 s that the service allows, and was ended. Work on fewer rows or columns, or raise --block-timeout.",
      detail: { code: "block_timeout", block: "ML_CN_7" },
    });
    expect(performance.now() - started).toBeLessThan(8000);
    expect(await run(2, 1, "ML_CN_5")).toMatchObject({ block_id: 2 });
  });

  // A training steps back for whatever else the machine does, so that it may take a while to take too much.
  it("memory is ended with the limit's name, and the service lives", { timeout: 120_000 }, async () => {
    const { run } = await limited({ memoryLimit: 96 * 2 ** 20 });
    await run(1, 0, "DP_1", { dburl: lab.file(numbers(150_000)), x_boundaries: ["a", "b"], y_boundaries: "y" });
    await expect(run(2, 1, "ML_CN_7", { n_estimators: 5000 })).rejects.toMatchObject({
      status: 422,
      message: /^forestClassifier \(ML_CN_7\): the block (took|needs) more memory .*raise --memory-limit\.$/,
      detail: { code: "memory", block: "ML_CN_7" },
    });
    expect(await run(3, 1, "DP_INF")).toMatchObject({ block_id: 3 });
  });

  it("most of the memory is ended, not the one that came last", async () => {
    let bytes = 100;
    const watch = new Watch({ memory: 1000 }, () => bytes);
    const until = (signal: AbortSignal) =>
      new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    const ticks = () => new Promise((resolve) => setTimeout(resolve, 150));
    const greedy = watch.over("greedy", undefined, until);
    const ended = expect(greedy).rejects.toMatchObject({
      status: 422,
      message: /^greedy: the block took more memory than the 0 MiB that the service allows, and was ended\./,
      detail: { code: "memory" },
    });
    bytes = 900;
    await ticks();
    const stop = new AbortController();
    const late = watch.over("late", stop.signal, until);
    bytes = 1200;
    await ended;
    await ticks();
    stop.abort("by hand");
    await expect(late).rejects.toBe("by hand");
  });

  it("disk is refused, leaves nothing, and there is room again once something was deleted", async () => {
    const { service, run } = await limited({ quota: 60_000 });
    const file = lab.file(numbers(3000));
    const first = await run(1, 0, "DP_1", { dburl: file });
    const refusal = {
      status: 413,
      message: /^input \(DP_1\): The key's disk space, 0 MiB, is used up\./,
      detail: { code: "quota" },
    };
    const failures: unknown[] = [];
    for (let k = 2; k < 30 && failures.length === 0; k++) {
      await run(k, 0, "DP_1", { dburl: file }).catch((error) => failures.push(error));
    }
    expect(failures[0]).toMatchObject(refusal);
    const content = (async function* () {
      yield Buffer.alloc(60_000);
    })();
    await expect(service.library.upload(someone, { name: "a.csv", content }, { mostBytes: 1e9 })).rejects.toMatchObject(
      {
        status: 413,
        detail: { code: "quota" },
      },
    );
    await service.deleteState(someone, first.id);
    expect(await run(1, 0, "DP_1", { dburl: file })).toMatchObject({ block_id: 1 });
  });

  it("disk is not overrun by what comes at the same time, and what was refused takes no room", async () => {
    const { service, run } = await limited({ quota: 100_000 });
    const taken = () => service.load().disk.used;
    const upload = (pieces: number) =>
      service.library.upload(
        someone,
        {
          name: "a.csv",
          content: (async function* () {
            for (let k = 0; k < pieces; k++) {
              await new Promise((resolve) => setTimeout(resolve, 1));
              yield Buffer.alloc(10_000);
            }
          })(),
        },
        { mostBytes: 1e9 },
      );
    const uploads = await Promise.allSettled(Array.from({ length: 8 }, () => upload(4)));
    const refused = uploads.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
    for (const reason of refused) expect(reason).toMatchObject({ status: 413, detail: { code: "quota" } });
    expect(refused.length).toBeGreaterThan(5);
    expect(taken()).toBe((8 - refused.length) * 40_000);
    // The room of those that were refused is there for the next ones.
    for (let k = 0; taken() <= 60_000; k++) await upload(4 - (k % 2));
    for (const each of uploads)
      if (each.status === "fulfilled") await service.library.deleteUpload(someone, each.value.id);

    const file = lab.file(numbers(3000));
    const blocks = await Promise.allSettled(
      Array.from({ length: 12 }, (_, k) => run(k + 1, 0, "DP_1", { dburl: file })),
    );
    expect(blocks.some(({ status }) => status === "rejected")).toBe(true);
    expect(taken()).toBeLessThanOrEqual(100_000);
  });

  it("disk is not overrun by files of tables that are asked for at the same time", async () => {
    const { service, run } = await limited({ quota: 200_000 });
    const { dataset_url } = await run(1, 0, "DP_1", { dburl: lab.file(numbers(8000)) });
    const artifact = someone.artifactIn(dataset_url as string) as string;
    const before = service.load().disk.used;
    const files = await Promise.allSettled(
      (["csv", "json", "npy", "arrow"] as const).map((format) => service.file(someone, artifact, format)),
    );
    expect(files.some(({ status }) => status === "rejected")).toBe(true);
    expect(service.load().disk.used).toBeGreaterThan(before);
    expect(service.load().disk.used).toBeLessThanOrEqual(200_000);
  });
});
