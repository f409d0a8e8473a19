// Started by faults.slow.ts: runs one block and fails, or dies, at the write that BLOCKLAB_FAULT names.
import fs, { createReadStream } from "node:fs";
import promises from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { DatabaseSync, StatementSync } from "node:sqlite";
import { DuckDBConnection } from "@duckdb/node-api";
import { writePoints, writingSql } from "./write-points.ts";

const [kind, first = "1"] = (process.env.BLOCKLAB_FAULT ?? "").split(":");
let at = Number(first);
let isArmed = false;
let count = 0;

/** One write; before it and after it the process may end. */
function point(): void {
  if (!isArmed) return;
  count += 1;
  if (count !== at) return;
  if (kind === "kill") {
    process.kill(process.pid, "SIGKILL");
    // The signal comes in a moment; nothing more may happen before.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  }
  throw Object.assign(new Error(`${kind}: simulated, write`), { code: kind });
}

for (const name of writePoints["node:fs/promises"]) {
  const real = promises[name] as (...args: unknown[]) => Promise<unknown>;
  (promises as unknown as Record<string, unknown>)[name] = async (...args: unknown[]) => {
    const isReading = name === "open" && (args[1] ?? "r") === "r";
    if (isReading) return await real(...args);
    point();
    const result = await real(...args);
    if (kind === "kill") point();
    return result;
  };
}
for (const name of writePoints["node:fs"]) {
  const real = fs[name];
  (fs as unknown as Record<string, unknown>)[name] = (...args: Parameters<typeof real>) => {
    const stream = real(...args);
    const write = stream._write.bind(stream);
    stream._write = (chunk, encoding, done) => {
      try {
        point();
      } catch (error) {
        return done(error as Error);
      }
      write(chunk, encoding, (error) => {
        if (kind === "kill") point();
        done(error);
      });
    };
    // Whole buffers, so that each is a point.
    stream._writev = undefined;
    return stream;
  };
}
syncBuiltinESMExports();

type Call = (...args: unknown[]) => unknown;
const [exec, run] = writePoints["node:sqlite"];
for (const [prototype, name] of [
  [DatabaseSync.prototype, exec],
  [StatementSync.prototype, run],
] as const) {
  const target = prototype as unknown as Record<string, Call>;
  const real = target[name];
  target[name] = function (this: unknown, ...args: unknown[]) {
    // Undoing must work, or nothing would be proved but that two failures are worse than one.
    if (args[0] === "ROLLBACK") return real.apply(this, args);
    try {
      point();
    } catch (error) {
      // What SQLite itself does where the disk is full: nothing is left to be undone.
      if (args[0] === "COMMIT") real.call(this, "ROLLBACK");
      throw error;
    }
    const result = real.apply(this, args);
    if (kind === "kill") point();
    return result;
  };
}

const engine = DuckDBConnection.prototype as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
const runSql = engine.run;
engine.run = async function (this: unknown, ...args: unknown[]) {
  if (!writingSql.test(String(args[0]))) return await runSql.apply(this, args);
  try {
    point();
  } catch {
    // In the words of DuckDB, which has no code for it.
    const reason = kind === "EIO" ? "Input/output error" : "No space left on device";
    throw new Error(`IO Error: Could not write file "artifact": ${reason}`);
  }
  const result = await runSql.apply(this, args);
  if (kind === "kill") point();
  return result;
};

const { createService } = await import("../../src/service/index.ts");
const { storageFailure } = await import("../../src/core/errors.ts");
const { someone } = await import("../support/caller.ts");
const [home, project, what = "model", file = ""] = process.argv.slice(2);
const service = await createService({ home, threads: 0 });
const request = {
  project_id: Number(project),
  block_id: 2,
  parent_id: 1,
  function_code: "ML_R_5",
  args: { max_depth: 2 },
};

/** What a service writes, other than a model in the place of another; each time it is new. */
async function written(): Promise<void> {
  const more = { ...request, block_id: 1000 + at };
  if (what === "input") {
    await service.run(someone, { ...more, parent_id: 0, function_code: "DP_1", args: { dburl: file } });
  } else if (what === "rows") {
    await service.run(someone, { ...more, function_code: "DP_DRD", args: { columns: ["b"] } });
  } else if (what === "copy" || what === "save") {
    const [first] = await service.states(someone, Number(project));
    const artifact = someone.artifactIn(first.dataset_url as string) as string;
    for (const format of ["csv", "json", "arrow", "npy", "parquet"] as const) {
      if (what === "copy") await service.file(someone, artifact, format);
      else await service.save(someone, artifact, format, `${home}-rows.${format}`);
    }
  } else if (what === "upload") {
    await service.library.upload(someone, { name: "a.csv", content: createReadStream(file) }, { mostBytes: 1e9 });
  } else {
    const { id } = await service.createProject(someone, `p${at}`);
    await service.run(someone, { ...more, project_id: id, parent_id: 0, function_code: "DP_1", args: { dburl: file } });
    const made = (await service.projects(someone)).find((each) => each.id === id);
    await service.deleteProject(someone, made?.app_id ?? "");
  }
}

if (what !== "model") {
  const failures: unknown[] = [];
  for (let isWhole = false; !isWhole; at++) {
    count = 0;
    isArmed = true;
    isWhole = await written().then(
      () => true,
      (error) => {
        // As the server answers what is no error of a block.
        const { status, message } = storageFailure(error) ?? error;
        return failures.push({ status, message }) < 0;
      },
    );
    isArmed = false;
    // The same process goes on working, until the next fault.
    await service.run(someone, { ...request, block_id: 3, function_code: "DP_INF", args: {} });
    if (what === "copy" && count === 0) break;
  }
  process.send?.({ failures, count });
  await service.close();
  process.exit(0);
}

const failures: unknown[] = [];
let isStored = false;
// Killed, the process ends in here; with errors it comes one write further each time, until all of them go well.
for (; !isStored; at++) {
  count = 0;
  isArmed = true;
  isStored = await service.run(someone, request).then(
    () => true,
    ({ status, message }) => {
      failures.push({ status, message });
      return false;
    },
  );
  isArmed = false;
  // The same process goes on working, and nothing has changed.
  await service.run(someone, { ...request, block_id: 3 + at, function_code: "DP_INF", args: {} });
  const [, second] = await service.states(someone, Number(project));
  const { args } = await service.request(someone, second.id);
  if (!isStored && args?.max_depth !== 1) failures.push("the block was stored, and yet it failed");
}
process.send?.({ failures, count });
await service.close();
