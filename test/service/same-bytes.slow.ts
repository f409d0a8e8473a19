import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, expect, it } from "vitest";
import { allBlocks, byName } from "../../src/registry/index.ts";
import { createService } from "../../src/service/index.ts";
import { Lab, type Link, someone } from "../support/lab.ts";

const homes: string[] = [];
afterAll(() => {
  for (const home of homes) rmSync(home, { recursive: true, force: true });
});

const lab = new Lab();

/**
 * Runs a chain, reads every table that its records name, and answers the digests of all files, in order.
 *
 * With `restarts` each block runs on a service that was just started and has nothing but what lies on disk.
 */
async function digests(threads: number, dburl: string, links: readonly Link[], restarts = false): Promise<unknown> {
  const home = mkdtempSync(join(tmpdir(), "blocklab-bytes-"));
  homes.push(home);
  let service = await createService({ home, threads });
  const { id } = await service.createProject(someone, "p");
  const all: readonly Link[] = [["input", { dburl }], ...links];
  const read: unknown[] = [];
  for (const [k, [helper, args = {}]] of all.entries()) {
    if (restarts) {
      await service.close();
      service = await createService({ home, threads });
    }
    const function_code = byName(helper)?.code ?? helper;
    const record = await service.run(someone, { project_id: id, block_id: k + 1, parent_id: k, function_code, args });
    for (const url of [record.x_train_url ?? record.dataset_url, record.y_test_url]) {
      const artifact = url ? someone.artifactIn(url) : null;
      if (artifact) read.push((await service.file(someone, artifact, "csv")).sha256);
    }
  }
  await service.close();
  const database = new DatabaseSync(join(home, "blocklab.db"));
  const written = database.prepare(
    "SELECT kind, sha256, bytes FROM artifacts WHERE kind <> 'projection' ORDER BY rowid",
  );
  const sealed = written.all().map((row) => ({ ...row }));
  database.close();
  return { sealed, read };
}

const rows = (n: number) => {
  let state = 12_345;
  const draw = () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state / 2 ** 32;
  };
  const lines = Array.from({ length: n }, (_, k) => {
    const [a, b, c] = [draw(), draw(), draw()];
    return `${k % 11 === 3 ? "" : a.toFixed(4)},${(b * 10).toFixed(3)},${["x", "y", "z"][Math.floor(c * 3)]},${a + b > 1 ? "in" : "out"},word${k % 7} and ${k % 13}`;
  });
  return `a,b,c,y,t\n${lines.join("\n")}\n`;
};

const xy = ["xy", { x: ["a", "b", "c"], y: "y" }] as const;
const ready = [
  xy,
  ["split", { random_state: 5 }],
  ["missing", { strategy: "median" }],
  ["encode", { columns: ["c"] }],
] as const;
const models = allBlocks
  .filter(({ code }) => /^ML_CN_\d+$/.test(code))
  .map(
    ({ code, args }): Link => [
      code,
      {
        ...("n_estimators" in args ? { n_estimators: 12 } : {}),
        ...("probability" in args ? { probability: true } : {}),
      },
    ],
  );

const chains: readonly [string, number, readonly Link[]][] = [
  [
    "a large table",
    260_000,
    [
      ["missing", { strategy: "drop" }],
      xy,
      ["split", { random_state: 5 }],
      ["encode", { columns: ["c"], type: "target" }],
      ["scale", {}],
    ],
  ],
  ["features", 3000, [...ready, ["pca", { n_components: 3 }], ["resample", { xy: true, random_state: 1 }]]],
  [
    "words",
    3000,
    [
      ["xy", { x: ["t"], y: "y" }],
      ["split", { random_state: 5 }],
      ["vectorize", { max_features: 12 }],
    ],
  ],
  [
    "a search",
    900,
    [...ready, ["gridSearch", { model: "forestClassifier", grid: { max_depth: [2, 4] }, fixed: { n_estimators: 6 } }]],
  ],
  [
    "a search by what scored well before",
    900,
    [
      ...ready,
      [
        "tune",
        {
          model: "forestClassifier",
          space: { max_depth: [2, 9], max_features: ["sqrt", 0.5, 2] },
          fixed: { n_estimators: 6 },
          n_trials: 14,
        },
      ],
    ],
  ],
  [
    "an automated search",
    900,
    [
      ...ready,
      ["autoClassifier", { max_trials: 9, time_left: 3600 }],
      ["AUTO_CN_1_P", { model_name: "autoClassifier" }],
    ],
  ],
  ["networks", 900, [...ready, ["scale", {}], ["mlp", { max_iter: 5 }], ["BL_MLP_P", { model_name: "mlp" }]]],
  ["classifiers", 900, [...ready, ["scale", {}], ...models.flatMap((model): Link[] => [model])]],
  [
    "boosted trees",
    2000,
    [
      ...ready,
      ["boost", { max_iter: 20, early_stopping: true }],
      ["boost", { max_iter: 5, warm_start: "boost", sample_weight: "b" }],
      ["MS_XGBOOST_P", { model_name: "boost-2" }],
    ],
  ],
  [
    "explanations",
    900,
    [
      ...ready,
      ["boost", { max_iter: 20 }],
      ["shap", {}],
      ["naiveBayes", {}],
      ["shap", { rows: 20, samples: 40 }],
      ["errors", {}],
      ["partialDependence", { columns: "a", rows: 200 }],
      ["calibration", {}],
      ["threshold", { costs: { false_positive: 1, false_negative: 3 } }],
      ["lift", {}],
      ["learningCurve", { cv: 3, train_sizes: [0.5, 1] }],
    ],
  ],
  ["clusters", 9000, [...ready, ["scale", {}], ["kmeans", { n_clusters: 4 }], ["ML_CG_2_M", { model_name: "kmeans" }]]],
  [
    "dense clusters",
    9000,
    [
      ...ready,
      ["scale", {}],
      ["dbscan", { eps: 0.2 }],
      ["ML_CG_3_P", { model_name: "dbscan", test_data: "x_test_url" }],
    ],
  ],
  [
    "clusters of unlike density",
    5000,
    [
      ...ready,
      ["scale", {}],
      ["hdbscan", { min_cluster_size: 20 }],
      ["BL_HDBSCAN_P", { model_name: "hdbscan", test_data: "x_test_url" }],
    ],
  ],
  [
    "mixtures",
    9000,
    [
      ...ready,
      ["gaussianMixture", { n_components: [2, 3], n_init: 2 }],
      ["BL_GAUSSIAN_MIXTURE_P", { model_name: "gaussianMixture", test_data: "x_test_url" }],
      ["BL_GAUSSIAN_MIXTURE_M", { model_name: "gaussianMixture" }],
    ],
  ],
  [
    "outliers",
    3000,
    [
      ...ready,
      ["isolationForest", { contamination: 0.05 }],
      ["ML_ISF_P", { model_name: "isolationForest", test_data: "x_test_url" }],
    ],
  ],
  ["layouts", 1500, [...ready, ["scale", {}], ["tsne", { max_iter: 250 }], ["umap", { n_epochs: 20 }]]],
  ["what comes next", 120, [["forecast", { y: "a", season: 4, horizon: 6 }]]],
  [
    "joined clusters",
    900,
    [...ready, ["scale", {}], ["hierarchical", {}], ["ML_CG_1_P", { model_name: "hierarchical" }]],
  ],
  [
    "a network",
    900,
    [
      ...ready,
      ["scale", { scaler: "minmax" }],
      ["DL_RBM_I", { hyp_params: { n_components: 8, n_iter: 5, random_state: 1 } }],
      ["DL_RBM_T", { model_name: "rbm" }],
      ["DL_RBM_P", { model_name: "rbm" }],
    ],
  ],
  [
    "layers",
    900,
    [
      ...ready,
      ["scale", {}],
      ["ann", { layer_list: [9, { type: "dropout", rate: 0.2 }] }],
      ["DL_ANN_T", { epochs: 4, validation_split: 0.2 }],
      ["DL_ANN_P", {}],
    ],
  ],
  ["a map", 900, [...ready, ["scale", {}], ["som", { x: 4, y: 4 }], ["DL_SOM_T", { epochs: 3 }], ["DL_SOM_P", {}]]],
  [
    "a text classifier",
    600,
    [
      ["xy", { x: ["t"], y: "y" }],
      ["split", { random_state: 5 }],
      ["A_DL_TXC_I", { hyp_params: { max_trials: 4, random_state: 1 } }],
      ["A_DL_TXC_T", { model_name: "text", epochs: 2 }],
      ["A_DL_TXC_P", { model_name: "text" }],
    ],
  ],
  [
    "regressions",
    900,
    [
      ["xy", { x: ["b"], y: "a" }],
      ["missing", { strategy: "drop", y_boundaries: "a", x_boundaries: ["b", "a"] }],
      ["split", { random_state: 5 }],
      ["simpleLinear", {}],
      ["linear", {}],
      ["ridge", { alpha: "auto" }],
      ["lasso", { alpha: "auto" }],
      ["knnRegressor", { weights: "distance" }],
      ["elasticNet", {}],
      ["derive", { columns: { a: "abs(a)" } }],
      ["poisson", { alpha: 0.1 }],
      ["quantileRegressor", { quantile: 0.8 }],
      ["polynomial", {}],
      ["treeRegressor", {}],
      ["forestRegressor", { n_estimators: 12 }],
      ["svr", {}],
      ["autoRegressor", { max_trials: 9, time_left: 3600 }],
      ["ML_R_6_P", { model_name: "forestRegressor" }],
    ],
  ],
];

it("every model is among them", () => {
  const run = new Set(chains.flatMap(([, , links]) => links.map(([helper]) => byName(helper)?.code ?? helper)));
  const trained = allBlocks.filter(({ code, args }) => "model_name" in args && !/_[PMEI]$/.test(code));
  expect(trained.map(({ code }) => code).filter((code) => !run.has(code))).toEqual([]);
});

it.each(chains)(
  "the same data, arguments and seed give the same bytes of %s on one worker, on many, and after a restart",
  { timeout: 120_000 },
  async (_, n, links) => {
    const file = lab.file(rows(n));
    const one = await digests(1, file, links);
    expect(await digests(4, file, links)).toEqual(one);
    expect(await digests(0, file, links, true)).toEqual(one);
  },
);
