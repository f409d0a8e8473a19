import type { DuckDBValue } from "@duckdb/node-api";
import type { InstanceOptions } from "./instance.ts";
import type { Target } from "./read/putting.ts";
import { mostRows } from "./read/runs.ts";

/** A statement that calls functions of ours under its number. */
export interface Call {
  readonly id: number;
  readonly text: string;
  readonly values: readonly DuckDBValue[];
  /** Where `blocklab_take(id, numbers…)` puts numbers. */
  readonly ring?: Ring;
  /** Else, where they go: arrays in memory of both threads. */
  readonly targets?: readonly Target[];
  /** What `blocklab_item(id, row)` looks up. */
  readonly items?: Uint8Array;
  /** What `blocklab_list(id, k)` is. */
  readonly lists?: readonly ArrayLike<number>[];
}

/** Memory of both threads in which runs of rows pass from the one to the other, a slot each. */
export interface Ring {
  readonly columns: number;
  readonly slots: number;
  /** First whether the statement shall stop, then for each slot whether it is full. */
  readonly state: Int32Array<SharedArrayBuffer>;
  /** Each slot's columns, with room for `mostRows` each. */
  readonly data: Float64Array<SharedArrayBuffer>;
}

/** A ring of some slots; wide rows have fewer. */
export function ringOf(columns: number): Ring {
  const numbers = columns * mostRows;
  const slots = Math.min(16, Math.max(2, Math.floor(mostBytes / (numbers * Float64Array.BYTES_PER_ELEMENT))));
  return {
    columns,
    slots,
    state: new Int32Array(new SharedArrayBuffer((1 + slots) * Int32Array.BYTES_PER_ELEMENT)),
    data: new Float64Array(new SharedArrayBuffer(slots * numbers * Float64Array.BYTES_PER_ELEMENT)),
  };
}

const mostBytes = 8 * 2 ** 20;

/** A column of a slot. */
export function columnIn({ columns, data }: Ring, slot: number, k: number, rows: number): Float64Array {
  const from = (slot * columns + k) * mostRows;
  return data.subarray(from, from + rows);
}

/** Asks a statement to stop; the thread may wait for a slot of its. */
export function stopRing({ state }: Ring): void {
  for (let k = 0; k < state.length; k++) {
    Atomics.store(state, k, k === 0 ? 1 : 0);
    Atomics.notify(state, k);
  }
}

/** What the thread is started with; `drained` is 1 once it has ended all statements because the process ends. */
export interface ThreadOptions extends InstanceOptions {
  readonly drained: Int32Array<SharedArrayBuffer>;
}

export type ToThread =
  | { readonly call: Call }
  | { readonly interrupt: number }
  | { readonly exit: true }
  | { readonly close: true };

/** A slot is full, or a statement has ended. */
export type FromThread =
  | { readonly id: number; readonly slot: number; readonly rows: number }
  | { readonly id: number; readonly failed: string | null };
