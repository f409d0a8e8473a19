/**
 * Times our kernels against scikit-learn on the same numbers, and prints a markdown table.
 *
 * node bench/kernels.ts [rows=100000] [trees=20]. BLOCKLAB_PYTHON names a Python that has scikit-learn (default
 * python3); without one the table has our times alone. Both sides get as many threads as there are cores.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fitLinear } from "../src/numerics/linear/linear.ts";
import { fitLogistic } from "../src/numerics/linear/logistic.ts";
import { RandomState } from "../src/numerics/random.ts";
import { type TreesInput, treeSeeds } from "../src/numerics/trees/forest.ts";
import { predictForest } from "../src/numerics/trees/trees.ts";
import { createMatrix } from "../src/numerics/types.ts";
import { createPool, fitForest } from "../src/workers/index.ts";

const n = Number(process.argv[2] ?? 100_000);
const trees = Number(process.argv[3] ?? 20);
const d = 20;
const cores = availableParallelism();

type Row = { name: string; seconds: number; score: number };

const PYTHON = `
import json, sys, time
import numpy as np
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
folder, n, d, trees, cores = sys.argv[1], *map(int, sys.argv[2:])
read = lambda name, type: np.fromfile(folder + "/" + name, dtype=type)
X = np.asfortranarray(read("x", "f8").reshape(d, n).T)
y, c = read("y", "f8"), read("c", "i4")
train = slice(0, n * 4 // 5); test = slice(n * 4 // 5, n)
def timed(name, model, target, times):
    best = 1e9
    for _ in range(times):
        start = time.perf_counter(); model.fit(X[train], target[train]); best = min(best, time.perf_counter() - start)
    return {"name": name, "seconds": best, "score": model.score(X[test], target[test])}
print(json.dumps([
    timed("linear regression", LinearRegression(), y, 3),
    timed("logistic regression, 2 classes", LogisticRegression(), (c > 0).astype("i4"), 3),
    timed("logistic regression, 3 classes", LogisticRegression(), c, 3),
    timed("random forest, regression", RandomForestRegressor(trees, random_state=0, n_jobs=cores), y, 1),
    timed("random forest, 3 classes", RandomForestClassifier(trees, random_state=0, n_jobs=cores), c, 1),
]))`;

function data() {
  const random = new RandomState(1);
  const x = createMatrix(n, d);
  // float32 numbers, because scikit-learn's trees round to them.
  for (let i = 0; i < x.data.length; i++) x.data[i] = Math.fround(random.normal());
  const y = new Float64Array(n);
  const c = new Int32Array(n);
  for (let i = 0; i < n; i++) {
    const [a, b, e, f, g] = [0, 1, 2, 3, 4].map((j) => x.data[j * n + i]!) as [number, number, number, number, number];
    y[i] = 10 * Math.sin((Math.PI * a * b) / 3) + 20 * (e - 0.5) ** 2 + 10 * f + 5 * g + random.normal();
    c[i] = (a + b * e + 0.5 * random.normal() > 0 ? 1 : 0) + (f > 1 ? 1 : 0);
  }
  return { x, y, c };
}

function best(times: number, run: () => void): number {
  const seconds = Array.from({ length: times }, () => {
    const start = performance.now();
    run();
    return (performance.now() - start) / 1000;
  });
  return Math.min(...seconds);
}

async function ours({ x, y, c }: ReturnType<typeof data>): Promise<Row[]> {
  const rows = (n * 4) / 5;
  const part = (from: number, to: number) => {
    const out = createMatrix(to - from, d);
    for (let j = 0; j < d; j++) out.data.set(x.data.subarray(j * n + from, j * n + to), j * (to - from));
    return out;
  };
  const [train, test] = [part(0, rows), part(rows, n)];
  const two = c.slice(0, rows).map((k) => (k > 0 ? 1 : 0));
  const target = { n: rows, d: 1, data: y.slice(0, rows) };
  const out: Row[] = [];
  const add = (name: string, seconds: number, score = NaN) => out.push({ name, seconds, score });
  add(
    "linear regression",
    best(5, () => fitLinear({ x: train, y: target })),
  );
  add(
    "logistic regression, 2 classes",
    best(3, () => fitLogistic({ x: train, y: two, classes: 2 })),
  );
  const labels = c.slice(0, rows);
  add(
    "logistic regression, 3 classes",
    best(3, () => fitLogistic({ x: train, y: labels, classes: 3 })),
  );
  const pool = createPool({ size: cores });
  const shared = { x: train, seeds: treeSeeds(0, trees), bootstrap: true };
  const forest = async (name: string, input: TreesInput, score: (answer: Float64Array) => number) => {
    const start = performance.now();
    const grown = await fitForest(pool, input);
    const seconds = (performance.now() - start) / 1000;
    add(name, seconds, score(predictForest({ x: test, trees: grown }).data));
  };
  await forest("random forest, regression", { ...shared, y: target.data, task: "regression" }, (p) => {
    const truth = y.subarray(rows);
    const mean = truth.reduce((sum, value) => sum + value, 0) / truth.length;
    const spread = truth.reduce((sum, value) => sum + (value - mean) ** 2, 0);
    return 1 - truth.reduce((sum, value, i) => sum + (value - p[i]!) ** 2, 0) / spread;
  });
  const three: TreesInput = { ...shared, y: labels, task: "classification", classes: 3, maxFeatures: "sqrt" };
  await forest("random forest, 3 classes", three, (p) => {
    const m = n - rows;
    const top = (i: number) => [0, 1, 2].reduce((k, other) => (p[other * m + i]! > p[k * m + i]! ? other : k), 0);
    return c.subarray(rows).reduce((hits, k, i) => hits + (top(i) === k ? 1 : 0), 0) / m;
  });
  await pool.close();
  return out;
}

function theirs({ x, y, c }: ReturnType<typeof data>): Row[] {
  const folder = mkdtempSync(join(tmpdir(), "blocklab-bench-"));
  for (const [name, array] of Object.entries({ x: x.data, y, c })) writeFileSync(join(folder, name), array);
  const sizes = [n, d, trees, cores].map(String);
  const done = spawnSync(process.env.BLOCKLAB_PYTHON ?? "python3", ["-c", PYTHON, folder, ...sizes], {
    encoding: "utf8",
  });
  rmSync(folder, { recursive: true });
  return done.status === 0 ? JSON.parse(done.stdout) : [];
}

const table = data();
const reference = theirs(table);
console.log(`${n.toLocaleString("en")} × ${d} (80% to train), ${trees} trees, ${cores} cores\n`);
console.log("| kernel | ours, s | scikit-learn, s | times faster | score ours / theirs |\n|---|--:|--:|--:|--:|");
for (const row of await ours(table)) {
  const other = reference.find(({ name }) => name === row.name);
  const scores = other && !Number.isNaN(row.score) ? `${row.score.toFixed(4)} / ${other.score.toFixed(4)}` : "";
  const ratio = other ? (other.seconds / row.seconds).toFixed(1) : "";
  console.log(
    `| ${row.name} | ${row.seconds.toFixed(3)} | ${other?.seconds.toFixed(3) ?? ""} | ${ratio} | ${scores} |`,
  );
}
