import {
  type DuckDBConnection,
  DuckDBDataChunk,
  type DuckDBListValue,
  type DuckDBType,
  type DuckDBVector,
  listValue,
} from "@duckdb/node-api";
import { forgetCopies } from "./copies.ts";

/**
 * Rows of a group. A third of DuckDB's own number stays nearer to the cache, and gives each thread its share of a
 * moderate table: 50 columns of 200,000 rows are written in two thirds of the time.
 */
export const groupRows = 40_960;

/**
 * How tables are written. Measured: 0.6 s for 1M × 20 rows; DuckDB's defaults take 1.5 s.
 *
 * DuckDB takes the memory for a dictionary of texts before it has seen one: by default a megabyte for each column.
 * Without Bloom filters: those of DuckDB 1.5 tell -0 from 0, so that a condition or a join lost rows that have the one.
 */
export function parquetOptions(rows = groupRows): string {
  const dictionaries = "DICTIONARY_SIZE_LIMIT 1000, STRING_DICTIONARY_PAGE_SIZE_LIMIT 65536, WRITE_BLOOM_FILTER false";
  return `FORMAT parquet, COMPRESSION lz4, ${dictionaries}, ROW_GROUP_SIZE ${rows}`;
}

/** The most rows a DuckDB chunk holds. */
const chunkRows = 2048;

/** Appends the rows from…to−1 to a table; `fill` puts rows start…end−1 into the columns of an empty chunk. */
export async function appendRows(
  connection: DuckDBConnection,
  table: string,
  types: readonly DuckDBType[],
  { from, to }: { readonly from: number; readonly to: number },
  fill: (chunk: DuckDBDataChunk, start: number, end: number) => void,
): Promise<void> {
  const appender = await connection.createAppender(table);
  // One for all rows: those that wait for the garbage collector take memory that it knows nothing of.
  const chunk = DuckDBDataChunk.create(types);
  for (let start = from; start < to; start += chunkRows) {
    const end = Math.min(to, start + chunkRows);
    chunk.reset();
    chunk.rowCount = end - start;
    fill(chunk, start, end);
    appender.appendDataChunk(chunk);
    forgetCopies(chunk);
  }
  appender.closeSync();
}

/** A tensor or list as a DuckDB value. Its typings want an array, but any list of numbers is read. */
export function listOf(values: ArrayLike<number>): DuckDBListValue {
  return listValue(values as unknown as readonly number[]);
}

/** Numbers of a vector as they lie there. */
type Items = Float64Array | Float32Array | Int32Array | Uint8Array;

/** `items` is private in the typings of @duckdb/node-api 1.5; a public typed-array view would replace it. */
export function itemsIn<T extends Items = Float64Array | Int32Array | Uint8Array>(vector: DuckDBVector): T {
  return (vector as unknown as { items: T }).items;
}

/** The numbers of a chunk's column. */
export function itemsOf<T extends Items = Float64Array | Int32Array | Uint8Array>(
  chunk: DuckDBDataChunk,
  k: number,
): T {
  return itemsIn<T>(chunk.getColumnVector(k));
}

/** Calls back with the places of a column's missing rows. */
export function eachMissing(chunk: DuckDBDataChunk, k: number, take: (row: number) => void): void {
  // Private in the typings of @duckdb/node-api 1.5; asking for each row makes a BigInt of 64 bits for it.
  const vector = chunk.getColumnVector(k) as unknown as { validity: { data: BigUint64Array | null } };
  const { data } = vector.validity;
  if (data === null) return;
  const bits = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  for (let i = 0; i < chunk.rowCount; i++) if (((bits[i >> 3] >> (i & 7)) & 1) === 0) take(i);
}

/** The numbers of a column as its vector holds them; null where its type has no such form. */
export function rawOf(chunk: DuckDBDataChunk, k: number): Float64Array | Int32Array | BigInt64Array | null {
  const items: unknown = itemsOf(chunk, k);
  const isKnown = items instanceof Float64Array || items instanceof Int32Array || items instanceof BigInt64Array;
  return isKnown ? items.subarray(0, chunk.rowCount) : null;
}
