import { existsSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { BlocklabError, damagedDatabase, isDamage, messageOf } from "../core/errors.ts";

const script = new URL(import.meta.url.endsWith(".ts") ? "./damage-worker.ts" : "./damage-worker.js", import.meta.url);

/** What a look found: what is wrong, null when nothing is, and how long the reading took. */
export interface Look {
  readonly damage: string | null;
  readonly ms: number;
}

/** The share of a processor's time that looks may take, however often somebody asks. */
const share = 0.05;
const leastMs = 1000;

/** How long somebody waits for a look; one at a large database takes longer, and they hear of the look before. */
const patienceMs = 500;

/**
 * Looks for damage in a home's databases, at all of their pages, on another thread.
 *
 * Whoever serves from them may not notice it for long: what has been read once is kept in memory.
 */
export class DamageWatch {
  readonly #home: string;
  #last: Look | null = null;
  #looking: Promise<void> | null = null;
  #nextAt = 0;

  constructor(home: string) {
    this.#home = home;
  }

  /** Throws (503) when the databases are damaged, by a look of just now or of a while ago. */
  async expectNone(): Promise<void> {
    if (performance.now() >= this.#nextAt) this.#looking ??= this.#look();
    const patience = Promise.withResolvers<void>();
    const timer = this.#last && setTimeout(patience.resolve, patienceMs);
    await Promise.race([this.#looking, patience.promise]);
    if (timer) clearTimeout(timer);
    if (this.#last?.damage) throw damagedDatabase(new Error(this.#last.damage));
  }

  async #look(): Promise<void> {
    const keys = join(this.#home, "keys.db");
    const paths = [join(this.#home, "blocklab.db"), ...(existsSync(keys) ? [keys] : [])];
    const worker = new Worker(script, { workerData: paths, execArgv: [] });
    worker.unref();
    const { promise, resolve } = Promise.withResolvers<Look>();
    worker.once("message", resolve);
    // A thread that can't be had says nothing of the databases.
    worker.once("error", () => resolve({ damage: this.#last?.damage ?? null, ms: 0 }));
    this.#last = await promise;
    this.#nextAt = performance.now() + Math.max(leastMs, this.#last.ms / share);
    this.#looking = null;
  }
}

/** Why a home can't be opened, as one sentence with the cure; the error itself where it says so already. */
export function openingFailure(error: unknown, home: string): unknown {
  if (error instanceof BlocklabError || !(error instanceof Error)) return error;
  const { code = "", errcode = -1 } = error as NodeJS.ErrnoException & { errcode?: number };
  // SQLite's numbers, with whatever more it says in the higher bits.
  const sqlite = code === "ERR_SQLITE_ERROR" ? errcode & 0xff : -1;
  if (sqlite < 0 && !/^E[A-Z]+$/.test(code)) return error;
  const said = messageOf(error).split("\n", 1)[0];
  const [what, cure] =
    sqlite >= 0 && isDamage(sqlite)
      ? [
          "a database there is damaged",
          'Put a backup of "blocklab.db" and "keys.db" in their place; without one, move the damaged one away and begin anew: files of artifacts are kept.',
        ]
      : sqlite === 13 || code === "ENOSPC" || code === "EDQUOT"
        ? ["the disk is full", "Make room, then start again."]
        : sqlite === 5 || sqlite === 6
          ? ["another process holds its database", "Wait for it, or end it."]
          : ["it can't be read and written", "Make it a folder that this user may write to, or name another one."];
  return new BlocklabError(
    503,
    `The data folder ${home} can't be opened: ${what} (${said}). ${cure}`,
    { code: "home" },
    { cause: error },
  );
}
