import type { Matrix } from "../numerics/types.ts";

/** The typed arrays that kernels take. */
export type Numbers = Float64Array | Float32Array | Int32Array | Uint32Array | Uint8Array;

/**
 * A copy of `array` in shared memory, so that several jobs read it without being sent a copy each.
 *
 * An array that is shared already comes back as it is. O(n) time; the memory lives as long as anyone holds it.
 */
export function shared<T extends Numbers>(array: T): T {
  if (array.buffer instanceof SharedArrayBuffer) return array;
  const make = array.constructor as new (buffer: SharedArrayBuffer) => T;
  const out = new make(new SharedArrayBuffer(array.byteLength));
  // Both arrays are a T; TypeScript cannot choose an overload of `set` for a union.
  (out as Float64Array).set(array as Float64Array);
  return out;
}

/** A matrix whose numbers lie in shared memory; itself if they do already. */
export function sharedMatrix(x: Matrix): Matrix {
  return { n: x.n, d: x.d, data: shared(x.data) };
}
