import { randomUUID } from "node:crypto";
import { open, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DataError, messageOf } from "../core/errors.ts";
import type { Column } from "../core/frame.ts";
import { quoted, uniqueNames } from "../core/names.ts";
import { literal, quote, raw, sql } from "../core/sql.ts";
import type { Ingested, IngestOptions, SourceFile } from "../core/tables.ts";
import { columnFor, nanMissing } from "./cells.ts";
import { parquetOptions } from "./chunks.ts";
import { readCsv } from "./csv.ts";
import { type Duck, isShortage } from "./duck.ts";
import { keptShapes, shapesIn, tensorType } from "./shapes.ts";
import { readSheet } from "./sheet.ts";

/** Reads a data file into a Parquet file at `path`; answers what it holds. */
export async function ingestFile(
  duck: Duck,
  source: SourceFile,
  options: IngestOptions,
  path: string,
  signal?: AbortSignal,
): Promise<Omit<Ingested, "artifact">> {
  const write = (text: string, shapes?: Parameters<typeof keptShapes>[0]) =>
    duck.run(`COPY (${text}) TO ${literal(path)} (${parquetOptions()}${keptShapes(shapes)})`, [], signal);
  let notices: readonly string[] = [];
  if (options.format === "csv") notices = await readCsv(duck, source, options, write, signal);
  else if (options.format === "xlsx") notices = await readSheet(duck, source, options, path, signal);
  else if (options.format === "json") await readJson(duck, source, write);
  else await readSelf(duck, source, "parquet", `read_parquet(${literal(source.path)})`, write);
  return { ...(await describeParquet(duck, path)), notices };
}

/** The columns and the number of rows of a Parquet file of our own; its lists are tensors. */
export async function describeParquet(duck: Duck, path: string): Promise<{ columns: Column[]; rows: number }> {
  const from = raw(`read_parquet(${literal(path)})`);
  const [described, [[rows]]] = await Promise.all([
    duck.rows(sql`DESCRIBE SELECT * FROM ${from}`),
    duck.rows(sql`SELECT count(*) FROM ${from}`),
  ]);
  const hasTensors = described.some(([, type]) => type === tensorType);
  const shapes = hasTensors ? await duck.use((connection) => shapesIn(connection, path)) : {};
  return {
    columns: described.map(([rawName, type]) => {
      const name = String(rawName);
      if (type !== tensorType) return columnFor(name, String(type)).column;
      return { name, type: "tensor", ...(Object.hasOwn(shapes, name) ? { shape: shapes[name] } : {}) };
    }),
    rows: Number(rows),
  };
}

/** Reads through one of DuckDB's own readers: types narrowed to ours, NaN to missing, names made unique. */
async function readSelf(
  duck: Duck,
  source: SourceFile,
  kind: "json" | "parquet",
  from: string,
  write: (text: string, shapes?: Record<string, readonly number[]>) => Promise<void>,
): Promise<void> {
  try {
    const { described, shapes } = await duck.use(async (connection) => ({
      described: (await connection.runAndReadAll(`DESCRIBE SELECT * FROM ${from}`)).getRows(),
      shapes: kind === "parquet" ? await shapesIn(connection, source.path) : {},
    }));
    const names = uniqueNames(described.map(([name]) => String(name)));
    const kept: Record<string, readonly number[]> = {};
    const outputs = described.map(([rawName, rawType], k) => {
      const type = String(rawType);
      const original = quote(String(rawName));
      if (type === tensorType && Object.hasOwn(shapes, String(rawName))) {
        kept[names[k]] = shapes[String(rawName)];
        return `${original} AS ${quote(names[k])}`;
      }
      const { column, cast } = columnFor(names[k], type);
      const nested = /(\[\]|^STRUCT|^MAP|^UNION)/.test(type)
        ? `CAST(to_json(${original}) AS VARCHAR)`
        : // Values of several types come as JSON; the text "x" would keep its quotes.
          type === "JSON"
          ? `json_extract_string(${original}, '$')`
          : null;
      const value = nested ?? (cast ? `CAST(${original} AS ${cast})` : original);
      const clean = column.type === "number" && !column.integer ? nanMissing(value) : value;
      return `${clean} AS ${quote(names[k])}`;
    });
    await write(`SELECT ${outputs.join(", ")} FROM ${from}`, kept);
  } catch (error) {
    throw explain(error, source, kind);
  }
}

function explain(error: unknown, source: SourceFile, kind: string): unknown {
  if ((error instanceof Error && error.name === "CancelledError") || isShortage(error)) return error;
  const message = messageOf(error);
  if (message.includes("expected records")) {
    return new DataError(
      `input: ${quoted(source.name)} holds no records; write them as [{"a": 1}, …], one object a line, or {"a": [1, …]}.`,
      { code: "no_records" },
      { cause: error },
    );
  }
  const reason = message
    .split("\n", 1)[0]
    .replace(/^.*?Error: /, "")
    .replaceAll(source.path, source.name);
  return new DataError(
    `input: ${quoted(source.name)} can't be read as ${kind}: ${reason.replace(/\.?$/, ".")}`,
    { code: `bad_${kind}` },
    { cause: error },
  );
}

/** JSON as records, newline-delimited records, or an object of columns (which is turned into records first). */
async function readJson(duck: Duck, source: SourceFile, write: (text: string) => Promise<void>): Promise<void> {
  const { size } = await stat(source.path);
  if (size === 0) throw new DataError(`input: ${quoted(source.name)} is empty.`, { code: "empty_file" });
  await refuseCutOff(source, size);
  const converted = await columnsToRecords(source, size);
  const path = converted ?? source.path;
  try {
    await readSelf(
      duck,
      source,
      "json",
      `read_json(${literal(path)}, records = 'true', maximum_depth = 2, dateformat = '%Y-%m-%d', timestampformat = '%Y-%m-%d %H:%M:%S', maximum_object_size = 104857600)`,
      write,
    );
  } finally {
    if (converted) await rm(converted, { force: true });
  }
}

/** DuckDB takes an array that is never closed for complete, so a file that was cut off would lose rows silently. */
async function refuseCutOff(source: SourceFile, size: number): Promise<void> {
  const handle = await open(source.path, "r");
  try {
    const near = async (position: number) =>
      (await handle.read(Buffer.alloc(64), 0, 64, Math.max(0, position))).buffer
        .toString("latin1")
        .replaceAll("\0", "");
    const [head, tail] = [await near(0), await near(size - 64)];
    if (/^(?:\xef\xbb\xbf)?\s*\[/.test(head) && !tail.trimEnd().endsWith("]")) {
      throw new DataError(`input: ${quoted(source.name)} was cut off: its list of records is never closed.`, {
        code: "bad_json",
      });
    }
  } finally {
    await handle.close();
  }
}

/** Beyond this a file of columns is left to DuckDB, since turning it into records takes it into memory. */
const mostBytesInMemory = 256 * 2 ** 20;

/** When the file is one object of columns (`{"a": [1, 2], "b": …}`, or pandas' `{"a": {"0": 1}}`), writes records. */
async function columnsToRecords(source: SourceFile, size: number): Promise<string | null> {
  if (size > mostBytesInMemory) return null;
  const text = (await readFile(source.path, "utf8")).replace(/^\uFEFF/, "");
  if (!/^\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*[[{]/.test(text)) return null;
  let columns: Record<string, unknown>;
  try {
    columns = JSON.parse(text) as Record<string, unknown>;
  } catch {
    return null;
  }
  const records = recordsOf(columns);
  if (!records) return null;
  const path = join(tmpdir(), `blocklab-${randomUUID()}.json`);
  await writeFile(path, JSON.stringify(records));
  return path;
}

function recordsOf(columns: Record<string, unknown>): Record<string, unknown>[] | null {
  const entries = Object.entries(columns);
  const lists = entries.map(([, value]) =>
    Array.isArray(value) ? value : typeof value === "object" && value !== null ? Object.values(value) : null,
  );
  const length = lists[0]?.length ?? 0;
  if (lists.some((list) => list === null || list.length !== length)) return null;
  return Array.from({ length }, (_, i) =>
    Object.fromEntries(entries.map(([name], k) => [name, lists[k]?.[i] ?? null])),
  );
}
