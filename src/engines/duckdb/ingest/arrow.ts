import { type FileHandle, open, rm } from "node:fs/promises";
import { setImmediate as turn } from "node:timers/promises";
import { zstdDecompressSync } from "node:zlib";
import type { DuckDBConnection, DuckDBDataChunk } from "@duckdb/node-api";
import type { RecordBatch } from "apache-arrow";
import { CancelledError, DataError } from "../../../core/errors.ts";
import { quoted } from "../../../core/names.ts";
import type { IngestOptions, SourceFile } from "../../../core/tables.ts";
import { visible } from "../../../core/visible.ts";
import { literal } from "../../sql.ts";
import { type Duck, failing } from "../duck.ts";
import { appendRows, parquetOptions } from "../read/chunks.ts";
import { shapesKey, shapesOfText, tensorType } from "../read/shapes.ts";
import { type ArrowColumn, columnOf } from "./arrow-columns.ts";
import { lz4Frame } from "./lz4.ts";
import { readTable, type TypedTable } from "./parquet.ts";

/** After about so many bytes the rows so far move to a file; four times as many took 160 MB more memory, and no less work. */
const bytesInMemory = 32 * 2 ** 20;

/** Rows that are put into the engine before others of the process have their turn. */
const rowsAtOnce = 32_768;

/** Under this key of a schema, who wrote the file says what became of its values: JSON, a list of sentences. */
export const remarksKey = "blocklab_remarks";

/**
 * Reads an Arrow IPC file or stream, such as Feather's second version, through `write` into a Parquet file at `path`.
 *
 * Its record batches move one by one to Parquet beside `path`, with types of DuckDB's, from where they are read as any
 * Parquet file is. Answers what is worth a notice.
 */
export async function readArrow(
  duck: Duck,
  source: SourceFile,
  options: IngestOptions,
  path: string,
  write: (text: string, shapes: Record<string, readonly number[]>) => Promise<unknown>,
  signal?: AbortSignal,
): Promise<string[]> {
  const parts: string[] = [];
  const remarks: string[] = [];
  const load = () =>
    duck.use(async (connection): Promise<TypedTable> => {
      const staged = new Staged(connection, parts, path);
      try {
        const { columns, metadata } = await stage(source, staged, signal);
        remarks.push(...remarksIn(metadata), ...columns.flatMap(({ remark }) => remark ?? []));
        const shapes = shapesOfText(metadata.get(shapesKey));
        return {
          from: `read_parquet([${parts.map(literal).join(", ")}])`,
          columns: columns.map(({ name, type, shape }, k) => ({
            name,
            column: `c${k}`,
            has: String(type),
            shape: shape ?? (String(type) === tensorType && Object.hasOwn(shapes, name) ? shapes[name] : undefined),
          })),
        };
      } finally {
        await staged.end();
      }
    }, signal);
  try {
    const notices = await readTable(duck, load, { source, options, path, kind: "arrow" }, write, signal);
    return [...remarks, ...notices];
  } finally {
    await Promise.all(parts.map((part) => rm(part, { force: true })));
  }
}

/** Puts all record batches into the engine; answers the columns and what the schema says besides. */
async function stage(
  source: SourceFile,
  staged: Staged,
  signal?: AbortSignal,
): Promise<{ columns: readonly ArrowColumn[]; metadata: ReadonlyMap<string, string> }> {
  const arrow = await import("apache-arrow");
  arrow.compressionRegistry.set(arrow.CompressionType.LZ4_FRAME, { decode: lz4Frame });
  arrow.compressionRegistry.set(arrow.CompressionType.ZSTD, { decode: (data) => zstdDecompressSync(data) });
  const handle = await open(source.path, "r");
  try {
    await refuseOthers(handle, source);
    // It reads and closes the handle itself.
    const reader = await whole(async () => {
      const found = await arrow.RecordBatchReader.from(handle);
      return await found.open();
    });
    const { fields, metadata } = reader.schema;
    const columns = fields.map((field) => columnOf(arrow, field));
    await staged.begin(columns);
    for (;;) {
      if (signal?.aborted) throw new CancelledError();
      const { value, done } = await whole(async () => await reader.next());
      if (done) break;
      await staged.append(value, signal);
    }
    await staged.moveOut();
    return { columns, metadata };
  } finally {
    await handle.close().catch(() => undefined);
  }
}

/** What the reader throws tells of bytes and flatbuffers, which is of no use to anybody. */
async function whole<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new Error("it is damaged, or was cut off", { cause: error });
  }
}

async function refuseOthers(handle: FileHandle, { name }: SourceFile): Promise<void> {
  const { size } = await handle.stat();
  const near = async (position: number) => (await handle.read(Buffer.alloc(8), 0, 8, Math.max(0, position))).buffer;
  const head = await near(0);
  const magic = head.toString("latin1");
  if (magic.startsWith("FEA1")) {
    throw new DataError(
      `input: ${quoted(name)} is of Feather's first version, which is no longer in use; write it anew as the second, as df.to_feather(path) does.`,
      { code: "bad_arrow" },
    );
  }
  const isFile = magic.startsWith("ARROW1");
  if (!isFile && head.readUInt32LE(0) !== 0xffffffff) throw new Error("it begins like no file or stream of Arrow");
  if (isFile && !(await near(size - 6)).toString("latin1").startsWith("ARROW1")) {
    throw new Error("it is damaged, or was cut off");
  }
}

/** Rows on their way: a table in memory, and the files of earlier ones. */
class Staged {
  readonly #connection: DuckDBConnection;
  readonly #parts: string[];
  readonly #path: string;
  readonly #table = `a_${Math.random().toString(36).slice(2)}`;
  #columns: readonly ArrowColumn[] = [];
  #bytes = 0;

  constructor(connection: DuckDBConnection, parts: string[], path: string) {
    this.#connection = connection;
    this.#parts = parts;
    this.#path = path;
  }

  async begin(columns: readonly ArrowColumn[]): Promise<void> {
    if (columns.length === 0) throw new Error("it has no columns");
    this.#columns = columns;
    const fields = columns.map(({ type }, k) => `c${k} ${type}`);
    await this.#run(`CREATE TEMP TABLE ${this.#table} (${fields.join(", ")})`);
  }

  async append(batch: RecordBatch, signal?: AbortSignal): Promise<void> {
    const fills = this.#columns.map(({ reading }, k) => {
      const vector = batch.getChildAt(k);
      if (!vector) throw new Error(`column ${k + 1} is not in one of its batches`);
      return reading(vector);
    });
    const fill = (chunk: DuckDBDataChunk, start: number, end: number) => {
      for (let k = 0; k < fills.length; k++) fills[k](chunk, k, start, end);
    };
    const types = this.#columns.map(({ type }) => type);
    for (let from = 0; from < batch.numRows; from += rowsAtOnce) {
      if (signal?.aborted) throw new CancelledError();
      const to = Math.min(batch.numRows, from + rowsAtOnce);
      await appendRows(this.#connection, this.#table, types, { from, to }, fill);
      await turn();
    }
    this.#bytes += batch.data.byteLength;
    if (this.#bytes < bytesInMemory) return;
    await this.moveOut();
    await this.begin(this.#columns);
  }

  /** Moves the rows in memory to a file; a table that is dropped gives its memory back. */
  async moveOut(): Promise<void> {
    const part = `${this.#path}.${this.#parts.length}`;
    this.#parts.push(part);
    await this.#run(`COPY ${this.#table} TO ${literal(part)} (${parquetOptions()})`);
    await this.#run(`DROP TABLE ${this.#table}`);
    this.#bytes = 0;
  }

  async end(): Promise<void> {
    await this.#run(`DROP TABLE IF EXISTS ${this.#table}`);
  }

  async #run(text: string): Promise<void> {
    await failing(text, () => this.#connection.run(text));
  }
}

const mostRemarks = 20;

/** What who wrote the file says of it; a file from elsewhere may hold anything under that key. */
function remarksIn(metadata: ReadonlyMap<string, string>): string[] {
  try {
    const found: unknown = JSON.parse(metadata.get(remarksKey) ?? "[]");
    if (!Array.isArray(found)) return [];
    const texts = found.filter((each): each is string => typeof each === "string");
    return texts.slice(0, mostRemarks).map((each) => visible(each.slice(0, 400)));
  } catch {
    return [];
  }
}
