import { code } from "./code.ts";

// Node has it; its types come only with the browser's, which would let a kernel speak of windows.
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
  readonly Memory: new (size: { initial: number }) => { readonly buffer: ArrayBuffer };
  readonly Instance: new (module: object, imports: object) => { readonly exports: object };
};

/** The loops of assembly.ts over a memory of their own; addresses are in bytes. */
export type Loops = {
  readonly doubles: Float64Array;
  readonly floats: Float32Array;
  readonly ints: Int32Array;
  dots(a: number, b: number, out: number, na: number, nb: number, length: number, stride: number): void;
  combine(x: number, w: number, out: number, rows: number, columns: number, sums: number): void;
  walk(root: number, rows: number, leaves: number, count: number, stride: number): void;
  scan(queries: number, rows: number, groups: number, d: number, limits: number, out: number): number;
};

let compiled: object | undefined;

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
  compiled ??= new WebAssembly.Module(Uint8Array.from(Buffer.from(code, "base64")));
  const memory = new WebAssembly.Memory({ initial: Math.ceil(bytes / 65536) + 1 });
  const instance = new WebAssembly.Instance(compiled, { env: { memory } });
  // The module exports exactly these.
  const { dots, combine, walk, scan } = instance.exports as unknown as Pick<
    Loops,
    "dots" | "combine" | "walk" | "scan"
  >;
  const { buffer } = memory;
  const views = { doubles: new Float64Array(buffer), floats: new Float32Array(buffer), ints: new Int32Array(buffer) };
  return { loops: { ...views, dots, combine, walk, scan }, at };
}
