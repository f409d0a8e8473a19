import type { BatchProducts, BatchTables } from "./rbm-batch.ts";
import { Lists } from "./rbm-lists.ts";
import { rowsAtOnce, stripOf, weightStrip } from "./rbm-room.ts";

/** Bytes that `ListedProducts` takes of a room. */
export function listBytes(batch: number, d: number): number {
  return (12 + 12 + 4 + 4) * batch * d + 96;
}

/** Products over lists of what is not zero: for small batches, and where most cells are zeros. */
export class ListedProducts implements BatchProducts {
  readonly sums: BatchProducts["sums"];
  readonly #tables: BatchTables;
  readonly #data: Lists;
  readonly #dreams: Lists;

  constructor(tables: BatchTables) {
    const { room, batch, d } = tables;
    this.#tables = tables;
    this.#data = new Lists(room, batch, d, true);
    this.#dreams = new Lists(room, batch, d, false);
    this.sums = { data: this.#data.sums, dreams: this.#dreams.sums };
  }

  receiveData(rows: Float64Array, n: number): void {
    const { d, stride, row } = this.#tables;
    this.#data.clear();
    for (let b = 0; b < n; b++) this.#data.put(b, rows.subarray(b * d, (b + 1) * d), 8 * stride, 8 * row * b);
    this.#receive(this.#data, n, 0);
  }

  receiveChains(): void {
    const { room, batch, row, visible, weights, chains, received, visibleBias, ...tables } = this.#tables;
    const [table, stride] = [weights.byteOffset, 8 * tables.stride];
    const block = rowsAtOnce(stride);
    for (let j = 0; j < visible; j += block) {
      const [from, end] = [table + j * stride, table + Math.min(j + block, visible) * stride];
      for (let b = 0; b < batch; b += 2) {
        const [a, out] = [chains.byteOffset + 8 * b * row, received.byteOffset + 8 * (b * visible + j)];
        const bias = visibleBias.byteOffset + 8 * j;
        room.loops.rowDots(a, 8 * row, from, end, stride, bias, out, 8 * visible, 8 * row);
      }
    }
    this.#dreams.clear();
  }

  putDream(b: number, dream: Float64Array): void {
    const { batch, stride, row } = this.#tables;
    this.#dreams.putDrawn(b, dream, 8 * stride, 8 * row * (batch + b));
  }

  receiveDreams(): void {
    const { batch } = this.#tables;
    this.#receive(this.#dreams, batch, batch);
  }

  /** What the hidden units receive of the listed rows. */
  #receive(lists: Lists, n: number, to: number): void {
    const { room, d, row, weights, hiddenBias, on } = this.#tables;
    const multiply = lists.values ? room.loops.weightedRows : room.loops.sumOfRows;
    const [width, table, bias] = [8 * row, weights.byteOffset, hiddenBias.byteOffset];
    const strip = weightStrip(d, width);
    for (let k = 0; k < width; k += strip) {
      for (let b = 0; b < n; b++) {
        const from = lists.byRow.byteOffset + 4 * b * d;
        const values = (lists.values?.byteOffset ?? 0) + 8 * b * d;
        const out = on.byteOffset + (to + b) * width + k;
        const end = from + 4 * lists.inRow[b]!;
        multiply(from, end, values, table + k, bias + k, out, Math.min(strip, width - k));
      }
    }
  }

  /** Feature by feature. */
  move(): void {
    const { room, d, batch, row, stride, weights, on, step } = this.#tables;
    const [width, table] = [8 * row, on.byteOffset];
    const [data, dreams] = [this.#data, this.#dreams];
    const strip = stripOf(2 * batch, width);
    for (let k = 0; k < width; k += strip) {
      for (let j = 0; j < d; j++) {
        const slot = j * batch;
        const added = data.byColumn.byteOffset + 4 * slot;
        const taken = dreams.byColumn.byteOffset + 4 * slot;
        room.loops.moveRow(
          weights.byteOffset + 8 * j * stride + k,
          Math.min(strip, width - k),
          step.byteOffset,
          added,
          added + 4 * data.inColumn[j]!,
          data.columnValues!.byteOffset + 8 * slot,
          taken,
          taken + 4 * dreams.inColumn[j]!,
          table + k,
        );
      }
    }
  }
}
