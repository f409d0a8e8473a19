import { describe, expect, it } from "vitest";
import { fitLinear, linearOfProducts } from "../../../src/numerics/linear/linear.ts";
import { productSums } from "../../../src/numerics/linear/products.ts";

const n = 50;
const columns = {
  a: Array.from({ length: n }, (_, i) => Math.sin(i) * 3 + 100),
  b: Array.from({ length: n }, (_, i) => (i * 7) % 11),
  same: Array.from({ length: n }, (_, i) => 2 * (Math.sin(i) * 3 + 100) - ((i * 7) % 11)),
  near: Array.from({ length: n }, (_, i) => Math.sin(i) * 3 + 100 + 1e-5 * Math.cos(i)),
  one: Array.from({ length: n }, () => 4),
};
const y = Float64Array.from({ length: n }, (_, i) => 2 * columns.a[i] - columns.b[i] + Math.cos(3 * i));

function matrix(...names: (keyof typeof columns)[]) {
  return { n, d: names.length, data: Float64Array.from(names.flatMap((name) => columns[name])) };
}

/** The products about the means, of two runs of rows. */
function productsOf(x: ReturnType<typeof matrix>, intercept = true) {
  const mean = (values: ArrayLike<number>) => Array.from(values).reduce((sum, value) => sum + value, 0) / n;
  const means = Array.from({ length: x.d }, (_, j) => mean(x.data.subarray(j * n, (j + 1) * n)));
  const shift = intercept ? Float64Array.of(...means, mean(y)) : new Float64Array(x.d + 1);
  const parts = [
    { from: 0, to: 20 },
    { from: 20, to: n },
  ].map((run) => productSums({ x, y, shift, ...run }));
  return { parts, shift, intercept };
}

describe("linearOfProducts", () => {
  it.each([true, false])("fits as the rows do, with an intercept: %s", (intercept) => {
    const x = matrix("a", "b");
    const found = linearOfProducts(productsOf(x, intercept));
    const expected = fitLinear({ x, y: { n, d: 1, data: y }, intercept });
    if (found.kind !== "fitted") throw new Error(found.kind);
    expect(found.rank).toBe(2);
    for (const j of [0, 1]) expect(found.coef[j]).toBeCloseTo(expected.coef[j], 10);
    expect(found.intercept[0]).toBeCloseTo(expected.intercept[0], 8);
  });

  it("names columns that may be sums of others, and takes the shortest solution once they are found to be", () => {
    const x = matrix("a", "b", "same", "one");
    const input = productsOf(x);
    const asked = linearOfProducts(input);
    if (asked.kind !== "dependent") throw new Error(asked.kind);
    expect([asked.kept.length, asked.others.length]).toEqual([2, 2]);
    const found = linearOfProducts({ ...input, left: new Float64Array(2) });
    const expected = fitLinear({ x, y: { n, d: 1, data: y } });
    if (found.kind !== "fitted") throw new Error(found.kind);
    expect(found.rank).toBe(expected.rank);
    for (let j = 0; j < x.d; j++) expect(found.coef[j]).toBeCloseTo(expected.coef[j], 8);
    expect(linearOfProducts({ ...input, left: Float64Array.of(1, 1) }).kind).toBe("lost");
  });

  it("says where products have too few digits, or rows are too few", () => {
    expect(linearOfProducts({ ...productsOf(matrix("a", "near")), tolerance: 1e-12 }).kind).toBe("lost");
    const few = { n: 2, d: 2, data: Float64Array.of(1, 2, 3, 5) };
    const parts = [productSums({ x: few, y: Float64Array.of(1, 2), shift: new Float64Array(3) })];
    expect(linearOfProducts({ parts, shift: new Float64Array(3), intercept: true }).kind).toBe("lost");
  });
});
