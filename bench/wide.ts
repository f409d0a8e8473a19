/**
 * Times every model on wide tables as users fit them, block by block, against scikit-learn, and prints a markdown table of each, row by row.
 *
 * node bench/wide.ts [scale=1] [models=all] [tables=all]. The tables are 1,400 × 1,113 of one-hot columns that depend on each
 * other, 500 × 5,000 and 20,000 × 300 of numbers; `scale` multiplies both sides. `models` and `tables` are names with commas
 * between. Ours: from the call until the model is fitted and stored; theirs: `fit` in memory. Seconds by the clock and, in
 * brackets, of CPU, the best of two; two threads on both sides. BLOCKLAB_PYTHON names a Python that has pandas and scikit-learn.
 */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
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

const scale = Number(process.argv[2] ?? 1);
const [onlyModels, onlyTables] = [3, 4].map((k) => (process.argv[k] ?? "all").split(","));
const repeats = 2;

/** A model: which target it learns, if any, how users fit it, and its like in scikit-learn. */
type Model = readonly [target: "y" | "c" | null, run: (from: Chain) => PromiseLike<unknown>, theirs: string];

const models: Readonly<Record<string, Model>> = {
  linear: ["y", (from) => from.linear(), "LinearRegression()"],
  ridge: ["y", (from) => from.ridge(), "Ridge()"],
  lasso: ["y", (from) => from.lasso({ alpha: 0.1 }), "Lasso(alpha=0.1)"],
  svr: ["y", (from) => from.svr(), "SVR()"],
  treeRegressor: ["y", (from) => from.treeRegressor(), "DecisionTreeRegressor(random_state=0)"],
  "forestRegressor of 20": [
    "y",
    (from) => from.forestRegressor({ n_estimators: 20 }),
    "RandomForestRegressor(20, random_state=0, n_jobs=2)",
  ],
  "boost of numbers": ["y", (from) => from.boost(), "HistGradientBoostingRegressor(random_state=0)"],
  logistic: ["c", (from) => from.logistic(), "LogisticRegression()"],
  svm: ["c", (from) => from.svm({ probability: false }), 'SVC(kernel="linear")'],
  kernelSvm: ["c", (from) => from.kernelSvm({ probability: false }), "SVC()"],
  treeClassifier: ["c", (from) => from.treeClassifier(), "DecisionTreeClassifier(random_state=0)"],
  forestClassifier: ["c", (from) => from.forestClassifier(), "RandomForestClassifier(random_state=0, n_jobs=2)"],
  "boost of classes": ["c", (from) => from.boost(), "HistGradientBoostingClassifier(random_state=0)"],
  naiveBayes: ["c", (from) => from.naiveBayes(), "GaussianNB()"],
  "knn with answers": ["c", (from) => from.knn().metrics(), "KNeighborsClassifier(n_jobs=2), answers"],
  "mlp of 10 rounds": ["c", (from) => from.mlp({ max_iter: 10 }), "MLPClassifier(max_iter=10, random_state=0)"],
  pca: [null, (from) => from.pca(), "PCA()"],
  "pca(10)": [null, (from) => from.pca(10), "PCA(10)"],
  kmeans: [null, (from) => from.kmeans(), "KMeans(5, random_state=0)"],
  isolationForest: [null, (from) => from.isolationForest(), "IsolationForest(random_state=0, n_jobs=2)"],
};

if (!(scale > 0)) {
  console.error(`wide: scale must be a number above 0, got "${process.argv[2]}".`);
  process.exit(2);
}
refuseUnknown("wide", "model", onlyModels, Object.keys(models));

const chosen = Object.entries(models).filter(([name]) => onlyModels?.includes("all") || onlyModels?.includes(name));

const PYTHON = `
import json, sys, time, warnings
import pandas as pd
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.ensemble import *
from sklearn.linear_model import *
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.svm import SVC, SVR
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
warnings.simplefilter("ignore")
df, repeats = pd.read_csv(sys.argv[1]), ${repeats}
X = df.drop(columns=["y", "c"]).to_numpy("f8", copy=True)
def fitted(target, model, answers=False):
    model.fit(X) if target is None else model.fit(X, df[target])
    if answers: model.predict(X)
work = {
${chosen.map(([name, [target, , theirs]]) => `  "${name}": lambda: fitted(${target ? `"${target}"` : "None"}, ${theirs.replace(", answers", "), True").replace(")), True", "), True")}),`).join("\n")}
}
${timesInPython}`;

/** Rows of numbers and a signal that y and c are made of. */
type Table = {
  readonly n: number;
  readonly d: number;
  readonly row: () => { readonly x: number[]; readonly signal: number };
};

/** Thirteen numbers, then groups of 25 columns of which each row has one, the first more often than the last. */
function oneHot(n: number, d: number): Table {
  const random = new RandomState(1);
  const numbers = Math.min(13, d);
  const effect = Array.from({ length: d }, () => random.normal());
  const row = () => {
    const x = Array.from({ length: d }, (_, j) => (j < numbers ? Number(random.normal().toFixed(4)) : 0));
    for (let at = numbers; at < d; at += 25) x[at + Math.floor(Math.min(25, d - at) * random.uniform() ** 2)] = 1;
    return { x, signal: x.reduce((sum, value, j) => sum + value * effect[j]!, 0) };
  };
  return { n, d, row };
}

/** Numbers that ten hidden ones decide for a half. */
function factors(n: number, d: number): Table {
  const random = new RandomState(2);
  const mix = Array.from({ length: 10 * d }, () => random.normal() / 4);
  const row = () => {
    const hidden = Array.from({ length: 10 }, () => random.normal());
    const at = (j: number) => hidden.reduce((sum, value, k) => sum + value * mix[10 * j + k]!, random.normal());
    return { x: Array.from({ length: d }, (_, j) => Number(at(j).toFixed(4))), signal: hidden[0]! + hidden[1]! };
  };
  return { n, d, row };
}

const sized = (size: number) => Math.max(30, Math.round(size * scale));
const tables: Readonly<Record<string, () => Table>> = {
  "one-hot": () => oneHot(sized(1400), sized(1113)),
  wide: () => factors(sized(500), sized(5000)),
  long: () => factors(sized(20_000), sized(300)),
};

function csv({ n, d, row }: Table): string {
  const random = new RandomState(3);
  const lines = [[...Array.from({ length: d }, (_, j) => `x${j}`), "y", "c"].join()];
  for (let i = 0; i < n; i++) {
    const { x, signal } = row();
    const y = signal + 0.5 * random.normal();
    lines.push([...x, y.toFixed(4), y > 0 ? "high" : "low"].join());
  }
  return `${lines.join("\n")}\n`;
}

refuseUnknown("wide", "table", onlyTables, Object.keys(tables));

/** Milliseconds of each model, and under its name with ", cpu" those of CPU; tells of each as it ends. */
async function ours(
  path: string,
  home: string,
  tell: (name: string, times: Record<string, number[]>) => void,
): Promise<void> {
  const session = new Session(() => embeddedLink({ home }));
  const read = (await session.input(path)).block;
  const from = {
    y: (await session.at(read).drop("c").xy({ y: "y" })).block,
    c: (await session.at(read).drop("y").xy({ y: "c" })).block,
    none: (await session.at(read).drop(["y", "c"])).block,
  };
  const times: Record<string, number[]> = {};
  for (const [name, [target, run]] of chosen) {
    const { clock, busy } = await timedWithWork(repeats, async () => await run(session.at(from[target ?? "none"])));
    times[name] = clock;
    times[`${name}, cpu`] = busy;
    tell(name, times);
  }
  await session.close();
}

await inFolder(async (folder) => {
  const python = pythonWith("pandas", "sklearn");
  for (const [name, make] of Object.entries(tables)) {
    if (!onlyTables?.includes("all") && !onlyTables?.includes(name)) continue;
    const path = join(folder, `${name}.csv`);
    const table = make();
    writeFileSync(path, csv(table));
    const env = { ...process.env, OMP_NUM_THREADS: "2", OPENBLAS_NUM_THREADS: "2" };
    const asked = python ? spawnSync(python, ["-c", PYTHON, path], { encoding: "utf8", env }) : null;
    if (asked && asked.status !== 0) console.error(asked.stderr);
    const theirs = asked?.status === 0 ? (JSON.parse(asked.stdout) as Record<string, number[]>) : {};
    console.log(`${name}: ${table.n.toLocaleString("en-US")} × ${table.d.toLocaleString("en-US")}\n`);
    printTable(["", "blocklab s (CPU)", "scikit-learn s (CPU)", "times as fast"], []);
    await ours(path, join(folder, name), (model, mine) => {
      console.log(`| ${[model, ...leastBeside(model, mine, theirs)].join(" | ")} |`);
    });
    console.log();
  }
});
