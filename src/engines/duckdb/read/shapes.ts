import type { DuckDBConnection } from "@duckdb/node-api";
import { z } from "zod";
import { literal } from "../../sql.ts";

/** The DuckDB type in which tensors are stored; Parquet keeps no shape of its own. */
export const tensorType = "FLOAT[]";

/** Under this key a Parquet file of ours keeps the shapes of its tensor columns, as JSON. */
export const shapesKey = "blocklab_shapes";

type Shapes = Readonly<Record<string, readonly number[]>>;

const stored = z.record(z.string(), z.array(z.int().min(1)));

/** The option of COPY that keeps shapes in a Parquet file; nothing when there are none. */
export function keptShapes(shapes: Shapes = {}): string {
  if (Object.keys(shapes).length === 0) return "";
  return `, KV_METADATA {${shapesKey}: ${literal(JSON.stringify(shapes))}}`;
}

/** The shapes that a Parquet file keeps; a file from elsewhere may hold anything under that key. */
export async function shapesIn(connection: DuckDBConnection, path: string): Promise<Shapes> {
  const text = `SELECT decode(value) FROM parquet_kv_metadata(${literal(path)}) WHERE decode(key) = ${literal(shapesKey)}`;
  const [row] = (await connection.runAndReadAll(text)).getRows();
  return shapesOfText(row === undefined ? undefined : String(row[0]));
}

/** The shapes that a file keeps under our key; none where that holds something else. */
export function shapesOfText(text: string | undefined): Shapes {
  try {
    return stored.parse(JSON.parse(text ?? "{}"));
  } catch {
    return {};
  }
}
