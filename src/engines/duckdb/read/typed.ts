import type { DuckDBDataChunk, DuckDBListValue, DuckDBValue } from "@duckdb/node-api";
import { type ColumnValues, wholeValues } from "../../../core/column-values.ts";
import type { Column } from "../../../core/frame.ts";
import type { Selection } from "../../../core/selection.ts";
import type { Relation } from "../../../plan/node.ts";
import type { Duck } from "../duck.ts";
import { selectFrom } from "../select.ts";
import { toCell } from "./cells.ts";
import { eachMissing, rawOf } from "./chunks.ts";
import { eachChunk, Growing } from "./streamed.ts";

/** Reads columns in the forms of their types: numbers as they lie in the engine's vectors, not cell by cell. */
export async function readTyped(
  duck: Duck,
  relation: Relation,
  selection: Selection,
  columns: readonly Column[],
  signal?: AbortSignal,
): Promise<ColumnValues[]> {
  const { text, values } = duck.statement(selectFrom(relation, selection));
  const collectors = columns.map(collectorOf);
  await duck.use(async (connection) => {
    await eachChunk(connection, text, values, (chunk) => {
      for (const [k, collector] of collectors.entries()) collector.take(chunk, k);
    });
  }, signal);
  return collectors.map((collector) => collector.values());
}

interface Collector {
  take(chunk: DuckDBDataChunk, k: number): void;
  values(): ColumnValues;
}

function collectorOf({ type, integer }: Column): Collector {
  if (type === "number") return integer ? new Whole() : new Numbers();
  if (type === "datetime") return new Dates();
  if (type === "tensor") return new Cells((value) => Float32Array.from((value as DuckDBListValue).items as number[]));
  return new Cells((value) => toCell(value) as string | boolean | null);
}

class Numbers implements Collector {
  readonly #all = new Growing<Float64Array>(new Float64Array(0));

  take(chunk: DuckDBDataChunk, k: number): void {
    const before = this.#all.length;
    const items = rawOf(chunk, k);
    this.#all.append(items instanceof Float64Array ? items : Float64Array.from(chunk.getColumnValues(k), numberOf));
    eachMissing(chunk, k, (row) => {
      this.#all.all[before + row] = Number.NaN;
    });
  }

  values(): ColumnValues {
    return this.#all.all.slice();
  }
}

function numberOf(value: DuckDBValue): number {
  const cell = toCell(value);
  return cell === null ? Number.NaN : Number(cell);
}

class Whole implements Collector {
  readonly #runs: BigInt64Array[] = [];
  readonly #missing: number[] = [];
  #rows = 0;

  take(chunk: DuckDBDataChunk, k: number): void {
    const items = rawOf(chunk, k);
    const whole = (value: DuckDBValue) => (value === null ? 0n : BigInt(toCell(value) as number | string));
    const isOwn = items instanceof BigInt64Array;
    this.#runs.push(isOwn ? items : BigInt64Array.from(chunk.getColumnValues(k), whole));
    eachMissing(chunk, k, (row) => this.#missing.push(this.#rows + row));
    this.#rows += chunk.rowCount;
  }

  values(): ColumnValues {
    return wholeValues(this.#runs, this.#missing);
  }
}

const dayMs = 86_400_000;

class Dates implements Collector {
  readonly #all: (Date | null)[] = [];

  take(chunk: DuckDBDataChunk, k: number): void {
    const before = this.#all.length;
    const items = rawOf(chunk, k);
    if (items instanceof Int32Array) for (const days of items) this.#all.push(new Date(days * dayMs));
    else if (items instanceof BigInt64Array) {
      for (const micros of items) this.#all.push(new Date(Math.floor(Number(micros) / 1000)));
    } else {
      for (const value of chunk.getColumnValues(k))
        this.#all.push(value === null ? null : new Date(`${toCell(value)}Z`));
    }
    eachMissing(chunk, k, (row) => {
      this.#all[before + row] = null;
    });
  }

  values(): ColumnValues {
    return this.#all;
  }
}

class Cells<T extends string | boolean | Float32Array | null> implements Collector {
  readonly #all: (T | null)[] = [];
  readonly #read: (value: DuckDBValue) => T;

  constructor(read: (value: DuckDBValue) => T) {
    this.#read = read;
  }

  take(chunk: DuckDBDataChunk, k: number): void {
    for (const value of chunk.getColumnValues(k)) {
      this.#all.push(typeof value === "string" ? (value as T) : value === null ? null : this.#read(value));
    }
  }

  values(): ColumnValues {
    return this.#all as ColumnValues;
  }
}
