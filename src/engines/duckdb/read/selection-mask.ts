import { DuckDBBitValue, type DuckDBValue } from "@duckdb/node-api";
import { type Sql, sql } from "../../sql.ts";
import type { Duck } from "../duck.ts";

/** A 1 for each of a table's rows whose number is among those of a query's column "row". */
export async function selectionMask(duck: Duck, numbers: Sql, rows: number, signal?: AbortSignal): Promise<Uint8Array> {
  if (rows === 0) return new Uint8Array(0);
  const last = rows - 1;
  const [[bits]] = await duck.rows(
    sql`SELECT bitstring_agg(CAST("row" AS BIGINT), CAST(0 AS BIGINT), CAST(${last} AS BIGINT)) FROM (${numbers})`,
    signal,
  );
  return bits instanceof DuckDBBitValue ? maskIn(bits, rows) : new Uint8Array(rows);
}

/** A mask as the engine's own bits: how many are for nothing, then those and all others from the highest bit down. */
export function maskBits(mask: Uint8Array): DuckDBBitValue {
  const padding = (8 - (mask.length % 8)) % 8;
  const data = new Uint8Array(1 + (padding + mask.length) / 8);
  data[0] = padding;
  data[1] = 0xff00 >> padding;
  for (let i = 0; i < mask.length; i++) {
    const at = padding + i;
    data[1 + (at >> 3)]! |= mask[i]! << (7 - (at & 7));
  }
  return new DuckDBBitValue(data);
}

/** The condition that a row, whose number SQL of ours says, is selected; what it binds is added to the values. */
export function isSelected(mask: DuckDBBitValue, row: string, values: DuckDBValue[]): string {
  return `get_bit($${values.push(mask)}, CAST(${row} AS INTEGER)) = 1`;
}

function maskIn({ data }: DuckDBBitValue, rows: number): Uint8Array {
  const padding = data[0]!;
  const mask = new Uint8Array(rows);
  for (let i = 0; i < rows; i++) {
    const at = padding + i;
    mask[i] = (data[1 + (at >> 3)]! >> (7 - (at & 7))) & 1;
  }
  return mask;
}
