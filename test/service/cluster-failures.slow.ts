import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BlocklabError } from "../../src/core/errors.ts";
import type { StateRecord } from "../../src/core/record.ts";
import { createService, type Service } from "../../src/service/index.ts";
import { SparkClient } from "../../src/spark/index.ts";
import { someone } from "../support/caller.ts";
import { freePort } from "../support/postgres.ts";
import {
  endGroup,
  hasSparkPackage,
  type SparkCluster,
  type SparkServer,
  startCluster,
  startSpark,
} from "../support/spark.ts";

const home = mkdtempSync(join(tmpdir(), "blocklab-cluster-failures-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** What one worker's executor has of memory, and of what the driver takes of one answer. */
const settings = {
  "spark.ui.enabled": "true",
  "spark.executor.memory": "512m",
  "spark.driver.maxResultSize": "16m",
  "spark.connect.progress.reportInterval": "100ms",
};

describe.skipIf(!hasSparkPackage)("failures of a cluster, which need BLOCKLAB_SPARK", { timeout: 300_000 }, () => {
  let cluster: SparkCluster;
  let server: SparkServer;
  let spark: SparkClient;
  let service: Service;
  let how: { port: number; master: string; settings: Record<string, string> };
  let project: number;
  let last = 0;

  beforeAll(async () => {
    cluster = await startCluster(2);
    const ui = await freePort();
    const files = { "spark.sql.warehouse.dir": join(home, "warehouse"), "spark.ui.port": String(ui) };
    how = { port: await freePort(), master: cluster.master, settings: { ...settings, ...files } };
    server = await startSpark(how);
    const address = `sc://127.0.0.1:${how.port}`;
    spark = new SparkClient(address, { patienceMs: 60_000 });
    service = await createService({ home: join(home, "service"), threads: 0, spark: address });
    project = (await service.createProject(someone, "failures")).id;
    const cells = "id AS k, sin(id) * 1000 AS x, CAST(id * 37 % 11 AS INT) AS n, sha2(CAST(id AS STRING), 256) AS s";
    await spark.command(`CREATE TABLE t USING parquet AS SELECT /*+ REPARTITION(12) */ ${cells} FROM range(600000)`);
    // Each row of it takes a hundredth of a millisecond, and all of them minutes.
    await spark.command(
      `CREATE VIEW slow AS SELECT id AS k, length(sha2(repeat(CAST(id AS STRING), 400), 512)) AS n FROM range(0, 100000000, 1, 16)`,
    );
  }, 290_000);

  afterAll(async () => {
    await service?.close();
    await server?.stop();
    cluster?.stop();
  });

  type Step = readonly [code: string, args?: object, parent?: number];

  async function run([function_code, args = {}, parent_id = last]: Step, options = {}): Promise<StateRecord> {
    const record = await service.run(someone, { project_id: project, parent_id, function_code, args }, options);
    last = record.block_id;
    return record;
  }

  const input = async (table: string) => await run(["DP_1", { dburl: `spark:${table}`, keep: true }, 0]);
  const artifactOf = ({ dataset_url }: StateRecord) => someone.artifactIn(dataset_url as string) as string;
  const rowsOf = async (record: StateRecord) => (await service.table(someone, artifactOf(record), { limit: 20 })).rows;

  async function failureOf(work: Promise<unknown>): Promise<BlocklabError> {
    return await work.then(
      () => Promise.reject(new Error("it did not fail")),
      (error: BlocklabError) => error,
    );
  }

  /** How many tasks the executors have at work, by Spark's own word. */
  async function tasksAtWork(): Promise<number> {
    const base = `http://127.0.0.1:${how.settings["spark.ui.port"]}/api/v1/applications`;
    const [{ id }] = (await (await fetch(base)).json()) as { id: string }[];
    const executors = await (await fetch(`${base}/${id}/executors`)).json();
    return (executors as { activeTasks: number }[]).reduce((sum, { activeTasks }) => sum + activeTasks, 0);
  }

  async function until(what: string, isSo: () => Promise<boolean>, ms: number): Promise<void> {
    for (const begun = Date.now(); !(await isSo()); await wait(50)) {
      if (Date.now() - begun > ms) throw new Error(`${what}: not within ${ms} ms`);
    }
  }

  /** Settles the options of a run that calls `then` once, when a task of it is done and others are not. */
  function inTheMiddle(then: () => void): object {
    let isDone = false;
    return {
      onProgress: ({ phase, done, total }: { phase: string; done: number; total: number }) => {
        if (isDone || !phase.startsWith("Spark") || done === 0 || done >= total) return;
        isDone = true;
        then();
      },
    };
  }

  it.each([
    ["a block", (signal: AbortSignal) => run(["BL_SUMMARIZE", { columns: { m: "std(n)" } }], { signal })],
    [
      "a page",
      (signal: AbortSignal, record: StateRecord) =>
        service.table(someone, artifactOf(record), { limit: 5, sort: "n" }, { signal }),
    ],
    ["collect()", (signal: AbortSignal) => run(["BL_COLLECT", { most_rows: 200_000_000 }], { signal })],
  ] as const)("frees the executors within two seconds of cancelling %s", async (_, work) => {
    const record = await input("slow");
    const stop = new AbortController();
    const working = failureOf(work(stop.signal, record));
    await until("at work", async () => (await tasksAtWork()) > 0, 60_000);
    const begun = Date.now();
    stop.abort();
    expect((await working).name).toBe("CancelledError");
    await until("idle", async () => (await tasksAtWork()) === 0, 2000 - (Date.now() - begun));
  });

  it("says that a result is larger than the driver takes", async () => {
    await input("t");
    const error = await failureOf(run(["BL_COLLECT", { most_rows: 200_000_000 }]));
    expect(error.message).toMatch(
      /^collect \(BL_COLLECT\): Spark at 127\.0\.0\.1:\d+ hands out 16\.0 MiB at most in one answer; ask for fewer rows or columns, or raise spark\.driver\.maxResultSize there\.$/,
    );
    expect(error).toMatchObject({ status: 422, detail: { code: "result_too_large" } });
  });

  it("refuses a plan that is too deep before anything runs, and works one out that is nearly so", async () => {
    await input("t");
    await run(["BL_SLICE", { to: 3 }]);
    const four = () => run(["BL_APPEND", { others: [last, last, last] }]);
    await four();
    expect(await rowsOf(await four())).toHaveLength(20);
    const error = await failureOf(four());
    expect(error.message).toMatch(
      /^append \(BL_APPEND\): a plan of \d+ steps is too deep for Spark, which takes up to 100; take them out first by collect\(\)/,
    );
    expect(error).toMatchObject({ status: 422, detail: { code: "plan_too_deep" } });
  });

  const summary: readonly [code: string, args: object] = [
    "BL_SUMMARIZE",
    { by: ["n"], columns: { rows: "count()", sum: "sum(x)", std: "std(x)", mid: "median(x)", first: "first(s)" } },
  ];

  it("goes on with the same bytes where an executor, and then a worker, is killed in the middle", async () => {
    await input("t");
    const source = last;
    const expected = JSON.stringify(await rowsOf(await run(summary)));
    const [first, second] = cluster.workers;
    const executor = executorOf(second.pid as number);
    let killed = 0;
    const again: Step = [...summary, source];
    const kills = [() => process.kill(executor, "SIGKILL"), () => endGroup(first.pid)];
    for (const kill of kills) {
      const middle = inTheMiddle(() => {
        kill();
        killed++;
      });
      const record = await run(again, middle);
      expect(JSON.stringify(await rowsOf(record))).toBe(expected);
    }
    expect(killed).toBe(2);
  });

  it("says within ten seconds that the server is gone, and begins anew when it is back", async () => {
    await input("t");
    const source = last;
    let killed = 0;
    const middle = inTheMiddle(() => {
      killed = Date.now();
      endGroup(server.process.pid);
    });
    const error = await failureOf(run(summary, middle));
    expect(Date.now() - killed).toBeLessThan(10_000);
    expect(error.message).toMatch(/^summarize \(BL_SUMMARIZE\): Spark at .* was gone in the middle of the work/);
    expect(error).toMatchObject({ status: 422, detail: { code: "cluster_unreachable" } });
    const away = await failureOf(run(summary));
    expect(away.message).toMatch(/^summarize \(BL_SUMMARIZE\): Spark at .* can't be reached: nothing listens there\.$/);

    server = await startSpark(how);
    const path = join(home, "warehouse", "t");
    // Its catalog was in memory.
    const anew = new SparkClient(`sc://127.0.0.1:${how.port}`, { patienceMs: 60_000 });
    await anew.command(`CREATE TABLE t USING parquet LOCATION '${path}'`);
    await anew.close();
    expect(await rowsOf(await run([...summary, source]))).toHaveLength(11);
  });
});

/** The process of the executor that a worker started. */
function executorOf(worker: number): number {
  const found = childrenOf(worker).flatMap((pid) => [pid, ...childrenOf(pid)]);
  const executor = found.find((pid) => readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("CoarseGrainedExecutor"));
  if (executor === undefined) throw new Error("the worker has no executor");
  return executor;
}

function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) => {
    const text = readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").trim();
    return text === "" ? [] : text.split(" ").map(Number);
  });
}
