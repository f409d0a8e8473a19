import { type DuckDBDataChunk, DuckDBTimestampValue, DuckDBTypeId } from "@duckdb/node-api";
import type { Cell } from "../../../core/view.ts";
import { toCell } from "./cells.ts";
import { eachMissing, rawOf } from "./chunks.ts";

/** A chunk's column as cells: what `toCell` makes of each, without a value of DuckDB's for each number and moment. */
export function cellsIn(chunk: DuckDBDataChunk, k: number): Cell[] {
  const { typeId } = chunk.getColumnVector(k).type;
  const raw = typeId === DuckDBTypeId.LIST ? null : rawOf(chunk, k);
  const read = raw instanceof Float64Array ? numbers : raw instanceof BigInt64Array ? whole[typeId] : undefined;
  if (!read) return chunk.getColumnValues(k).map(toCell);
  const cells = read(raw as never);
  eachMissing(chunk, k, (row) => {
    cells[row] = null;
  });
  return cells;
}

function numbers(items: Float64Array): Cell[] {
  return Array.from(items, (value) => (Number.isNaN(value) ? null : value));
}

const whole: Readonly<Partial<Record<DuckDBTypeId, (items: BigInt64Array) => Cell[]>>> = {
  [DuckDBTypeId.BIGINT]: (items) => Array.from(items, toCell),
  [DuckDBTypeId.TIMESTAMP]: (items) => Array.from(items, momentOf),
};

const secondMicros = 1_000_000n;
/** From year 1 to year 9999, in microseconds. */
const [first, last] = [-62_135_596_800n * secondMicros, 253_402_300_800n * secondMicros];

function momentOf(micros: bigint): Cell {
  if (micros % secondMicros !== 0n || micros < first || micros >= last) return toCell(new DuckDBTimestampValue(micros));
  const text = new Date(Number(micros / 1000n)).toISOString();
  return `${text.slice(0, 10)} ${text.slice(11, 19)}`;
}
