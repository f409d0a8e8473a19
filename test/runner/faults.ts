// Started by faults.test.ts: runs one block and fails, or dies, at the write that BLOCKLAB_FAULT names.
import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { DatabaseSync, StatementSync } from "node:sqlite";

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

for (const name of ["rename", "rm", "open", "writeFile"] as const) {
  const real = fs[name] as (...args: unknown[]) => Promise<unknown>;
  (fs as unknown as Record<string, unknown>)[name] = async (...args: unknown[]) => {
    point();
    const result = await real(...args);
    if (kind === "kill") point();
    return result;
  };
}
syncBuiltinESMExports();

type Call = (...args: unknown[]) => unknown;
for (const [prototype, name] of [
  [DatabaseSync.prototype, "exec"],
  [StatementSync.prototype, "run"],
] as const) {
  const target = prototype as unknown as Record<string, Call>;
  const real = target[name];
  target[name] = function (this: unknown, ...args: unknown[]) {
    // Undoing must work, or nothing would be proved but that two failures are worse than one.
    if (args[0] === "ROLLBACK") return real.apply(this, args);
    point();
    const result = real.apply(this, args);
    if (kind === "kill") point();
    return result;
  };
}

const { createService } = await import("../../src/runner/index.ts");
const { someone } = await import("../support/caller.ts");
const [home, project] = process.argv.slice(2);
const service = await createService({ home, threads: 0 });
const request = {
  project_id: Number(project),
  block_id: 2,
  parent_id: 1,
  function_code: "ML_R_5",
  args: { max_depth: 2 },
};
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
