import { parentPort, workerData } from "node:worker_threads";
import { DatabaseSync } from "../core/sqlite.ts";
import type { Look } from "./damage.ts";

// Started by damage.ts: says what is wrong with databases, null when nothing is.
function damageOf(path: string): string | null {
  try {
    // A connection of its own, since one that is in use answers from memory.
    const database = new DatabaseSync(path, { readOnly: true, timeout: 1000 });
    try {
      const row = database.prepare("PRAGMA quick_check(1)").get() as { quick_check: string };
      return row.quick_check === "ok" ? null : `${path}: ${row.quick_check}`;
    } finally {
      database.close();
    }
  } catch (error) {
    const { errcode = 0, message } = error as Error & { errcode?: number };
    // Held by somebody, it is not damaged.
    return [5, 6].includes(errcode & 0xff) ? null : `${path}: ${message}`;
  }
}

const started = performance.now();
const damages = (workerData as readonly string[]).map(damageOf);
const look: Look = { damage: damages.find((each) => each !== null) ?? null, ms: performance.now() - started };
parentPort?.postMessage(look);
