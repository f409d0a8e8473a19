import { expect, it } from "vitest";
import { correlate } from "../../../src/blocks/shared/correlate.ts";
import type { BlockContext } from "../../../src/core/block.ts";
import { RandomState } from "../../../src/numerics/random.ts";
import { correlations } from "../../../src/numerics/statistics/correlations.ts";
import { createPool } from "../../../src/workers/index.ts";

it.each([false, true])("correlates alike on one thread and on several, holes: %s", async (holes) => {
  const n = 140_000;
  const random = new RandomState(2);
  const data = Float64Array.from({ length: 3 * n }, (_, i) => (holes && i % 11 === 0 ? NaN : 1e6 + random.normal()));
  for (let i = 0; i < n; i++) data[2 * n + i] = data[i]! - data[n + i]!;
  const x = { n, d: 3, data };
  const pool = createPool({ size: 2 });
  const alone = correlations({ x }).data;
  for (const threads of [2, 3]) {
    const context = {
      threads,
      compute: (kernel: never, input: never) => pool.run(kernel, input),
    } as unknown as BlockContext;
    expect(await correlate(x, context)).toEqual(alone);
  }
  await pool.close();
  // What two independent columns of deviation 1 have with their difference, far from 0 as they are.
  expect(alone[2]).toBeCloseTo(Math.SQRT1_2, 2);
  expect(alone[5]).toBeCloseTo(-Math.SQRT1_2, 2);
});

it("correlates columns of any size, and says nothing of one that is constant or infinite", () => {
  const base = [3, 1, 4, 1, 5, 9, 2, 6];
  const other = [2, 7, 1, 8, 2, 8, 1, 8];
  const columns = [base, base.map((v) => v * 1e300), other.map((v) => v * 1e-300), base.map((v) => v * 1e160), other];
  const wide = [...columns, base.map(() => 1e300), base.map((v) => (v === 9 ? Infinity : v))];
  const n = base.length;
  const { data } = correlations({ x: { n, d: wide.length, data: Float64Array.from(wide.flat()) } });
  const of = (j: number, k: number) => data[j * wide.length + k]!;
  for (const k of [0, 1, 3]) {
    expect(of(0, k)).toBeCloseTo(1, 14);
    expect(of(k, 2)).toBeCloseTo(of(0, 4), 14);
  }
  for (const k of wide.keys()) expect([of(5, k), of(6, k)]).toEqual([NaN, NaN]);
});
