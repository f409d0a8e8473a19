import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { affinities } from "../../../src/numerics/embed/affinities.ts";
import { symmetric } from "../../../src/numerics/embed/graph.ts";
import { neighbourTable } from "../../../src/numerics/embed/neighbours.ts";
import { QuadTree } from "../../../src/numerics/embed/quad-tree.ts";
import { trustworthiness } from "../../../src/numerics/embed/trustworthiness.ts";
import { type TsneInput, tsneRows } from "../../../src/numerics/embed/tsne.ts";
import { fitCurve, fuzzyGraph, type UmapInput, umapRows } from "../../../src/numerics/embed/umap.ts";
import { RandomState } from "../../../src/numerics/random.ts";
import { Cancelled, type Hooks, type Matrix } from "../../../src/numerics/types.ts";

// Made by embed-reference.py with scikit-learn 1.9.1 and umap-learn 0.5.12.
const reference = JSON.parse(readFileSync(new URL("../embed-reference.json", import.meta.url), "utf8")) as {
  tsne: {
    edges: number;
    columns: number[];
    values: number[];
    divergence: number;
    gradient: number[][];
    trust: number[];
  };
  trust: number[];
  umap: {
    edges: number;
    sum: number;
    columns: number[];
    values: number[];
    curves: Record<string, [number, number]>;
    trust: number[];
  };
};

/** The first columns of a sample's first rows. */
function sample(name: string, rows: number, columns: number): Matrix {
  const text = readFileSync(new URL(`../../../samples/${name}.csv`, import.meta.url), "utf8");
  return matrix(
    text
      .split("\n")
      .slice(1, rows + 1)
      .map((line) => line.split(",").slice(0, columns).map(Number)),
  );
}

function matrix(rows: readonly (readonly number[])[]): Matrix {
  const [n, d] = [rows.length, rows[0].length];
  const data = new Float64Array(n * d);
  for (const [i, row] of rows.entries()) for (const [j, value] of row.entries()) data[j * n + i] = value;
  return { n, d, data };
}

const pixels = sample("digits", 500, 64);
// Pixels are whole numbers; a little besides leaves no two rows equally near.
const digits = {
  ...pixels,
  data: pixels.data.map((value, at) => value + 0.01 * Math.sin((at % 500) * 64 + Math.floor(at / 500))),
};
const iris = sample("iris", 150, 4);
const byDigits = neighbourTable({ x: digits, k: 91 });

const tsneInput = (neighbours: Matrix, more: Partial<TsneInput> = {}): TsneInput => ({
  neighbours,
  start: null,
  perplexity: 30,
  exaggeration: 12,
  learningRate: 50,
  maxIter: 1000,
  patience: 300,
  shortest: 1e-7,
  angle: 0.5,
  seed: 0,
  ...more,
});
const umapInput = (neighbours: Matrix, more: Partial<UmapInput> = {}): UmapInput => ({
  neighbours,
  start: null,
  minDist: 0.1,
  spread: 1,
  epochs: 500,
  learningRate: 1,
  negatives: 5,
  repulsion: 1,
  seed: 0,
  ...more,
});

describe("neighbours", () => {
  it("are others, the nearest first, worked out by hand, in whatever parts they are asked for", () => {
    const x = matrix([[0], [1], [3], [3], [10]]);
    const all = neighbourTable({ x, k: 2 });
    const rowsOf = (i: number) => [all.data[i], all.data[5 + i], all.data[10 + i], all.data[15 + i]];
    expect(rowsOf(0)).toEqual([1, 2, 1, 3]);
    expect(rowsOf(2)).toEqual([3, 1, 0, 2]);
    expect(rowsOf(3)).toEqual([2, 1, 0, 2]);
    const part = neighbourTable({ x, k: 2, from: 3, to: 5 });
    expect([...part.data]).toEqual([2, 2, 1, 3, 0, 7, 2, 7]);
    expect(() => neighbourTable({ x, k: 5 })).toThrow(RangeError);
  });

  it("make a graph with both directions joined, by hand", () => {
    const graph = symmetric(
      { n: 3, k: 1, rows: Int32Array.of(1, 0, 1), values: Float64Array.of(0.5, 0.25, 1) },
      (one, other) => 10 * one + other,
    );
    expect([...graph.start]).toEqual([0, 1, 3, 4]);
    expect([...graph.columns]).toEqual([1, 0, 2, 1]);
    expect([...graph.values]).toEqual([5.25, 3, 1, 10]);
  });
});

describe("t-SNE", () => {
  it("finds likenesses as scikit-learn does", () => {
    const graph = affinities(byDigits, 30);
    expect(graph.values.length).toBe(reference.tsne.edges);
    const own = new Map<number, number>();
    for (let e = graph.start[7]; e < graph.start[8]; e++) own.set(graph.columns[e], graph.values[e]);
    for (const [k, column] of reference.tsne.columns.entries()) {
      const theirs = reference.tsne.values[k];
      // They are of single precision.
      expect(Math.abs((own.get(column) as number) - theirs)).toBeLessThan(1e-4 * theirs + 1e-12);
    }
    expect(graph.values.reduce((sum, value) => sum + value, 0)).toBeCloseTo(1, 12);
  });

  it("goes down the gradient that scikit-learn finds", () => {
    const weigh = (i: number, by: (j: number) => number) =>
      0.1 * Array.from({ length: 64 }, (_, j) => digits.data[j * 500 + i] * by(j)).reduce((sum, each) => sum + each, 0);
    const start = matrix(Array.from({ length: 500 }, (_, i) => [weigh(i, Math.sin), weigh(i, Math.cos)]));
    const one = { start, exaggeration: 1, learningRate: 1, maxIter: 1, angle: 0.0001 };
    const { places } = tsneRows(tsneInput(byDigits, one));
    for (const [i, [gx, gy]] of reference.tsne.gradient.entries()) {
      // The first step is 0.8 times the gradient.
      expect((start.data[i] - places.data[i]) / 0.8).toBeCloseTo(gx, 8);
      expect((start.data[500 + i] - places.data[500 + i]) / 0.8).toBeCloseTo(gy, 8);
    }
    const still = tsneRows(tsneInput(byDigits, { ...one, learningRate: 1e-12 }));
    // Theirs is of single precision.
    expect(still.divergence).toBeCloseTo(reference.tsne.divergence, 4);
  });

  it("lays digits out as trustworthily as scikit-learn", () => {
    const { places, iterations } = tsneRows(tsneInput(byDigits));
    expect(iterations).toBeGreaterThan(250);
    expect(trustworthiness({ x: digits, places })).toBeGreaterThan(Math.min(...reference.tsne.trust) - 0.003);
    // The same bytes again.
    const again = tsneRows(tsneInput(byDigits, { maxIter: 300 }));
    expect(tsneRows(tsneInput(byDigits, { maxIter: 300 })).places.data).toEqual(again.places.data);
    expect(tsneRows(tsneInput(byDigits, { maxIter: 300, seed: 1 })).places.data).not.toEqual(again.places.data);
  });
});

describe("a quad tree", () => {
  it("holds all points once, equal ones together, and skips what is inside a cell", () => {
    const random = new RandomState(3);
    const at = Float64Array.from({ length: 200 }, () => random.normal());
    for (let i = 0; i < 10; i++) at.set([0.5, 0.5], 2 * i);
    const tree = new QuadTree(100);
    tree.build(at);
    let leaves = 0;
    let points = 0;
    for (let c = 0; c < tree.size; c++) {
      expect(tree.skip[c]).toBeGreaterThan(c);
      if (tree.isLeaf[c] === 0) continue;
      leaves++;
      points += tree.weight[c];
      expect(tree.skip[c]).toBe(c + 1);
      expect(Array.from({ length: 100 }, (_, i) => [at[2 * i], at[2 * i + 1]])).toContainEqual([tree.x[c], tree.y[c]]);
    }
    expect([leaves, points, tree.weight[0], tree.skip[0]]).toEqual([91, 100, 100, tree.size]);
    const mean = (k: number) => at.reduce((sum, value, c) => sum + (c % 2 === k ? value : 0), 0) / 100;
    expect([tree.x[0], tree.y[0]]).toEqual([expect.closeTo(mean(0), 12), expect.closeTo(mean(1), 12)]);
  });

  it("takes points in one place, and some that all but coincide", () => {
    const tree = new QuadTree(3);
    tree.build(Float64Array.of(1, 1, 1, 1, 1, 1));
    expect([tree.size, tree.weight[0]]).toEqual([1, 3]);
    tree.build(Float64Array.of(0, 0, 1, 1, 1 + 1e-16, 1 - 1e-16));
    expect(tree.weight[0]).toBe(3);
  });
});

describe("UMAP", () => {
  it("links rows as umap-learn does", () => {
    const graph = fuzzyGraph(neighbourTable({ x: iris, k: 14 }));
    // Of equally near rows another may be the last one.
    expect(Math.abs(graph.values.length - reference.umap.edges)).toBeLessThan(12);
    expect(graph.values.reduce((sum, value) => sum + value, 0) / reference.umap.sum).toBeCloseTo(1, 2);
    const own = new Map<number, number>();
    for (let e = graph.start[60]; e < graph.start[61]; e++) own.set(graph.columns[e], graph.values[e]);
    expect([...own.keys()].sort((a, b) => a - b)).toEqual(reference.umap.columns.toSorted((a, b) => a - b));
    for (const [k, column] of reference.umap.columns.entries()) {
      expect(own.get(column)).toBeCloseTo(reference.umap.values[k], 3);
    }
  });

  it("finds the curve that umap-learn finds", () => {
    for (const [name, [a, b]] of Object.entries(reference.umap.curves)) {
      const [minDist, spread] = name.split(" ").map(Number);
      const curve = fitCurve(minDist, spread);
      expect(curve.a / a).toBeCloseTo(1, 4);
      expect(curve.b / b).toBeCloseTo(1, 4);
    }
  });

  it("lays digits out as trustworthily as umap-learn, the same each time", () => {
    const near = neighbourTable({ x: digits, k: 14 });
    const { places } = umapRows(umapInput(near));
    expect(trustworthiness({ x: digits, places })).toBeGreaterThan(Math.min(...reference.umap.trust) - 0.01);
    const short = umapRows(umapInput(near, { epochs: 20 }));
    expect(umapRows(umapInput(near, { epochs: 20 })).places.data).toEqual(short.places.data);
    expect(umapRows(umapInput(near, { epochs: 20, seed: 1 })).places.data).not.toEqual(short.places.data);
  });
});

describe("trustworthiness", () => {
  it("is that of scikit-learn", () => {
    const places = { n: 150, d: 2, data: iris.data.slice(0, 300) };
    for (const [k, at] of [
      [5, 0],
      [12, 1],
    ]) {
      // Of equally near rows theirs takes another order.
      expect(trustworthiness({ x: iris, places, k })).toBeCloseTo(reference.trust[at], 2);
    }
    expect(trustworthiness({ x: digits, places: digits })).toBe(1);
    expect(trustworthiness({ x: digits, places: digits, rows: 50 })).toBe(1);
    expect(trustworthiness({ x: matrix([[1], [2]]), places: matrix([[1], [2]]) })).toBeNaN();
  });
});

describe("both layouts", () => {
  const blobs = matrix(
    Array.from({ length: 90 }, (_, i) => {
      const random = new RandomState(i);
      return [0, 1, 2, 3].map((j) => (j === i % 3 ? 20 : 0) + random.normal());
    }),
  );
  const layouts = {
    "t-SNE": (x: Matrix) =>
      tsneRows(tsneInput(neighbourTable({ x, k: Math.min(x.n - 1, 46) }), { perplexity: Math.min(15, x.n / 3) }))
        .places,
    UMAP: (x: Matrix) => umapRows(umapInput(neighbourTable({ x, k: Math.min(x.n - 1, 14) }))).places,
  };

  it.each(Object.entries(layouts))("%s keeps three groups apart", (_, layout) => {
    const { data } = layout(blobs);
    const apart = (i: number, j: number) => Math.hypot(data[i] - data[j], data[90 + i] - data[90 + j]);
    for (let i = 0; i < 90; i++) {
      const others = Array.from({ length: 90 }, (_, j) => j).filter((j) => j !== i);
      const nearest = others.reduce((best, j) => (apart(i, j) < apart(i, best) ? j : best));
      expect(nearest % 3).toBe(i % 3);
    }
  });

  it.each(Object.entries(layouts))("%s takes equal rows and few", (_, layout) => {
    expect(layout(matrix(new Array(20).fill([1, 2]))).data.every(Number.isFinite)).toBe(true);
    expect(
      layout(
        matrix([
          [0, 0],
          [1, 0],
          [0, 1],
          [5, 5],
        ]),
      ).data.every(Number.isFinite),
    ).toBe(true);
  });

  it("stop when nobody wants them any more", () => {
    const hooks = { progress() {}, cancelled: () => true };
    expect(() => tsneRows(tsneInput(byDigits), hooks)).toThrow(Cancelled);
    expect(() => umapRows(umapInput(byDigits), hooks)).toThrow(Cancelled);
    expect(() => trustworthiness({ x: iris, places: iris }, hooks)).toThrow(Cancelled);
  });

  it.each<[string, (neighbours: Matrix, hooks: Hooks) => unknown]>([
    ["t-SNE", (neighbours, hooks) => tsneRows({ ...tsneInput(neighbours), maxIter: 2 }, hooks)],
    ["UMAP", (neighbours, hooks) => umapRows({ ...umapInput(neighbours), epochs: 2 }, hooks)],
  ])("%s asks in the middle of a step and of its graph, too", (_, layout) => {
    const random = new RandomState(0);
    const x = matrix(Array.from({ length: 2000 }, () => [random.normal(), random.normal()]));
    const neighbours = neighbourTable({ x, k: 91 });
    // Times that it was asked before the first step, within that, and within the second.
    const asked = [0, 0, 0];
    let step = 0;
    layout(neighbours, { progress: (done) => (step = done + 1), cancelled: () => ++asked[step] < 0 });
    for (const times of asked) expect(times).toBeGreaterThan(3);
  });
});
