import { code } from "./code.ts";

// Node has it; its types come only with the browser's, which would let a kernel speak of windows.
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
  readonly Memory: new (size: { initial: number }) => { readonly buffer: ArrayBuffer };
  readonly Instance: new (module: object, imports: object) => { readonly exports: object };
};

/** The loops of assembly/ over a memory of their own; addresses are in bytes. */
export type Loops = {
  readonly buffer: ArrayBuffer;
  readonly doubles: Float64Array;
  readonly floats: Float32Array;
  readonly ints: Int32Array;
  dots(a: number, b: number, out: number, na: number, nb: number, length: number, stride: number): void;
  combine(x: number, w: number, out: number, rows: number, columns: number, sums: number): void;
  addVectors(
    ...addresses: readonly [
      x: number,
      step: number,
      w: number,
      out: number,
      outStep: number,
      width: number,
      columns: number,
      sums: number,
    ]
  ): void;
  updateTimes(
    ...addresses: readonly [a: number, stride: number, size: number, u: number, q: number, v: number, p: number]
  ): void;
  reflectColumns(
    ...of: readonly [
      a: number,
      stride: number,
      count: number,
      bytes: number,
      u: number,
      share: number,
      w: number,
      v: number,
      row: number,
      x: number,
      sums: number,
    ]
  ): void;
  turnRows(row: number, stride: number, turns: number, count: number): void;
  shift(x: number, by: number, length: number): void;
  squares(x: number, out: number, length: number): void;
  range(x: number, out: number, length: number): void;
  spread(x: number, mean: number, unit: number, out: number, length: number): void;
  partition(order: number, end: number, side: number, spare: number): void;
  renumber(order: number, end: number, rank: number, numbers: number, to: number, ranks: number): void;
  splitMeans(
    ...of: readonly [
      order: number,
      count: number,
      least: number,
      rank: number,
      target: number,
      weight: number,
      total: number,
      all: number,
      best: number,
    ]
  ): number;
  splitClasses(
    ...of: readonly [
      order: number,
      count: number,
      least: number,
      rank: number,
      target: number,
      weight: number,
      sums: number,
      classes: number,
      all: number,
      best: number,
    ]
  ): number;
  walk(root: number, rows: number, leaves: number, count: number, stride: number): void;
  scan(queries: number, rows: number, groups: number, d: number, limits: number, out: number): number;
  looseRows(
    ...of: readonly [
      labels: number,
      upper: number,
      lower: number,
      count: number,
      moved: number,
      others: number,
      half: number,
      taken: number,
    ]
  ): number;
  nearestTwo(
    ...of: readonly [
      rows: number,
      taken: number,
      count: number,
      d: number,
      centres: number,
      step: number,
      half: number,
      labels: number,
      upper: number,
      lower: number,
    ]
  ): void;
  squaredGaps(row: number, rows: number, count: number, width: number, out: number): void;
  weightedRows(
    ...addresses: readonly [
      rows: number,
      end: number,
      values: number,
      table: number,
      bias: number,
      out: number,
      width: number,
    ]
  ): void;
  sumOfRows: Loops["weightedRows"];
  rowDots(
    ...addresses: readonly [
      a: number,
      step: number,
      table: number,
      end: number,
      stride: number,
      bias: number,
      out: number,
      outStep: number,
      width: number,
    ]
  ): void;
  moveRow(
    ...addresses: readonly [
      row: number,
      width: number,
      rate: number,
      added: number,
      addedEnd: number,
      values: number,
      taken: number,
      takenEnd: number,
      table: number,
    ]
  ): void;
  addCoded(
    ...of: readonly [
      codes: number,
      n: number,
      groups: number,
      table: number,
      stride: number,
      out: number,
      outStep: number,
      width: number,
      scratch: number,
    ]
  ): void;
  gemm(
    ...of: readonly [
      a: number,
      aRow: number,
      aColumn: number,
      b: number,
      bRow: number,
      bColumn: number,
      c: number,
      cRow: number,
      m: number,
      n: number,
      k: number,
      scratch: number,
    ]
  ): void;
  lowerReach(
    ...of: readonly [
      x: number,
      step: number,
      d: number,
      here: number,
      least: number,
      core: number,
      reach: number,
      source: number,
      from: number,
      size: number,
      kind: number,
    ]
  ): number;
  softmax(z: number, rows: number, step: number, top: number, sum: number): void;
  logistic(z: number, out: number, log: number, step: number): void;
  relu(x: number, length: number): void;
  reluSlopes(values: number, errors: number, length: number): void;
  fillRows(row: number, out: number, rows: number, columns: number): void;
  addRows(x: number, out: number, rows: number, columns: number): void;
  penalize(weights: number, slopes: number, length: number, alpha: number, rows: number): number;
  adam(
    ...of: readonly [
      parameters: number,
      slopes: number,
      first: number,
      second: number,
      length: number,
      rate: number,
      beta1: number,
      beta2: number,
      epsilon: number,
    ]
  ): void;
  descend(
    ...of: readonly [
      parameters: number,
      slopes: number,
      speeds: number,
      length: number,
      rate: number,
      momentum: number,
      ahead: boolean,
    ]
  ): void;
  rmsprop(
    ...of: readonly [
      parameters: number,
      slopes: number,
      squares: number,
      length: number,
      rate: number,
      rho: number,
      epsilon: number,
    ]
  ): void;
};

type Views = "buffer" | "doubles" | "floats" | "ints";

let compiled: object | undefined;

/** What WebAssembly can address, less a page that is always there. */
const mostBytes = 2 ** 32 - 65536;

/**
 * The loops with room for arrays of these many bytes, and where each begins.
 *
 * Every array begins at a multiple of 64. RangeError beyond the 4 GB that WebAssembly can address.
 */
export function createLoops(...sizes: readonly number[]): { readonly loops: Loops; readonly at: readonly number[] } {
  const at: number[] = [];
  let bytes = 0;
  for (const size of sizes) {
    at.push(bytes);
    bytes += Math.ceil(size / 64) * 64;
  }
  if (bytes > mostBytes)
    throw new RangeError(
      `the numbers at work would take ${Math.ceil(bytes / 2 ** 30)} GiB, and at most 4 can be addressed; take fewer rows with sample (BL_SAMPLE), or fewer columns`,
    );
  compiled ??= new WebAssembly.Module(Uint8Array.from(Buffer.from(code, "base64")));
  const memory = new WebAssembly.Memory({ initial: Math.ceil(bytes / 65536) + 1 });
  const instance = new WebAssembly.Instance(compiled, { env: { memory } });
  // The module exports exactly the functions of `Loops`.
  const functions = instance.exports as Omit<Loops, Views>;
  const { buffer } = memory;
  const views = {
    buffer,
    doubles: new Float64Array(buffer),
    floats: new Float32Array(buffer),
    ints: new Int32Array(buffer),
  };
  return { loops: { ...functions, ...views }, at };
}
