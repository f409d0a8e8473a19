import { describe, expect, test } from "vitest";
import { fitTrees, resolveMaxFeatures, type TreesInput, treeSeeds } from "../../../src/numerics/trees/forest.ts";
import {
  importances,
  joiningTrees,
  joinTrees,
  nodeValues,
  predictForest,
  type Trees,
} from "../../../src/numerics/trees/trees.ts";
import { Cancelled } from "../../../src/numerics/types.ts";
import { columns, distance, head, reference, table } from "../data.ts";

const { x, y, c, w } = table();
const regression: Partial<TreesInput> = { y, task: "regression" };
const classes: Partial<TreesInput> = { y: c, task: "classification", classes: 3 };
const grow = (options: Partial<TreesInput>): Trees =>
  fitTrees({ x, y, task: "regression", seeds: Int32Array.of(11), ...options });

test("the table is the one scikit-learn saw", () => {
  const sum = (values: ArrayLike<number>) => Array.from(values).reduce((total, value) => total + value, 0);
  expect([sum(x.data), sum(y), sum(c)]).toEqual(reference.checksum);
});

describe("grows scikit-learn's tree, node for node", () => {
  const cases: Record<string, Partial<TreesInput>> = {
    regression,
    "regression leaf": { ...regression, minSamplesLeaf: 5, maxDepth: 6 },
    "regression decrease": { ...regression, minImpurityDecrease: 3 },
    "regression features": { ...regression, maxFeatures: 2, minSamplesSplit: 9 },
    "regression weights": { ...regression, maxDepth: 5, sampleWeight: w },
    gini: classes,
    entropy: { ...classes, criterion: "entropy" },
    "gini features": { ...classes, maxFeatures: "sqrt", minSamplesLeaf: 3 },
    "gini weights": { ...classes, maxDepth: 5, sampleWeight: w },
    "regression best first": { ...regression, maxLeafNodes: 12 },
    "gini best first": { ...classes, maxLeafNodes: 9 },
  };
  test.each(Object.entries(cases))("%s", (name, options) => {
    const tree = grow(options);
    const theirs = reference.trees[name];
    expect([...tree.feature]).toEqual(theirs.feature);
    expect([...tree.left]).toEqual(theirs.left);
    expect([...tree.right]).toEqual(theirs.right);
    expect([...tree.nSamples]).toEqual(theirs.nSamples);
    for (const key of ["threshold", "value", "impurity", "importances"] as const) {
      expect(distance(tree[key], theirs[key]), key).toBeLessThan(1e-9);
    }
  });
});

describe("grows scikit-learn's forest", () => {
  const near = { ...head(x, 8), data: head(x, 8).data.map((value) => value + 0.05) };
  const nodes = (trees: Trees) => [...trees.offsets.subarray(1)].map((end, t) => end - trees.offsets[t]!);
  test.each([
    ["regression", { ...regression, seeds: treeSeeds(3, 12) }],
    ["classification", { ...classes, maxFeatures: "sqrt", seeds: treeSeeds(3, 12) }],
    ["weighted", { ...classes, maxFeatures: "sqrt", sampleWeight: w, seeds: treeSeeds(4, 5) }],
  ] as [string, Partial<TreesInput>][])("%s", (name, options) => {
    const trees = grow({ ...options, bootstrap: true });
    const theirs = reference.forest[name];
    expect(nodes(trees)).toEqual(theirs.nodes);
    expect(distance(predictForest({ x: near, trees }).data, theirs.predict)).toBeLessThan(1e-9);
    if (theirs.importances) expect(distance(importances(trees), theirs.importances)).toBeLessThan(1e-9);
  });
});

describe("grows scikit-learn's forest of a wide table, whose columns are sorted when they are looked at", () => {
  const [n, d] = [80, 120];
  // Two values, many, a constant, and many again.
  const value = (i: number, j: number) => {
    if (j % 3 === 0) return Math.floor((i * (j + 1)) / 7) % 2;
    if (j % 3 === 1) return (i * i * (j + 2) + j) % 29;
    return j % 9 === 2 ? 4 : (i * (j + 5) * 11) % 79;
  };
  const data = Float64Array.from({ length: n * d }, (_, at) => value(at % n, Math.floor(at / n)));
  const codes = Int32Array.from({ length: n }, (_, i) => Math.floor((i * i) / 3) % 3);
  const numbers = Float64Array.from({ length: n }, (_, i) => (i * 13) % 37);
  // Features of all nodes, and the sum of their thresholds, by scikit-learn 1.9.1.
  test.each<[string, Omit<TreesInput, "x" | "y">, number, number[]]>([
    [
      "classes",
      { task: "classification", classes: 3, maxFeatures: "sqrt", seeds: treeSeeds(5, 2) },
      936.5,
      [
        98, 80, 72, -1, 80, 19, -1, 93, 16, -1, -1, 86, -1, -1, -1, 63, 3, -1, -1, -1, 19, 104, 45, 68, 93, -1, -1, -1,
        -1, 41, -1, -1, 45, 8, -1, -1, -1, 41, 18, 61, -1, 31, -1, -1, 79, -1, -1, 37, 52, 41, 95, 102, 89, -1, 70, -1,
        -1, 35, -1, -1, -1, 68, -1, 86, -1, -1, 89, -1, 44, -1, 116, -1, -1, 41, -1, 44, -1, -1,
      ],
    ],
    [
      "numbers",
      { task: "regression", maxFeatures: 3, maxDepth: 5, seeds: treeSeeds(5, 2) },
      536.0,
      [
        48, 118, 112, 23, 53, -1, -1, 112, -1, -1, 12, -1, -1, 94, 99, 108, -1, -1, 114, -1, -1, 10, 4, -1, -1, -1, 7,
        107, -1, 19, 88, -1, -1, -1, 98, 104, -1, 21, -1, -1, 98, 51, -1, -1, -1, 44, 103, 10, 72, -1, 48, -1, -1, 34,
        -1, 117, -1, -1, 7, 50, 35, -1, -1, 15, -1, -1, 71, -1, 4, -1, -1, 8, -1, 99, -1, -1,
      ],
    ],
    [
      "best first",
      { task: "classification", classes: 3, maxFeatures: "log2", maxLeafNodes: 9, seeds: treeSeeds(5, 2) },
      380.0,
      [
        98, 62, 80, 55, -1, 35, 41, -1, -1, -1, 103, -1, -1, -1, 55, -1, -1, 41, -1, 114, 86, 104, -1, 117, -1, -1, 86,
        87, -1, 51, -1, -1, -1, -1,
      ],
    ],
  ])("%s", (_, options, threshold, feature) => {
    const target = options.task === "regression" ? numbers : codes;
    const trees = fitTrees({ x: { n, d, data }, y: target, bootstrap: true, ...options });
    expect([...trees.feature]).toEqual(feature);
    expect(trees.threshold.reduce((sum, each) => sum + each, 0)).toBeCloseTo(threshold, 9);
  });
});

describe("grows scikit-learn's trees on columns of two values, one value and many", () => {
  const [n, d] = [3000, 12];
  const value = (i: number, j: number) => {
    if (j % 3 === 0) return Math.floor((i * (j + 1)) / 7) % 2;
    if (j === 4) return (i * 7) % 11 === 0 ? 1 : -2;
    if (j % 3 === 1) return (i * i * (j + 2) + j) % 29;
    return j === 8 ? 4 : (i * (j + 5) * 11) % 797;
  };
  const data = Float64Array.from({ length: n * d }, (_, at) => value(at % n, Math.floor(at / n)));
  const numbers = Float64Array.from({ length: n }, (_, i) => (i * i * 13 + i) % 379);
  const codes = Int32Array.from({ length: n }, (_, i) => Math.floor((i * i) / 3) % 3);
  const sampleWeight = Float64Array.from({ length: n }, (_, i) => 1 + (i % 3));
  // Nodes, the sum of their thresholds, and how many nodes ask each column, by scikit-learn 1.9.1.
  test.each<[string, Partial<TreesInput>, number, number, number[]]>([
    ["numbers", { seeds: Int32Array.of(1) }, 5911, 674561.5, [118, 209, 553, 132, 80, 590, 213, 184, 0, 138, 195, 543]],
    [
      "weighted numbers",
      { seeds: Int32Array.of(1), minSamplesLeaf: 7, maxLeafNodes: 60, sampleWeight },
      ...([119, 12826, [1, 9, 12, 2, 2, 15, 1, 2, 0, 0, 3, 12]] as [number, number, number[]]),
    ],
    [
      "classes",
      { task: "classification", classes: 3, seeds: Int32Array.of(2) },
      ...([2327, 182409, [38, 170, 250, 54, 28, 91, 63, 132, 0, 57, 179, 101]] as [number, number, number[]]),
    ],
    [
      "a forest of numbers",
      { seeds: treeSeeds(3, 2), bootstrap: true, maxFeatures: 0.5 },
      ...([7556, 958832, [146, 258, 764, 121, 54, 785, 252, 227, 0, 121, 265, 784]] as [number, number, number[]]),
    ],
  ])("%s", (_, options, nodes, threshold, columns) => {
    const y = options.task === "classification" ? codes : numbers;
    const { feature, threshold: at } = fitTrees({
      ...{ x: { n, d, data }, y, task: "regression", seeds: Int32Array.of(0) },
      ...options,
    });
    expect(feature).toHaveLength(nodes);
    expect(columns.map((_, j) => feature.filter((each) => each === j).length)).toEqual(columns);
    expect(at.reduce((sum, each) => sum + each, 0)).toBeCloseTo(threshold, 6);
  });
});

test.each([
  ["in which all columns are looked at", 4, undefined],
  ["in which few of many are", 120, 3],
])("a tree %s knows its rows' mean behind a first column of one value", (_, d, maxFeatures) => {
  const n = 40;
  const data = Float64Array.from({ length: n * d }, (_, at) => (at < n ? 2024 : (at * 7) % (3 + Math.floor(at / n))));
  const y = Float64Array.from({ length: n }, (_, i) => i % 4);
  const seeds = treeSeeds(1, 4);
  const { value, offsets } = fitTrees({
    ...{ x: { n, d, data }, y, task: "regression", seeds },
    ...(maxFeatures === undefined ? {} : { maxFeatures }),
  });
  expect(offsets).toHaveLength(seeds.length + 1);
  for (const root of offsets.subarray(0, seeds.length)) expect(value[root]).toBe(1.5);
});

test("a large tree takes the renumbered path and is the same tree", () => {
  const n = 3000;
  const a = Float64Array.from({ length: n }, (_, i) => (i * 7919) % n);
  const b = Float64Array.from({ length: n }, (_, i) => (i * 104729) % 50);
  const big = columns(a, b);
  const target = a.map((value, i) => Math.floor(value / 3) + 7 * b[i]!);
  const tree = fitTrees({ x: big, y: target, task: "regression", seeds: Int32Array.of(1) });
  expect(distance(predictForest({ x: big, trees: tree }).data, target)).toBe(0);
  // DecisionTreeRegressor(random_state=1) of scikit-learn 1.9.1 on the same numbers.
  expect(tree.feature).toHaveLength(5999);
});

test("the forest is the same in any chunks", () => {
  const seeds = treeSeeds(0, 5);
  const whole = grow({ seeds, bootstrap: true });
  const parts = [seeds.slice(0, 1), seeds.slice(1, 4), seeds.slice(4)];
  expect(joinTrees(parts.map((part) => grow({ seeds: part, bootstrap: true })))).toEqual(whole);
});

test("a range of rows is answered as within all rows", () => {
  const trees = grow({ ...classes, seeds: treeSeeds(0, 3), bootstrap: true });
  const all = predictForest({ x, trees });
  const some = predictForest({ x, trees, from: 10, to: 14 });
  for (let k = 0; k < 3; k++) {
    expect([...some.data.subarray(k * 4, k * 4 + 4)]).toEqual([...all.data.subarray(k * 240 + 10, k * 240 + 14)]);
  }
});

test("without details only the node counts and impurities are missing", () => {
  const { nSamples, impurity, ...rest } = grow({});
  expect(grow({ details: false })).toEqual({ ...rest, nSamples: new Int32Array(0), impurity: new Float64Array(0) });
  expect(nSamples).toHaveLength(impurity.length);
});

test("of many classes leaves keep those that they hold, and answer the same", () => {
  const many = Int32Array.from({ length: x.n }, (_, i) => (i * 7) % 12);
  const input = { x, y: many, task: "classification" as const, classes: 12, seeds: treeSeeds(3, 4), minSamplesLeaf: 4 };
  const dense = fitTrees(input);
  const sparse = fitTrees({ ...input, details: false });
  expect([sparse.value.length, dense.leaves]).toEqual([0, undefined]);
  for (const to of [x.n, 5]) {
    expect(predictForest({ x, trees: sparse, to })).toEqual(predictForest({ x, trees: dense, to }));
  }
  const values = nodeValues(sparse);
  for (const [k, feature] of dense.feature.entries()) {
    const own = dense.value.subarray(k * 12, (k + 1) * 12);
    expect([...values.subarray(k * 12, (k + 1) * 12)]).toEqual(feature < 0 ? [...own] : Array(12).fill(0));
  }
  const parts = [0, 2].map((k) => fitTrees({ ...input, details: false, seeds: input.seeds.slice(k, k + 2) }));
  expect(joinTrees(parts)).toEqual(sparse);
});

test("one row, or constant columns, make a single leaf", () => {
  const tree = fitTrees({ x: head(x, 1), y: y.slice(0, 1), task: "regression", seeds: Int32Array.of(0) });
  expect([...tree.value]).toEqual([y[0]]);
  const flat = columns(new Float64Array(240));
  expect([...grow({ x: flat }).feature]).toEqual([-1]);
  expect([...importances(grow({ x: flat }))]).toEqual([0]);
});

test("splits between neighbouring doubles", () => {
  const pair = columns(Float64Array.of(1, 1 + Number.EPSILON));
  const trees = fitTrees({ x: pair, y: Float64Array.of(0, 1), task: "regression", seeds: Int32Array.of(0) });
  expect([...predictForest({ x: pair, trees }).data]).toEqual([0, 1]);
});

test("refuses missing values, no rows, and a wrong number of columns", () => {
  expect(() => grow({ x: columns(new Float64Array(240).fill(NaN)) })).toThrow("missing value in row 0");
  expect(() => grow({ x: { n: 0, d: 1, data: new Float64Array(0) } })).toThrow("at least one row");
  expect(() => predictForest({ x: columns(y), trees: grow({}) })).toThrow("grown on 6 columns");
});

test("resolves maxFeatures as scikit-learn does", () => {
  expect(["sqrt", "log2", 0.5, 4, 99].map((value) => resolveMaxFeatures(value as number, 20))).toEqual([
    4, 4, 10, 4, 20,
  ]);
  expect(resolveMaxFeatures(undefined, 7)).toBe(7);
});

test("reports each tree and stops when cancelled", () => {
  const heard: number[] = [];
  const hooks = { progress: (done: number) => heard.push(done), cancelled: () => heard.length === 2 };
  const seeds = treeSeeds(0, 5);
  expect(() => fitTrees({ x, y, task: "regression", seeds, bootstrap: true }, hooks)).toThrow(Cancelled);
  expect(heard).toEqual([1, 2]);
});

test("joins forests of many megabytes in steps, so that who waits for them can do other things meanwhile", () => {
  const numbers = 3 * 2 ** 20;
  const value = new Float64Array(numbers).fill(2);
  const none = new Int32Array(0);
  const [left, right, feature, nSamples] = [none, none, none, none];
  const [threshold, impurity, importances] = [new Float64Array(0), new Float64Array(0), new Float64Array(0)];
  const offsets = Int32Array.of(0, numbers);
  const part: Trees = {
    task: "regression",
    d: 1,
    width: 1,
    offsets,
    feature,
    threshold,
    left,
    right,
    value,
    nSamples,
    impurity,
    importances,
  };
  const joining = joiningTrees([part, part]);
  let steps = 0;
  let last = joining.next();
  for (; !last.done; last = joining.next()) steps++;
  expect(steps).toBe(6);
  expect(last.value.offsets).toEqual(Int32Array.of(0, numbers, 2 * numbers));
  expect(last.value.value.every((each) => each === 2)).toBe(true);
});
