import { availableParallelism } from "node:os";
import {
  type DuckDBConnection,
  DuckDBInstance,
  type DuckDBMaterializedResult,
  type DuckDBValue,
} from "@duckdb/node-api";
import { CancelledError, InternalError, messageOf, storageFailure } from "../../core/errors.ts";
import { ownMemory } from "../../core/own-memory.ts";
import { compile, literal, type Sql, type Statement } from "../../core/sql.ts";
import { writeExpression } from "./expressions.ts";
import { KeptNumbers } from "./read/kept.ts";
import { Lists, RowItems, type Run, Takers } from "./read/runs.ts";

/** How the engine is set up. */
export interface DuckOptions {
  /** Bytes DuckDB may use (default: a quarter of what the machine or container has). Its soft limit, not the process's. */
  readonly memoryLimit?: number;
  readonly threads?: number;
  /** The folder for what does not fit into memory. */
  readonly spillTo: string;
  /** Where the file of an artifact lies. */
  readonly path: (artifact: string) => string;
}

/** A failed statement, with its SQL for our own logs; callers see a sentence made from it. */
export class SqlFailure extends Error {
  readonly sql: string;

  constructor(message: string, statement: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "SqlFailure";
    this.sql = statement;
  }
}

/**
 * One DuckDB in this process, and its connections.
 *
 * A second query on a connection silently ends its open stream, so every piece of work has a connection
 * of its own while it lasts.
 */
export class Duck {
  readonly #options: DuckOptions;
  readonly #idle: DuckDBConnection[] = [];
  readonly #takers = new Takers();
  readonly #items = new RowItems();
  readonly #lists = new Lists();
  #instance: Promise<DuckDBInstance> | null = null;

  /** What was read lately, in a sixteenth of the engine's memory beside it. */
  readonly kept: KeptNumbers;

  constructor(options: DuckOptions) {
    this.#options = options;
    this.kept = new KeptNumbers(this.memory / 16);
  }

  /** The file behind an artifact. */
  path(artifact: string): string {
    return this.#options.path(artifact);
  }

  /** Bytes that a table in memory may take: what DuckDB itself is given. */
  get memory(): number {
    return this.#options.memoryLimit ?? Math.floor(ownMemory() / 4);
  }

  /** Lends a connection; the signal interrupts what runs on it. */
  async use<T>(work: (connection: DuckDBConnection) => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (signal?.aborted) throw new CancelledError();
    const connection = this.#idle.pop() ?? (await this.#connect());
    const interrupt = () => connection.interrupt();
    signal?.addEventListener("abort", interrupt, { once: true });
    try {
      return await work(connection);
    } catch (error) {
      if (signal?.aborted) throw new CancelledError();
      throw error;
    } finally {
      signal?.removeEventListener("abort", interrupt);
      this.#idle.push(connection);
    }
  }

  /** Runs a statement for its rows, as plain arrays of DuckDB values. */
  async rows(statement: Sql, signal?: AbortSignal): Promise<DuckDBValue[][]> {
    return await this.answers(this.statement(statement), signal);
  }

  /** The same of a text with values of DuckDB's own. */
  async answers(
    { text, values }: { readonly text: string; readonly values: readonly DuckDBValue[] },
    signal?: AbortSignal,
  ): Promise<DuckDBValue[][]> {
    return await this.use(async (connection) => {
      const result = await failing(text, () => runOn(connection, text, values));
      // All of it is in memory by now; a chunk at a time would be a round trip to another thread each.
      return Array.from({ length: result.chunkCount }, (_, k) => result.getChunk(k).getRows()).flat();
    }, signal);
  }

  /**
   * Hands over numbers of all rows of a query while it runs: a run of rows at a time, the runs in any order.
   *
   * `numbers` are doubles, none of them missing.
   */
  async eachRun(numbers: readonly Sql[], rows: Sql, take: (run: Run) => void, signal?: AbortSignal): Promise<void> {
    await this.#takers.during(take, numbers, rows, (statement) => this.rows(statement, signal));
  }

  /** Does work with the SQL for a row's item, by its number. */
  async withItems<T>(items: Uint8Array, work: (item: (row: Sql) => Sql) => Promise<T>): Promise<T> {
    return await this.#items.during(items, work);
  }

  /** Does work with the SQL for each of some lists of numbers. */
  async withLists<T>(lists: readonly ArrayLike<number>[], work: (list: (k: number) => Sql) => Promise<T>): Promise<T> {
    return await this.#lists.during(lists, work);
  }

  /** Runs a statement for its effect. */
  async run(text: string, values: readonly DuckDBValue[] = [], signal?: AbortSignal): Promise<void> {
    await this.use(async (connection) => {
      await failing(text, () => runOn(connection, text, values));
    }, signal);
  }

  /** SQL as text with bound values, artifacts as paths. */
  statement(piece: Sql): Statement {
    return compile(piece, { path: this.#options.path, write: writeExpression });
  }

  /** Ends all connections. */
  async close(): Promise<void> {
    this.kept.clear();
    for (const connection of this.#idle.splice(0)) connection.closeSync();
    const instance = await this.#instance?.catch(() => null);
    instance?.closeSync();
    this.#instance = null;
  }

  async #connect(): Promise<DuckDBConnection> {
    this.#instance ??= this.#open();
    const connection = await (await this.#instance).connect();
    await connection.run("SET TimeZone = 'UTC'");
    return connection;
  }

  async #open(): Promise<DuckDBInstance> {
    const instance = await DuckDBInstance.create(":memory:", {
      memory_limit: `${Math.max(64, Math.floor(this.memory / 2 ** 20))}MiB`,
      // One thread cuts files into other row groups than several do; with two or more their bytes are the same.
      threads: String(Math.max(2, this.#options.threads ?? availableParallelism())),
      autoinstall_known_extensions: "false",
      autoload_known_extensions: "false",
      allow_community_extensions: "false",
    });
    const connection = await instance.connect();
    await connection.run(`SET temp_directory = ${literal(this.#options.spillTo)}`);
    // It would keep pieces of every file that was ever read, gone or not; the system has its own cache of files.
    await connection.run("SET enable_external_file_cache = false");
    // DuckDB 1.5 looks for them in quadratic time: seconds over a table of 2,000 columns, and they hardly occur.
    await connection.run("SET disabled_optimizers = 'common_subexpressions'");
    this.#takers.register(connection);
    this.#items.register(connection);
    this.#lists.register(connection);
    connection.closeSync();
    return instance;
  }
}

/** Nothing to bind, nothing to prepare: what is prepared first is planned twice, in half a dozen round trips. */
function runOn(
  connection: DuckDBConnection,
  text: string,
  values: readonly DuckDBValue[],
): Promise<DuckDBMaterializedResult> {
  return values.length === 0 ? connection.run(text) : connection.run(text, [...values]);
}

/** Runs work on DuckDB and keeps the SQL with a failure. */
export async function failing<T>(text: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof SqlFailure) throw error;
    throw new SqlFailure(messageOf(error), text, { cause: error });
  }
}

/** Is it the disk or the memory of the service that fails? Then nothing is wrong with what was being read. */
export function isShortage(error: unknown): boolean {
  return storageFailure(error) !== null || (error instanceof SqlFailure && /out of memory/i.test(error.message));
}

/** Turns a failure that no block foresaw into our own fault, keeping the SQL in the cause. */
export function asInternal(error: unknown, what: string): InternalError {
  return new InternalError(`${what} failed inside the table engine; this is a fault of blocklab.`, { cause: error });
}
