import { isMainThread } from "node:worker_threads";
import {
  DOUBLE,
  type DuckDBConnection,
  type DuckDBDataChunk,
  type DuckDBListVector,
  DuckDBScalarFunction,
  type DuckDBVector,
  LIST,
} from "@duckdb/node-api";
import { join, raw, type Sql, sql } from "../../../core/sql.ts";
import { itemsIn, itemsOf, listOf } from "./chunks.ts";
import { forgetCopies } from "./copies.ts";

/** Numbers of some rows of a query, column by column. They may be read until the call that brings them returns. */
export interface Run {
  readonly rows: number;
  column(k: number): Float64Array;
}

type Take = (run: Run) => void;

/** What functions of ours look up while queries call them: each query gives the number under which its own stands. */
class Calls<T> {
  static #running = 0;
  readonly #values = new Map<number, T>();
  #last = 0;

  get(id: number): T | undefined {
    return this.#values.get(id);
  }

  /** Does work with the number, as SQL, under which the value stands meanwhile. */
  async during<R>(value: T, work: (id: Sql) => Promise<R>): Promise<R> {
    const id = ++this.#last;
    this.#values.set(id, value);
    if (Calls.#running++ === 0) process.on("exit", endAnyway);
    try {
      return await work(raw(String(id)));
    } finally {
      this.#values.delete(id);
      if (--Calls.#running === 0) process.off("exit", endAnyway);
    }
  }
}

/**
 * A function that SQL calls with numbers, and which hands them to whoever waits for them.
 *
 * It is given the vectors that the engine works on. The same rows as a stream are copied from thread to thread first,
 * and each chunk is a trip of its own to another thread: that takes three to five times as long.
 */
export class Takers {
  readonly #takes = new Calls<Take>();

  /** Makes the function known to all connections of an instance. */
  register(connection: DuckDBConnection): void {
    connection.registerScalarFunction(
      DuckDBScalarFunction.create({
        name: "blocklab_take",
        varArgsType: DOUBLE,
        returnType: DOUBLE,
        // Without this the engine may take a call for superfluous.
        volatile: true,
        specialHandling: true,
        mainFunction: (_info, chunk) => this.#hand(chunk),
      }),
    );
  }

  #hand(chunk: DuckDBDataChunk): void {
    const rows = chunk.rowCount;
    const column = (k: number) => itemsOf<Float64Array>(chunk, k);
    this.#takes.get(column(0)[0])?.({ rows, column: (k) => column(k + 1).subarray(0, rows) });
    forgetCopies(chunk);
  }

  /** Does work with the SQL that hands over numbers of all rows, none of them missing. */
  async during<T>(take: Take, numbers: readonly Sql[], rows: Sql, work: (statement: Sql) => Promise<T>): Promise<T> {
    // What is thrown within a query comes back from the engine as text alone.
    const thrown: unknown[] = [];
    const takeWhole = (run: Run) => {
      try {
        if (thrown.length === 0) take(run);
      } catch (error) {
        thrown.push(error);
        throw error;
      }
    };
    try {
      return await this.#takes.during(takeWhole, (id) =>
        work(sql`SELECT count(blocklab_take(${id}, ${join(numbers)})) FROM (${rows})`),
      );
    } catch (error) {
      throw thrown.length > 0 ? thrown[0] : error;
    }
  }
}

/**
 * Numbers that SQL looks up by a row's number, in memory.
 *
 * A list in a file of one row would do as well, but the engine copies it for every 2,048 rows.
 */
export class RowItems {
  readonly #items = new Calls<Uint8Array>();

  /** Makes the function known to all connections of an instance. */
  register(connection: DuckDBConnection): void {
    connection.registerScalarFunction(
      DuckDBScalarFunction.create({
        name: "blocklab_item",
        parameterTypes: [DOUBLE, DOUBLE],
        returnType: DOUBLE,
        mainFunction: (_info, chunk, output) => this.#answer(chunk, output),
      }),
    );
  }

  #answer(chunk: DuckDBDataChunk, output: DuckDBVector): void {
    const [ids, rows] = [itemsOf(chunk, 0), itemsOf(chunk, 1)];
    const items = this.#items.get(ids[0]);
    const found = itemsIn(output);
    for (let i = 0; items && i < chunk.rowCount; i++) found[i] = items[rows[i]];
    output.flush();
    forgetCopies(chunk);
  }

  /** Does work with the SQL for the item of a row's number. */
  async during<T>(items: Uint8Array, work: (item: (row: Sql) => Sql) => Promise<T>): Promise<T> {
    return await this.#items.during(items, (id) => work((row) => sql`blocklab_item(${id}, CAST(${row} AS DOUBLE))`));
  }
}

/** Lists of numbers in memory, as SQL reads them: a temporary table that holds them takes as long to fill as a file to write. */
export class Lists {
  readonly #lists = new Calls<readonly ArrayLike<number>[]>();

  /** Makes the function known to all connections of an instance. */
  register(connection: DuckDBConnection): void {
    connection.registerScalarFunction(
      DuckDBScalarFunction.create({
        name: "blocklab_list",
        parameterTypes: [DOUBLE, DOUBLE],
        returnType: LIST(DOUBLE),
        // The engine would work it out while it plans, into a value of its own for each item.
        volatile: true,
        mainFunction: (_info, chunk, output) => this.#answer(chunk, output as DuckDBListVector),
      }),
    );
  }

  #answer(chunk: DuckDBDataChunk, output: DuckDBListVector): void {
    const [ids, places] = [itemsOf(chunk, 0), itemsOf(chunk, 1)];
    const list = this.#lists.get(ids[0])?.[places[0]];
    output.setItem(0, list ? listOf(list) : null);
    output.flush();
  }

  /** Does work with the SQL for each of the lists, as doubles. */
  async during<T>(lists: readonly ArrayLike<number>[], work: (list: (k: number) => Sql) => Promise<T>): Promise<T> {
    return await this.#lists.during(lists, (id) => work((k) => sql`blocklab_list(${id}, ${raw(String(k))})`));
  }
}

/** A thread of the engine that waits for an answer of ours when the process ends would wait for ever, and the process for it. */
function endAnyway(): void {
  if (isMainThread) process.kill(process.pid, "SIGKILL");
}
