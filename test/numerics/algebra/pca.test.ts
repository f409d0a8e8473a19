import { describe, expect, it } from "vitest";
import { fitPca } from "../../../src/numerics/algebra/pca.ts";
import { RandomState } from "../../../src/numerics/random.ts";
import type { Matrix } from "../../../src/numerics/types.ts";

function noise(n: number, d: number, seed = 1): Matrix {
  const random = new RandomState(seed);
  return { n, d, data: Float64Array.from({ length: n * d }, () => random.normal()) };
}

describe("principal components", () => {
  it("are the same by the covariance and by the Gram matrix", () => {
    const { data } = noise(6, 4);
    // Rows and columns are as many as makes each way the shorter one; the last rows repeat the first.
    const tall: Matrix = { n: 6, d: 4, data };
    const wide: Matrix = { n: 6, d: 8, data: Float64Array.from([...data, ...data]) };
    const a = fitPca({ x: tall, wanted: 3 });
    const b = fitPca({ x: wide, wanted: 3 });
    for (let k = 0; k < 3; k++) {
      expect(b.variance[k]).toBeCloseTo(2 * a.variance[k], 10);
      for (let j = 0; j < 4; j++) expect(b.components[k * 8 + j]).toBeCloseTo(a.components[k * 4 + j] / Math.SQRT2, 10);
    }
  });

  it("have a positive greatest loading, and variances that are those of the projections", () => {
    const x = noise(700, 9);
    const { mean, components, variance, ratio } = fitPca({ x, wanted: null });
    for (let k = 0; k < 9; k++) {
      const w = components.subarray(k * 9, (k + 1) * 9);
      expect(Math.max(...w)).toBeCloseTo(Math.max(...w.map(Math.abs)), 12);
      let sum = 0;
      for (let i = 0; i < 700; i++) {
        let value = 0;
        for (let j = 0; j < 9; j++) value += (x.data[j * 700 + i] - mean[j]) * w[j];
        sum += value * value;
      }
      expect(variance[k]).toBeCloseTo(sum / 699, 10);
    }
    expect(ratio.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 12);
  });

  it("are as many as keep the wanted share, and as Minka's guess finds behind noise", () => {
    const n = 400;
    const base = noise(n, 3, 5);
    const error = noise(n, 8, 6);
    const data = error.data.map((value, k) => {
      const [i, j] = [k % n, Math.floor(k / n)];
      return 0.05 * value + [0, 1, 2].reduce((sum, c) => sum + base.data[c * n + i] * Math.cos(1.7 * j * (c + 1)), 0);
    });
    const x = { n, d: 8, data };
    expect(fitPca({ x, wanted: "mle" }).k).toBe(3);
    expect(fitPca({ x, wanted: 0.99 }).k).toBe(3);
    expect(fitPca({ x, wanted: 1e-9 }).k).toBe(1);
  });

  it("of constant columns have no variance", () => {
    const { variance, ratio } = fitPca({ x: { n: 5, d: 2, data: new Float64Array(10).fill(3) }, wanted: null });
    expect([[...variance], [...ratio]]).toEqual([
      [0, 0],
      [0, 0],
    ]);
  });
});
