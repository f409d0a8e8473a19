import { DataType, type RecordBatch } from "apache-arrow";
import type { SparkClient } from "../../src/spark/index.ts";
import { sql } from "../../src/spark/index.ts";

/** The rows of a query: 64-bit numbers as numbers where they fit and as digits where not, dates as "2026-01-31 12:30:00". */
export async function cellsOf(client: SparkClient, query: string): Promise<{ names: string[]; rows: unknown[][] }> {
  const rows: unknown[][] = [];
  let names: string[] = [];
  for await (const batch of client.rows(sql(query))) {
    names = batch.schema.fields.map(({ name }) => name);
    rows.push(...rowsOf(batch));
  }
  return { names, rows };
}

function rowsOf(batch: RecordBatch): unknown[][] {
  const columns = batch.schema.fields.map(({ type }, k) => {
    const cells = batch.getChildAt(k);
    return Array.from({ length: batch.numRows }, (_, i) => cellOf(type, cells, i));
  });
  return Array.from({ length: batch.numRows }, (_, i) => columns.map((cells) => cells[i]));
}

function cellOf(type: DataType, cells: ReturnType<RecordBatch["getChildAt"]>, i: number): unknown {
  const value = cells?.get(i);
  if (value === null || value === undefined) return null;
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (DataType.isTimestamp(type)) return momentOf(cells?.data[0].values[i] as bigint);
  return value;
}

function momentOf(microseconds: bigint): string {
  const rest = ((microseconds % 1_000_000n) + 1_000_000n) % 1_000_000n;
  const text = new Date(Number((microseconds - rest) / 1000n)).toISOString().replace("T", " ").slice(0, 19);
  return rest === 0n ? text : `${text}.${String(rest).padStart(6, "0").replace(/0+$/, "")}`;
}
