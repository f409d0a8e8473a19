import {
  advance,
  type CompiledModule,
  compile,
  during,
  get,
  int,
  intAt,
  less,
  linked,
  type Memory,
  plus,
  set,
  type VectorFunction,
  vector,
} from "./wasm.ts";

/** Doubles that one turn of a loop keeps in registers: eight vectors. */
const tile = 16;
const lanes = tile / 2;
const tileBytes = tile * 8;

const each = <T>(n: number, make: (k: number) => T[]): T[] => Array.from({ length: n }, (_, k) => make(k)).flat();

/**
 * out = bias + Σ value·row over a list of rows of `table`, `width` bytes of each.
 *
 * `rows` to `end`: the byte offsets of the rows, 32 bits each. `values`: a double for each row.
 */
function weightedRows(weighted: boolean): VectorFunction {
  const [rows, end, values, table, bias, out, width, k, at, value, row] = Array.from({ length: 11 }, (_, i) => i);
  const factor = 11;
  const sum = (t: number) => factor + 1 + t;
  const part = (t: number) => vector.load(get(row), 16 * t);
  const body = during(
    less(get(k), get(width)),
    each(lanes, (t) => [...set(sum(t), vector.load(plus(get(bias), get(k)), 16 * t))]),
    set(at, get(rows)),
    set(value, get(values)),
    during(
      less(get(at), get(end)),
      set(row, plus(plus(get(table), get(k)), intAt(get(at)))),
      weighted ? set(factor, vector.spread(get(value))) : [],
      each(lanes, (t) => [
        ...set(sum(t), vector.add(get(sum(t)), weighted ? vector.multiply(get(factor), part(t)) : part(t))),
      ]),
      advance(at, int(4)),
      weighted ? advance(value, int(8)) : [],
    ),
    each(lanes, (t) => [...vector.store(plus(get(out), get(k)), get(sum(t)), 16 * t)]),
    advance(k, int(tileBytes)),
  );
  return { name: weighted ? "weightedRows" : "sumOfRows", params: 7, ints: 4, vectors: lanes + 1, body };
}

/**
 * out[j] = bias[j] + a·table[j] for two vectors `a` and four rows j at a time, `width` bytes of each.
 *
 * `a` and `out` have their second row `step` and `outStep` bytes on. Covers the rows from `table` to `end`.
 */
function dots(): VectorFunction {
  const [a, step, table, end, stride, bias, out, outStep, width, k, r1, r2, r3] = Array.from(
    { length: 13 },
    (_, i) => i,
  );
  const rows = [table, r1, r2, r3];
  const left = 13;
  const right = 14;
  const sum = (b: number, j: number) => 15 + 4 * b + j;
  const body = during(
    less(get(table), get(end)),
    set(r1, plus(get(table), get(stride))),
    set(r2, plus(get(r1), get(stride))),
    set(r3, plus(get(r2), get(stride))),
    each(8, (s) => [...set(sum(s >> 2, s & 3), vector.zero)]),
    set(k, int(0)),
    during(
      less(get(k), get(width)),
      set(left, vector.load(plus(get(a), get(k)))),
      set(right, vector.load(plus(plus(get(a), get(step)), get(k)))),
      each(4, (j) => {
        const part = vector.load(plus(get(rows[j]), get(k)));
        const add = (b: number, factor: number) =>
          set(sum(b, j), vector.add(get(sum(b, j)), vector.multiply(get(factor), part)));
        return [...add(0, left), ...add(1, right)];
      }),
      advance(k, int(16)),
    ),
    each(4, (j) => [
      ...vector.storeSum(get(out), sum(0, j), get(bias), 8 * j),
      ...vector.storeSum(plus(get(out), get(outStep)), sum(1, j), get(bias), 8 * j),
    ]),
    set(table, plus(get(r3), get(stride))),
    advance(bias, int(32)),
    advance(out, int(32)),
  );
  return { name: "dots", params: 9, ints: 4, vectors: 10, body };
}

/**
 * row += rate · (Σ value·plusRow − Σ minusRow), `width` bytes, both sums over lists as in `weightedRows`.
 *
 * `rate` is the address of a double.
 */
function moveRow(): VectorFunction {
  const [row, width, rate, added, addedEnd, values, taken, takenEnd, table, k, at, value, from] = Array.from(
    { length: 13 },
    (_, i) => i,
  );
  const factor = 13;
  const sum = (t: number) => factor + 1 + t;
  const body = during(
    less(get(k), get(width)),
    each(lanes, (t) => [...set(sum(t), vector.zero)]),
    set(at, get(added)),
    set(value, get(values)),
    during(
      less(get(at), get(addedEnd)),
      set(from, plus(plus(get(table), get(k)), intAt(get(at)))),
      set(factor, vector.spread(get(value))),
      each(lanes, (t) => [
        ...set(sum(t), vector.add(get(sum(t)), vector.multiply(get(factor), vector.load(get(from), 16 * t)))),
      ]),
      advance(at, int(4)),
      advance(value, int(8)),
    ),
    set(at, get(taken)),
    during(
      less(get(at), get(takenEnd)),
      set(from, plus(plus(get(table), get(k)), intAt(get(at)))),
      each(lanes, (t) => [...set(sum(t), vector.subtract(get(sum(t)), vector.load(get(from), 16 * t)))]),
      advance(at, int(4)),
    ),
    set(factor, vector.spread(get(rate))),
    set(from, plus(get(row), get(k))),
    each(lanes, (t) => [
      ...vector.store(
        get(from),
        vector.add(vector.load(get(from), 16 * t), vector.multiply(get(factor), get(sum(t)))),
        16 * t,
      ),
    ]),
    advance(k, int(tileBytes)),
  );
  return { name: "moveRow", params: 9, ints: 4, vectors: lanes + 1, body };
}

/** Sums over rows of a table in memory; addresses, offsets and widths are bytes. */
export interface Products {
  weightedRows(
    rows: number,
    end: number,
    values: number,
    table: number,
    bias: number,
    out: number,
    width: number,
  ): void;
  sumOfRows(rows: number, end: number, values: number, table: number, bias: number, out: number, width: number): void;
  dots(
    a: number,
    step: number,
    table: number,
    end: number,
    stride: number,
    bias: number,
    out: number,
    outStep: number,
    width: number,
  ): void;
  moveRow(
    row: number,
    width: number,
    rate: number,
    added: number,
    addedEnd: number,
    values: number,
    taken: number,
    takenEnd: number,
    table: number,
  ): void;
}

let compiled: CompiledModule | undefined;

/** The functions over a memory. */
export function createProducts(memory: Memory): Products {
  compiled ??= compile([weightedRows(true), weightedRows(false), dots(), moveRow()]);
  return linked<Products>(compiled, memory);
}

/** Bytes of weights that are worked through for all rows of a batch before the next: they fit into a core's own cache. */
const cachedBytes = 1 << 17;
/** Bytes of a table that is read again for each feature; they fit into the fastest cache. */
const fastBytes = 24_576;

/** How far a table of `rows` rows is gone along at once, in bytes of a row. */
export function stripOf(rows: number, width: number, most = fastBytes): number {
  return Math.min(width, Math.max(tileBytes, Math.floor(most / rows / tileBytes) * tileBytes));
}

/** Strips of weights of `rows` features, for all rows of a batch. */
export function weightStrip(rows: number, width: number): number {
  return stripOf(rows, width, cachedBytes);
}

/** How many rows of weights are gone through for all rows of a batch; a multiple of four. */
export function rowsAtOnce(stride: number): number {
  return Math.max(4, Math.floor(cachedBytes / stride / 4) * 4);
}

/** Rows are as wide as a multiple of this many doubles, the rest zeros. */
export const rowDoubles = tile;
