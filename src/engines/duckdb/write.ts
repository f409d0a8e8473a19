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
  INTEGER,
  LIST,
  UTINYINT,
  VARCHAR,
} from "@duckdb/node-api";
import type { Column } from "../../core/frame.ts";
import type { ListValues, WriteColumn } from "../../core/tables.ts";
import { col, join, literal, quote, raw, type Sql, sql } from "../sql.ts";
import { type Duck, type Engine, failing } from "./duck.ts";
import { duckType, nanMissing } from "./read/cells.ts";
import { appendRows, groupRows, itemsIn, listOf, parquetOptions } from "./read/chunks.ts";
import { keptShapes } from "./read/shapes.ts";

/** Runs a SELECT into a Parquet file at `path`; the shapes of its tensor columns go with it. */
export async function writeParquet(
  engine: Engine,
  statement: Sql,
  path: string,
  signal?: AbortSignal,
  columns: readonly Column[] = [],
): Promise<void> {
  await copyTo(engine, statement, path, `${parquetOptions(groupRowsOf(columns.length))}${shapesOf(columns)}`, signal);
}

/** Runs a SELECT into a file, written as the options of DuckDB's COPY say. */
async function copyTo(
  engine: Engine,
  statement: Sql,
  path: string,
  options: string,
  signal?: AbortSignal,
): Promise<void> {
  const { text, values } = engine.statement(statement);
  await engine.run(`COPY (${text}) TO ${literal(path)} (${options})`, [...values] as DuckDBValue[], signal);
}

/** Rows of a group: DuckDB holds one in memory, which of thousands of columns is gigabytes; so wide rows make smaller ones. */
function groupRowsOf(columns: number): number {
  const rows = Math.floor(cellsPerGroup / Math.max(1, columns) / 2048) * 2048;
  return Math.min(groupRows, Math.max(2048, rows));
}

/** About 400 MB of numbers. */
const cellsPerGroup = 50_000_000;

function shapesOf(columns: readonly Column[]): string {
  const shapes = columns.flatMap(({ name, type, shape }) => (type === "tensor" && shape ? [[name, shape]] : []));
  return keptShapes(Object.fromEntries(shapes));
}

/** Runs a SELECT into a CSV or JSON file at `path`. */
export async function writeText(
  duck: Duck,
  statement: Sql,
  path: string,
  format: "csv" | "json",
  signal?: AbortSignal,
): Promise<void> {
  const options = format === "csv" ? "FORMAT csv, HEADER true" : "FORMAT json, ARRAY true";
  await copyTo(duck, statement, path, options, signal);
}

/** Rows that are written at once; DuckDB holds them all, beside the caller's columns. */
const rowsAtOnce = 4_000_000;

/** Writes columns from memory into a Parquet file at `path`; the rows of long ones by way of several files. */
export async function writeColumns(
  duck: Duck,
  columns: readonly WriteColumn[],
  path: string,
  signal?: AbortSignal,
): Promise<void> {
  const rows = columns[0] ? rowsIn(columns[0]) : 0;
  if (rows === 1 && columns.every(isList)) return await writeLists(duck, columns, path, signal);
  const options = `${parquetOptions()}${shapesOf(columns.map(({ column }) => column))}`;
  await duck.use(async (connection) => {
    if (rows <= rowsAtOnce) return await writePart(connection, columns, 0, rows, path, options);
    const parts: string[] = [];
    try {
      for (let start = 0; start < rows; start += rowsAtOnce) {
        parts.push(`${path}-${parts.length}`);
        await writePart(
          connection,
          columns,
          start,
          Math.min(rows, start + rowsAtOnce),
          parts.at(-1)!,
          parquetOptions(),
        );
      }
      const text = `COPY (SELECT * FROM read_parquet([${parts.map(literal).join(", ")}])) TO ${literal(path)} (${options})`;
      await failing(text, () => connection.run(text));
    } finally {
      await Promise.all(parts.map((part) => rm(part, { force: true })));
    }
  }, signal);
}

type ListColumn = WriteColumn & { readonly values: ListValues };

function isList(column: WriteColumn): column is ListColumn {
  return "start" in column.values;
}

/** Writes a single row of lists, without a table that is filled first: that takes as long as the writing. */
async function writeLists(
  duck: Duck,
  columns: readonly ListColumn[],
  path: string,
  signal?: AbortSignal,
): Promise<void> {
  const lists = columns.map(({ values: { start, items } }) => items.subarray(start[0], start[1]));
  // Numbers hardly repeat, and looking for those that do takes a fifth of the time.
  const options = lists.some((items) => items instanceof Uint8Array) ? parquetOptions() : plainOptions;
  const shapes = shapesOf(columns.map(({ column }) => column));
  await duck.withLists(lists, async (list, engine) => {
    const cells = columns.map(({ column }, k) => {
      const type = column.integer ? BIGINT : itemType(lists[k]);
      return sql`CAST(${list(k)} AS ${raw(String(type))}[]) AS ${col(column.name)}`;
    });
    await copyTo(engine, sql`SELECT ${join(cells)}`, path, `${options}${shapes}`, signal);
  });
}

const plainOptions = "FORMAT parquet, COMPRESSION uncompressed, DICTIONARY_SIZE_LIMIT 1";

/** How many rows a column has. */
export function rowsIn({ values }: WriteColumn): number {
  return "start" in values ? values.start.length - 1 : values.length;
}

async function writePart(
  connection: DuckDBConnection,
  columns: readonly WriteColumn[],
  from: number,
  to: number,
  path: string,
  options: string,
): Promise<void> {
  const table = `t_${Math.random().toString(36).slice(2)}`;
  const fields = columns.map((each) => `${quote(each.column.name)} ${memoryTypeName(each)}`);
  await connection.run(`CREATE TEMP TABLE ${table} (${fields.join(", ")})`);
  try {
    await appendRows(connection, table, columns.map(memoryType), { from, to }, (chunk, start, end) =>
      fill(chunk, columns, start, end),
    );
    const text = `COPY (SELECT ${columns.map(storedAs).join(", ")} FROM ${table}) TO ${literal(path)} (${options})`;
    await failing(text, () => connection.run(text));
  } finally {
    await connection.run(`DROP TABLE IF EXISTS ${table}`);
  }
}

function storedAs({ column, values }: WriteColumn): string {
  const name = quote(column.name);
  if ("start" in values) return column.integer ? `CAST(${name} AS BIGINT[]) AS ${name}` : name;
  if (column.type === "datetime" || isWhole(values)) return `CAST(${name} AS ${duckType(column)}) AS ${name}`;
  return column.type === "number" && !column.integer ? `${nanMissing(name)} AS ${name}` : name;
}

/** Are these whole numbers, none of them missing? */
function isWhole(values: WriteColumn["values"]): values is Int32Array | Uint8Array {
  return values instanceof Int32Array || values instanceof Uint8Array;
}

function memoryTypeName({ column, values }: WriteColumn): string {
  if ("start" in values) return `${itemType(values.items)}[]`;
  if (isWhole(values)) return String(itemType(values));
  return column.type === "datetime" ? "VARCHAR" : duckType(column);
}

function itemType(items: ListValues["items"]): DuckDBType {
  return items instanceof Uint8Array ? UTINYINT : items instanceof Int32Array ? INTEGER : DOUBLE;
}

function memoryType({ column, values }: WriteColumn): DuckDBType {
  if ("start" in values) return LIST(itemType(values.items));
  if (isWhole(values)) return itemType(values);
  if (column.type === "number") return column.integer ? BIGINT : DOUBLE;
  if (column.type === "tensor") return LIST(FLOAT);
  return column.type === "boolean" ? BOOLEAN : VARCHAR;
}

function fill(chunk: DuckDBDataChunk, columns: readonly WriteColumn[], start: number, end: number): void {
  columns.forEach(({ column, values }, k) => {
    if ("start" in values) {
      const lists = Array.from({ length: end - start }, (_, i) => {
        return listOf(values.items.subarray(values.start[start + i], values.start[start + i + 1]));
      });
      chunk.setColumnValues(k, lists);
    } else if (isWhole(values) || (values instanceof Float64Array && !column.integer)) {
      // Setting values one by one is 20 times slower.
      const vector = chunk.getColumnVector(k);
      itemsIn(vector).set(values.subarray(start, end));
      vector.flush();
    } else {
      const slice = Array.from(values.slice(start, end) as ArrayLike<unknown>);
      chunk.setColumnValues(
        k,
        slice.map((value) => toDuck(value, column.integer === true)),
      );
    }
  });
}

function toDuck(value: unknown, integer: boolean): DuckDBValue {
  if (value === null || (typeof value === "number" && Number.isNaN(value))) return null;
  if (value instanceof Float32Array) return listOf(value);
  return integer ? BigInt(value as number) : (value as DuckDBValue);
}
