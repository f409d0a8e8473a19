import type { BatchProducts, BatchTables } from "./rbm-batch.ts";
import { Bits, bitBytes } from "./rbm-bits.ts";
import { Products, productBytes, type Table } from "./room.ts";

/** Bytes that `DenseProducts` takes of a room. */
export function denseBytes(batch: number, d: number): number {
  return 8 * batch * d + 16 + bitBytes(batch, d) + productBytes;
}

/** Products of whole tables, for large batches of few zeros; those of zeros and ones by `Bits`. */
export class DenseProducts implements BatchProducts {
  readonly sums: BatchProducts["sums"];
  readonly #tables: BatchTables;
  readonly #data: Table;
  readonly #dreams: Bits;
  readonly #products: Products;
  readonly #weights: Table;
  readonly #on: Table;
  /** The chains' part of `on`. */
  readonly #onOfDreams: Float64Array;

  constructor(tables: BatchTables) {
    const { room, batch, d, row, stride, weights, on } = tables;
    this.#tables = tables;
    this.#data = { data: room.doubles(batch * d), columns: d };
    this.#dreams = new Bits(room, batch, d);
    this.#products = new Products(room);
    this.#weights = { data: weights, columns: stride };
    this.#on = { data: on, columns: row };
    this.#onOfDreams = on.subarray(batch * row);
    this.sums = { data: new Float64Array(d), dreams: this.#dreams.sums };
  }

  receiveData(rows: Float64Array, n: number): void {
    const { room, d, hidden, row, hiddenBias, on } = this.#tables;
    this.#data.data.set(rows);
    const sums = this.sums.data.fill(0);
    for (let b = 0, at = 0; b < n; b++) for (let j = 0; j < d; j++, at++) sums[j]! += rows[at]!;
    room.loops.fillRows(hiddenBias.byteOffset, on.byteOffset, n, row);
    this.#products.add(this.#data, this.#weights, this.#on, n, hidden, d);
  }

  receiveChains(): void {
    const { room, batch, d, visible, hidden, row, visibleBias, ...tables } = this.#tables;
    room.loops.fillRows(visibleBias.byteOffset, tables.received.byteOffset, batch, visible);
    const chains = { data: tables.chains, columns: row };
    const received = { data: tables.received, columns: visible };
    this.#products.add(chains, { ...this.#weights, turned: true }, received, batch, d, hidden);
    this.#dreams.clear();
  }

  putDream(b: number, row: Float64Array): void {
    this.#dreams.put(b, row);
  }

  receiveDreams(): void {
    const { room, batch, row, stride, weights, hiddenBias } = this.#tables;
    const on = this.#onOfDreams;
    room.loops.fillRows(hiddenBias.byteOffset, on.byteOffset, batch, row);
    this.#dreams.times(weights, 8 * stride, on, 8 * row, 8 * row);
  }

  /** Leaves `on` times the step. */
  move(n: number): void {
    const { d, hidden, row, stride, weights, batch } = this.#tables;
    const [on, step] = [this.#on.data, this.#tables.step[0]!];
    const taken = batch * row;
    for (let k = 0; k < n * row; k++) on[k]! *= step;
    for (let k = taken; k < 2 * taken; k++) on[k]! *= -step;
    this.#products.add({ ...this.#data, turned: true }, this.#on, this.#weights, d, hidden, n);
    this.#dreams.turnedTimes(this.#onOfDreams, 8 * row, weights, 8 * stride, 8 * row);
  }
}
