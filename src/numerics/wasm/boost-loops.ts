import { code } from "./boost-code.ts";

/** Memory of WebAssembly that several threads share. */
export interface SharedMemory {
  readonly buffer: SharedArrayBuffer;
}

// Node has it; its types come only with the browser's, which would let a kernel speak of windows.
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
  readonly Memory: new (size: { initial: number; maximum: number; shared: true }) => SharedMemory;
  readonly Instance: new (module: object, imports: object) => { readonly exports: object };
};

type Address = number;

/** The loops of assembly/boost.ts; addresses are in bytes. */
export interface BoostLoops {
  bins(values: Address, count: number, edges: Address, missing: number, out: Address): void;
  records(
    ...of: readonly [
      gradients: Address,
      hessians: Address,
      from: number,
      to: number,
      out: Address,
      g: number,
      h: number,
      bits: bigint,
    ]
  ): void;
  histograms(
    ...of: readonly [
      rows: Address,
      count: number,
      bins: Address,
      stride: number,
      from: number,
      to: number,
      records: Address,
      scratch: Address,
      starts: Address,
      hist: Address,
    ]
  ): void;
  addSlots(into: Address, from: Address, bytes: number): void;
  takeSlots(from: Address, part: Address, bytes: number): void;
  clear(at: Address, bytes: number): void;
  copy(to: Address, from: Address, bytes: number): void;
  divide(rows: Address, count: number, column: Address, mask: Address, left: Address, right: Address): number;
  scanSplits(
    ...of: readonly [
      hist: Address,
      facts: Address,
      from: number,
      to: number,
      node: Address,
      leaf: bigint,
      bits: bigint,
      counted: boolean,
      best: Address,
    ]
  ): void;
  walkRows(root: Address, bins: Address, rows: Address, count: number, out: Address): void;
  addToRows(rows: Address, count: number, value: number, out: Address): void;
}

const page = 65536;

/** Shared memory of so many bytes, zeroed. RangeError beyond the 4 GB that WebAssembly can address. */
export function sharedMemory(bytes: number): SharedMemory {
  const pages = Math.ceil(bytes / page) + 1;
  return new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
}

let compiled: object | undefined;

/** The loops over memory that other threads may have loops over as well. */
export function boostLoops(memory: SharedMemory): BoostLoops {
  compiled ??= new WebAssembly.Module(Uint8Array.from(Buffer.from(code, "base64")));
  // The module exports exactly the functions of `BoostLoops`.
  return new WebAssembly.Instance(compiled, { env: { memory } }).exports as BoostLoops;
}
