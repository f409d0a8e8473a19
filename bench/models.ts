/**
 * Times models against scikit-learn on the same numbers, and prints a markdown table.
 *
 * node bench/models.ts [rows=100000] [trees=100] [judged=1000000]. Training on rows × 20; kNN on half of the rows with a
 * tenth of them asked; predictions for `judged` rows. BLOCKLAB_PYTHON names a Python that has scikit-learn (default
 * python3); without one the table has our times alone. Both sides get two threads (n_jobs=2).
 */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { computeRows } from "../src/blocks/row-parts.ts";
import { askTrees, growForest, growTree, type TreeArgs, type TreeData } from "../src/blocks/trees.ts";
import type { BlockContext } from "../src/core/block.ts";
import { predictKnn } from "../src/kernels/knn.ts";
import { fitLinear, predictLinear } from "../src/kernels/linear.ts";
import { fitNaiveBayes, predictNaiveBayes } from "../src/kernels/naive-bayes.ts";
import { fitPolynomial, polynomialTerms, predictPolynomial } from "../src/kernels/polynomial.ts";
import { RandomState } from "../src/kernels/random.ts";
import type { Trees } from "../src/kernels/trees.ts";
import { columnOf, createMatrix, gatherRows, type Matrix } from "../src/kernels/types.ts";
import { createPool, shared } from "../src/workers/index.ts";
import { inFolder, printTable, pythonWith } from "./measure.ts";

const [n, trees, m] = [2, 3, 4].map((k, i) => Number(process.argv[k] ?? [100_000, 100, 1_000_000][i])) as [
  number,
  number,
  number,
];
const d = 20;
const threads = 2;

const PYTHON = `
import json, sys, time
import numpy as np
from sklearn.linear_model import LinearRegression
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.neighbors import KNeighborsClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures
folder, n, d, trees, m, jobs = sys.argv[1], *map(int, sys.argv[2:])
read = lambda name, type: np.fromfile(folder + "/" + name, dtype=type)
# Trees take float32, which is what they would copy to; the others the columns as they are.
X, J = (np.asfortranarray(read(k, "f8").reshape(d, -1).T) for k in ("x", "judged"))
y, c = read("y", "f8"), read("c", "i4")
out = {}
def timed(name, work, times=1):
    best = 1e9
    for _ in range(times):
        start = time.perf_counter(); answer = work(); best = min(best, time.perf_counter() - start)
    out[name] = best
    return answer
def both(name, model, target, times=1):
    timed(name, lambda: model.fit(X, target), times)
    timed(name + ", predict", lambda: (model.predict_proba if hasattr(model, "predict_proba") else model.predict)(J))
both("linear", LinearRegression(), y, 3)
both("polynomial, degree 2", make_pipeline(PolynomialFeatures(2, include_bias=False), LinearRegression()), y)
both("naive Bayes", GaussianNB(), c, 3)
both("tree, numbers", DecisionTreeRegressor(random_state=0), y)
both("tree, 3 classes", DecisionTreeClassifier(random_state=0), c)
both("forest, numbers", RandomForestRegressor(trees, random_state=0, n_jobs=jobs), y)
both("forest, 3 classes", RandomForestClassifier(trees, random_state=0, n_jobs=jobs), c)
knn = KNeighborsClassifier(n_jobs=jobs).fit(X[: n // 2], c[: n // 2])
timed("kNN, 20 columns, predict", lambda: knn.predict_proba(X[n // 2 : n // 2 + n // 10]))
few = KNeighborsClassifier(n_jobs=jobs).fit(X[: n // 2, :4], c[: n // 2])
timed("kNN, 4 columns, predict", lambda: few.predict_proba(X[n // 2 : n // 2 + n // 10, :4]))
print(json.dumps(out))`;

function numbers(rows: number, seed: number): Matrix {
  const random = new RandomState(seed);
  const x = createMatrix(rows, d, true);
  // float32 numbers, because scikit-learn's trees round to them.
  for (let i = 0; i < x.data.length; i++) x.data[i] = Math.fround(random.normal());
  return x;
}

function targets(x: Matrix): { y: Float64Array; c: Int32Array } {
  const random = new RandomState(3);
  const y = new Float64Array(x.n);
  const c = new Int32Array(x.n);
  const [a, b, e, f, g] = [0, 1, 2, 3, 4].map((j) => columnOf(x, j)) as [
    Float64Array,
    Float64Array,
    Float64Array,
    Float64Array,
    Float64Array,
  ];
  for (let i = 0; i < x.n; i++) {
    y[i] = 10 * Math.sin((Math.PI * a[i]! * b[i]!) / 3) + 20 * (e[i]! - 0.5) ** 2 + 10 * f[i]! + 5 * g[i]!;
    y[i]! += random.normal();
    c[i] = (a[i]! + b[i]! * e[i]! + 0.5 * random.normal() > 0 ? 1 : 0) + (f[i]! > 1 ? 1 : 0);
  }
  return { y, c };
}

const times = new Map<string, number>();

async function best<T>(name: string, work: () => Promise<T>, rounds = 1): Promise<T> {
  let answer: T | undefined;
  for (let k = 0; k < rounds; k++) {
    const start = performance.now();
    answer = await work();
    times.set(name, Math.min(times.get(name) ?? Number.POSITIVE_INFINITY, (performance.now() - start) / 1000));
  }
  return answer as T;
}

const x = numbers(n, 1);
const judged = numbers(m, 2);
const { y, c } = targets(x);
const pool = createPool({ size: threads });
// What the blocks' own ways over the threads ask of a context.
const context = {
  threads,
  progress() {},
  compute: (kernel: never, input: never) => pool.run(kernel, input),
} as unknown as BlockContext;

async function linearModels(): Promise<void> {
  const target = { n, d: 1, data: y };
  const line = await best("linear", () => pool.run(fitLinear, { x, y: target }), 3);
  await best("linear, predict", () => pool.run(predictLinear, { x: judged, ...line }));
  const terms = polynomialTerms(d, 2);
  const curve = await best("polynomial, degree 2", () => pool.run(fitPolynomial, { x, y: target, terms }));
  const asked = { x: judged, terms, coef: curve.coef, intercept: curve.intercept };
  await best("polynomial, degree 2, predict", () => computeRows(context, predictPolynomial, asked, "predict"));
  const bayes = await best("naive Bayes", () => pool.run(fitNaiveBayes, { x, y: c, classes: 3 }), 3);
  await best("naive Bayes, predict", () => computeRows(context, predictNaiveBayes, { x: judged, ...bayes }, "predict"));
}

async function treeModels(): Promise<void> {
  const args: TreeArgs = { min_samples_split: 2, min_samples_leaf: 1, min_impurity_decrease: 0, random_state: 0 };
  const tasks: [string, TreeData, TreeArgs][] = [
    ["numbers", { x, y, task: "regression" }, args],
    ["3 classes", { x, y: c, task: "classification", classes: 3 }, { ...args, max_features: "sqrt" }],
  ];
  for (const [name, data, forestArgs] of tasks) {
    const tree = await best(`tree, ${name}`, () => growTree(data, args, context));
    await best(`tree, ${name}, predict`, () => askTrees(kept(tree), judged, context));
    const grown = { ...forestArgs, n_estimators: trees, bootstrap: true };
    const forest = await best(`forest, ${name}`, () => growForest(data, grown, context));
    const model = kept(forest);
    await best(`forest, ${name}, predict`, () => askTrees(model, judged, context));
  }
}

/** As a model is that was read from its file: long arrays lie in shared memory. */
function kept(trees: Trees): Trees {
  const share = (value: unknown) =>
    value instanceof Float64Array || value instanceof Int32Array ? shared(value) : value;
  return Object.fromEntries(Object.entries(trees).map(([name, value]) => [name, share(value)])) as unknown as Trees;
}

async function neighbours(): Promise<void> {
  const rows = (from: number, to: number) => Int32Array.from({ length: to - from }, (_, i) => from + i);
  const half = Math.floor(n / 2);
  for (const columns of [20, 4]) {
    const part = { n, d: columns, data: x.data.subarray(0, n * columns) };
    const train = gatherRows(part, rows(0, half), true);
    const asked = gatherRows(part, rows(half, half + Math.floor(n / 10)), true);
    const options = { y: c.slice(0, half), classes: 3, k: 5, metric: "minkowski", p: 2, weights: "uniform" } as const;
    const input = { train, x: asked, ...options };
    await best(`kNN, ${columns} columns, predict`, () => computeRows(context, predictKnn, input, "neighbours", 500));
  }
}

async function theirs(): Promise<Record<string, number>> {
  const python = pythonWith("sklearn");
  if (!python) return {};
  return await inFolder(async (folder) => {
    for (const [name, array] of Object.entries({ x: x.data, judged: judged.data, y, c })) {
      writeFileSync(join(folder, name), array);
    }
    const sizes = [n, d, trees, m, threads].map(String);
    const done = spawnSync(python, ["-c", PYTHON, folder, ...sizes], { encoding: "utf8" });
    if (done.status !== 0) console.error(done.stderr);
    return done.status === 0 ? JSON.parse(done.stdout) : {};
  });
}

await linearModels();
await treeModels();
await neighbours();
await pool.close();
const reference = await theirs();
const whole = (value: number) => value.toLocaleString("en-US");
console.log(`${whole(n)} × ${d} to train, ${trees} trees, ${whole(m)} rows to predict, ${threads} threads\n`);
printTable(
  ["model", "ours, s", "scikit-learn, s", "times faster"],
  [...times].map(([name, seconds]) => {
    const other = reference[name];
    return [name, seconds.toFixed(3), other?.toFixed(3) ?? "", other ? (other / seconds).toFixed(1) : ""];
  }),
);
