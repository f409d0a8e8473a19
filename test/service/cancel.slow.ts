import { readdirSync } from "node:fs";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { RandomState } from "../../src/numerics/random.ts";
import { allBlocks } from "../../src/registry/index.ts";
import { createService, type Service } from "../../src/service/index.ts";
import { Lab, someone } from "../support/lab.ts";

const lab = new Lab();
let service: Service;
let project = 0;

/** Where blocks stand that others begin behind, by the target: numbers, classes or none; few are 8,000 rows, many 120,000. */
const places = {
  oneColumn: 14,
  manyNumbers: 11,
  manyClasses: 12,
  manyShares: 13,
  fewNumbers: 21,
  fewClasses: 22,
  texts: 32,
};
type Place = keyof typeof places;

/** Milliseconds after which a block is no longer wanted. */
const patience = 300;
/** Milliseconds within which it is to end. A quiet machine takes a tenth of it. */
const soon = 1000;

/** Models that are quick on any table are trained for many folds. */
const folds = { cv: 500 };

/** Where and how each model takes more than a second. */
const models: Readonly<Record<string, readonly [Place, Record<string, unknown>]>> = {
  autoClassifier: ["manyClasses", { max_trials: 12 }],
  autoRegressor: ["manyNumbers", { max_trials: 12 }],
  boost: ["manyClasses", { max_iter: 2000 }],
  dbscan: ["manyNumbers", { eps: 3 }],
  elasticNet: ["manyNumbers", folds],
  forestClassifier: ["manyClasses", {}],
  forestRegressor: ["manyNumbers", {}],
  gaussianMixture: ["manyNumbers", { n_components: [2, 12], n_init: 5 }],
  gridSearch: ["manyClasses", { model: "treeClassifier", grid: { max_depth: [4, 8, 12] } }],
  hdbscan: ["manyNumbers", {}],
  hierarchical: ["fewNumbers", {}],
  isolationForest: ["manyNumbers", { n_estimators: 3000 }],
  kernelSvm: ["manyClasses", {}],
  kmeans: ["manyNumbers", { n_clusters: 60, n_init: 20 }],
  knn: ["manyClasses", folds],
  knnRegressor: ["manyNumbers", folds],
  lasso: ["manyNumbers", folds],
  linear: ["manyNumbers", folds],
  logistic: ["manyClasses", { penalty: "l1", C: 10, tol: 1e-9, max_iter: 100_000 }],
  mlp: ["manyClasses", {}],
  naiveBayes: ["manyClasses", folds],
  poisson: ["manyNumbers", folds],
  polynomial: ["manyNumbers", { degree: 3 }],
  quantileRegressor: ["manyNumbers", { quantile: 0.9 }],
  ridge: ["manyNumbers", folds],
  simpleLinear: ["oneColumn", folds],
  svm: ["manyClasses", {}],
  svr: ["manyNumbers", {}],
  treeClassifier: ["manyClasses", folds],
  treeRegressor: ["manyNumbers", folds],
  tune: ["manyClasses", { model: "treeClassifier", space: { max_depth: [2, 12] } }],
};

/** Networks, which are built first; how they are trained. */
const networks: Readonly<Record<string, readonly [Place, Record<string, unknown>, Record<string, unknown>]>> = {
  ann: ["manyClasses", { layer_list: [64, 64] }, { epochs: 500 }],
  rbm: ["manyShares", {}, { epochs: 100 }],
  som: ["manyNumbers", { x: 20, y: 20 }, { epochs: 100 }],
  textClassifier: ["texts", { max_trials: 20 }, { epochs: 50 }],
};

/** What looks at models, or at rows as models do. */
const others: Readonly<Record<string, readonly [Place, Record<string, unknown>]>> = {
  forecast: ["manyNumbers", { y: "x0", method: "arima", season: 12 }],
  tsne: ["fewNumbers", {}],
  umap: ["fewNumbers", { n_epochs: 5000 }],
};

/** What asks a model, here one whose answers take long: `knn` of many rows. */
const asked: Readonly<Record<string, Record<string, unknown>>> = {
  calibration: {},
  errors: {},
  "knn.metrics": { model_name: "knn", importance: 20 },
  "knn.predict": { model_name: "knn" },
  learningCurve: { cv: 20 },
  lift: {},
  partialDependence: { columns: "x0", rows: 10_000 },
  shap: { rows: 500, background: 200 },
};

async function run(id: number, parent: number, code: string, args: object, signal?: AbortSignal) {
  const request = { project_id: project, block_id: id, parent_id: parent, function_code: code, args };
  return await service.run(someone, request, signal && { signal });
}

const codeOf = (name: string) => allBlocks.find((block) => block.name === name)?.code as string;

function table(): string {
  const random = new RandomState(5);
  const names = Array.from({ length: 20 }, (_, j) => `x${j}`);
  const rows = Array.from({ length: 3000 }, () => {
    const x = names.map(() => random.normal());
    const y = Math.abs(x[0]! + x[1]! * x[2]! + 0.3 * random.normal());
    return [...x.map((value) => value.toFixed(5)), y.toFixed(5), ["low", "middle", "high"][Math.min(2, Math.floor(y))]];
  });
  return `${[...names, "y", "c"].join()}\n${rows.map((row) => row.join()).join("\n")}\n`;
}

function texts(): string {
  const random = new RandomState(6);
  const word = () => `w${Math.floor(4000 * random.uniform() ** 2)}`;
  const rows = Array.from({ length: 20_000 }, (_, i) => `${Array.from({ length: 40 }, word).join(" ")},k${i % 5}`);
  return `text,kind\n${rows.join("\n")}\n`;
}

beforeAll(async () => {
  service = await createService({ home: `${lab.home}/cancel`, threads: 2 });
  project = (await service.createProject(someone, "cancel")).id;
  await run(1, 0, codeOf("input"), { dburl: lab.file(table()) });
  const x = Array.from({ length: 20 }, (_, j) => `x${j}`);
  const scaled = { index: x, scaler: "minmax" };
  for (const [first, n] of [
    [10, 120_000],
    [20, 8000],
  ] as const) {
    await run(first, 1, codeOf("sample"), { n, replace: true, random_state: 0 });
    await run(first + 1, first, codeOf("xy"), { x, y: "y" });
    await run(first + 2, first, codeOf("xy"), { x, y: "c" });
  }
  await run(places.oneColumn, 10, codeOf("xy"), { x: ["x3"], y: "y" });
  await run(places.manyShares, places.manyClasses, codeOf("scale"), scaled);
  await run(31, 0, codeOf("input"), { dburl: lab.file(texts()) });
  await run(places.texts, 31, codeOf("xy"), { x: ["text"], y: "kind" });
}, 120_000);

/** The files of artifacts, whole or half-written. */
const filesStored = () => readdirSync(`${lab.home}/cancel/artifacts`, { recursive: true }).sort();

const figures: string[] = [];

afterAll(async () => {
  await service.close();
  process.stdout.write(`${figures.join("\n")}\n`);
});

/** Runs a block until it is no longer wanted; how long it then takes to end, and its workers to rest. */
async function cancelled(name: string, parent: number, code: string, args: object): Promise<void> {
  const stored = filesStored();
  const stop = new AbortController();
  const ended = run(90, parent, code, args, stop.signal).then(
    () => "finished",
    (error: Error) => error,
  );
  await new Promise((resolve) => setTimeout(resolve, patience));
  const aborted = performance.now();
  stop.abort();
  const error = await ended;
  const took = performance.now() - aborted;
  expect(error, "the block is too quick for this test").not.toBe("finished");
  expect(error).toMatchObject({ name: "CancelledError" });
  await vi.waitFor(() => expect(service.load().workers.busy).toBe(0), { timeout: 5000, interval: 5 });
  const rest = performance.now() - aborted;
  figures.push(`${name}: ended after ${took.toFixed(0)} ms, threads at rest after ${rest.toFixed(0)}`);
  expect(took).toBeLessThan(soon);
  // Nothing of it is kept, not even half a file, and the project goes on.
  await vi.waitFor(() => expect(filesStored()).toEqual(stored), { timeout: 5000, interval: 20 });
  expect((await service.states(someone, project)).map((state) => state.block_id)).not.toContain(90);
  const { output } = await run(91, 1, codeOf("info"), {});
  expect(JSON.parse(output as string)).toMatchObject({ rows: 3000 });
}

it("knows how to make every model take long", () => {
  const learn = allBlocks.filter((block) => block.derived !== undefined || block.code.endsWith("_I"));
  const names = learn.map((block) => block.name).filter((name) => !name.includes("."));
  const known = [...Object.keys(models), ...Object.keys(networks)];
  expect(names.filter((name) => !known.includes(name))).toEqual([]);
});

it.each(Object.entries({ ...models, ...others }))(
  "%s ends soon after it is no longer wanted",
  { timeout: 60_000 },
  async (name, [place, args]) => await cancelled(name, places[place], codeOf(name), args),
);

it.each(Object.entries(networks))(
  "%s ends its training soon after it is no longer wanted",
  { timeout: 60_000 },
  async (name, [place, built, trained]) => {
    await run(80, places[place], codeOf(name), built);
    await cancelled(`${name}.train`, 80, codeOf(`${name}.train`), trained);
  },
);

it.each(Object.entries(asked))(
  "%s ends soon after its answers are no longer wanted",
  { timeout: 60_000 },
  async (name, args) => {
    await run(80, places.manyClasses, codeOf("knn"), {});
    await cancelled(name, 80, codeOf(name), args);
  },
);
