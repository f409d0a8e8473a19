import { createLoops, type Loops } from "../wasm/loops.ts";

/** More than this is not asked of a WebAssembly memory, whose addresses end at 4 GB. */
const mostBytes = 2 ** 31;

/** Hands out parts of a memory; `bytes` says how many it will be asked for, `cure` what to lower where they are too many. */
export class Room {
  readonly loops: Loops;
  #next = 0;

  constructor(bytes: number, cure: string) {
    if (!(bytes <= mostBytes)) {
      throw new RangeError(`it would take ${(bytes / 1e9).toFixed(1)} GB of memory and 2.1 GB is the most; ${cure}`);
    }
    this.loops = createLoops(bytes).loops;
  }

  /** Zeros that begin at a multiple of 16 bytes; behind an odd number of them comes one more. */
  doubles(length: number): Float64Array<ArrayBuffer> {
    const at = this.#next;
    this.#next += Math.ceil(length / 2) * 16;
    return new Float64Array(this.loops.buffer, at, length);
  }

  ints(length: number): Int32Array<ArrayBuffer> {
    const at = this.#next;
    this.#next += Math.ceil(length / 4) * 16;
    return new Int32Array(this.loops.buffer, at, length);
  }
}

/** Doubles that a product needs beside its tables. */
const scratchDoubles = 64 * 256 + 512 * 256 + 64;

/** Bytes that `Products` takes of a room. */
export const productBytes = 8 * scratchDoubles;

/** A matrix in a room: its numbers row by row, `columns` of them; `turned` reads rows as columns. */
export interface Table {
  readonly data: Float64Array;
  readonly columns: number;
  readonly turned?: boolean;
}

/** Products of tables of one room. */
export class Products {
  readonly #loops: Loops;
  readonly #scratch: number;

  constructor(room: Room) {
    this.#loops = room.loops;
    this.#scratch = room.doubles(scratchDoubles).byteOffset;
  }

  /** out += a · b, of m×k and k×n; out lies row by row, `columns` apart. */
  add(a: Table, b: Table, out: Table, m: number, n: number, k: number): void {
    const [aRow, aColumn] = stepsOf(a);
    const [bRow, bColumn] = stepsOf(b);
    const [from, by, to] = [a.data.byteOffset, b.data.byteOffset, out.data.byteOffset];
    this.#loops.gemm(from, aRow, aColumn, by, bRow, bColumn, to, 8 * out.columns, m, n, k, this.#scratch);
  }
}

/** Bytes to the next row and to the next column. */
function stepsOf({ columns, turned = false }: Table): readonly [number, number] {
  return turned ? [8, 8 * columns] : [8 * columns, 8];
}
