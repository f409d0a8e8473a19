import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { StatementSync } from "node:sqlite";
import { Worker } from "node:worker_threads";
import { DatabaseSync } from "../core/sqlite.ts";
import { migrate } from "./schema.ts";
import type { Row } from "./state.ts";

type Value = string | number | null;

/** Writes after which another thread moves the write-ahead log into the database; some 4 kB each. */
const writesInLog = 3000;

/** Pages of the log at which a commit moves them itself, after all: the other thread had no chance, or no room. */
const mostPages = 12_000;

const script = new URL(import.meta.url.endsWith(".ts") ? "./log-worker.ts" : "./log-worker.js", import.meta.url);

/** The database of a home, its statements prepared once each. Several processes may share it. */
export class Database {
  readonly #path: string;
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();
  #writes = 0;
  #mover: Worker | null = null;

  /** Opens it, bringing its schema up to date. */
  constructor(home: string) {
    mkdirSync(home, { recursive: true, mode: 0o700 });
    this.#path = join(home, "blocklab.db");
    this.#database = new DatabaseSync(this.#path, { timeout: 10_000, enableForeignKeyConstraints: true });
    // With a write-ahead log a crash of the process loses nothing that was committed.
    this.#database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
    this.#database.exec(`PRAGMA wal_autocheckpoint = ${mostPages}`);
    this.transaction(() => migrate(this.#database));
    // Others hold it for milliseconds, and while this waits the whole process does.
    this.#database.exec("PRAGMA busy_timeout = 3000");
  }

  /** All rows of a query. */
  all(text: string, ...values: readonly Value[]): Row[] {
    return this.#statement(text).all(...values) as Row[];
  }

  /** The first row of a query. */
  get(text: string, ...values: readonly Value[]): Row | undefined {
    return this.#statement(text).get(...values) as Row | undefined;
  }

  /** Runs a statement for its effect: how many rows it changed, and the number of the last one it added. */
  run(text: string, ...values: readonly Value[]): { readonly changes: number; readonly id: number } {
    const { changes, lastInsertRowid } = this.#statement(text).run(...values);
    this.#writes += 1;
    if (this.#writes >= writesInLog) this.#moveLog();
    return { changes: Number(changes), id: Number(lastInsertRowid) };
  }

  /** Runs work in one transaction; an error undoes all of it. */
  transaction<T>(work: () => T): T {
    this.#database.exec("BEGIN IMMEDIATE");
    try {
      const result = work();
      this.#database.exec("COMMIT");
      return result;
    } catch (error) {
      // On a full disk SQLite has undone it already; saying so would hide why.
      if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
      throw error;
    }
  }

  /** Closes it; the last process to do so moves the log. */
  close(): void {
    void this.#mover?.terminate();
    this.#database.close();
  }

  #statement(text: string): StatementSync {
    const known = this.#prepared.get(text);
    if (known) return known;
    const statement = this.#database.prepare(text);
    this.#prepared.set(text, statement);
    return statement;
  }

  /** Moving the log waits for the disk, 10 to 20 ms: on this thread every block that runs would wait with it. */
  #moveLog(): void {
    if (this.#mover) return;
    this.#writes = 0;
    this.#mover = new Worker(script, { workerData: this.#path, execArgv: [] });
    this.#mover.unref();
    // What it could not move, the next one does, or in the end a commit.
    this.#mover.on("error", () => undefined);
    this.#mover.on("exit", () => {
      this.#mover = null;
    });
  }
}
