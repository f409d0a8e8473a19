import type { Room } from "./room.ts";

/** The units of a batch that are not zero, listed by row and by column; zeros cost nothing. */
export class Lists {
  /** By row: where a feature's weights begin, in bytes; and its value, unless all are 1. */
  readonly byRow: Int32Array;
  readonly values: Float64Array | undefined;
  readonly inRow: Int32Array;
  /** By column: where a row's hidden probabilities begin, in bytes; and the value, unless all are 1. */
  readonly byColumn: Int32Array;
  readonly columnValues: Float64Array | undefined;
  readonly inColumn: Int32Array;
  /** The sum of each column. */
  readonly sums: Float64Array;
  readonly #batch: number;

  constructor(room: Room, batch: number, d: number, isWeighted: boolean) {
    this.byRow = room.ints(batch * d);
    this.byColumn = room.ints(batch * d);
    this.values = isWeighted ? room.doubles(batch * d) : undefined;
    this.columnValues = isWeighted ? room.doubles(batch * d) : undefined;
    this.inRow = new Int32Array(batch);
    this.inColumn = new Int32Array(d);
    this.sums = new Float64Array(d);
    this.#batch = batch;
  }

  clear(): void {
    this.inColumn.fill(0);
    this.inRow.fill(0);
    this.sums.fill(0);
  }

  /** Lists row `b`; its hidden probabilities begin `at` bytes into their table, rows of weights are `stride` apart. */
  put(b: number, row: Float64Array, stride: number, at: number): void {
    const { byRow, values, byColumn, columnValues, inColumn, sums } = this;
    const from = b * row.length;
    let found = from;
    for (let j = 0; j < row.length; j++) {
      const value = row[j]!;
      if (value === 0) continue;
      const slot = j * this.#batch + inColumn[j]!;
      inColumn[j]!++;
      sums[j]! += value;
      byRow[found] = j * stride;
      byColumn[slot] = at;
      if (values && columnValues) {
        values[found] = value;
        columnValues[slot] = value;
      }
      found++;
    }
    this.inRow[b] = found - from;
  }

  /** `put` for a row of zeros and ones; it writes before it knows, since processors can't guess what was drawn. */
  putDrawn(b: number, row: Float64Array, stride: number, at: number): void {
    const { byRow, byColumn, inColumn, sums } = this;
    const from = b * row.length;
    let found = from;
    for (let j = 0; j < row.length; j++) {
      const one = row[j]!;
      byRow[found] = j * stride;
      byColumn[j * this.#batch + inColumn[j]!] = at;
      found += one;
      inColumn[j]! += one;
      sums[j]! += one;
    }
    this.inRow[b] = found - from;
  }
}
