import { DuckDBBitValue, type DuckDBValue } from "@duckdb/node-api";
import { type Sql, sql } from "../../sql.ts";
import type { Duck } from "../duck.ts";

/** A 1 for each of a table's rows whose number is among those of a query's column "row". */
export async function markRows(duck: Duck, numbers: Sql, rows: number, signal?: AbortSignal): Promise<Uint8Array> {
  if (rows === 0) return new Uint8Array(0);
  const last = rows - 1;
  const [[bits]] = await duck.rows(
    sql`SELECT bitstring_agg(CAST("row" AS BIGINT), CAST(0 AS BIGINT), CAST(${last} AS BIGINT)) FROM (${numbers})`,
    signal,
  );
  return bits instanceof DuckDBBitValue ? marksIn(bits, rows) : new Uint8Array(rows);
}

/** Marks as the engine's own bits: how many are for nothing, then those and all others from the highest bit down. */
export function bitsOf(marks: Uint8Array): DuckDBBitValue {
  const padding = (8 - (marks.length % 8)) % 8;
  const data = new Uint8Array(1 + (padding + marks.length) / 8);
  data[0] = padding;
  data[1] = 0xff00 >> padding;
  for (let i = 0; i < marks.length; i++) {
    const at = padding + i;
    data[1 + (at >> 3)]! |= marks[i]! << (7 - (at & 7));
  }
  return new DuckDBBitValue(data);
}

/** The condition that a row, whose number SQL of ours says, is marked; what it binds is added to the values. */
export function isMarked(marks: DuckDBBitValue, row: string, values: DuckDBValue[]): string {
  return `get_bit($${values.push(marks)}, CAST(${row} AS INTEGER)) = 1`;
}

function marksIn({ data }: DuckDBBitValue, rows: number): Uint8Array {
  const padding = data[0]!;
  const marks = new Uint8Array(rows);
  for (let i = 0; i < rows; i++) {
    const at = padding + i;
    marks[i] = (data[1 + (at >> 3)]! >> (7 - (at & 7))) & 1;
  }
  return marks;
}
