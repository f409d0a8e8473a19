import { rm } from "node:fs/promises";
import {
  BIGINT,
  BOOLEAN,
  DOUBLE,
  type DuckDBConnection,
  type DuckDBDataChunk,
  type DuckDBType,
  type DuckDBValue,
  FLOAT,
  LIST,
  VARCHAR,
} from "@duckdb/node-api";
import type { Held, RowOutputs, RowSink } from "../../core/rows.ts";
import { literal } from "../sql.ts";
import { type Duck, failing } from "./duck.ts";
import { appendRows, groupRows, listOf, parquetOptions } from "./read/chunks.ts";
import { keptShapes } from "./read/shapes.ts";

const types: Readonly<Record<Held, { readonly sql: string; readonly type: DuckDBType }>> = {
  number: { sql: "DOUBLE", type: DOUBLE },
  bigint: { sql: "BIGINT", type: BIGINT },
  boolean: { sql: "BOOLEAN", type: BOOLEAN },
  text: { sql: "VARCHAR", type: VARCHAR },
  tensor: { sql: "FLOAT[]", type: LIST(FLOAT) },
};

/** After about so many bytes the rows so far move to a file. */
const bytesInMemory = 32 * 2 ** 20;

/** DuckDB holds a whole row group of each thread in memory, so wide rows make smaller ones. */
const rowGroupBytes = 16 * 2 ** 20;

/** Lists take a multiple of their size while they grow; measured: with a quarter, 200 MB serve 5,000 pictures of 64 × 64. */
const tensorShare = 1 / 4;

/**
 * Writes rows that come in batches into a Parquet file at `path`.
 *
 * `fill` hands them over through the sink and answers the outputs: SQL over the columns `c0`, `c1` … in order,
 * so that types can be decided once all rows were seen. Until then rows wait in files beside `path`, except the
 * last few megabytes, so memory does not grow with the rows.
 */
export async function writeRows(
  duck: Duck,
  holds: readonly Held[],
  path: string,
  fill: (sink: RowSink) => Promise<RowOutputs>,
  signal?: AbortSignal,
): Promise<void> {
  await duck.use(async (connection) => {
    const waiting = new Waiting(connection, holds, path);
    try {
      await waiting.begin();
      const { outputs, shapes } = await fill(waiting);
      const options = `${parquetOptions(waiting.groupRows())}${keptShapes(shapes)}`;
      const text = `COPY (SELECT ${outputs.join(", ")} FROM ${await waiting.source()}) TO ${literal(path)} (${options})`;
      await failing(text, () => connection.run(text));
    } finally {
      await waiting.end();
    }
  }, signal);
}

/** Rows on their way. */
class Waiting implements RowSink {
  readonly #connection: DuckDBConnection;
  readonly #holds: readonly Held[];
  readonly #path: string;
  readonly #share: number;
  readonly #table = `r_${Math.random().toString(36).slice(2)}`;
  readonly #files: string[] = [];
  #rows = 0;
  #bytes = 0;
  #bytesInMemory = 0;

  constructor(connection: DuckDBConnection, holds: readonly Held[], path: string) {
    this.#connection = connection;
    this.#holds = holds;
    this.#path = path;
    this.#share = holds.includes("tensor") ? tensorShare : 1;
  }

  async begin(): Promise<void> {
    const fields = this.#holds.map((held, k) => `c${k} ${types[held].sql}`);
    await this.#run(`CREATE TEMP TABLE ${this.#table} (${fields.join(", ")})`);
  }

  async append(batch: readonly (readonly unknown[])[]): Promise<number> {
    const rows = batch[0]?.length ?? 0;
    const held = this.#holds.map((each) => types[each].type);
    await appendRows(this.#connection, this.#table, held, { from: 0, to: rows }, (chunk, start, end) =>
      fill(chunk, this.#holds, batch, start, end),
    );
    this.#rows += rows;
    const bytes = batch.reduce((sum, values) => sum + bytesOf(values), 0);
    this.#bytes += bytes;
    this.#bytesInMemory += bytes;
    if (this.#bytesInMemory >= bytesInMemory * this.#share) await this.#moveOut();
    return this.#rows;
  }

  async count(conditions: readonly string[]): Promise<number[]> {
    if (conditions.length === 0) return [];
    const counts = conditions.map((condition) => `count(*) FILTER (WHERE ${condition})`);
    const text = `SELECT ${counts.join(", ")} FROM ${await this.source()}`;
    const result = await failing(text, () => this.#connection.runAndReadAll(text));
    return result.getRows()[0].map(Number);
  }

  /** What to read all rows from, in order. */
  async source(): Promise<string> {
    if (this.#files.length === 0) return this.#table;
    if (this.#bytesInMemory > 0) await this.#moveOut();
    return `read_parquet([${this.#files.map(literal).join(", ")}])`;
  }

  /** How many rows make a row group. */
  groupRows(): number {
    const bytes = this.#bytes / Math.max(1, this.#rows);
    return Math.max(1, Math.min(groupRows, Math.floor((this.#share * rowGroupBytes) / Math.max(1, bytes))));
  }

  async end(): Promise<void> {
    await this.#run(`DROP TABLE IF EXISTS ${this.#table}`);
    for (const file of this.#files) await rm(file, { force: true });
  }

  async #moveOut(): Promise<void> {
    const file = `${this.#path}.${this.#files.length}`;
    this.#files.push(file);
    await this.#run(`COPY ${this.#table} TO ${literal(file)} (${parquetOptions(this.groupRows())})`);
    // Emptied rows would stay in memory; a table that is dropped gives it back.
    await this.#run(`DROP TABLE ${this.#table}`);
    await this.begin();
    this.#bytesInMemory = 0;
  }

  async #run(text: string): Promise<void> {
    await failing(text, () => this.#connection.run(text));
  }
}

/** About how many bytes values take. */
function bytesOf(values: readonly unknown[]): number {
  let bytes = 0;
  for (const value of values) {
    if (typeof value === "string") bytes += value.length + 16;
    else bytes += value instanceof Float32Array ? value.byteLength : 8;
  }
  return bytes;
}

function fill(
  chunk: DuckDBDataChunk,
  holds: readonly Held[],
  batch: readonly (readonly unknown[])[],
  start: number,
  end: number,
): void {
  batch.forEach((values, k) => {
    const part = values.slice(start, end);
    chunk.setColumnValues(
      k,
      (holds[k] === "tensor" ? part.map((value) => value && listOf(value as Float32Array)) : part) as DuckDBValue[],
    );
  });
}
