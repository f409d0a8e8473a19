/**
 * Times models as users fit them, block by block, against scikit-learn on the same numbers, and prints a markdown table.
 *
 * node bench/models.ts [rows=100000] [trees=100] [all=1000000] [models=all]. Most learn from `rows` × 20, linear, logistic
 * and naive Bayes from `all` rows as well, some from a fifth or a twentieth of `rows`; `models` are names with semicolons between.
 * Ours: from the call until the model is fitted and stored; theirs: `fit` in memory. "Answers" are those for the rows that it
 * learned from, ours with the metrics. Seconds by the clock and, in brackets, of CPU, the best of two where they are few; two
 * threads on both sides (n_jobs=2). Memory is the most that each process held, data included. BLOCKLAB_PYTHON names a Python
 * that has pandas and scikit-learn (default python3); without one the table has our times alone.
 */
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { embeddedLink } from "../src/client/embedded.ts";
import { RandomState } from "../src/numerics/random.ts";
import { type Chain, Session } from "../src/session/index.ts";
import {
  inFolder,
  leastBeside,
  printTable,
  pythonWith,
  refuseUnknown,
  timedWithWork,
  timesInPython,
} from "./measure.ts";

const [n, trees, all] = [2, 3, 4].map((k, i) => Number(process.argv[k] ?? [100_000, 100, 1_000_000][i])) as [
  number,
  number,
  number,
];
const wanted = (process.argv[5] ?? "all").split(";");
const d = 20;

const sizes = { all, part: n, few: Math.ceil(n / 5), least: Math.ceil(n / 20) };
type Size = keyof typeof sizes;

/** Numbers, numbers under much noise, three classes of either, counts; null learns without a target. */
type Target = "y" | "noisy" | "c" | "unsure" | "k" | null;

/** A model: the rows and the target it learns from, how users fit it, and its like in scikit-learn. */
type Model = {
  readonly size: Size;
  readonly target: Target;
  readonly run: (from: Chain) => PromiseLike<unknown>;
  readonly theirs: string;
  /** What is done before and not timed; theirs is `model` then. */
  readonly before?: (from: Chain) => Chain;
  /** Columns that it takes (default all). */
  readonly columns?: number;
  /** Times it is run (default 2). */
  readonly times?: number;
};

const forest = { n_estimators: trees };
const theirForest = `${trees}, random_state=0, n_jobs=2`;

const models: Readonly<Record<string, Model>> = {
  "linear regression": { size: "all", target: "y", run: (from) => from.linear(), theirs: "LinearRegression()" },
  "logistic regression, 3 classes": {
    size: "all",
    target: "c",
    run: (from) => from.logistic(),
    theirs: "LogisticRegression()",
  },
  "logistic regression, 3 classes, fewer rows": {
    size: "part",
    target: "c",
    run: (from) => from.logistic(),
    theirs: "LogisticRegression()",
  },
  "naive Bayes": { size: "all", target: "c", run: (from) => from.naiveBayes(), theirs: "GaussianNB()" },
  "Poisson regression": { size: "part", target: "k", run: (from) => from.poisson(), theirs: "PoissonRegressor()" },
  "quantile regression": {
    size: "least",
    target: "noisy",
    run: (from) => from.quantileRegressor(),
    theirs: "QuantileRegressor(alpha=0)",
    times: 1,
  },
  "polynomial of degree 2": {
    size: "part",
    target: "y",
    run: (from) => from.polynomial({ degree: 2 }),
    theirs: "make_pipeline(PolynomialFeatures(2, include_bias=False), LinearRegression())",
  },
  "one tree, numbers": {
    size: "part",
    target: "y",
    run: (from) => from.treeRegressor(),
    theirs: "DecisionTreeRegressor(random_state=0)",
  },
  "one tree, 3 classes": {
    size: "part",
    target: "c",
    run: (from) => from.treeClassifier(),
    theirs: "DecisionTreeClassifier(random_state=0)",
  },
  [`forest of ${trees} trees, numbers`]: {
    size: "part",
    target: "y",
    run: (from) => from.forestRegressor(forest),
    theirs: `RandomForestRegressor(${theirForest})`,
    times: 1,
  },
  "that forest's answers": {
    size: "part",
    target: "y",
    before: (from) => from.forestRegressor(forest),
    run: (from) => from.metrics(),
    theirs: `RandomForestRegressor(${theirForest})`,
    times: 1,
  },
  [`forest of ${trees} trees, numbers under noise`]: {
    size: "part",
    target: "noisy",
    run: (from) => from.forestRegressor(forest),
    theirs: `RandomForestRegressor(${theirForest})`,
    times: 1,
  },
  [`forest of ${trees} trees, 3 classes`]: {
    size: "part",
    target: "c",
    run: (from) => from.forestClassifier(forest),
    theirs: `RandomForestClassifier(${theirForest})`,
    times: 1,
  },
  [`forest of ${trees} trees, 3 classes under noise`]: {
    size: "part",
    target: "unsure",
    run: (from) => from.forestClassifier(forest),
    theirs: `RandomForestClassifier(${theirForest})`,
    times: 1,
  },
  "boosted trees, numbers": {
    size: "part",
    target: "y",
    run: (from) => from.boost(),
    theirs: "HistGradientBoostingRegressor(random_state=0)",
  },
  "boosted trees, 3 classes": {
    size: "part",
    target: "c",
    run: (from) => from.boost(),
    theirs: "HistGradientBoostingClassifier(random_state=0)",
  },
  "k nearest neighbours' answers": {
    size: "few",
    target: "c",
    before: (from) => from.knn(),
    run: (from) => from.metrics(),
    theirs: "KNeighborsClassifier(n_jobs=2)",
  },
  "mlp of 10 rounds": {
    size: "few",
    target: "c",
    run: (from) => from.mlp({ max_iter: 10 }),
    theirs: "MLPClassifier(max_iter=10, random_state=0)",
  },
  "ann of 10 rounds": {
    size: "few",
    target: "c",
    run: (from) => from.ann([100]).train({ epochs: 10, batch_size: 200 }),
    theirs: "MLPClassifier(max_iter=10, random_state=0)",
  },
  "kmeans of 5, with its picture": {
    size: "part",
    target: null,
    run: (from) => from.kmeans({ n_clusters: 5 }),
    theirs: "KMeans(5, random_state=0)",
  },
  "mixture of 5 Gaussians": {
    size: "part",
    target: null,
    run: (from) => from.gaussianMixture({ n_components: 5 }),
    theirs: "GaussianMixture(5, random_state=0)",
  },
  hdbscan: { size: "few", target: null, columns: 5, run: (from) => from.hdbscan(), theirs: "HDBSCAN(copy=True)" },
};

refuseUnknown("models", "model", wanted, Object.keys(models));
const chosen = Object.entries(models).filter(([name]) => wanted.includes("all") || wanted.includes(name));

const python = ([name, { size, target, theirs, before, columns = d, times = 2 }]: (typeof chosen)[number]) =>
  `    "${name}": ("${size}", ${target ? `"${target}"` : "None"}, ${columns}, ${before ? "True" : "False"}, ${times}, lambda: ${theirs}),`;

const PYTHON = `
import json, resource, sys, time, warnings
import pandas as pd
from sklearn.cluster import HDBSCAN, KMeans
from sklearn.ensemble import *
from sklearn.linear_model import *
from sklearn.mixture import GaussianMixture
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
warnings.simplefilter("ignore")
df = pd.read_csv(sys.argv[1])
sizes = json.loads(sys.argv[2])
cases = {
${chosen.map(python).join("\n")}
}
def running(size, target, columns, answers, make):
    part = df.iloc[: sizes[size]]
    X = part[[f"x{j}" for j in range(columns)]].to_numpy("f8", copy=True)
    y = None if target is None else part[target]
    fitted = make().fit(X, y) if answers else None
    return lambda: fitted.predict(X) if answers else make().fit(X, y)
result = {}
for case, (size, target, columns, answers, repeats, make) in cases.items():
    work = {case: running(size, target, columns, answers, make)}
${timesInPython
  .replace("print(json.dumps(out))", "result.update(out)")
  .split("\n")
  .map((line) => `    ${line}`)
  .join("\n")}
result["memory"] = [resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]
print(json.dumps(result))`;

/** Writes all rows, and the first of them for the smaller tables; answers the path of each. */
async function tables(folder: string): Promise<Record<Size, string>> {
  const random = new RandomState(1);
  const header = [...Array.from({ length: d }, (_, j) => `x${j}`), "y", "noisy", "c", "unsure", "k"].join();
  const files = (Object.keys(sizes) as Size[]).map((name) => {
    const path = join(folder, `${name}.csv`);
    return { name, path, stream: createWriteStream(path), lines: [header] };
  });
  const most = Math.max(...Object.values(sizes));
  for (let i = 0; i < most; i++) {
    const line = row(random);
    for (const { name, lines } of files) if (i < sizes[name]) lines.push(line);
    if (i % 1000 !== 999 && i < most - 1) continue;
    for (const { stream, lines } of files) {
      if (lines.length > 0 && !stream.write(`${lines.join("\n")}\n`)) await once(stream, "drain");
      lines.length = 0;
    }
  }
  await Promise.all(files.map(async ({ stream }) => await finished(stream.end())));
  return Object.fromEntries(files.map(({ name, path }) => [name, path])) as Record<Size, string>;
}

function row(random: RandomState): string {
  const x = Array.from({ length: d }, () => Number(random.normal().toFixed(4)));
  const [a, b, e, f, g] = x as [number, number, number, number, number];
  const signal = 10 * Math.sin((Math.PI * a * b) / 3) + 20 * (e - 0.5) ** 2 + 10 * f + 5 * g;
  const place = (noise: number) => (a + b * e + noise * random.normal() > 0 ? 1 : 0) + (f > 1 ? 1 : 0);
  const names = ["low", "middle", "high"];
  const counts = Math.floor(Math.exp(0.4 * a + 0.3 * b) * (1 + 2 * random.uniform()));
  const y = signal + random.normal();
  return [...x, y.toFixed(4), (y + 40 * random.normal()).toFixed(4), names[place(0.5)], names[place(3)], counts].join();
}

/** Milliseconds of each model, and under its name with ", cpu" those of CPU. */
async function ours(paths: Record<Size, string>, home: string): Promise<Record<string, number[]>> {
  const session = new Session(() => embeddedLink({ home }));
  const times: Record<string, number[]> = {};
  const targets = ["y", "noisy", "c", "unsure", "k"];
  for (const [name, { size, target, run, before, columns = d, times: repeats = 2 }] of chosen) {
    const others = targets.filter((each) => each !== target);
    const unused = Array.from({ length: d - columns }, (_, j) => `x${columns + j}`);
    let from = session.input(paths[size]).drop([...others, ...unused]);
    if (target) from = from.xy({ y: target });
    if (before) from = before(from);
    const { block } = await from;
    const { clock, busy } = await timedWithWork(repeats, async () => await run(session.at(block)));
    times[name] = clock;
    times[`${name}, cpu`] = busy;
  }
  await session.close();
  return times;
}

await inFolder(async (folder) => {
  const paths = await tables(folder);
  const mine = await ours(paths, join(folder, "home"));
  const memory = process.resourceUsage().maxRSS / 1024;
  const path = pythonWith("pandas", "sklearn");
  const env = { ...process.env, OMP_NUM_THREADS: "2", OPENBLAS_NUM_THREADS: "2" };
  const largest = all >= n ? paths.all : paths.part;
  const asked = path
    ? spawnSync(path, ["-c", PYTHON, largest, JSON.stringify(sizes)], { encoding: "utf8", env, maxBuffer: 2 ** 26 })
    : null;
  if (asked && asked.status !== 0) console.error(asked.stderr);
  const theirs = asked?.status === 0 ? (JSON.parse(asked.stdout) as Record<string, number[]>) : {};
  const whole = (value: number) => Math.round(value).toLocaleString("en-US");
  const beside = theirs.memory ? `, scikit-learn ${whole(theirs.memory[0]!)} MiB` : "";
  console.log(`memory at most: ours ${whole(memory)} MiB${beside}\n`);
  printTable(
    ["", "blocklab s (CPU)", "scikit-learn s (CPU)", "times as fast"],
    chosen.map(([name, { size, columns = d }]) => [
      `${name}, ${whole(sizes[size])} × ${columns}`,
      ...leastBeside(name, mine, theirs),
    ]),
  );
});
