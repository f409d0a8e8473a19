/**
 * Judges models on ten tables by rows held out, beside scikit-learn's on the same rows, and prints a markdown table of each kind.
 *
 * node bench/accuracy.ts [seeds=20] [models=all] [tables=all]. Each seed parts the rows anew, a quarter for the test, and seeds
 * the model. Numbers are mean scores over the seeds: accuracy, or R²; behind ± how far single seeds lie from scikit-learn's, as
 * a standard deviation. `models` and `tables` are names with commas between. The tables are scikit-learn's own, some drawn by
 * its makers, and samples of ours with gaps and words. BLOCKLAB_PYTHON names a Python that has pandas and scikit-learn.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { embeddedLink } from "../src/client/embedded.ts";
import { type Chain, Session } from "../src/session/index.ts";
import { inFolder, printTable, pythonWith, refuseUnknown, root } from "./measure.ts";

const seeds = Number(process.argv[2] ?? 20);
const [onlyModels, onlyTables] = [3, 4].map((k) => (process.argv[k] ?? "all").split(","));
if (!(Number.isInteger(seeds) && seeds > 0)) {
  console.error(`accuracy: seeds must be a whole number from 1 on, got "${process.argv[2]}".`);
  process.exit(2);
}

/** A model: how users train it, and its like in scikit-learn, both with a seed. */
type Model = readonly [run: (from: Chain, random_state: number) => Chain, theirs: string];

const classifiers: Readonly<Record<string, Model>> = {
  logistic: [(from) => from.logistic(), "LogisticRegression()"],
  knn: [(from) => from.knn(), "KNeighborsClassifier()"],
  naiveBayes: [(from) => from.naiveBayes(), "GaussianNB()"],
  kernelSvm: [(from) => from.kernelSvm(), "SVC()"],
  treeClassifier: [
    (from, random_state) => from.treeClassifier({ random_state }),
    "DecisionTreeClassifier(random_state=s)",
  ],
  forestClassifier: [
    (from, random_state) => from.forestClassifier({ random_state }),
    "RandomForestClassifier(random_state=s)",
  ],
  boost: [(from, random_state) => from.boost({ random_state }), "HistGradientBoostingClassifier(random_state=s)"],
};

const regressors: Readonly<Record<string, Model>> = {
  linear: [(from) => from.linear(), "LinearRegression()"],
  ridge: [(from) => from.ridge(), "Ridge()"],
  knnRegressor: [(from) => from.knnRegressor(), "KNeighborsRegressor()"],
  svr: [(from) => from.svr(), "SVR()"],
  treeRegressor: [
    (from, random_state) => from.treeRegressor({ random_state }),
    "DecisionTreeRegressor(random_state=s)",
  ],
  forestRegressor: [
    (from, random_state) => from.forestRegressor({ random_state }),
    "RandomForestRegressor(random_state=s)",
  ],
  boost: [(from, random_state) => from.boost({ random_state }), "HistGradientBoostingRegressor(random_state=s)"],
};

/** Where a table comes from in Python, its target, and what is left out. */
type Table = { readonly from: string; readonly y: string; readonly drop?: string[]; readonly words?: string[] };

const sample = (name: string) => `pd.read_csv(${JSON.stringify(join(root, `samples/${name}.csv`))})`;
const drawn = (call: string) => `named(*${call})`;

const kinds = {
  accuracy: {
    models: classifiers,
    tables: {
      iris: { from: "bunch(load_iris())", y: "target" },
      wine: { from: "bunch(load_wine())", y: "target" },
      cancer: { from: "bunch(load_breast_cancer())", y: "target" },
      digits: { from: "bunch(load_digits())", y: "target" },
      moons: { from: drawn("make_moons(1000, noise=0.3, random_state=0)"), y: "target" },
      penguins: { from: sample("penguins"), y: "species", words: ["island", "sex"] },
    } as Readonly<Record<string, Table>>,
  },
  r2: {
    models: regressors,
    tables: {
      diabetes: { from: "bunch(load_diabetes())", y: "target" },
      friedman1: { from: drawn("make_friedman1(1000, noise=1, random_state=0)"), y: "target" },
      friedman2: { from: drawn("make_friedman2(1000, noise=50, random_state=0)"), y: "target" },
      weather: { from: sample("weather"), y: "temp_max", drop: ["date"], words: ["weather"] },
    } as Readonly<Record<string, Table>>,
  },
};

const isWanted = (names: readonly string[] | undefined) => (name: string) =>
  names?.includes("all") || names?.includes(name) || false;
const wantedModels = isWanted(onlyModels);
const wantedTables = isWanted(onlyTables);
const both = Object.values(kinds);
refuseUnknown("accuracy", "model", onlyModels, [...new Set(both.flatMap(({ models }) => Object.keys(models)))]);
refuseUnknown(
  "accuracy",
  "table",
  onlyTables,
  both.flatMap(({ tables }) => Object.keys(tables)),
);

const chosen = Object.entries(kinds).flatMap(([metric, { models, tables }]) =>
  Object.entries(tables)
    .filter(([name]) => wantedTables(name))
    .map(([name, table]) => ({
      metric,
      name,
      table,
      models: Object.entries(models).filter(([model]) => wantedModels(model)),
    })),
);

const PYTHON = `
import json, sys, warnings
import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.datasets import *
from sklearn.ensemble import *
from sklearn.impute import SimpleImputer
from sklearn.linear_model import *
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import *
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC, SVR
from sklearn.tree import *
warnings.simplefilter("ignore")
folder = sys.argv[1]
def named(x, y): return pd.DataFrame(x, columns=[f"x{j}" for j in range(x.shape[1])]).assign(target=y)
def bunch(data): return named(data.data, data.target)
out = {}
def judge(name, table, y, models):
    table.to_csv(f"{folder}/{name}.csv", index=False)
    x = table.drop(columns=[y])
    words = make_column_selector(dtype_exclude="number")
    prepared = make_column_transformer(
        (SimpleImputer(), make_column_selector(dtype_include="number")),
        (make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder(handle_unknown="ignore", sparse_output=False)), words))
    for model, make in models.items():
        scores = []
        for s in range(${seeds}):
            a, b, c, d = train_test_split(x, table[y], random_state=s)
            scores.append(make_pipeline(prepared, StandardScaler(), make(s)).fit(a, c).score(b, d))
        out[name + " " + model] = scores
${chosen
  .map(({ name, table: { from, y, drop = [] }, models }) => {
    const makers = models.map(([model, [, theirs]]) => `"${model}": lambda s: ${theirs}`);
    return `judge("${name}", ${from}.drop(columns=${JSON.stringify(drop)}), "${y}", {${makers.join(", ")}})`;
  })
  .join("\n")}
print(json.dumps(out))`;

/** The scores of each seed, under the names of a table and a model. */
type Scores = Record<string, number[]>;

async function ours(folder: string): Promise<Scores> {
  const session = new Session(() => embeddedLink({ home: join(folder, "home") }));
  const scores: Scores = {};
  for (const { metric, name, table, models } of chosen) {
    const words = table.words ?? [];
    const { block } = await session.input(join(folder, `${name}.csv`)).xy({ y: table.y });
    for (let seed = 0; seed < seeds; seed++) {
      let from = session.at(block).split({ random_state: seed }).missing({ strategy: "mean" });
      if (words.length > 0) from = from.missing({ strategy: "mode", columns: words }).encode({ columns: words });
      const { block: prepared } = await from.scale("standard");
      for (const [model, [run]] of models) {
        const { output } = await run(session.at(prepared), seed).metrics({ metric });
        const found = (output as Record<string, number>)[metric] ?? Number.NaN;
        scores[`${name} ${model}`] = [...(scores[`${name} ${model}`] ?? []), found];
      }
    }
  }
  await session.close();
  return scores;
}

const python = pythonWith("pandas", "sklearn");
if (!python) {
  console.error("accuracy: it takes its tables from scikit-learn; BLOCKLAB_PYTHON names a Python that has it.");
  process.exit(2);
}
await inFolder(async (folder) => {
  const env = { ...process.env, OMP_NUM_THREADS: "2", OPENBLAS_NUM_THREADS: "1" };
  const asked = spawnSync(python, ["-c", PYTHON, folder], { encoding: "utf8", env, maxBuffer: 2 ** 26 });
  if (asked.status !== 0) throw new Error(asked.stderr);
  const theirs = JSON.parse(asked.stdout) as Scores;
  const mine = await ours(folder);
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  for (const metric of Object.keys(kinds)) {
    const tables = chosen.filter((each) => each.metric === metric);
    if (tables.length === 0) continue;
    console.log(`${metric}, means of ${seeds} seeds: blocklab, scikit-learn ± a seed's difference\n`);
    const rows = (tables[0]?.models ?? []).map(([model]) => [
      model,
      ...tables.map(({ name }) => {
        const [one, other] = [mine[`${name} ${model}`] ?? [], theirs[`${name} ${model}`] ?? []];
        const apart = one.map((score, k) => score - (other[k] ?? Number.NaN));
        const deviation = Math.sqrt(mean(apart.map((value) => (value - mean(apart)) ** 2)));
        return `${mean(one).toFixed(3)}, ${mean(other).toFixed(3)} ± ${deviation.toFixed(3)}`;
      }),
    ]);
    printTable(["", ...tables.map(({ name }) => name)], rows);
    console.log();
  }
});
