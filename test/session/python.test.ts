import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import { embeddedLink } from "../../src/client/embedded.ts";
import { RandomState } from "../../src/numerics/random.ts";
import { resamplers } from "../../src/numerics/sampling/resample.ts";
import { type Chain, type Result, Session } from "../../src/session/index.ts";
import { pythonWith, whyNoPython } from "../support/python.ts";
import { ScriptRunner } from "../support/python-scripts.ts";
import { zipOf } from "../support/zip.ts";

const home = mkdtempSync(join(tmpdir(), "blocklab-python-"));
const session = new Session(() => embeddedLink({ home: join(home, "data"), threads: 0 }));
let projects = 0;

afterAll(async () => {
  scripts?.close();
  await session.close();
  rmSync(home, { recursive: true, force: true });
});

const modules = ["sklearn", "pandas", "imblearn"];
const python = pythonWith(...modules);
const scripts = python ? new ScriptRunner(python, ["-W", "error::UserWarning"]) : null;

async function fresh(): Promise<Session> {
  await session.project(`p${++projects}`);
  return session;
}

async function run(script: string): Promise<string> {
  const { error, printed } = await (scripts as ScriptRunner).run(script);
  if (error)
    throw new Error(`${error}
${script}`);
  return printed;
}

type Scores = Readonly<Record<string, unknown>>;

/** Runs the script of a chain that ends in metrics; answers its scores and ours. */
async function both(chain: Chain): Promise<{ theirs: Scores; ours: Scores; script: string }> {
  const result = await chain;
  const script = await result.code({ as: "python" });
  const printed = (await run(script)).trim().split("\n");
  // Integers that no float holds are text here.
  const scores = (printed.at(-1) as string).replace(/(?<=[ [])-?\d{17,}(?=[,\]}])/g, '"$&"');
  return { theirs: JSON.parse(scores) as Scores, ours: result.output as Scores, script };
}

/** All numbers of theirs are ours; `loose` are those that a solver finds to fewer digits. */
function expectSame(theirs: Scores, ours: Scores, loose: Readonly<Record<string, number>> = {}): void {
  for (const [name, value] of Object.entries(theirs)) {
    if (typeof value === "number") {
      expect
        .soft(Math.abs(value - Number(ours[name])), name)
        .toBeLessThan((loose[name] ?? 1e-6) * Math.max(1, Math.abs(value)));
    } else if (value !== null) expect.soft(value, name).toEqual(ours[name]);
  }
}

const penguins = (s: Session) =>
  s
    .input("sample:penguins")
    .xy({ y: "species" })
    .split({ test_size: 0.2, random_state: 3 })
    .missing({ strategy: "mean" })
    .missing({ strategy: "mode" })
    .encode({ columns: ["island", "sex"] })
    .scale("standard");

const flowers = (s: Session) =>
  s.input("sample:iris").drop("species").xy({ y: "petal_width" }).split({ random_state: 1 });

const weather = (s: Session) =>
  s
    .input("sample:weather")
    .dates("date", { drop: true })
    .xy({ y: "weather" })
    .split({ test_size: 0.3, random_state: 8 });

/** A machine that learns from what another made of the features. */
const twoMachines = (chain: Chain) =>
  chain
    .scale("minmax")
    .rbm({ n_components: 5, random_state: 0, n_iter: 4 })
    .train()
    .predict()
    .rbm({ n_components: 2, model_name: "second", random_state: 1, n_iter: 3 })
    .train()
    .predict({ test_data: "x_value_url" });

/** A file of rows of three classes that overlap, no two of them equally near to a third. */
function cloudFile(): string {
  const path = join(home, "cloud.csv");
  const random = new RandomState(7);
  const row = (kind: number) => `${kind + random.normal()},r${random.uint32()},${kind + random.normal()},${kind}`;
  const rows = [1, 2, 3].flatMap((kind) => Array.from({ length: 40 * kind ** 2 }, () => row(kind)));
  writeFileSync(path, `u,name,v,kind\n${rows.join("\n")}\n`);
  return path;
}

/** A file of labels of digits and of days, and of columns that are called as answers are. */
function labelsFile(): string {
  const path = join(home, "labels.csv");
  const random = new RandomState(5);
  const rows = Array.from({ length: 90 }, (_, k) => {
    const kind = k % 3;
    return `${random.uniform() + kind},${random.normal() - kind},${["1", "01", "two"][kind]},202${kind}-03-04`;
  });
  writeFileSync(path, `row_id,y_pred,code,day\n${rows.join("\n")}\n`);
  return path;
}

/** A file with a column without cells, one of text that has some in the last rows alone, and codes beyond 2^53. */
function gapsFile(): string {
  const path = join(home, "gaps.csv");
  const random = new RandomState(3);
  const rows = Array.from({ length: 80 }, (_, k) => {
    const [a, b] = [random.normal(), random.normal()];
    const code = 2n ** 60n + BigInt(a + b / 2 > 0 ? 1 : 0) + BigInt(k % 9 === 0 ? 1 : 0);
    return `${a},,${b},${k < 64 ? "" : "late"},${code},${2n ** 61n + BigInt(Math.round(a * 1e15))}`;
  });
  writeFileSync(path, `a,gone,b,late,code,much\n${rows.join("\n")}\n`);
  return path;
}

/** The table that a block's script ends with is the block's own. */
async function expectSameTable(result: Result): Promise<void> {
  const script = await result.code({ as: "python" });
  const printing = 'print(df.to_json(orient="split", double_precision=15, date_format="iso"))';
  const printed = (await run(`${script}\n${printing}`)).trim().split("\n").at(-1) as string;
  const theirs = JSON.parse(printed) as { columns: string[]; data: unknown[][] };
  const ours = await result.dataset.rows();
  expect(theirs.columns).toEqual((await result.dataset.shape()).columns.map(({ name }) => name));
  expect(theirs.data.length).toBe(ours.length);
  for (const [i, row] of theirs.data.entries()) {
    for (const [k, cell] of row.entries()) {
      const own = Object.values(ours[i])[k];
      if (typeof cell === "number" && typeof own === "number") expect(cell).toBeCloseTo(own, 9);
      else if (typeof cell === "string" && /^\d{4}-.*T/.test(cell))
        expect(Date.parse(cell)).toBe(Date.parse(String(own)));
      else expect(cell).toEqual(own);
    }
  }
}

describe.skipIf(!python)(`scripts that Python runs${whyNoPython(python, ...modules)}`, () => {
  it.each<[string, (s: Session) => Chain, Record<string, number>?]>([
    ["logistic on penguins", (s) => penguins(s).logistic({ tol: 1e-8, max_iter: 1000 }), { log_loss: 1e-5 }],
    ["knn on penguins", (s) => penguins(s).knn({ n_neighbors: 7, weights: "distance" })],
    ["svm on penguins", (s) => penguins(s).svm({ C: 0.5 })],
    ["kernelSvm on penguins", (s) => penguins(s).kernelSvm({ class_weight: "balanced" })],
    ["naive Bayes on penguins", (s) => penguins(s).naiveBayes()],
    [
      "boost on penguins as they are",
      (s) =>
        s
          .input("sample:penguins")
          .xy({ y: "species" })
          .split({ random_state: 3 })
          .boost({ max_iter: 8, learning_rate: 0.3 }),
    ],
    [
      "a stack of searched models on penguins as they are",
      (s) => {
        const models = ["logistic", "boost", "naiveBayes"];
        const table = s.input("sample:penguins").xy({ y: "species" }).split({ random_state: 3 });
        return table.autoClassifier({ models, max_trials: 12, scoring: "log_loss", random_state: 1 });
      },
      { log_loss: 1e-5 },
    ],
    [
      "the best of searched models on penguins as they are",
      (s) =>
        s
          .input("sample:penguins")
          .xy({ y: "body_mass_g" })
          .split({ random_state: 3 })
          .missing({ strategy: "drop", columns: ["body_mass_g"] })
          .autoRegressor({ models: ["elasticNet"], max_trials: 3, stack: false }),
    ],
    [
      "boost of numbers on iris",
      (s) => flowers(s).boost({ loss: "absolute_error", max_iter: 20, min_samples_leaf: 5 }),
    ],
    ["boost of a quantile", (s) => flowers(s).boost({ loss: "quantile", quantile: 0.8, max_iter: 5 })],
    [
      "boost that goes on from an earlier one",
      (s) =>
        flowers(s)
          .boost({ max_iter: 9, model_name: "first", learning_rate: 0.2 })
          .boost({ warm_start: "first", max_iter: 5, max_leaf_nodes: 6, learning_rate: 0.05 }),
    ],
    [
      "boost of weighed rows",
      (s) =>
        s
          .input("sample:weather")
          .dates("date", { drop: true })
          .xy({ x: ["precipitation", "temp_max", "temp_min", "date_month"], y: "weather" })
          .split({ test_size: 0.3, random_state: 8 })
          .boost({ max_iter: 6, sample_weight: "wind", class_weight: { sun: 2 }, max_bins: 20 }),
    ],
    [
      "boost with columns that have no cell in training rows",
      (s) =>
        s
          .input(gapsFile())
          .xy({ x: ["gone", "late", "b"], y: "a" })
          .split({ test_size: 0.2, shuffle: false })
          .boost({ max_iter: 9, min_samples_leaf: 4 }),
    ],
    [
      "searched boost with a column that has no cell",
      (s) =>
        s
          .input(gapsFile())
          .xy({ x: ["gone", "b"], y: "a" })
          .autoRegressor({ models: ["boost"], max_trials: 2, stack: false }),
    ],
    [
      "boost of integers that no float holds",
      (s) =>
        s
          .input(gapsFile())
          .rename({ names: { much: "amount" } })
          .xy({ x: ["a", "gone"], y: "amount" })
          .split({ random_state: 4 })
          .boost({ max_iter: 9, min_samples_leaf: 4 }),
    ],
    [
      "boost of classes that no float tells apart, weighed by class",
      (s) =>
        s
          .input(gapsFile())
          .xy({ x: ["a", "b"], y: "code" })
          .split({ random_state: 4, stratify: "code" })
          .boost({ loss: "log_loss", max_iter: 9, class_weight: { "1152921504606846977": 2 } }),
    ],
    [
      "naive Bayes of classes that no float tells apart",
      (s) =>
        s
          .input(gapsFile())
          .xy({ x: ["a", "b"], y: "code" })
          .split({ random_state: 4, stratify: "code" })
          .naiveBayes(),
    ],
    ["linear on iris", (s) => flowers(s).linear()],
    ["knnRegressor on iris", (s) => flowers(s).scale().knnRegressor({ n_neighbors: 7, weights: "distance" })],
    ["ridge on iris", (s) => flowers(s).scale().ridge({ alpha: "auto" })],
    ["ridge without negative coefficients", (s) => flowers(s).scale().ridge({ alpha: 3, positive: true })],
    ["lasso on iris", (s) => flowers(s).scale().lasso({ alpha: "auto" })],
    ["poisson on iris", (s) => flowers(s).poisson({ alpha: 0 })],
    ["a quantile of iris", (s) => flowers(s).quantileRegressor({ quantile: 0.8 })],
    ["a penalised median of iris", (s) => flowers(s).scale().quantileRegressor({ alpha: 0.02 })],
    [
      "a searched elastic net",
      (s) =>
        flowers(s)
          .scale()
          .elasticNet({ alpha: 0.01, grid: { l1_ratio: [0.2, 0.8] } }),
    ],
    [
      "gridSearch of support vectors on iris",
      (s) =>
        flowers(s)
          .scale()
          .gridSearch({ model: "svr", grid: { C: [0.5, 2], kernel: ["linear"] }, fixed: { tol: 1e-8 }, cv: 3 }),
      { r2: 1e-5, mse: 1e-5, rmse: 1e-5, mae: 1e-5, mape: 1e-5 },
    ],
    [
      "gridSearch on penguins",
      (s) => penguins(s).gridSearch({ model: "ML_CN_2", grid: { n_neighbors: [3, 9] }, model_name: "near" }),
    ],
    [
      "a tuned tree on iris",
      (s) =>
        flowers(s).tune({
          model: "treeRegressor",
          space: { max_depth: [1, 6], min_samples_leaf: [2, 30] },
          n_trials: 14,
          cv: 3,
        }),
    ],
    [
      "kmeans on iris",
      (s) => s.input("sample:iris").xy({ y: "species" }).split({ random_state: 1 }).scale().kmeans({ n_clusters: 4 }),
    ],
    [
      "hierarchical on iris",
      (s) => s.input("sample:iris").xy({ y: "species" }).scale().hierarchical({ n_clusters: 3, linkage: "average" }),
    ],
    ["mlp on penguins", (s) => penguins(s).mlp({ hidden_layer_sizes: [20], max_iter: 600, tol: 1e-3 })],
    ["mlp on iris", (s) => flowers(s).scale().mlp({ hidden_layer_sizes: 10, tol: 1e-3, max_iter: 600 })],
    [
      "ann on penguins, some units left out and rows held out",
      (s) =>
        penguins(s)
          .ann([{ type: "dropout", rate: 0.1 }, 16, { units: 8, activation: "tanh", rate: 0.2 }])
          .train({ epochs: 12, validation_split: 0.2 }),
    ],
    [
      "ann of two classes that ends early",
      (s) =>
        s
          .input("sample:penguins")
          .missing({ strategy: "drop" })
          .xy({ x: ["bill_length_mm", "flipper_length_mm"], y: "sex" })
          .split({ random_state: 3 })
          .scale()
          .ann({ layer_list: [{ units: 6, activation: "softplus" }], model_name: "small" })
          .train({ epochs: 200, patience: 2, learning_rate: 0.3, optimizer: "sgd", momentum: 0.5 }),
    ],
    [
      "ann on iris by RMSprop",
      (s) =>
        flowers(s)
          .scale()
          .ann([{ units: 5, activation: "selu" }, { units: 4, activation: "leaky_relu" }, 3])
          .train({ epochs: 10, optimizer: "rmsprop", loss: "mae", random_state: 5 }),
    ],
    [
      "ann on iris whose answers are above 0",
      (s) =>
        flowers(s)
          .scale()
          .ann([
            { units: 5, activation: "elu" },
            { units: 4, activation: "softsign" },
            { units: 1, activation: "sigmoid" },
          ])
          .train({ epochs: 10, batch_size: 9, loss: "huber" }),
    ],
    [
      "gridSearch of networks",
      (s) =>
        penguins(s).gridSearch({
          model: "ann",
          grid: { layer_list: [[4], [{ units: 3, activation: "softmax" }]], batch_size: [16] },
          fixed: { epochs: 8 },
          cv: 2,
        }),
    ],
    [
      "dbscan on iris",
      (s) => s.input("sample:iris").xy({ y: "species" }).split({ random_state: 1 }).scale().dbscan({ eps: 0.7 }),
    ],
    [
      "dbscan without a split, by another distance",
      (s) =>
        s
          .input("sample:iris")
          .xy({ y: "species" })
          .scale()
          .dbscan({ eps: 1.1, metric: "minkowski", p: 1, min_samples: 9 }),
    ],
    [
      "hdbscan on iris",
      (s) => s.input("sample:iris").xy({ y: "species" }).scale().hdbscan({ min_cluster_size: 10, min_samples: 4 }),
    ],
    [
      "hierarchical of training rows",
      (s) =>
        s
          .input("sample:iris")
          .xy({ y: "species" })
          .split({ random_state: 1 })
          .scale()
          .hierarchical({ linkage: "complete", metric: "manhattan", distance_threshold: 4 }),
    ],
    [
      "hdbscan of training rows",
      (s) =>
        s
          .input("sample:iris")
          .xy({ y: "species" })
          .split({ random_state: 1 })
          .scale()
          .hdbscan({ min_cluster_size: 6, min_samples: 3, metric: "manhattan" }),
    ],
    [
      "gaussianMixture on iris",
      (s) =>
        s
          .input("sample:iris")
          .xy({ y: "species" })
          .split({ random_state: 1 })
          .gaussianMixture({ n_components: 3, covariance_type: "tied", n_init: 2 }),
    ],
    [
      "gaussianMixture without a split, by the least BIC",
      (s) => s.input("sample:iris").gaussianMixture({ n_components: [1, 4], tol: 1e-5 }),
    ],
    [
      "isolationForest on penguins",
      (s) =>
        s
          .input("sample:penguins")
          .missing({ strategy: "drop" })
          .derive({ columns: { rare: "species == 'Chinstrap'" } })
          .xy({ x: ["bill_length_mm", "bill_depth_mm", "flipper_length_mm"], y: "rare" })
          .split({ random_state: 1 })
          .isolationForest({ contamination: 0.1, max_features: 0.7, n_estimators: 40 }),
    ],
    [
      "isolationForest without roles",
      (s) => s.input("sample:iris").isolationForest({ max_samples: 1, bootstrap: true }),
    ],
    ["kmeans without roles", (s) => s.input("sample:iris").kmeans({ n_clusters: 3, init: "k-means++", n_init: 3 })],
    ["polynomial on iris", (s) => flowers(s).scale("minmax").polynomial({ degree: 2 })],
    [
      "simpleLinear on iris",
      (s) =>
        s
          .input("sample:iris")
          .xy({ x: ["petal_length"], y: "petal_width" })
          .simpleLinear(),
    ],
    [
      "svr on iris",
      (s) => flowers(s).scale("robust").svr({ tol: 1e-8 }),
      { r2: 1e-5, mse: 1e-5, rmse: 1e-5, mae: 1e-5, mape: 1e-5 },
    ],
    ["tree on iris", (s) => flowers(s).treeRegressor({ max_depth: 2 })],
    [
      "pca and a tree on digits",
      (s) => s.input("sample:digits").xy({ y: -1 }).split({ random_state: 2 }).pca(10).naiveBayes(),
    ],
    ["naive Bayes on weather", (s) => weather(s).scale("maxabs").naiveBayes()],
    [
      "a searched knn on weather",
      (s) =>
        weather(s)
          .scale()
          .knn({ grid: { n_neighbors: [3, 9] }, cv: 3 }),
    ],
    [
      "weights of labels that Python reads as numbers",
      (s) =>
        s
          .input(labelsFile())
          .xy({ x: ["row_id", "y_pred"], y: "code" })
          .split({ random_state: 1 })
          .treeClassifier({ max_depth: 2, class_weight: { "1": 2, "01": 3 } }),
    ],
    [
      "boosted weights of labels",
      (s) =>
        s
          .input(labelsFile())
          .xy({ x: ["row_id", "y_pred"], y: "code" })
          .boost({ max_iter: 5, class_weight: { two: 2, "01": 3 }, sample_weight: "row_id" }),
    ],
    [
      "days as classes",
      (s) =>
        s
          .input(labelsFile())
          .xy({ x: ["row_id", "y_pred"], y: "day" })
          .split({ random_state: 1 })
          .naiveBayes(),
    ],
    [
      "weights by class",
      (s) =>
        weather(s).treeClassifier({ max_depth: 2, class_weight: { rain: 2, sun: 1, fog: 1, drizzle: 3, snow: 1 } }),
    ],
  ])("gives the same metrics: %s", async (_name, build, loose) => {
    const { theirs, ours } = await both(build(await fresh()).metrics());
    expect(theirs).toMatchObject({ n: ours.n, on: ours.on });
    expectSame(theirs, ours, loose);
  });

  it.each<[string, (s: Session) => Chain]>([
    [
      "median, label and drop",
      (s) =>
        s
          .input("sample:penguins")
          .missing({ strategy: "median" })
          .missing("drop")
          .encode({ columns: ["island"], type: "label" })
          .encode({ columns: ["sex"], type: "binary" })
          .encode({ dataset: { encode: true, encoding_type: "label", index: "species", remainder: "passthrough" } }),
    ],
    [
      "fills along the rows of each subset",
      (s) =>
        s
          .input("sample:penguins")
          .xy({ y: "species" })
          .split({ random_state: 5 })
          .missing({ strategy: "linear" })
          .missing({ strategy: "ffill" })
          .missing({ strategy: "bfill" }),
    ],
    [
      "constants",
      (s) =>
        s
          .input("sample:penguins")
          .missing({ strategy: "constant", fill_value: -1 })
          .missing({ strategy: "constant", fill_value: 'no "word"\n# here' }),
    ],
    [
      "target means of two numbers",
      (s) =>
        s
          .input("sample:penguins")
          .derive({ columns: { code: "sex == 'male' ? 2 : 1" } })
          .xy({ x: ["island"], y: "code" })
          .split({ random_state: 3 })
          .encode({ columns: ["island"], type: "target" }),
    ],
    [
      "target means, cross-fitted",
      (s) =>
        s
          .input("sample:penguins")
          .missing("drop")
          .xy({ y: "body_mass_g" })
          .split({ random_state: 2 })
          .encode({ columns: ["island"], type: "target" })
          .encode({ columns: ["species"], type: "target" }),
    ],
    [
      "hashes and numbers in texts",
      (s) =>
        s
          .input("sample:penguins")
          .encode({ columns: ["island"], type: "hash" })
          .astype({ type: "str", columns: ["flipper_length_mm"] })
          .encode({ columns: ["flipper_length_mm"], type: "extract_numbers" }),
    ],
    [
      "duplicates, order and types",
      (s) =>
        s
          .input("sample:penguins")
          .dropDuplicates("island", "body_mass_g")
          .reorder("sex", 0)
          .astype({ type: "float", columns: ["body_mass_g"] }),
    ],
    [
      "rows of a slice",
      (s) => s.input("sample:iris").xy({ x_boundaries: "10:-20, 0:3", y_boundaries: "10:-20, -1" }).scale(),
    ],
    [
      "words",
      (s) =>
        s
          .input("sample:penguins")
          .drop("sex")
          .xy({ y: "species" })
          .split({ random_state: 0 })
          .vectorize("tfidf", { columns: ["island"] }),
    ],
    [
      "rows drawn again",
      (s) =>
        s
          .input("sample:penguins")
          .xy({ y: "species" })
          .split({ random_state: 9 })
          .resample("RandomOverSampler", { random_state: 6 })
          .resample("RandomUnderSampler", { random_state: 7, details: { sampling_strategy: { Adelie: 20 } } })
          .missing("median"),
    ],
    [
      "rows drawn of all",
      (s) => s.input("sample:penguins").xy({ y: "species" }).resample("RandomUnderSampler", { random_state: 1 }),
    ],
    ...resamplers.map((resampler): [string, (s: Session) => Chain] => [
      `rows of ${resampler}`,
      (s) =>
        s
          .input(cloudFile())
          .xy({ x: ["u", "v"], y: "kind" })
          .split({ test_size: 0.3, random_state: 8 })
          .resample(resampler, { random_state: 5 }),
    ]),
    [
      "numbers as classes, some of them sampled",
      (s) =>
        s
          .input(cloudFile())
          .xy({ x: ["u", "v"], y: "kind" })
          .resample("NearMiss", { details: { sampling_strategy: { 3: 40, 1: 20 } } }),
    ],
    [
      "clusters of kmeans from any rows, ten times",
      (s) => flowers(s).kmeans({ n_clusters: 3, init: "random", random_state: 2 }),
    ],
    [
      "clusters of hierarchical, of rows that it has not learnt from as well",
      (s) => flowers(s).hierarchical({ n_clusters: 4 }).filter("petal_length > 1").scale(),
    ],
    [
      "clusters of hdbscan, of rows that it has not learnt from as well",
      (s) => flowers(s).hdbscan({ min_samples: 2 }).filter("petal_length > 1").scale(),
    ],
    ...(["hexagonal", "rectangular"] as const).map((topology): [string, (s: Session) => Chain] => [
      `places on a ${topology} map`,
      (s) =>
        s
          .input("sample:iris")
          .xy({ y: "species" })
          .split({ random_state: 2 })
          .scale()
          .som({ x: 5, y: 4, topology })
          .train({ epochs: 4 })
          .predict(),
    ]),
    [
      "hidden activations",
      (s) =>
        s
          .input("sample:digits")
          .xy({ y: "digit" })
          .split({ random_state: 2 })
          .scale("minmax")
          .rbm({ n_components: 20, random_state: 3, batch_size: 16 })
          .train({ epochs: 3, hyp_params: { learning_rate: 0.05 } })
          .predict(),
    ],
    [
      "hidden activations of hidden activations, beside a column called h1",
      (s) =>
        twoMachines(
          s
            .input("sample:iris")
            .rename({ names: { species: "h1" } })
            .xy({ y: "h1" }),
        ),
    ],
    ["windows", (s) => s.input("sample:weather").timesteps({ column: "temp_max", lookback: 3, lookforward: 2 })],
    [
      "components",
      (s) => s.input("sample:iris").xy({ y: "species" }).split({ random_state: 4, stratify: "species" }).pca(0.99),
    ],
  ])("makes the same table: %s", async (_name, build) => {
    await expectSameTable(await build(await fresh()));
  });

  it.each<[string, (s: Session) => Chain]>([
    ["in a plane", (s) => s.input("sample:iris").som(6, 3).train({ model_name: "plane" })],
    [
      "of training rows",
      (s) => penguins(s).som({ x: 4, topology: "rectangular", sigma: 2, random_state: 7, learning_rate: 0.3 }).train(),
    ],
    ["of one unit", (s) => s.input("sample:iris").som(1, 1).train({ epochs: 1 })],
  ])("judges a map the same: %s", async (_name, build) => {
    const { theirs, ours } = await both(build(await fresh()).evaluate());
    expect(Object.keys(theirs)).toEqual(Object.keys(ours));
    expectSame(theirs, ours);
  });

  it("judges machines the same, and a model of what they made", async () => {
    const s = await fresh();
    const trained = s
      .input("sample:digits")
      .xy({ y: "digit" })
      .split({ random_state: 2 })
      .scale("minmax")
      .rbm({ n_components: 30, random_state: 1 })
      .train({ epochs: 2 });
    for (const judged of [
      trained.evaluate(),
      trained.evaluate({ test_data: "x_train_url" }),
      trained.evaluate({ test_data: "dataset_url" }),
      s.input("sample:iris").drop("species").xy({ x: ":" }).scale("minmax").rbm(3, { n_iter: 2 }).train().evaluate(),
    ]) {
      const { theirs, ours } = await both(judged);
      expect(theirs).toEqual(expect.objectContaining({ n: ours.n, on: ours.on }));
      expectSame(theirs, ours, { pseudo_likelihood: 1e-12 });
    }
    const { theirs, ours } = await both(trained.predict().logistic().metrics());
    expectSame(theirs, ours, { log_loss: 1e-4, roc_auc: 1e-4 });
    const { theirs: again, ours: own } = await both(
      twoMachines(s.input("sample:iris").xy({ y: "species" }))
        .naiveBayes()
        .metrics(),
    );
    expectSame(again, own);
  });

  it("writes t-SNE as scikit-learn's, whose layout is another and as good: training rows alone have places", async () => {
    const s = await fresh();
    const chain = s
      .input("sample:iris")
      .xy({ y: "species" })
      .split({ random_state: 1 })
      .scale()
      .tsne(10, { max_iter: 400 });
    const result = await chain;
    const script = await result.code({ as: "python" });
    expect(script).toContain("TSNE(perplexity=10, max_iter=400, random_state=0)");
    const judge = [
      "from sklearn.manifold import trustworthiness",
      'print(trustworthiness(rows, df.loc[train, ["tsne1", "tsne2"]]), df.loc[test, "tsne1"].isna().all(), df.shape)',
    ];
    const [trust, ...others] =
      (await run(`${script}\n${judge.join("\n")}\n`)).trim().split("\n").at(-1)?.split(" ") ?? [];
    expect(others.join(" ")).toBe("True (150, 7)");
    const { trustworthiness } = result.output as { trustworthiness: number };
    expect(Math.abs(Number(trust) - trustworthiness)).toBeLessThan(0.01);
  });

  it.each<[string, (path: (content: string | Uint8Array, name: string) => string) => Parameters<Session["input"]>]>([
    ["semicolons, and words for gaps", (path) => [path("a;b\n1;x\n?;y\n3;NA\n", "a.csv"), { na_values: ["?"] }]],
    ["tabs", (path) => [path('a\tb\n1\tx, y\n2\t"q"\n', "b.tsv")]],
    [
      "decimal commas, thousands, and Windows letters",
      (path) => [
        path(Uint8Array.from(Buffer.from("a;b;c\n1.234,5;\x80;7\n0,25;Z\xfcrich;\n", "latin1")), "commas.csv"),
      ],
    ],
    ["no header", (path) => [path("1,2\n3,4\n", "c.csv"), { header: false }]],
    ["records", (path) => [path('[{"a": 1, "b": "x"}, {"a": 2, "b": null}]', "d.json")]],
    ["columns", (path) => [path('{"a": [1, 2], "b": ["x", "y"]}', "e.json")]],
    ["lines of JSON", (path) => [path('{"a": 1, "b": "x"}\n{"a": 2, "b": "y"}\n', "f.ndjson")]],
    [
      "types, dates, true and false",
      (path) => [
        path("zip,day,ok\n00123,2026-01-02,true\n00456,2026-02-03,false\n", "g.csv"),
        { types: { zip: "string" } },
      ],
    ],
    ["gzip", (path) => [path(gzipSync("a,b\n1,nan\n2,3.5\n"), "h.csv.gz")]],
    ["a zip of one table", (path) => [path(zipOf([{ path: "h.csv", content: "a,b\n1,x\n" }]), "i.zip")]],
    [
      "one of a zip's tables",
      (path) => [
        path(
          zipOf([
            { path: "a/train.csv", content: "a,b\n1,x\n" },
            { path: "test.csv", content: "a\n2\n" },
          ]),
          "j.zip",
        ),
        { csv_path: "a/train.csv" },
      ],
    ],
  ])("reads the same file: %s", async (_name, build) => {
    const s = await fresh();
    const path = (content: string | Uint8Array, name: string) => {
      writeFileSync(join(home, name), content);
      return join(home, name);
    };
    await expectSameTable(await s.input(...build(path)));
  });

  it("prints predictions beside columns that are called as they are, under the names of their file", async () => {
    const trained = (await fresh())
      .input(labelsFile())
      .xy({ x: ["row_id", "y_pred"], y: "code" })
      .naiveBayes();
    const result = await trained.predict({ test_data: "x_value_url", row_id: true, columns: "all" });
    const names = (await result.y_pred.shape()).columns.map(({ name }) => name);
    expect(names).toEqual(["row_id", "row_id_1", "y_pred_1", "code", "day", "y_pred"]);
    const script = await result.code({ as: "python" });
    expect(await run(`${script}\nprint(list(predictions.columns))`)).toContain(`['${names.join("', '")}']`);
  });

  it("prints inspections and predictions without an error", async () => {
    const s = await fresh();
    const chain = s
      .input("sample:penguins")
      .info()
      .describe()
      .dtypes()
      .correlations()
      .uniques()
      .counts("island")
      .duplicates();
    const result = await chain
      .missing("drop")
      .drop("sex", "island")
      .xy({ y: "species" })
      .split()
      .forestClassifier({ n_estimators: 5 })
      .predict();
    expect(await run(await result.code({ as: "python" }))).toContain("body_mass_g");
  });
});

describe("scripts as text", () => {
  const text = async (chain: Chain) =>
    (await (await chain).code({ as: "python" })).replace(/^SAMPLES = .*$/m, 'SAMPLES = "…"');

  it("reads as people write it", async () => {
    const s = await fresh();
    const chain = s
      .input("sample:penguins")
      .xy({ y: "species" })
      .split({ test_size: 0.2, random_state: 3 })
      .missing({ strategy: "mean", columns: ["bill_length_mm", "bill_depth_mm", "body_mass_g"] })
      .encode({ columns: ["sex"] })
      .scale({ columns: ["body_mass_g"] })
      .drop("island", "flipper_length_mm")
      .forestClassifier({ n_estimators: 20, max_depth: 4 })
      .naiveBayes({ cv: 2 })
      .metrics({ metric: "accuracy" });
    expect(await text(chain)).toMatchSnapshot();
  });

  it("writes networks as a few lines of numpy, of which it has what it needs", async () => {
    const s = await fresh();
    const chain = s
      .input("sample:iris")
      .xy({ y: "species" })
      .split({ random_state: 0 })
      .ann([16, { type: "dropout", rate: 0.1 }])
      .train({ optimizer: "sgd" });
    const script = await text(chain);
    expect(script.slice(script.indexOf("models["))).toMatchInlineSnapshot(`
      "models["ann"] = NetworkOfClasses(
          [(16, relu, 0.1), (3, softmax)], cross_entropy, lambda: sgd(0.01, 0), epochs=50,
          batch_size=32, random_state=0,
      )
      models["ann"].fit(df.loc[train, x], df.loc[train, y[0]])
      "
    `);
    expect(script.match(/(?<=^(?:def|class) )\w+/gm)).toEqual([
      "relu",
      "softmax",
      "cross_entropy",
      "sgd",
      "Network",
      "NetworkOfClasses",
    ]);
  });

  it("lets no value end its quotes, its line or its comment", async () => {
    const s = await fresh();
    const evil = `a"\n__import__('os').system('x')#\u2028\u202e`;
    const path = join(home, "evil.csv");
    writeFileSync(path, `"${evil.replaceAll('"', '""')}",b\n1,2\n3,4\n5,7\n`);
    const chain = s
      .input(path)
      .missing({ strategy: "constant", fill_value: 3 })
      .xy({ y: "b" })
      .linear({ model_name: evil })
      .predict();
    const script = await text(chain);
    expect(
      script
        .split("\n")
        .filter((line) => line.includes("__import__"))
        .every((line) => /^\S.*"a\\"\\n__import__/.test(line)),
    ).toBe(true);
    expect(script).not.toMatch(/[\u2028\u202e]/);
    if (python) expect(await run(script)).toContain("[1.833");
  });

  it("says in a comment what has no equivalent, and refuses what builds on it", async () => {
    const s = await fresh();
    const plotted = s.input("sample:weather").scatter("temp_min", "temp_max").drop("date");
    expect(await text(plotted)).toContain(
      "# Block 2: scatter (DP_SCP): left out, since pandas and scikit-learn have nothing that does the same.\n",
    );
    const arrays = s.ndarray(
      [
        [1, 2],
        [2, 4],
        [3, 7],
      ],
      2,
    );
    expect(await text(arrays)).toContain("# Block 4: ndarray (DP_STN): left out");
    await expect(arrays.xy({ y: -1 }).then((result) => result.code({ as: "python" }))).rejects.toThrow(
      "code: block 4, ndarray (DP_STN), can't be written in Python: pandas and scikit-learn have nothing that does the same; and block 5, xy (DP_FSP), builds on it. Take the code of an earlier block, or code() for TypeScript.",
    );
    await expect(s.code({ as: "perl" as "python" })).rejects.toThrow(
      'code: as must be "typescript" or "python", got "perl".',
    );
    expect(await s.code()).toMatch(/^import \{ session \} from "blocklab";/);
  });

  it("says that a machine stopped before its best answer", async () => {
    const path = join(home, "wide.csv");
    const rows = Array.from(
      { length: 90 },
      (_, k) => `${((k * 37) % 101) * 1e11},${k % 7},${"pq"[((k * k) % 11) % 2]}`,
    );
    writeFileSync(path, `a,b,y\n${rows.join("\n")}\n`);
    const chain = (await fresh()).input(path).xy({ y: "y" }).svm({ probability: false });
    expect(await text(chain)).toContain(
      "# Blocklab stopped before the best answer was found, and numbers differ; with",
    );
  });

  it.each<[string, (few: Chain) => Chain, string]>([
    ["boost", (few) => few.boost({ early_stopping: true }), "holds out rows of each class, and there are too few"],
    ["mlp", (few) => few.mlp({ early_stopping: true, max_iter: 3 }), "holds out two rows at least"],
    [
      "encode",
      (few) => few.encode({ columns: ["a"], type: "target" }),
      "five parts of the rows, and no class has so many",
    ],
  ])("says which rows are too few for scikit-learn: %s", async (_, build, why) => {
    const path = join(home, "few.csv");
    const rows = Array.from({ length: 9 }, (_, k) => `${k % 4},${"pqr"[k % 3]}`);
    writeFileSync(path, `a,y\n${rows.join("\n")}\n`);
    const s = await fresh();
    const script = await text(build(s.input(path).xy({ y: "y" })));
    expect(script).toContain("left out, since scikit-learn ");
    expect(script).toContain(why);
  });
});
