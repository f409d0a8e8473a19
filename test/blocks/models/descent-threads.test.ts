import { expect, it } from "vitest";
import { fitLogisticOnThreads } from "../../../src/blocks/models/descent-threads.ts";
import type { BlockContext } from "../../../src/core/block.ts";
import { fitLogistic } from "../../../src/numerics/linear/logistic.ts";
import { RandomState } from "../../../src/numerics/random.ts";
import { createPool } from "../../../src/workers/index.ts";

it("answers the same bytes on one thread and on several, with weights and without", async () => {
  const n = 70_000;
  const random = new RandomState(5);
  const data = Float64Array.from({ length: n * 2 }, () => random.normal());
  const y = Int32Array.from({ length: n }, (_, i) => (data[i]! > 0.3 ? 2 : data[n + i]! + random.normal() > 0 ? 1 : 0));
  const weights = Float64Array.from({ length: n }, (_, i) => 1 + (i % 3));
  const pool = createPool({ size: 2 });
  for (const sampleWeight of [undefined, weights]) {
    const input = { x: { n, d: 2, data }, y, classes: 3, sampleWeight };
    const alone = fitLogistic(input);
    const steps: number[] = [];
    const context = {
      threads: 2,
      progress: (_: string, done: number) => steps.push(done),
      compute: (kernel: never, each: never) => pool.run(kernel, each),
    } as unknown as BlockContext;
    expect(await fitLogisticOnThreads(input, context)).toEqual(alone);
    expect(steps).toEqual(Array.from({ length: alone.iterations }, (_, k) => k + 1));
  }
  await pool.close();
});
