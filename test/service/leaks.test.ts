import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import type { StateRecord } from "../../src/core/record.ts";
import { resamplers } from "../../src/numerics/sampling/resample.ts";
import { allBlocks } from "../../src/registry/index.ts";
import { Lab, type Link, output, someone } from "../support/lab.ts";

const lab = new Lab();
const trainRows = 24;

/** Rows of numbers with holes, words, texts and two targets. */
const train = Array.from({ length: trainRows }, (_, k) =>
  [
    k % 9 === 4 ? "" : k * 3,
    (k * 7.31) % 5,
    ["red", "green", "blue"][k % 3],
    `word${k % 4} and thing${k % 5}`,
    k % 3 ? "no" : "yes",
    k * 1.5 + (k % 4),
  ].join(","),
);
const plain = [
  "3,1.5,red,word1 thing2,yes,4.51",
  ",2.5,blue,word2,no,1.25",
  "9,0.5,green,thing1,no,2.52",
  "12,,red,word3,yes,9.5",
];
/** Other test rows: far away, of unseen categories and words, with other holes. */
const foul = [
  "-100000,1e9,purple,zebra zebra word1,no,-1e6",
  "77777,-1e9,,unheard of things,yes,123456.5",
  ",,black,,no,0.5",
  "1,1e-9,purple,zebra,no,77.5",
];

const table = (...rows: readonly string[]) => ["i,f,c,t,y,z", ...rows, ""].join("\n");

/** All that a chain fitted: its training rows as they are now, its plan with every constant, its model. */
async function fittedBy(
  training: readonly string[],
  test: readonly string[],
  links: readonly Link[],
): Promise<Record<string, unknown>> {
  const record = await lab.last(table(...training, ...test), ...links);
  const service = await lab.service;
  const sql = await service.sql(someone, record.id);
  return {
    x: record.x_train_url ? await lab.table(record.x_train_url) : null,
    y: record.y_train_url ? await lab.table(record.y_train_url) : null,
    sql: sql.replace(/[\w-]{22}\.parquet/g, "table.parquet"),
    model: await modelOf(record),
  };
}

async function modelOf(record: StateRecord): Promise<string | null> {
  if (!record.output) return null;
  const [model] = Object.values(output<Record<string, { model_url?: string }>>(record));
  const artifact = model?.model_url ? someone.artifactIn(model.model_url) : null;
  if (!artifact) return null;
  return await readFile((await (await lab.service).file(someone, artifact, "json")).path, "utf8");
}

/** Roles, the split, perhaps a fill, and then the block. */
const after = (x: readonly string[], y: string, ...links: readonly Link[]): readonly Link[] => [
  ["xy", { x, y }],
  ["split", { test_size: 4, shuffle: false }],
  ...links,
];
const fill: Link = ["missing", { strategy: "median" }];
const few = { k_neighbors: 3, m_neighbors: 3, n_neighbors: 3 };

const prepared: readonly (readonly [name: string, links: readonly Link[]])[] = [
  ...["mean", "median", "mode", "ffill", "bfill", "linear"].map(
    (strategy) => [`DP_2 ${strategy}`, after(["i", "f"], "y", ["missing", { strategy }])] as const,
  ),
  ...["onehot", "label", "binary", "target"].map(
    (type) => [`DP_3 ${type}`, after(["c"], "z", ["encode", { columns: ["c"], type }])] as const,
  ),
  ...["standard", "minmax", "robust", "maxabs"].map(
    (scaler) => [`DP_5 ${scaler}`, after(["f"], "y", ["scale", { scaler }])] as const,
  ),
  ["DP_PCA", after(["i", "f", "z"], "y", fill, ["pca", { n_components: 2 }])],
  ...["tfidf", "count"].map(
    (vectorizer) =>
      [`DP_VEC ${vectorizer}`, after(["t"], "y", ["vectorize", { vectorizer, max_features: 5 }])] as const,
  ),
  ...resamplers.map((resampler) => {
    const args = { resampler, xy: true, random_state: 1, details: few };
    return [`DP_RES ${resampler}`, after(["f", "z"], "y", fill, ["resample", args])] as const;
  }),
];

/** Blocks that ask a model that stands, and fit nothing. */
const asking = /_[PM]$|^ML_SHAP$|^BL_(?:ERRORS|PDP|CALIBRATION|THRESHOLD|LIFT|LEARNING)$/;

/** What blocks that search models must be told. */
const searches: Readonly<Record<string, object>> = {
  AUTO_R_1: { max_trials: 3, cv: 3, time_left: 600 },
  AUTO_CN_1: { max_trials: 3, cv: 3, time_left: 600 },
  ML_GRID: { model: "treeClassifier", grid: { max_depth: [1, 3] }, cv: 3 },
  BL_TUNE: { model: "treeClassifier", space: { max_depth: [1, 5] }, cv: 3, n_trials: 4 },
};

/** Every model that there is, with its defaults; a new one is tested without a word here. */
const models = allBlocks
  .filter(({ code, args }) => "model_name" in args && /^(?:ML|MS|BL|AUTO)_/.test(code) && !asking.test(code))
  .map(({ code, args }) => {
    const few = { n_estimators: 3, n_clusters: 3, random_state: 1, max_iter: 20 };
    const own = Object.fromEntries(Object.entries(few).filter(([name]) => name in args));
    const link: Link = [code, { ...own, ...searches[code] }];
    const y = /^(?:ML_R_|AUTO_R_|BL_(?:RIDGE|LASSO|ELASTICNET|KNNR|POISSON|QUANTILE))/.test(code) ? "z" : "y";
    return [code, after(code === "ML_R_1" ? ["f"] : ["i", "f"], y, fill, link)] as const;
  });

/** Networks: built by one block, trained by the next. */
const networks: readonly (readonly [name: string, links: readonly Link[]])[] = [
  [
    "DL_RBM_T",
    after(
      ["i", "f"],
      "y",
      fill,
      ["scale", { scaler: "minmax" }],
      ["DL_RBM_I", { hyp_params: { n_components: 3, n_iter: 4, random_state: 1 } }],
      ["DL_RBM_T", { model_name: "rbm" }],
    ),
  ],
  [
    "DL_ANN_T",
    after(
      ["i", "f"],
      "y",
      fill,
      ["DL_ANN_S_I", { layer_list: [{ type: "dense", units: 4 }] }],
      ["DL_ANN_T", { model_name: "ann", epochs: 4, random_state: 1 }],
    ),
  ],
  [
    "DL_SOM_T",
    after(
      ["i", "f"],
      "y",
      fill,
      ["DL_SOM_I", { hyp_params: { x: 3, y: 3, random_state: 1 } }],
      ["DL_SOM_T", { model_name: "som", epochs: 2 }],
    ),
  ],
  [
    "A_DL_TXC_T",
    after(
      ["t"],
      "y",
      ["A_DL_TXC_I", { hyp_params: { max_trials: 3, random_state: 1 } }],
      ["A_DL_TXC_T", { model_name: "words", epochs: 2 }],
    ),
  ],
];

/** It would be no proof, were training rows as little heeded. */
const otherTrain = train.map((row) =>
  row.replace(/^(\d*),([\d.]+),red/, (_, i, f) => `${Number(i) + 5},${Number(f) * 2},blue`).replace("word1", "other"),
);

describe("what is fitted", () => {
  it.each([...prepared, ...models, ...networks])("by %s comes from training rows alone", async (_, links) => {
    const made = await fittedBy(train, plain, links);
    expect(await fittedBy(train, foul, links)).toEqual(made);
    expect(await fittedBy(otherTrain, plain, links)).not.toEqual(made);
  });

  it("by DP_ADP comes from training rows alone", async () => {
    const args = {
      x_slice: ["i", "f", "c"],
      y_slice: "z",
      test_size_value: 6,
      random_state: 3,
      strategy_value: "median",
    };
    const first = await lab.last(table(...train, ...plain), ["auto", args]);
    const isTest = new Set((await lab.table(first.y_test_url)).rows.map(([z]) => Number(z)));
    const spoilt = table(...train, ...plain)
      .split("\n")
      .map((row, k) => {
        const cells = row.split(",");
        return k > 0 && isTest.has(Number(cells[5]))
          ? ["-99999", "1e9", "blue", cells[3], cells[4], cells[5]].join(",")
          : row;
      });
    expect(spoilt.filter((row) => row.startsWith("-99999"))).toHaveLength(6);
    const second = await lab.last(spoilt.join("\n"), ["auto", args]);
    expect(await lab.table(second.x_train_url)).toEqual(await lab.table(first.x_train_url));
  });

  it("covers every block that fits", () => {
    const tested = [...prepared, ...models, ...networks, ["DP_ADP"]].map(([name]) => String(name).split(" ")[0]);
    // What a block has fitted is kept under a name; a block that builds a network (_I) has fitted nothing yet.
    const named = allBlocks
      .filter(
        ({ code, args }) => "save_name" in args || ("model_name" in args && !/_[EI]$/.test(code) && !asking.test(code)),
      )
      .map(({ code }) => code);
    expect(models.length).toBeGreaterThan(19);
    expect(named.length).toBeGreaterThan(19);
    expect(["DP_2", "DP_PCA", ...named].filter((code) => !tested.includes(code))).toEqual([]);
  });
});
