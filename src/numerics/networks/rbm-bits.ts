import type { Room } from "./room.ts";

/** Terms of which one byte holds the bits. */
const terms = 4;

/** Bytes of the sums that `Bits` makes ahead. */
const sumBytes = 16_384;

/** Bytes that `Bits` takes of a room. */
export function bitBytes(rows: number, columns: number): number {
  return rows * groupsOf(columns) + columns * groupsOf(rows) + sumBytes + 48;
}

/** A matrix of zeros and ones, and its products, which take one addition for four terms. */
export class Bits {
  /** The sum of each column. */
  readonly sums: Float64Array;
  readonly #room: Room;
  readonly #scratch: number;
  /** Of each row four columns a byte, and of each column four rows. */
  readonly #byRow: Uint8Array;
  readonly #byColumn: Uint8Array;
  readonly #rows: number;
  readonly #columns: number;

  constructor(room: Room, rows: number, columns: number) {
    const bytes = (size: number) => {
      const { buffer, byteOffset } = room.ints(Math.ceil(size / 4));
      return new Uint8Array(buffer, byteOffset, size);
    };
    this.sums = new Float64Array(columns);
    this.#room = room;
    this.#scratch = room.doubles(sumBytes / 8).byteOffset;
    this.#byRow = bytes(rows * groupsOf(columns));
    this.#byColumn = bytes(columns * groupsOf(rows));
    this.#rows = rows;
    this.#columns = columns;
  }

  clear(): void {
    this.sums.fill(0);
    this.#byRow.fill(0);
    this.#byColumn.fill(0);
  }

  /** Takes row `i`, of zeros and ones. */
  put(i: number, row: Float64Array): void {
    const [byRow, byColumn, sums] = [this.#byRow, this.#byColumn, this.sums];
    const from = i * groupsOf(this.#columns);
    const [step, place] = [groupsOf(this.#rows), i % terms];
    for (let j = 0, at = Math.floor(i / terms); j < row.length; j++, at += step) {
      const bit = row[j]!;
      sums[j]! += bit;
      byRow[from + (j >> 2)]! |= bit << (j & 3);
      byColumn[at]! |= bit << place;
    }
  }

  /**
   * out += this · table; both lie row by row, `stride` and `outStride` bytes apart, `width` bytes of each.
   *
   * The table's rows are a multiple of four, those without a column zeros.
   */
  times(table: Float64Array, stride: number, out: Float64Array, outStride: number, width: number): void {
    const [n, groups, codes] = [this.#rows, groupsOf(this.#columns), this.#byRow.byteOffset];
    const { loops } = this.#room;
    loops.addCoded(codes, n, groups, table.byteOffset, stride, out.byteOffset, outStride, width, this.#scratch);
  }

  /** `times` of the turned matrix. */
  turnedTimes(table: Float64Array, stride: number, out: Float64Array, outStride: number, width: number): void {
    const [n, groups, codes] = [this.#columns, groupsOf(this.#rows), this.#byColumn.byteOffset];
    const { loops } = this.#room;
    loops.addCoded(codes, n, groups, table.byteOffset, stride, out.byteOffset, outStride, width, this.#scratch);
  }
}

function groupsOf(length: number): number {
  return Math.ceil(length / terms);
}
