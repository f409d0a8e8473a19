import { randomUUID } from "node:crypto";
import type { DuckDBConnection, DuckDBDataChunk, DuckDBInstance, DuckDBValue } from "@duckdb/node-api";
import { CancelledError } from "../../core/errors.ts";
import { ownMemory } from "../../core/own-memory.ts";
import { compile, doubles, join, raw, type Sql, type Statement, sql } from "../sql.ts";
import type { Call } from "./call-messages.ts";
import { Calls } from "./calls.ts";
import { comeAsAnswer, standInText } from "./choose.ts";
import { writeExpression } from "./expressions.ts";
import { connectTo, failing, openInstance, runOn } from "./instance.ts";
import { itemsOf } from "./read/chunks.ts";
import { forgetCopies } from "./read/copies.ts";
import { FileFacts } from "./read/file-facts.ts";
import { KeptNumbers } from "./read/kept.ts";
import { putInto, type Target } from "./read/putting.ts";
import type { Run } from "./read/runs.ts";

export { asInternal, failing, isShortage, SqlFailure } from "./instance.ts";

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

/** What runs statements. */
export interface Engine {
  /** SQL as text with bound values, artifacts as paths. */
  statement(piece: Sql): Statement;
  /** Runs a statement for its effect. */
  run(text: string, values?: readonly DuckDBValue[], signal?: AbortSignal): Promise<void>;
}

/**
 * One DuckDB in this process, and its connections.
 *
 * A second query on a connection silently ends its open stream, so every piece of work has a connection
 * of its own while it lasts.
 */
export class Duck implements Engine {
  readonly #options: DuckOptions;
  readonly #idle: DuckDBConnection[] = [];
  readonly #used = new Set<DuckDBConnection>();
  readonly #onExit = () => this.#interruptAll();
  readonly #calls: Calls;
  #instance: Promise<DuckDBInstance> | null = null;

  /** What files say of themselves. */
  readonly facts = new FileFacts((query, signal) => this.rows(query, signal));

  /** What was read lately, in a sixteenth of the engine's memory beside it. */
  readonly kept: KeptNumbers;

  constructor(options: DuckOptions) {
    this.#options = options;
    this.kept = new KeptNumbers(this.memory / 16);
    const { threads, spillTo } = options;
    this.#calls = new Calls({ memory: this.memory / 2, threads, spillTo: `${spillTo}-calls` });
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
    const lent = await this.#lend(signal);
    try {
      return await work(lent.connection);
    } catch (error) {
      if (signal?.aborted) throw new CancelledError();
      throw error;
    } finally {
      lent.end();
      this.#idle.push(lent.connection);
    }
  }

  /** A query's rows, all in memory at once; reading them chunk by chunk would be a trip to another thread each. */
  async chunksOfFew(
    { text, values }: { readonly text: string; readonly values: readonly DuckDBValue[] },
    signal?: AbortSignal,
  ): Promise<DuckDBDataChunk[]> {
    const result = await this.use((connection) => failing(text, () => runOn(connection, text, values)), signal);
    return Array.from({ length: result.chunkCount }, (_, k) => result.getChunk(k));
  }

  /** A query's rows as they are read, chunk by chunk; who stops asking ends the query. */
  async *chunks({ text, values }: Statement, signal?: AbortSignal): AsyncGenerator<DuckDBDataChunk> {
    const lent = await this.#lend(signal);
    let isRead = false;
    try {
      const result = await failing(text, () => lent.connection.stream(text, values as never));
      for (;;) {
        const chunk = await failing(text, () => result.fetchChunk());
        isRead = !chunk || chunk.rowCount === 0;
        if (isRead) return;
        yield chunk as DuckDBDataChunk;
      }
    } catch (error) {
      if (signal?.aborted) throw new CancelledError();
      throw error;
    } finally {
      lent.end();
      // A query that was left goes with its connection.
      if (isRead) this.#idle.push(lent.connection);
      else lent.connection.closeSync();
    }
  }

  async #lend(signal?: AbortSignal): Promise<{ connection: DuckDBConnection; end: () => void }> {
    if (signal?.aborted) throw new CancelledError();
    const connection = this.#idle.pop() ?? (await this.#connect());
    const interrupt = () => connection.interrupt();
    signal?.addEventListener("abort", interrupt, { once: true });
    if (this.#used.size === 0) process.on("exit", this.#onExit);
    this.#used.add(connection);
    const end = () => {
      signal?.removeEventListener("abort", interrupt);
      this.#used.delete(connection);
      if (this.#used.size === 0) process.off("exit", this.#onExit);
    };
    return { connection, end };
  }

  /** The process ends, and waits for what runs. */
  #interruptAll(): void {
    for (const connection of this.#used) connection.interrupt();
  }

  /** Does work on a connection of an engine of its own, which knows nothing of this one and ends with the work. */
  async apart<T>(work: (connection: DuckDBConnection) => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (signal?.aborted) throw new CancelledError();
    const { threads, spillTo } = this.#options;
    const instance = await openInstance({ memory: this.memory / 2, threads, spillTo: `${spillTo}-${randomUUID()}` });
    const connection = await connectTo(instance);
    const interrupt = () => connection.interrupt();
    let again: NodeJS.Timeout | undefined;
    // Between two statements an interruption is lost, so it comes until the work ends.
    const stop = () => {
      interrupt();
      again = setInterval(interrupt, 50);
    };
    signal?.addEventListener("abort", stop, { once: true });
    if (signal?.aborted) stop();
    process.on("exit", interrupt);
    try {
      return await work(connection);
    } catch (error) {
      if (signal?.aborted) throw new CancelledError();
      throw error;
    } finally {
      signal?.removeEventListener("abort", stop);
      clearInterval(again);
      process.off("exit", interrupt);
      connection.closeSync();
      instance.closeSync();
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
    return (await this.chunksOfFew({ text, values }, signal)).flatMap((chunk) => chunk.getRows());
  }

  /**
   * Hands over numbers of all rows of a query while it runs: a run of rows at a time, the runs in any order.
   *
   * `numbers` are doubles, none of them missing; `most` rows come at most.
   */
  async eachRun(
    numbers: readonly Sql[],
    rows: Sql,
    most: number,
    take: (run: Run) => void,
    signal?: AbortSignal,
  ): Promise<void> {
    if (comeAsAnswer(most * numbers.length)) return await this.#eachRunOfFew(numbers, rows, take, signal);
    const { id, statement } = this.#taking(numbers, rows);
    await this.#calls.run(id, statement, { take: { columns: numbers.length, run: take } }, signal);
  }

  /** Puts numbers of all rows of a query into their places; the first of them is the row's number in the table. */
  async putRuns(
    numbers: readonly Sql[],
    rows: Sql,
    most: number,
    targets: readonly Target[],
    signal?: AbortSignal,
  ): Promise<void> {
    const isShared = targets.every(({ arrays }) => arrays.every(({ buffer }) => buffer instanceof SharedArrayBuffer));
    if (!isShared || comeAsAnswer(most * numbers.length))
      return await this.eachRun(numbers, rows, most, putInto(targets), signal);
    const { id, statement } = this.#taking(numbers, rows);
    await this.#calls.run(id, statement, { targets }, signal);
  }

  #taking(numbers: readonly Sql[], rows: Sql): { id: number; statement: Statement } {
    const id = this.#calls.newId();
    const taken = sql`SELECT count(blocklab_take(${raw(String(id))}, ${join(numbers)})) FROM (${rows})`;
    return { id, statement: this.statement(taken) };
  }

  async #eachRunOfFew(
    numbers: readonly Sql[],
    rows: Sql,
    take: (run: Run) => void,
    signal?: AbortSignal,
  ): Promise<void> {
    const statement = this.statement(sql`SELECT ${join(numbers)} FROM (${rows})`);
    for (const chunk of await this.chunksOfFew(statement, signal)) {
      take({ rows: chunk.rowCount, column: (j) => itemsOf<Float64Array>(chunk, j).subarray(0, chunk.rowCount) });
      forgetCopies(chunk);
    }
    if (signal?.aborted) throw new CancelledError();
  }

  /** Does work with the SQL for a row's item, by its number, on an engine that knows it. */
  async withItems<T>(items: Uint8Array, work: (item: (row: Sql) => Sql, engine: Engine) => Promise<T>): Promise<T> {
    if (standInText(items.length)) {
      const list = doubles(items);
      return await work((row) => sql`list_extract(${list}, CAST(${row} AS BIGINT) + 1)`, this);
    }
    const { id, engine } = this.#calling({ items });
    return await work((row) => sql`blocklab_item(${id}, CAST(${row} AS DOUBLE))`, engine);
  }

  /**
   * Does work with the SQL for each of some lists of numbers, as doubles, on an engine that knows them.
   *
   * A temporary table that holds them takes as long to fill as a file to write.
   */
  async withLists<T>(
    lists: readonly ArrayLike<number>[],
    work: (list: (k: number) => Sql, engine: Engine) => Promise<T>,
  ): Promise<T> {
    if (standInText(lists.reduce((sum, { length }) => sum + length, 0))) {
      return await work((k) => doubles(Array.from(lists[k] ?? [])), this);
    }
    const { id, engine } = this.#calling({ lists });
    return await work((k) => sql`blocklab_list(${id}, ${raw(String(k))})`, engine);
  }

  /** Runs statements whose functions know these. */
  #calling(data: Pick<Call, "items" | "lists">): { id: Sql; engine: Engine } {
    const id = this.#calls.newId();
    const run: Engine["run"] = (text, values = [], signal) => this.#calls.run(id, { text, values }, data, signal);
    return { id: raw(String(id)), engine: { statement: (piece) => this.statement(piece), run } };
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
    await this.#calls.close();
  }

  async #connect(): Promise<DuckDBConnection> {
    const { threads, spillTo } = this.#options;
    this.#instance ??= openInstance({ memory: this.memory, threads, spillTo });
    return await connectTo(await this.#instance);
  }
}
