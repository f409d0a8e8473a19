import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "../core/sqlite.ts";

const ending = ".lock";

/**
 * Says which processes of a home live.
 *
 * A process number would not do: after a restart, and always in a container, another process has the same one. Each
 * holds a lock of the operating system instead, through SQLite, which ends with the process however that ends.
 */
export class Presence {
  /** The name of this process, or rather of this store in it. */
  readonly own = randomBytes(12).toString("hex");
  readonly #folder: string;
  readonly #lock: DatabaseSync;

  constructor(home: string) {
    this.#folder = join(home, "processes");
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    this.#lock = new DatabaseSync(this.#path(this.own), { timeout: 1000 });
    this.#lock.exec("BEGIN EXCLUSIVE");
  }

  /** Does the process of that name live? */
  isAlive(name: string): boolean {
    if (name === this.own) return true;
    const path = this.#path(name);
    if (!/^[0-9a-f]{24}$/.test(name) || !statSync(path, { throwIfNoEntry: false })) return false;
    const lock = new DatabaseSync(path, { timeout: 0 });
    try {
      lock.exec("BEGIN EXCLUSIVE; ROLLBACK");
      return false;
    } catch {
      return true;
    } finally {
      lock.close();
    }
  }

  /** Removes the locks of processes that ended. */
  sweep(): void {
    for (const entry of readdirSync(this.#folder)) {
      const path = join(this.#folder, entry);
      // Another one may just have made its file, and not yet taken its lock.
      const isYoung = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) < 60_000;
      // A process that is killed may leave SQLite's journal of its lock, too.
      if (!isYoung && !this.isAlive(entry.split(".", 1)[0])) rmSync(path, { force: true });
    }
  }

  close(): void {
    this.#lock.close();
    rmSync(this.#path(this.own), { force: true });
  }

  #path(name: string): string {
    return join(this.#folder, `${name}${ending}`);
  }
}
