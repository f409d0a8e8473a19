import { describe, expect, it } from "vitest";
import { fitLogistic, predictLogistic } from "../../../src/numerics/linear/logistic.ts";
import { RandomState } from "../../../src/numerics/random.ts";
import { fitLogisticRows, predictLogisticRows } from "../../../src/numerics/sparse/sums.ts";

/** The same rows as a matrix and sparse, a column of them empty and one full. */
function data(n: number, d: number, classes: number) {
  const random = new RandomState(classes);
  const matrix = { n, d, data: new Float64Array(n * d) };
  const y = new Int32Array(n);
  const start = new Int32Array(n + 1);
  const columns: number[] = [];
  const values: number[] = [];
  for (let i = 0; i < n; i++) {
    y[i] = Math.floor(classes * random.uniform());
    for (let j = 0; j < d; j++) {
      const isHeld = j === 0 || (j !== 1 && random.uniform() < (j % classes === y[i] ? 0.3 : 0.1));
      if (!isHeld) continue;
      const value = j === 0 ? 5 + random.normal() : random.uniform();
      matrix.data[j * n + i] = value;
      columns.push(j);
      values.push(value);
    }
    start[i + 1] = columns.length;
  }
  const x = { n, d, start, columns: Int32Array.from(columns), values: Float64Array.from(values) };
  return { matrix, x, y, sampleWeight: Float64Array.from({ length: n }, (_, i) => 0.5 + (i % 3)) };
}

describe("logistic regression on sparse rows", () => {
  it.each<[number, { readonly intercept?: boolean; readonly c?: number; readonly isWeighted?: boolean }]>([
    [2, {}],
    [2, { intercept: false, c: 10 }],
    [4, {}],
    [3, { isWeighted: true, c: 0.1 }],
  ])("comes to what a matrix does: %i classes, %j", (classes, { isWeighted, ...options }) => {
    const { matrix, x, y, sampleWeight } = data(600, 25, classes);
    const input = { y, classes, ...options, ...(isWeighted ? { sampleWeight } : {}) };
    const dense = fitLogistic({ ...input, x: matrix });
    const sparse = fitLogisticRows({ ...input, x });
    expect([sparse.converged, dense.converged]).toEqual([true, true]);
    for (const [k, value] of dense.coef.entries()) expect(sparse.coef[k]).toBeCloseTo(value, 8);
    for (const [k, value] of dense.intercept.entries()) expect(sparse.intercept[k]).toBeCloseTo(value, 8);
    const { coef, intercept } = dense;
    const [one, two] = [
      predictLogistic({ x: matrix, coef, intercept, classes }),
      predictLogisticRows({ x, coef, intercept, classes }),
    ];
    expect([two.n, two.d]).toEqual([one.n, one.d]);
    for (const [k, value] of one.data.entries()) expect(two.data[k]).toBeCloseTo(value, 12);
  });

  it("refuses no rows, and a model of another width", () => {
    const { x, y } = data(5, 3, 2);
    const none = { n: 0, d: 3, start: Int32Array.of(0), columns: new Int32Array(0), values: new Float64Array(0) };
    expect(() => fitLogisticRows({ x: none, y, classes: 2 })).toThrow("at least one row");
    const model = { coef: new Float64Array(2), intercept: new Float64Array(1), classes: 2 };
    expect(() => predictLogisticRows({ x, ...model })).toThrow("the model has 2 columns, got 3");
  });
});
