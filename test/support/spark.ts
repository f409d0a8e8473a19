import { type ChildProcess, spawn } from "node:child_process";
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { freePort } from "./postgres.ts";

/** Where Spark is: the folder of a Python environment with pyspark, or the address of a server; undefined: nowhere. */
const asked = process.env.BLOCKLAB_SPARK;

/** Does a test that needs a server have one? */
export const hasSpark = Boolean(asked);

/** Does a test that starts a server of its own, or looks into its package, have what it needs? */
export const hasSparkPackage = hasSpark && !asked?.startsWith("sc://");

/** The folder of pyspark's package. */
export function sparkPackage(): string {
  const [found] = globSync(join(asked ?? "", "lib/python3*/site-packages/pyspark"));
  if (found === undefined) throw new Error(`BLOCKLAB_SPARK names ${asked}, where there is no pyspark`);
  return found;
}

/** A running server. */
export interface SparkServer {
  readonly port: number;
  readonly process: ChildProcess;
  stop(): Promise<void>;
}

/** Starts a server of a test's own. It takes about ten seconds, and half a gigabyte or what `memory` says. */
export async function startSpark({
  port,
  memory = "768m",
  settings = {},
  master = "local[2]",
  home = mkdtempSync(join(tmpdir(), "blocklab-spark-")),
}: {
  port?: number;
  memory?: string;
  master?: string;
  settings?: Record<string, string>;
  home?: string;
} = {}): Promise<SparkServer> {
  const listening = port ?? (await freePort());
  const log = join(home, "log");
  const all = {
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.warehouse.dir": join(home, "warehouse"),
    "spark.sql.catalogImplementation": "in-memory",
    "spark.local.dir": home,
    "spark.connect.grpc.binding.address": "127.0.0.1",
    "spark.connect.grpc.binding.port": String(listening),
    ...settings,
  };
  const options = ["--master", master, "--driver-memory", memory];
  for (const [name, value] of Object.entries(all)) options.push("--conf", `${name}=${value}`);
  const server = "org.apache.spark.sql.connect.service.SparkConnectServer";
  const out = openSync(log, "w");
  const child = spawn(join(sparkPackage(), "bin/spark-submit"), ["--class", server, ...options], {
    cwd: home,
    // A group of its own: the script's child is what runs.
    detached: true,
    stdio: ["ignore", out, out],
    env: { ...process.env, SPARK_LOCAL_IP: "127.0.0.1", SPARK_HOME: sparkPackage() },
  });
  for (let waited = 0; !/Spark Connect server started at/.test(readFileSync(log, "utf8")); waited += 100) {
    if (child.exitCode !== null || waited > 150_000)
      throw new Error(`Spark did not start: ${readFileSync(log, "utf8").slice(-2000)}`);
    await wait(100);
  }
  return {
    port: listening,
    process: child,
    async stop() {
      endGroup(child.pid);
      if (child.exitCode === null && child.signalCode === null) {
        await new Promise((resolve) => child.once("exit", resolve));
      }
      rmSync(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Spark's own cluster: a master, and workers with a core each that start executors. */
export interface SparkCluster {
  /** Its address, spark://HOST:PORT. */
  readonly master: string;
  readonly workers: readonly ChildProcess[];
  stop(): void;
}

/** Starts a master and workers of a test's own; each worker takes a tenth of a gigabyte, and its executor half of one. */
export async function startCluster(workers: number): Promise<SparkCluster> {
  const home = mkdtempSync(join(tmpdir(), "blocklab-cluster-of-spark-"));
  const started: ChildProcess[] = [];
  const start = async (name: string, ready: RegExp, role: string, ...options: readonly string[]) => {
    const log = join(home, name);
    const out = openSync(log, "w");
    const child = spawn(join(sparkPackage(), "bin/spark-class"), [`org.apache.spark.deploy.${role}`, ...options], {
      cwd: home,
      detached: true,
      stdio: ["ignore", out, out],
      env: { ...process.env, SPARK_LOCAL_IP: "127.0.0.1", SPARK_HOME: sparkPackage(), SPARK_DAEMON_MEMORY: "128m" },
    });
    started.push(child);
    for (let waited = 0; !ready.test(readFileSync(log, "utf8")); waited += 100) {
      if (child.exitCode !== null || waited > 150_000)
        throw new Error(`Spark's ${name} did not start: ${readFileSync(log, "utf8").slice(-2000)}`);
      await wait(100);
    }
    return child;
  };
  const port = await freePort();
  const master = `spark://127.0.0.1:${port}`;
  const web = async () => ["--webui-port", String(await freePort())];
  await start(
    "master",
    /New state: ALIVE/,
    "master.Master",
    "--host",
    "127.0.0.1",
    "--port",
    `${port}`,
    ...(await web()),
  );
  const found: ChildProcess[] = [];
  for (let k = 0; k < workers; k++) {
    const options = ["--host", "127.0.0.1", "--cores", "1", "--memory", "600m", ...(await web()), master];
    found.push(await start(`worker-${k}`, /Successfully registered with master/, "worker.Worker", ...options));
  }
  return {
    master,
    workers: found,
    stop() {
      for (const { pid } of started) endGroup(pid);
      rmSync(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** The address of the server that all tests of a run share; the first that asks starts it. */
export async function sparkAddress(): Promise<string> {
  if (asked?.startsWith("sc://")) return asked;
  const shared = process.env.BLOCKLAB_SPARK_SHARED;
  if (!shared) throw new Error("no folder to share a Spark server in; see test/support/spark-shared.ts");
  const told = join(shared, "server");
  try {
    mkdirSync(join(shared, "starting"));
  } catch {
    while (!existsSync(told)) await wait(100);
    return `sc://127.0.0.1:${JSON.parse(readFileSync(told, "utf8")).port}`;
  }
  const { port, process: child } = await startSpark({ home: join(shared, "starting") });
  // It outlives the test file that started it.
  child.unref();
  writeFileSync(`${told}.new`, JSON.stringify({ port, pid: child.pid }));
  renameSync(`${told}.new`, told);
  return `sc://127.0.0.1:${port}`;
}

/** Ends a process and what it started. */
export function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // It ended before.
  }
}
