import { describe, expect, it } from "vitest";
import { gaussLegendre } from "../../../src/numerics/explain/gauss-legendre.ts";
import { attribute, coalitionsOf } from "../../../src/numerics/explain/kernel-shap.ts";
import { linearShap } from "../../../src/numerics/explain/linear-shap.ts";
import { type AddedTrees, treeBase, treeCovers, treeShap } from "../../../src/numerics/explain/tree-shap.ts";
import { RandomState } from "../../../src/numerics/random.ts";
import { fitTrees } from "../../../src/numerics/trees/forest.ts";
import { Cancelled, type Matrix } from "../../../src/numerics/types.ts";

function drawn(n: number, d: number, seed: number): Matrix {
  const data = new Float64Array(n * d);
  new RandomState(seed).fillUniform(data);
  return { n, d, data };
}

/** Shapley values by their definition, from the worth of every set of players. */
function bruteForce(players: number, worth: (set: number) => number): number[] {
  const factorial = (k: number): number => (k < 2 ? 1 : k * factorial(k - 1));
  return Array.from({ length: players }, (_, j) => {
    let value = 0;
    for (let set = 0; set < 2 ** players; set++) {
      if ((set >> j) & 1) continue;
      let size = 0;
      for (let k = 0; k < players; k++) size += (set >> k) & 1;
      const weight = (factorial(size) * factorial(players - size - 1)) / factorial(players);
      value += weight * (worth(set | (1 << j)) - worth(set));
    }
    return value;
  });
}

/** What a tree answers for a row of which a set of columns is known: both ways, by covers, where it asks for another. */
function known(trees: AddedTrees, covers: Int32Array, x: Matrix, row: number, set: number, output: number): number {
  let sum = trees.baseline[output];
  for (let t = 0; t + 1 < trees.offsets.length; t++) {
    const root = trees.offsets[t];
    const from = (node: number): number => {
      const j = trees.feature[node];
      if (j < 0) {
        if (trees.width > 1) return trees.value[node * trees.width + output];
        return t % trees.outputs === output ? trees.value[node] : 0;
      }
      const [left, right] = [root + trees.left[node], root + trees.right[node]];
      if ((set >> j) & 1) {
        const value = x.data[j * x.n + row];
        const at = trees.setAt[node];
        const goes = Number.isNaN(value)
          ? trees.missing[node] === 1
          : at < 0
            ? value <= trees.threshold[node]
            : ((trees.sets[8 * at + (value >> 5)] >> (value & 31)) & 1) === 1;
        return from(goes ? left : right);
      }
      const share = covers[node] > 0 ? covers[left] / covers[node] : 0.5;
      return share * from(left) + (1 - share) * from(right);
    };
    sum += trees.scale * from(root);
  }
  return sum;
}

function forest(x: Matrix, seed: number, classes = 0): AddedTrees {
  const y = Array.from({ length: x.n }, (_, i) => {
    const at = (j: number) => x.data[j * x.n + i];
    const value = at(0) * at(1) + (at(2) > 0.5 ? 1 : 0) + at(0) ** 2;
    return classes > 0 ? Math.floor(value * 10) % classes : value;
  });
  const trees = fitTrees({
    ...{ x, task: classes > 0 ? "classification" : "regression", bootstrap: true },
    y: classes > 0 ? Int32Array.from(y) : Float64Array.from(y),
    ...(classes > 0 ? { classes } : {}),
    seeds: Int32Array.from({ length: 5 }, (_, k) => seed + k),
    maxFeatures: 2,
  } as Parameters<typeof fitTrees>[0]);
  const nodes = trees.feature.length;
  return {
    ...trees,
    outputs: trees.width,
    missing: new Int32Array(nodes),
    setAt: new Int32Array(nodes).fill(-1),
    sets: new Int32Array(0),
    scale: 1 / 5,
    baseline: new Float64Array(trees.width),
  };
}

const own = (d: number) => ({ groups: Int32Array.from({ length: d }, (_, j) => j), groupCount: d });

describe("Gauss-Legendre's rule", () => {
  it("is exact for polynomials up to its degree, with as many as 40 points", () => {
    for (const points of [1, 2, 3, 5, 10, 40]) {
      const { nodes, weights } = gaussLegendre(points);
      for (let degree = 0; degree <= 2 * points - 1; degree++) {
        const sum = nodes.reduce((total, node, k) => total + weights[k] * node ** degree, 0);
        expect(sum).toBeCloseTo(degree % 2 === 0 ? 2 / (degree + 1) : 0, 12);
      }
    }
  });
});

describe("values of trees", () => {
  it("are Shapley's by their definition, for numbers and for classes", () => {
    const x = drawn(120, 5, 1);
    for (const classes of [0, 3]) {
      const trees = forest(x, 7, classes);
      const covers = treeCovers({ x, trees });
      const base = treeBase(trees, covers);
      const values = treeShap({ x, trees, covers, ...own(5) });
      for (const row of [0, 17, 119]) {
        for (let k = 0; k < trees.outputs; k++) {
          const expected = bruteForce(5, (set) => known(trees, covers, x, row, set, k));
          expected.forEach((value, j) => {
            expect(values.data[(k * 5 + j) * 120 + row]).toBeCloseTo(value, 12);
          });
          expect(base[k]).toBeCloseTo(known(trees, covers, x, row, 0, k), 12);
        }
      }
    }
  });

  it("take missing cells and categories as the trees do", () => {
    // Column 0 has categories 0 to 2, of which 0 and 2 go left; column 1 has numbers, and what is missing goes left.
    const trees: AddedTrees = {
      ...{ d: 2, outputs: 1, width: 1, scale: 1, baseline: Float64Array.of(10) },
      offsets: Int32Array.of(0, 5),
      feature: Int32Array.of(0, 1, -1, -1, -1),
      threshold: Float64Array.of(0, 0.5, 0, 0, 0),
      missing: Int32Array.of(0, 1, 0, 0, 0),
      left: Int32Array.of(1, 3, -1, -1, -1),
      right: Int32Array.of(2, 4, -1, -1, -1),
      value: Float64Array.of(0, 0, 4, 1, 8),
      setAt: Int32Array.of(0, -1, -1, -1, -1),
      sets: Int32Array.of(0b101, 0, 0, 0, 0, 0, 0, 0),
    };
    const x = { n: 4, d: 2, data: Float64Array.of(0, 2, 1, NaN, NaN, 0.9, 0.1, 0.2) };
    const covers = treeCovers({ x, trees });
    expect([...covers]).toEqual([4, 2, 2, 1, 1]);
    const values = treeShap({ x, trees, covers, ...own(2) });
    for (let row = 0; row < 4; row++) {
      const expected = bruteForce(2, (set) => known(trees, covers, x, row, set, 0));
      expect([values.data[row], values.data[4 + row]]).toEqual(expected.map((value) => expect.closeTo(value, 12)));
    }
  });

  it("add up, where a part of the trees was reached by no counted row, and whatever the rows' number", () => {
    const x = drawn(2500, 6, 3);
    const trees = forest(x, 1);
    const few = {
      n: 9,
      d: 6,
      data: Float64Array.from({ length: 54 }, (_, k) => x.data[(k % 9) + Math.floor(k / 9) * 2500]),
    };
    const covers = treeCovers({ x: few, trees });
    const base = treeBase(trees, covers)[0];
    const all = treeShap({ x, trees, covers, ...own(6) });
    for (const row of [0, 2047, 2048, 2499]) {
      const sum = Array.from({ length: 6 }, (_, j) => all.data[j * 2500 + row]).reduce((a, b) => a + b, base);
      expect(sum).toBeCloseTo(known(trees, covers, x, row, 63, 0), 12);
    }
    // The same bytes, however the rows are shared out.
    const part = treeShap({ x, trees, covers, ...own(6), from: 1000, to: 1003 });
    for (let j = 0; j < 6; j++) {
      expect([...part.data.subarray(3 * j, 3 * j + 3)]).toEqual([
        ...all.data.subarray(j * 2500 + 1000, j * 2500 + 1003),
      ]);
    }
  });

  it("are added up to the groups that columns are of", () => {
    const x = drawn(60, 4, 5);
    const trees = forest(x, 2);
    const covers = treeCovers({ x, trees });
    const alone = treeShap({ x, trees, covers, ...own(4) });
    const grouped = treeShap({ x, trees, covers, groups: Int32Array.of(1, 0, 1, 0), groupCount: 2 });
    for (let i = 0; i < 60; i++) {
      expect(grouped.data[i]).toBeCloseTo(alone.data[60 + i] + alone.data[180 + i], 12);
      expect(grouped.data[60 + i]).toBeCloseTo(alone.data[i] + alone.data[120 + i], 12);
    }
  });

  it("are given up in the middle of a tree", () => {
    const x = drawn(400, 6, 3);
    const trees = forest(x, 1);
    const covers = treeCovers({ x, trees });
    let asked = 0;
    const hooks = { progress: () => expect.unreachable("no tree should end"), cancelled: () => ++asked > 2 };
    expect(() => treeShap({ x, trees, covers, ...own(6) }, hooks)).toThrow(Cancelled);
    expect(() => treeCovers({ x, trees }, { ...hooks, cancelled: () => true })).toThrow(Cancelled);
  });

  it("come of a tree as deep as it has rows", () => {
    const n = 3000;
    const x = { n, d: 1, data: Float64Array.from({ length: n }, (_, i) => i) };
    const nodes = 2 * n - 1;
    // Node 2k asks whether a row is at most k; its left child is a leaf, its right one the next question.
    const at = <T>(inner: (k: number) => T, leaf: T) =>
      Array.from({ length: nodes }, (_, node) => (node % 2 === 0 && node < nodes - 1 ? inner(node / 2) : leaf));
    const trees: AddedTrees = {
      ...{ d: 1, outputs: 1, width: 1, scale: 1, baseline: new Float64Array(1), sets: new Int32Array(0) },
      offsets: Int32Array.of(0, nodes),
      feature: Int32Array.from(at(() => 0, -1)),
      threshold: Float64Array.from(at((k) => k, 0)),
      missing: new Int32Array(nodes),
      left: Int32Array.from(at((k) => 2 * k + 1, -1)),
      right: Int32Array.from(at((k) => 2 * k + 2, -1)),
      value: Float64Array.from({ length: nodes }, (_, node) => Math.floor(node / 2)),
      setAt: new Int32Array(nodes).fill(-1),
    };
    const few = { n: 3, d: 1, data: Float64Array.of(0, 1500, 2999) };
    const values = treeShap({ x: few, trees, covers: treeCovers({ x, trees }), ...own(1) });
    expect([...values.data]).toEqual([0, 1500, 2999].map((value) => expect.closeTo(value - 1499.5, 6)));
  });
});

it("values of a line are coefficients times how far a column is from its mean", () => {
  const x = { n: 2, d: 3, data: Float64Array.of(1, 3, 10, 20, 0, 1) };
  const coef = Float64Array.of(2, -1, 5, 0, 1, 1);
  const mean = Float64Array.of(2, 15, 0.5);
  const found = linearShap({ x, coef, mean, groups: Int32Array.of(0, 1, 1), groupCount: 2 });
  expect([...found.data]).toEqual([-2, 2, 2.5, -2.5, 0, 0, -5.5, 5.5]);
});

describe("values by asking", () => {
  const players = 12;
  const random = new RandomState(4);
  const weights = Array.from({ length: players }, () => random.uniform());
  // Players that help each other, and a line.
  const game = (has: (j: number) => boolean) =>
    weights.reduce((sum, weight, j) => sum + (has(j) ? weight : 0), 0) +
    (has(0) && has(1) ? 3 : 0) +
    (has(2) && has(3) && has(4) ? -2 : 0);
  const expected = weights.map((weight, j) => weight + (j < 2 ? 1.5 : j < 5 ? -2 / 3 : 0));
  const whole = game(() => true);
  const found = (most: number, seed: number) => {
    const coalitions = coalitionsOf(players, most, seed);
    const worth = Float64Array.from({ length: coalitions.count }, (_, k) =>
      game((j) => coalitions.masks[k * players + j] === 1),
    );
    return { coalitions, ...attribute(coalitions, worth, 0, whole) };
  };

  it("are exact where all coalitions are known", () => {
    const { coalitions, values, error } = found(4096, 0);
    expect([coalitions.count, coalitions.isAll]).toEqual([4094, true]);
    expect([...values]).toEqual(expected.map((value) => expect.closeTo(value, 10)));
    expect([...error]).toEqual(new Array(players).fill(0));
  });

  it("of some coalitions add up, come as near as their error says, and are the same for a seed", () => {
    const zs: number[] = [];
    for (let seed = 0; seed < 20; seed++) {
      const { values, error, coalitions } = found(300, seed);
      expect(coalitions.isAll).toBe(false);
      expect(values.reduce((sum, value) => sum + value, 0)).toBeCloseTo(whole, 9);
      zs.push(...values.map((value, j) => (value - expected[j]) / error[j]));
    }
    // Standard errors: two thirds lie within one, nearly all within three.
    const within = (size: number) => zs.filter((z) => Math.abs(z) < size).length / zs.length;
    expect(within(1)).toBeGreaterThan(0.5);
    expect(within(3)).toBeGreaterThan(0.97);
    expect(within(0.2)).toBeLessThan(0.5);
    expect([...found(300, 5).values]).toEqual([...found(300, 5).values]);
  });

  it("of one player are the whole", () => {
    const { values } = attribute(coalitionsOf(1, 10, 0), new Float64Array(0), 2, 5);
    expect([...values]).toEqual([3]);
  });
});
