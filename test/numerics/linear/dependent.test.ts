import { expect, test } from "vitest";
import { fitLinear } from "../../../src/numerics/linear/linear.ts";
import { truncatedSolution } from "../../../src/numerics/linear/truncated-solution.ts";
import { RandomState } from "../../../src/numerics/random.ts";
import type { Matrix } from "../../../src/numerics/types.ts";
import { quiet } from "../../../src/numerics/types.ts";

const random = new RandomState(7);

function matrix(n: number, d: number, cell: (i: number, j: number) => number): Matrix {
  const data = new Float64Array(n * d);
  for (let j = 0; j < d; j++) for (let i = 0; i < n; i++) data[j * n + i] = cell(i, j);
  return { n, d, data };
}

const noise = (n: number, d: number) => matrix(n, d, () => random.normal());

/** Zeros and ones for the values of some categories, so that each category's columns add up to 1, and numbers far from 0. */
function dummies(n: number, categories: readonly number[], numbers: number): Matrix {
  const drawn = categories.map((k) => Int32Array.from({ length: n }, () => Math.floor(random.uniform() * k)));
  const ones = categories.flatMap((k, c) => Array.from({ length: k }, (_, value) => ({ of: drawn[c], value })));
  return matrix(n, ones.length + numbers, (i, j) => {
    const one = ones[j];
    return one ? Number(one.of[i] === one.value) : 100 + random.normal() * 10 ** (j - ones.length);
  });
}

function changed(m: Matrix, cell: (at: (i: number, j: number) => number, i: number, j: number) => number): Matrix {
  const at = (i: number, j: number) => m.data[j * m.n + i];
  return matrix(m.n, m.d, (i, j) => cell(at, i, j));
}

test.each<[string, Matrix]>([
  ["dummies of three columns", dummies(200, [5, 7, 3], 3)],
  ["a column twice", changed(noise(50, 6), (at, i, j) => at(i, j === 5 ? 0 : j))],
  ["a constant column", changed(noise(50, 6), (at, i, j) => (j === 2 ? 3 : at(i, j)))],
  [
    "sums of other columns, in other units",
    changed(noise(80, 8), (at, i, j) =>
      j === 7 ? 2 * at(i, 0) - 3 * at(i, 1) + 5 : j === 6 ? 1000 * at(i, 0) : at(i, j),
    ),
  ],
  ["nothing but constants", matrix(20, 3, () => 4)],
  ["more columns than rows", noise(30, 80)],
  [
    "rows that come twice, with other targets",
    changed(noise(30, 80), (at, i, j) => (i < 3 ? at(0, j) * (i + 1) : at(i, j))),
  ],
  ["as many rows as columns", noise(40, 40)],
  ["dummies of more categories than rows", dummies(40, [30, 40], 2)],
  ["one row", noise(1, 4)],
  [
    "almost the same column, below the tolerance",
    changed(noise(60, 5), (at, i, j) => (j === 4 ? at(i, 0) + 1e-7 * at(i, 4) : at(i, j))),
  ],
  [
    "almost the same column, above it",
    changed(noise(60, 5), (at, i, j) => (j === 4 ? at(i, 0) + 1e-4 * at(i, 4) : at(i, j))),
  ],
])("the shortest solution, as singular values have it: %s", (_, x) => {
  const y = matrix(x.n, 2, (i, t) => random.normal() + 3 + t * x.data[i]);
  for (const intercept of [true, false]) {
    const [a, b] = [x, y].map((m) => {
      const mean = (j: number) =>
        intercept ? m.data.subarray(j * m.n, (j + 1) * m.n).reduce((sum, each) => sum + each, 0) / m.n : 0;
      const means = Array.from({ length: m.d }, (_, j) => mean(j));
      return changed(m, (at, i, j) => at(i, j) - means[j]).data;
    });
    const known = truncatedSolution(a, x.n, x.d, b, 2, 1e-6, quiet);
    const fitted = fitLinear({ x, y, intercept });
    expect(fitted.rank).toBe(known.rank);
    const size = known.solution.reduce((most, each) => Math.max(most, Math.abs(each)), 1e-300);
    fitted.coef.forEach((each, k) => {
      expect(Math.abs(each - known.solution[k]) / size).toBeLessThan(1e-9);
    });
  }
});

test("dummies of every value get scikit-learn's coefficients", () => {
  const c = [0, 1, 2, 0, 1, 2, 2, 1, 0, 0, 1, 2];
  const e = [0, 0, 1, 1, 2, 2, 0, 1, 2, 0, 1, 2];
  const x = matrix(12, 7, (i, j) => (j < 3 ? Number(c[i] === j) : j < 6 ? Number(e[i] === j - 3) : i * 1.5 + (i % 5)));
  const fitted = fitLinear({ x, y: matrix(12, 1, (i) => Math.sin(i) * 10) });
  // scikit-learn 1.9: LinearRegression().fit(x, 10 * np.sin(np.arange(12))).coef_, .intercept_, .rank_
  const coef = [
    3.277684137180574, -0.522696785376457, -2.7549873518041172, 0.9445703016366731, 2.6964663659088064,
    -3.641036667545479, -0.13151138258889272,
  ];
  expect(fitted.rank).toBe(5);
  coef.forEach((each, j) => {
    expect(fitted.coef[j]).toBeCloseTo(each, 11);
  });
  expect(fitted.intercept[0]).toBeCloseTo(1.6577789631116835, 11);
});
