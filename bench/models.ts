/**
 * Times models against scikit-learn on the same numbers, and prints a markdown table.
 *
 * node bench/models.ts [rows=100000] [trees=100] [judged=1000000]. Linear and logistic regression and naive Bayes learn
 * from `judged` × 20, the others from `rows` × 20; kNN from half of the rows, with a tenth of them asked; predictions are for
 * `judged` rows, and the scores (R², or accuracy) are on them. Memory is the most that each
 * process held, data included. BLOCKLAB_PYTHON names a Python that has scikit-learn (default python3); without one the table has our
 * times alone. Both sides get two threads (n_jobs=2).
 */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fitLogisticOnThreads } from "../src/blocks/models/descent-threads.ts";
import type { Prediction } from "../src/blocks/models/models.ts";
import { askTrees, growForest, growTree, type TreeArgs, type TreeData } from "../src/blocks/models/trees.ts";
import { computeRows } from "../src/blocks/shared/row-parts.ts";
import { fitLinear, predictLinear } from "../src/numerics/linear/linear.ts";
import { predictLogistic } from "../src/numerics/linear/logistic.ts";
import { fitPolynomial, polynomialTerms, predictPolynomial } from "../src/numerics/linear/polynomial.ts";
import { fitNaiveBayes, predictNaiveBayes } from "../src/numerics/naive-bayes.ts";
import { predictKnn } from "../src/numerics/neighbors/knn.ts";
import { RandomState } from "../src/numerics/random.ts";
import type { Trees } from "../src/numerics/trees/trees.ts";
import { columnOf, createMatrix, gatherRows, type Matrix } from "../src/numerics/types.ts";
import { createPool, shared } from "../src/workers/index.ts";
import { computingOn, inFolder, printTable, pythonWith } from "./measure.ts";

const [n, trees, m] = [2, 3, 4].map((k, i) => Number(process.argv[k] ?? [100_000, 100, 1_000_000][i])) as [
  number,
  number,
  number,
];
const d = 20;
const threads = 2;

const PYTHON = `
import json, resource, sys, time
import numpy as np
from sklearn.linear_model import LinearRegression, LogisticRegression
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
y, c, yj, cj = read("y", "f8"), read("c", "i4"), read("yj", "f8"), read("cj", "i4")
out, scores = {}, {}
def timed(name, work, times=1):
    best = 1e9
    for _ in range(times):
        start = time.perf_counter(); answer = work(); best = min(best, time.perf_counter() - start)
    out[name] = best
    return answer
def both(name, model, target, times=1, data=X):
    timed(name, lambda: model.fit(data, target), times)
    classes = hasattr(model, "predict_proba")
    answer = timed(name + ", predict", lambda: (model.predict_proba if classes else model.predict)(J), times)
    scores[name] = (
        (model.classes_[answer.argmax(1)] == cj).mean() if classes else 1 - ((answer - yj) ** 2).sum() / ((yj - yj.mean()) ** 2).sum()
    )
both("linear, all rows", LinearRegression(), yj, 3, J)
both("logistic, 3 classes, all rows", LogisticRegression(), cj, 1, J)
both("naive Bayes, all rows", GaussianNB(), cj, 3, J)
both("polynomial, degree 2", make_pipeline(PolynomialFeatures(2, include_bias=False), LinearRegression()), y)
both("tree, numbers", DecisionTreeRegressor(random_state=0), y)
both("tree, 3 classes", DecisionTreeClassifier(random_state=0), c)
both("forest, numbers", RandomForestRegressor(trees, random_state=0, n_jobs=jobs), y)
both("forest, 3 classes", RandomForestClassifier(trees, random_state=0, n_jobs=jobs), c)
knn = KNeighborsClassifier(n_jobs=jobs).fit(X[: n // 2], c[: n // 2])
timed("kNN, 20 columns, predict", lambda: knn.predict_proba(X[n // 2 : n // 2 + n // 10]))
few = KNeighborsClassifier(n_jobs=jobs).fit(X[: n // 2, :4], c[: n // 2])
timed("kNN, 4 columns, predict", lambda: few.predict_proba(X[n // 2 : n // 2 + n // 10, :4]))
print(json.dumps({"times": out, "scores": scores, "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))`;

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
const scores = new Map<string, number>();

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
const truth = targets(judged);
const pool = createPool({ size: threads });
const context = computingOn(pool, threads);

/** R² of numbers. */
function fitOf(answers: Float64Array): number {
  const mean = truth.y.reduce((sum, value) => sum + value, 0) / m;
  const off = truth.y.reduce((sum, value, i) => sum + (value - answers[i]!) ** 2, 0);
  return 1 - off / truth.y.reduce((sum, value) => sum + (value - mean) ** 2, 0);
}

/** Share of rows whose likeliest class is the true one. */
function hits(matrix: Matrix): number {
  let right = 0;
  for (let i = 0; i < m; i++) {
    let code = 0;
    for (let k = 1; k < matrix.d; k++) if (matrix.data[k * m + i]! > matrix.data[code * m + i]!) code = k;
    if (code === truth.c[i]) right++;
  }
  return right / m;
}

async function linearModels(): Promise<void> {
  const all = { n: m, d: 1, data: truth.y };
  const line = await best("linear, all rows", () => pool.run(fitLinear, { x: judged, y: all }), 3);
  const lines = () => computeRows(context, predictLinear, { x: judged, ...line }, "predict");
  scores.set("linear, all rows", fitOf((await best("linear, all rows, predict", lines, 3)).data));
  const logistic = "logistic, 3 classes, all rows";
  const fitted = await best(logistic, () => fitLogisticOnThreads({ x: judged, y: truth.c, classes: 3 }, context));
  const { coef, intercept, classes } = fitted;
  const ask = () => computeRows(context, predictLogistic, { x: judged, coef, intercept, classes }, "predict");
  scores.set(logistic, hits(await best(`${logistic}, predict`, ask)));
  const bayes = await best(
    "naive Bayes, all rows",
    () => pool.run(fitNaiveBayes, { x: judged, y: truth.c, classes: 3 }),
    3,
  );
  const likely = () => computeRows(context, predictNaiveBayes, { x: judged, ...bayes }, "predict");
  scores.set("naive Bayes, all rows", hits(await best("naive Bayes, all rows, predict", likely, 3)));
  const terms = polynomialTerms(d, 2);
  const target = { n, d: 1, data: y };
  const curve = await best("polynomial, degree 2", () => pool.run(fitPolynomial, { x, y: target, terms }));
  const asked = { x: judged, terms, coef: curve.coef, intercept: curve.intercept };
  const curves = () => computeRows(context, predictPolynomial, asked, "predict");
  scores.set("polynomial, degree 2", fitOf((await best("polynomial, degree 2, predict", curves)).data));
}

async function treeModels(): Promise<void> {
  const args: TreeArgs = { min_samples_split: 2, min_samples_leaf: 1, min_impurity_decrease: 0, random_state: 0 };
  const tasks: [string, TreeData, TreeArgs][] = [
    ["numbers", { x, y, task: "regression" }, args],
    ["3 classes", { x, y: c, task: "classification", classes: 3 }, { ...args, max_features: "sqrt" }],
  ];
  for (const [name, data, forestArgs] of tasks) {
    const tree = await best(`tree, ${name}`, () => growTree(data, args, context));
    const asked = await best(`tree, ${name}, predict`, () => askTrees(kept(tree), judged, context));
    scores.set(`tree, ${name}`, scoreOf(asked));
    const grown = { ...forestArgs, n_estimators: trees, bootstrap: true };
    const forest = await best(`forest, ${name}`, () => growForest(data, grown, context));
    const model = kept(forest);
    scores.set(
      `forest, ${name}`,
      scoreOf(await best(`forest, ${name}, predict`, () => askTrees(model, judged, context))),
    );
  }
}

function scoreOf(answer: Prediction): number {
  if (answer.kind === "numbers") return fitOf(answer.values);
  return "matrix" in answer && answer.matrix ? hits(answer.matrix) : Number.NaN;
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

/** What scikit-learn took and reached, by the same names. */
interface Theirs {
  readonly times: Readonly<Record<string, number>>;
  readonly scores: Readonly<Record<string, number>>;
  /** MiB at most. */
  readonly memory?: number;
}

async function theirs(): Promise<Theirs> {
  const none = { times: {}, scores: {} };
  const python = pythonWith("sklearn");
  if (!python) return none;
  return await inFolder(async (folder) => {
    for (const [name, array] of Object.entries({ x: x.data, judged: judged.data, y, c, yj: truth.y, cj: truth.c })) {
      writeFileSync(join(folder, name), array);
    }
    const sizes = [n, d, trees, m, threads].map(String);
    const done = spawnSync(python, ["-c", PYTHON, folder, ...sizes], { encoding: "utf8" });
    if (done.status !== 0) console.error(done.stderr);
    return done.status === 0 ? JSON.parse(done.stdout) : none;
  });
}

await linearModels();
await treeModels();
await neighbours();
await pool.close();
const memory = process.resourceUsage().maxRSS / 1024;
const reference = await theirs();
const whole = (value: number) => Math.round(value).toLocaleString("en-US");
console.log(`${whole(n)} × ${d} to train, ${trees} trees, ${whole(m)} rows to predict, ${threads} threads`);
console.log(
  `memory at most: ours ${whole(memory)} MiB${reference.memory ? `, scikit-learn ${whole(reference.memory)} MiB` : ""}\n`,
);
printTable(
  ["model", "ours, s", "scikit-learn, s", "times faster", "our score", "theirs"],
  [...times].map(([name, seconds]) => {
    const other = reference.times[name];
    const score = (value: number | undefined) => value?.toFixed(4) ?? "";
    const ratio = other ? (other / seconds).toFixed(1) : "";
    return [
      name,
      seconds.toFixed(3),
      other?.toFixed(3) ?? "",
      ratio,
      score(scores.get(name)),
      score(reference.scores[name]),
    ];
  }),
);
