import { describe, expect, test } from "vitest";
import type { Metric } from "../../../src/numerics/neighbors/distance.ts";
import { buildKdTree } from "../../../src/numerics/neighbors/kd-tree.ts";
import { averageKnn, type KnnInput, predictKnn } from "../../../src/numerics/neighbors/knn.ts";
import { nthElement } from "../../../src/numerics/statistics/nth-element.ts";
import { Cancelled, columnOf, type Matrix } from "../../../src/numerics/types.ts";
import { columns, distance, head, reference, table } from "../data.ts";

const { x, c } = table();
const all = (m: Matrix) => Array.from({ length: m.d }, (_, j) => columnOf(m, j));
const rolled = (column: Float64Array, by: number) => column.map((_, i) => column.at((i - by) % column.length)!);
const grid = columns(columnOf(x, 0).map(Math.floor), columnOf(x, 3).map(Math.floor));
const broad = columns(
  ...all(x),
  ...all(x).map((column) => column.toReversed()),
  ...all(x).map((column) => rolled(column, 7)),
);
const shifted = (m: Matrix, rows: number, by: (i: number) => number): Matrix => {
  const out = head(m, rows);
  return { ...out, data: out.data.map((value, at) => value + by(at % rows)) };
};
const sets: Record<string, { train: Matrix; x: Matrix }> = {
  grid: { train: grid, x: shifted(grid, 40, (i) => (i % 3) - 1) },
  plain: { train: x, x: shifted(x, 40, () => 0.05) },
  broad: { train: broad, x: shifted(broad, 20, () => 0.05) },
};

function classify(part: Partial<KnnInput>): Matrix {
  const defaults = { train: x, x, y: c, classes: 3, k: 5, metric: "minkowski", p: 2, weights: "uniform" } as const;
  return predictKnn({ ...defaults, ...part });
}

type Case = {
  name: string;
  n_neighbors: number;
  metric?: Metric;
  p?: number;
  weights?: "uniform" | "distance";
  probability: number[];
};

describe("votes as scikit-learn's KNeighborsClassifier, rows equally far included", () => {
  const cases = (reference.knn as Case[]).map(
    ({ probability, ...options }) => [JSON.stringify(options), options, probability] as const,
  );
  test.each(cases)("%s", (_, { name, n_neighbors: k, ...options }, probability) => {
    expect(distance(classify({ ...sets[name], k, ...options }).data, probability)).toBeLessThan(1e-9);
  });

  test.each(cases)("and means as its KNeighborsRegressor, of the classes' numbers: %s", (_, asked, probability) => {
    const { name, n_neighbors: k, ...options } = asked;
    const input = { metric: "minkowski", p: 2, weights: "uniform", ...options, ...sets[name], k } as const;
    const { data, n } = averageKnn({ ...input, y: Float64Array.from(c) });
    // Shares of the classes 0, 1 and 2 lie one column behind the other.
    const means = data.map((_, i) => probability[n + i]! + 2 * probability[2 * n + i]!);
    expect(distance(data, means)).toBeLessThan(1e-9);
  });
});

test("the same neighbours by comparing with all rows as by the tree, where none are equally far", () => {
  const tree = classify({ x: shifted(x, 60, () => 0.03), k: 7 });
  // A column of zeros ten times over changes no distance, but is beyond what the tree takes.
  const zeros = (m: Matrix) => columns(...all(m), ...Array.from({ length: 10 }, () => new Float64Array(m.n)));
  const compared = classify({ train: zeros(x), x: zeros(shifted(x, 60, () => 0.03)), k: 7 });
  expect(distance(tree.data, compared.data)).toBe(0);
});

test("a range of rows is answered as within all rows", () => {
  const whole = classify({});
  const some = classify({ from: 100, to: 104 });
  for (let k = 0; k < 3; k++)
    expect([...columnOf(some, k)]).toEqual([...whole.data.subarray(k * 240 + 100, k * 240 + 104)]);
});

test("rows that are the same alone count when votes are by distance", () => {
  const train = columns(Float64Array.of(0, 0, 1, 1.5));
  const answer = classify({
    train,
    x: columns(Float64Array.of(0)),
    y: Int32Array.of(0, 1, 2, 2),
    k: 4,
    weights: "distance",
  });
  expect([...answer.data]).toEqual([0.5, 0.5, 0]);
});

test("distances beyond the largest double still tell near from far", () => {
  const train = columns(Float64Array.of(1e200, 2e200, -3e200));
  for (const options of [{}, { p: 1 }, { p: 7 }, { metric: "chebyshev" }] as const) {
    const input = { train, x: columns(Float64Array.of(1.9e200)), y: Int32Array.of(0, 1, 2), k: 1, ...options };
    expect([...classify(input).data]).toEqual([0, 1, 0]);
    expect([...classify({ ...input, k: 3, weights: "distance" }).data].every(Number.isFinite)).toBe(true);
  }
});

test("rows of the same direction are at cosine distance 0, whatever their length", () => {
  const train = columns(Float64Array.of(1, 3, -1, 0), Float64Array.of(1 / 3, 1, 2, 0));
  const input = { train, y: Int32Array.of(0, 0, 1, 2), metric: "cosine", weights: "distance" } as const;
  const answer = classify({ ...input, x: columns(Float64Array.of(0.7), Float64Array.of(0.7 / 3)), k: 3 });
  expect([...answer.data]).toEqual([1, 0, 0]);
});

test("one row and one neighbour", () => {
  const one = columns(Float64Array.of(4));
  expect([...classify({ train: one, x: one, y: Int32Array.of(1), classes: 2, k: 1 }).data]).toEqual([0, 1]);
});

test("refuses more neighbours than rows, none, and other columns", () => {
  expect(() => classify({ k: 241 })).toThrow("between 1 and 240, got 241");
  expect(() => classify({ k: 0 })).toThrow(RangeError);
  expect(() => classify({ x: grid })).toThrow("the model has 6 columns, got 2");
});

test("stops when cancelled, on every path", () => {
  for (const options of [{}, { train: broad, x: broad }, { metric: "cosine" }] as const) {
    const input = { ...sets.plain, y: c, classes: 3, k: 5, metric: "minkowski", p: 2, weights: "uniform", ...options };
    expect(() => predictKnn(input as KnnInput, { progress() {}, cancelled: () => true })).toThrow(Cancelled);
  }
});

test("the tree's nodes own every row once, within their boxes", () => {
  const rows = Float64Array.from({ length: 2000 }, (_, i) => (i * 7919) % 613);
  const tree = buildKdTree({ d: 2, rows }, 2);
  expect([...tree.order].sort((a, b) => a - b)).toEqual(Array.from({ length: 1000 }, (_, i) => i));
  for (let node = 0; node < tree.start.length; node++) {
    for (let i = tree.start[node]!; i < tree.end[node]!; i++) {
      for (let j = 0; j < 2; j++) {
        expect(rows[tree.order[i]! * 2 + j]!).toBeGreaterThanOrEqual(tree.low[node * 2 + j]!);
        expect(rows[tree.order[i]! * 2 + j]!).toBeLessThanOrEqual(tree.high[node * 2 + j]!);
      }
    }
  }
});

test("nthElement parts a range around its place, also when all pivots are bad", () => {
  for (const n of [0, 1, 2, 3, 4, 50, 1000]) {
    for (const make of [
      (i: number) => i,
      (i: number) => -i,
      (i: number) => (i * 7919) % n,
      (i: number) => Math.min(i, n - i),
    ]) {
      const keys = Float64Array.from({ length: n }, (_, i) => make(i));
      const order = Int32Array.from({ length: n }, (_, i) => i);
      const nth = n >> 1;
      const before = (a: number, b: number) => (keys[a] === keys[b] ? a < b : keys[a]! < keys[b]!);
      nthElement(order, 0, nth, n, before);
      const sorted = Int32Array.from(order).sort((a, b) => (before(a, b) ? -1 : 1));
      expect(order[nth]).toBe(sorted[nth]);
      expect(order.slice(0, nth).every((row) => before(row, order[nth]!))).toBe(true);
    }
  }
});
