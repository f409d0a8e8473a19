import { availableParallelism } from "node:os";
import {
  type DuckDBConnection,
  DuckDBInstance,
  type DuckDBMaterializedResult,
  type DuckDBValue,
} from "@duckdb/node-api";
import { InternalError, messageOf, storageFailure } from "../../core/errors.ts";
import { literal } from "../sql.ts";

/** What a DuckDB in memory may take. */
export interface InstanceOptions {
  /** Bytes. */
  readonly memory: number;
  readonly threads?: number;
  /** The folder for what does not fit into memory; no two instances may share one. */
  readonly spillTo: string;
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

/** Opens a DuckDB of its own, which loads nothing from elsewhere. */
export async function openInstance({ memory, threads, spillTo }: InstanceOptions): Promise<DuckDBInstance> {
  const instance = await DuckDBInstance.create(":memory:", {
    memory_limit: `${Math.max(64, Math.floor(memory / 2 ** 20))}MiB`,
    // One thread cuts files into other row groups than several do; with two or more their bytes are the same.
    threads: String(Math.max(2, threads ?? availableParallelism())),
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
    allow_community_extensions: "false",
  });
  const connection = await instance.connect();
  await connection.run(`SET temp_directory = ${literal(spillTo)}`);
  // It would keep pieces of every file that was ever read, gone or not; the system has its own cache of files.
  await connection.run("SET enable_external_file_cache = false");
  // DuckDB 1.5 looks for them in quadratic time: seconds over a table of 2,000 columns, and they hardly occur.
  await connection.run("SET disabled_optimizers = 'common_subexpressions'");
  connection.closeSync();
  return instance;
}

/** A connection of an instance, whose clock is UTC. */
export async function connectTo(instance: DuckDBInstance): Promise<DuckDBConnection> {
  const connection = await instance.connect();
  await connection.run("SET TimeZone = 'UTC'");
  return connection;
}

/** Nothing to bind, nothing to prepare: what is prepared first is planned twice, in half a dozen round trips. */
export function runOn(
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
