import { describe, expect, it } from "vitest";
import {
  advance,
  compile,
  createMemory,
  during,
  get,
  int,
  intAt,
  less,
  linked,
  plus,
  set,
  type VectorFunction,
  vector,
} from "../../src/kernels/wasm.ts";

/** The functions over a memory, and the memory as doubles. */
function made<Exports>(functions: readonly VectorFunction[], bytes = 65_536) {
  const memory = createMemory(bytes);
  return { run: linked<Exports>(compile(functions), memory), doubles: new Float64Array(memory.buffer), memory };
}

describe("the assembler", () => {
  it("makes loops over vectors: y += a·x", () => {
    const [y, x, factor, bytes, k] = [0, 1, 2, 3, 4];
    const sum = vector.add(vector.load(get(y)), vector.multiply(vector.spread(get(factor)), vector.load(get(x))));
    const body = during(
      less(get(k), get(bytes)),
      vector.store(get(y), sum),
      advance(y, int(16)),
      advance(x, int(16)),
      advance(k, int(16)),
    );
    const axpy = { name: "axpy", params: 4, ints: 1, vectors: 0, body };
    const { run, doubles } = made<{ axpy(y: number, x: number, factor: number, bytes: number): void }>([axpy]);
    doubles.set([1, 2, 3, 4], 0);
    doubles.set([10, 20, 30, 40], 8);
    doubles[16] = 0.5;
    run.axpy(0, 64, 128, 0);
    expect([...doubles.subarray(0, 4)]).toEqual([1, 2, 3, 4]);
    run.axpy(0, 64, 128, 32);
    expect([...doubles.subarray(0, 4)]).toEqual([6, 12, 18, 24]);
  });

  it("writes numbers of any size: addresses far on, and below zero", () => {
    const far = 200_000;
    const read = { name: "read", params: 1, ints: 0, vectors: 1, body: [] as number[] };
    const difference = vector.subtract(vector.load(plus(get(0), int(-16)), 16), vector.zero);
    const body = [...set(1, difference), ...vector.storeSum(int(far), 1, int(far), 8)];
    const { run, doubles } = made<{ read(at: number): void }>([{ ...read, body }], 4 * far);
    doubles.set([2.5, 4], 50_000 / 8);
    doubles[far / 8 + 1] = 100;
    run.read(50_000);
    expect(doubles[far / 8 + 1]).toBe(106.5);
  });

  it("reads whole numbers from memory", () => {
    const body = vector.store(intAt(get(0), 4), vector.spread(get(1)));
    const { run, doubles, memory } = made<{ scatter(at: number, value: number): void }>([
      { name: "scatter", params: 2, ints: 0, vectors: 0, body },
    ]);
    new Int32Array(memory.buffer)[3] = 80;
    doubles[3] = 7;
    run.scatter(8, 24);
    expect([...doubles.subarray(10, 13)]).toEqual([7, 7, 0]);
  });
});
